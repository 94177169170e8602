// The panel's script: takes views from the server's events and puts them on the page; sends what is
// clicked or typed as commands.
import type { Gauge, View } from "../../simulator/view.ts";
import { drawDisplay } from "./lcd.ts";
import { drawQrCode } from "./qr.ts";
import { drawSequence, time } from "./sequence.ts";

function element<T extends Element = HTMLElement>(id: string): T {
  return document.getElementById(id) as unknown as T;
}

function setText(id: string, text: string): void {
  const target = element(id);
  if (target !== null && target.textContent !== text) target.textContent = text;
}

let latest: View | undefined;

function showGauge(id: string, { leftMs, totalMs }: Gauge): void {
  element<HTMLMeterElement>(id).value = totalMs > 0 ? leftMs / totalMs : 0;
  setText(`${id}-text`, totalMs > 0 ? time(leftMs + 999) : "-");
}

function showDevice({ device, display, memory, slots }: View): void {
  drawDisplay(element<HTMLCanvasElement>("lcd"), display);
  setText("frame", display.lit ? display.lines.join("\n") : "");
  element("led").className = device.on ? device.state.replace(" ", "-") : "off";
  setText("state", device.error ? `${device.state}: ${device.error}` : device.state);
  showGauge("poll", device.poll);
  showGauge("code", device.code);
  showGauge("access", device.access);
  if (device.inFlight) setText("poll-text", "under way");
  setText("memory", `${memory.bytes} bytes, of them tokens ${memory.tokens}`);
  const { core, others } = memory.allocated;
  setText(
    "allocated",
    `${core} bytes/s by the core, ${Math.round(others / 1024)} KiB/s by the rest`,
  );
  for (const { slot, kind, sequence, bytes, writes, erases } of slots) {
    const wear = `${writes} writes, ${erases} erases`;
    setText(`slot-${slot}`, `${kind}${bytes ? ` #${sequence}, ${bytes} bytes` : ""} · ${wear}`);
  }
}

function showTimeline(view: View): void {
  const list = element<HTMLOListElement>("timeline");
  const { timeline } = view;
  const state = `${timeline.length} ${timeline.at(-1)?.atMs} ${timeline.at(-1)?.what}`;
  if (list.dataset.state === state) return;
  list.dataset.state = state;
  list.replaceChildren(
    ...timeline.slice(-30).map((entry) => {
      const item = document.createElement("li");
      item.className = entry.state ? entry.state.replace(" ", "-") : "outside";
      const when = document.createElement("time");
      when.textContent = time(entry.atMs);
      const what = document.createElement("span");
      what.textContent = entry.state ? `${entry.state}` : entry.what;
      const why = document.createElement("small");
      why.textContent = entry.state ? entry.what : "";
      item.append(when, what, why);
      return item;
    }),
  );
  list.scrollTop = list.scrollHeight;
}

function showCode({ device }: View): void {
  const { verificationUriComplete, verificationUri } = device;
  drawQrCode(element<SVGSVGElement>("qr"), verificationUriComplete || verificationUri);
  const isHere = /^https?:\/\/(127\.|localhost|\[::1\])/.test(verificationUri);
  const hint = isHere
    ? "For this computer only. To scan it with your phone, start with --host 0.0.0.0"
    : "Scan it with your phone";
  setText("qr-text", verificationUri ? hint : "No code now");
}

function show(view: View): void {
  latest = view;
  showDevice(view);
  showTimeline(view);
  showCode(view);
  if (drawSequence(element<SVGSVGElement>("sequence"), view)) {
    const scroll = element("sequence").parentElement;
    if (scroll) scroll.scrollTop = scroll.scrollHeight;
  }
  setText("time", time(view.clock.ms));
  setText("speed", view.clock.paused ? "paused" : `x${view.clock.speed}`);
  setText("message", view.message);
  for (const button of document.querySelectorAll<HTMLButtonElement>("[data-command^='fault ']")) {
    const on = view.faults.includes(button.dataset.command!.slice("fault ".length));
    button.setAttribute("aria-pressed", String(on));
  }
}

async function send(command: string): Promise<void> {
  const answer = await fetch("/panel/command", {
    method: "POST",
    headers: { "content-type": "application/json", "x-picogrant-panel": "1" },
    body: JSON.stringify({ command }),
  }).catch(() => undefined);
  if (!answer?.ok) setText("message", "The simulator did not take that.");
}

function phoneTo(address: string): void {
  const phone = document.getElementById("phone") as HTMLIFrameElement | null;
  if (phone) phone.src = address;
}

// The code's field wants the focus when its page opens; the panel has it for its keys. A browser gives
// `autofocus` nothing where something has the focus already, in a page or in one around it.
document.querySelector("main")?.focus({ preventScroll: true });
phoneTo("/device");

document.addEventListener("click", (event) => {
  const button = (event.target as Element).closest("button");
  if (button?.dataset.command) void send(button.dataset.command);
  else if (button?.id === "enter") phoneTo("/device");
  else if (button?.id === "scan" && latest?.device.userCode) {
    phoneTo(`/device?user_code=${encodeURIComponent(latest.device.userCode)}`);
  }
});

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const at = event.target as Element;
  // A focused button has its own meaning for the space bar.
  if (at.closest("input, textarea, select") || (event.key === " " && at.closest("button"))) return;
  const button = [...document.querySelectorAll<HTMLButtonElement>("[data-key]")].find(
    ({ dataset }) => dataset.key === event.key,
  );
  if (button === undefined) return;
  event.preventDefault();
  button.click();
});

addEventListener("resize", () => latest && drawDisplay(element("lcd"), latest.display));

const events = new EventSource("/panel/events");
events.addEventListener("message", (event) => {
  document.body.dataset.live = "yes";
  setText("connection", "");
  show(JSON.parse(String(event.data)) as View);
});
events.addEventListener("error", () => setText("connection", "The simulator has ended."));
