// The panel: shows views of the simulation, and sends clicks and keys as steps.

import type { SlotView } from "../../simulator/device/metered-storage.ts";
import type { ExchangeDetail } from "../../simulator/log/mask.ts";
import { sentenceOf } from "../../simulator/log/remedies.ts";
import { type Need, whyNot } from "../../simulator/preconditions.ts";
import type { Gauge, SlipView, View } from "../../simulator/view.ts";
import { Diagram } from "./diagram.ts";
import { element, paceOf, setText, svg, time } from "./dom.ts";
import { guideOf, type PhonePage, wordsOf } from "./guide.ts";

/** The connection to the simulation: over the network, or in the same page. */
export interface Link {
  /** Calls `show` with each view, and `lost` if the connection fails. It may recover: then `show` is called again. */
  watch(show: (view: View) => void, lost: (why: string) => void): void;
  send(command: string): Promise<string>;
  /** Request and response in full, with secrets masked; undefined if the log no longer has them. */
  exchange(id: number): Promise<ExchangeDetail | undefined>;
  openPhone(target: string): void;
  hintFor(verificationUri: string): string;
}

const MESSAGE_MS = 7000;
const STRIP_MAX = 60;
/** The phone shows this text unless the user has decided with the panel's buttons. page.ts has a copy for the start. */
const NOT_YET =
  "It takes the code from the device: by its camera, or you open the address and type.";
export class Panel {
  #latest: View | undefined;
  /** The number of the last message of the simulation. */
  #received = -1;
  /** Whether the panel's own message no longer applies. */
  #isOver: (view: View) => boolean = () => false;
  #hush: ReturnType<typeof setTimeout> | undefined;
  /** `order` of the last decision with the panel's buttons that the phone has shown; -1: none. */
  #reported = -1;
  readonly #diagram: Diagram;

  readonly #link: Link;

  constructor(link: Link) {
    this.#link = link;
    this.#diagram = new Diagram(element<HTMLOListElement>("sequence"), link);
    // The panel's keys need the focus. While this page has the focus, browsers ignore `autofocus` in the phone's frame.
    element("bench").focus({ preventScroll: true });
    document.addEventListener("click", (event) => this.#click(event));
    document.addEventListener("keydown", (event) => this.#press(event));
    element("next").addEventListener("click", () => this.#next());
    element("phone")?.addEventListener("load", () => {
      if (this.#latest) this.#showGuide(this.#latest);
    });
    link.watch(
      (view) => {
        document.body.dataset.live = "yes";
        setText("connection", "");
        this.#show(view);
      },
      (why) => setText("connection", why),
    );
  }

  /** Shows one line for some seconds, or until `isOver` returns true. */
  print(text: string, isOver: (view: View) => boolean = () => false): void {
    clearTimeout(this.#hush);
    this.#isOver = isOver;
    setText("message", text);
    if (text !== "") this.#hush = setTimeout(() => setText("message", ""), MESSAGE_MS);
  }

  #show(view: View): void {
    this.#latest = view;
    showDevice(view);
    this.#showCode(view);
    this.#showDecision(view);
    this.#diagram.show(view);
    setText("time", time(view.clock.ms));
    setText("speed", paceOf(view.clock));
    this.#receive(view);
    this.#showGuide(view);
    showButtons(view);
  }

  #showGuide(view: View): void {
    const { step, next, description } = guideOf(
      view,
      phonePage(view.device.userCode),
      seesFaults(),
    );
    const words = wordsOf(step, view.device.on);
    [...element("guide").children].forEach((item, at) => {
      if (item.textContent !== words[at]) item.textContent = words[at]!;
      item.className = at < step ? "done" : "";
      if (at === step) item.setAttribute("aria-current", "step");
      else item.removeAttribute("aria-current");
    });
    setText("guide-says", description);
    const key = element<HTMLButtonElement>("next");
    key.hidden = next === undefined;
    quietenPhone(next !== undefined);
    if (next === undefined) return;
    setText("next", next.label);
    key.dataset.does = next.does;
  }

  #next(): void {
    const does = element<HTMLButtonElement>("next").dataset.does ?? "";
    if (does === "#scan") this.#scan();
    else if (does === "#faults") {
      element("tab-fault").click();
      element("actions-fault").scrollIntoView({ block: "nearest" });
      element("tab-fault").focus();
    } else void this.#send(does);
  }

  #scan(): void {
    const code = this.#latest?.device.userCode;
    if (code) this.#openPhone(`/device?user_code=${encodeURIComponent(code)}`);
    else {
      const hasCode = ({ device }: View): boolean => device.userCode !== "";
      this.print("There is no code on the display to scan: press new code", hasCode);
    }
  }

  #openPhone(target: string): void {
    element("phone-home").hidden = true;
    element("phone").hidden = false;
    this.#link.openPhone(target);
  }

  /** After a decision with the panel's buttons, the phone shows the result instead of the open page. */
  #showDecision({ decision }: View): void {
    const order = decision?.isByKey ? decision.order : -1;
    if (order === this.#reported || element("phone") === null) return;
    this.#reported = order;
    const isReported = decision?.isByKey === true;
    setText("phone-says", isReported ? decision.page.title : "Your phone");
    setText("phone-does", isReported ? decision.page.text : NOT_YET);
    if (!isReported) return;
    element("phone-home").hidden = false;
    element("phone").hidden = true;
    setText("phone-address", "");
  }

  #showCode({ device, qr }: View): void {
    const { verificationUri } = device;
    drawModules(element<SVGSVGElement>("qr"), qr);
    setText("qr-text", verificationUri ? this.#link.hintFor(verificationUri) : "No code now");
  }

  /** Shows a message once, although later views repeat it. An empty message does not remove the panel's own message. */
  #receive(view: View): void {
    const isNew = view.messageNumber !== this.#received;
    this.#received = view.messageNumber;
    if (isNew && view.message !== "") this.print(view.message, ({ message }) => message === "");
    else if (this.#isOver(view)) this.print("");
  }

  async #send(command: string): Promise<void> {
    this.print("");
    const problem = await this.#link.send(command);
    if (problem) this.print(problem);
  }

  #click(event: Event): void {
    const button = (event.target as Element).closest("button");
    if (button === null) return;
    // These two buttons send no step. For the others, `#send` removes the last message.
    if (button.id === "enter" || button.id === "scan") this.print("");
    const { command } = button.dataset;
    if (button.dataset.whyNot) this.#refuse(button);
    else if (command) void this.#send(command);
    else if (button.id === "enter") this.#openPhone("/device");
    else if (button.id === "scan") this.#scan();
  }

  /** Shows why a button is not available. */
  #refuse({ dataset, firstChild }: HTMLButtonElement): void {
    const { needs, whyNot: why } = dataset;
    const isOver = (view: View): boolean => whyNot(needs as Need, view) === "";
    this.print(`${firstChild?.textContent}: ${why}`, isOver);
  }

  #press(event: KeyboardEvent): void {
    if (event.ctrlKey || event.metaKey || event.altKey || event.key.length > 1) return;
    const at = event.target as Element;
    if (at.closest("input")) return;
    if (event.key === " " && at.closest("button, summary")) return;
    const button = [...document.querySelectorAll<HTMLButtonElement>("[data-key]")].find(
      ({ dataset }) => dataset.key === event.key,
    );
    if (button === undefined) {
      this.print(`The key ${event.key} does nothing; the buttons show the keys that do`);
      return;
    }
    event.preventDefault();
    if (button.dataset.whyNot) this.#refuse(button);
    else void this.#send(button.dataset.command!);
  }
}

/** Recognizes the page on the phone by its forms. A page that confirms another code than `userCode` is "other". */
function phonePage(userCode: string): PhonePage {
  const phone = element<HTMLIFrameElement>("phone");
  if (phone === null) return "none";
  if (phone.hidden) return "home";
  const page = phone.contentDocument;
  const code = page?.querySelector<HTMLInputElement>('form[action^="/device"] [name=user_code]');
  if (!code) return "other";
  const isThis = bare(code.value) === bare(userCode);
  if (code.type !== "hidden") return isThis ? "code" : "type";
  if (!isThis) return "other";
  return page!.querySelector('form[action="/device/decision"]') ? "consent" : "code";
}

/** Removes the highlight of the button on the phone while the panel highlights one. */
function quietenPhone(isQuiet: boolean): void {
  const page = element<HTMLIFrameElement>("phone")?.contentDocument?.documentElement;
  page?.classList.toggle("quiet", isQuiet);
}

/** The code without separators (RFC 8628 §6.1). */
function bare(code: string): string {
  return code.replace(/[\s\-\u2010-\u2015\u2212]/gu, "");
}

function seesFaults(): boolean {
  const { top, bottom, height } = element("actions-fault").getBoundingClientRect();
  return height > 0 && bottom > 0 && top < innerHeight;
}

/** Shows buttons of active faults as pressed. Disables unavailable buttons, whose tooltip is the reason. */
function showButtons(view: View): void {
  for (const button of document.querySelectorAll<HTMLButtonElement>("[data-fault]")) {
    button.setAttribute("aria-pressed", String(view.faults.includes(button.dataset.fault!)));
  }
  for (const button of document.querySelectorAll<HTMLButtonElement>("[data-needs]")) {
    const why = whyNot(button.dataset.needs as Need, view);
    if (why === (button.dataset.whyNot ?? "")) continue;
    button.dataset.whyNot = why;
    button.setAttribute("aria-disabled", String(why !== ""));
    button.title = why || (button.dataset.title ?? "");
  }
}

function showGauge(id: string, { leftMs, totalMs }: Gauge): void {
  element<HTMLMeterElement>(id).value = totalMs > 0 ? leftMs / totalMs : 0;
  setText(`${id}-text`, totalMs > 0 ? time(leftMs + 999) : "–");
}

function showDevice({ device, display, memory, slots, slips }: View): void {
  if (element("code-strip")) setText("code-strip", stripOf(device, display));
  setText("frame", display.lines.join("\n"));
  element("frame").className = display.lit ? "lit" : "";
  element("frame").style.setProperty("--columns", String(display.columns));
  element("slip").hidden = device.kind !== "printer" || slips.length === 0;
  if (device.kind === "printer") drawSlip(element("slip"), slips.at(-1));
  showReason(device);
  setText("device-name", device.title);
  setText("client", device.client);
  element("led").className = device.on ? device.state.replace(" ", "-") : "off";
  setText("state", device.state);
  showGauge("poll", device.poll);
  showGauge("code", device.code);
  showGauge("access", device.access);
  if (device.inFlight) setText("poll-text", "now");
  setText("memory", `${memory.bytes} bytes, ${memory.tokens} for tokens`);
  for (const one of slots) {
    const { slot, bytes, sequence, writes, erases } = one;
    setText(`slot-${slot}`, `${slot + 1}: ${storedWords(one)}`);
    element(`slot-${slot}`).title =
      `${bytes} bytes, record ${sequence + 1}, ${writes} writes, ${erases} erases`;
  }
}

const STORED_WORDS: Readonly<Record<SlotView["kind"], string>> = {
  empty: "nothing",
  code: "the code",
  token: "the refresh token",
  "access token": "the access token",
  revocation: "tokens to be revoked",
  unknown: "nothing readable",
};

function storedWords({ kind, bytes }: SlotView): string {
  return bytes > 0 ? STORED_WORDS[kind] : STORED_WORDS.empty;
}

/** The line above the phone in a narrow window: the code or, if there is none, the text of the display. */
function stripOf({ userCode }: View["device"], { lit, lines }: View["display"]): string {
  if (userCode !== "") return `The device shows ${userCode}`;
  const words = lit ? lines.join(" ").replace(/\s+/g, " ").trim() : "nothing: it is off";
  return `The device shows: ${words.length > STRIP_MAX ? `${words.slice(0, STRIP_MAX)} ...` : words}`;
}

/** A pending code is not an error. */
function showReason({ reason }: View["device"]): void {
  const isWrong = reason !== undefined && reason.name !== "authorization_pending";
  element("reason").hidden = !isWrong;
  if (!isWrong) return;
  setText("reason", `${reason.name}, reported by ${reason.from}. ${sentenceOf(reason.fix)}`);
}

/** Shows the groups of buttons as tabs. The left and right arrow keys select a tab (ARIA Authoring Practices). */
export function takeTabs(): void {
  const tabs = [...document.querySelectorAll<HTMLElement>("[role=tab]")];
  const choose = (chosen: HTMLElement): void => {
    for (const tab of tabs) {
      const isChosen = tab === chosen;
      tab.setAttribute("aria-selected", String(isChosen));
      tab.tabIndex = isChosen ? 0 : -1;
      element(tab.getAttribute("aria-controls")!).hidden = !isChosen;
    }
  };
  for (const tab of tabs) {
    tab.addEventListener("click", () => choose(tab));
    tab.addEventListener("keydown", (event) => {
      const step = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0;
      if (step === 0) return;
      const next = tabs[(tabs.indexOf(tab) + step + tabs.length) % tabs.length]!;
      choose(next);
      next.focus();
    });
  }
}

/** Width of the quiet zone in modules (ISO/IEC 18004). */
const QUIET = 4;

function drawModules(root: SVGSVGElement, rows: readonly string[]): void {
  const state = rows.join("");
  if (root.dataset.state === state) return;
  root.dataset.state = state;
  root.replaceChildren();
  if (rows.length === 0) return;
  let path = "";
  rows.forEach((row, y) => {
    for (let x = 0; x < row.length; x++) {
      if (row[x] === "1") path += `M${x + QUIET},${y + QUIET}h1v1h-1z`;
    }
  });
  const size = rows.length + 2 * QUIET;
  root.setAttribute("viewBox", `0 0 ${size} ${size}`);
  // The background is white even in dark mode, because cameras need dark modules on a light background.
  root.append(svg("rect", { width: size, height: size, fill: "#fff" }));
  root.append(svg("path", { d: path, fill: "#111" }));
}

function drawSlip(place: HTMLElement, slip: SlipView | undefined): void {
  const state = slip ? `${slip.atMs} ${slip.code}` : "";
  if (place.dataset.state === state) return;
  place.dataset.state = state;
  place.replaceChildren();
  if (slip === undefined) return;
  const { heading, address, code, footing, qr } = slip;
  const lines = [heading, address, "", code, "", footing];
  const text = document.createElement("p");
  for (const line of lines) {
    const row = document.createElement(line === code ? "strong" : "span");
    // A long address wraps after a separator, not inside a word.
    const parts = (line || " ").split(/(?<=[^/]\/|[a-z]\.)(?=[^/\s])/);
    row.append(...parts.flatMap((part) => [part, document.createElement("wbr")]));
    text.append(row);
  }
  const picture = svg("svg", { viewBox: "0 0 1 1" }) as SVGSVGElement;
  drawModules(picture, qr);
  place.setAttribute("aria-label", `A slip of paper: ${lines.filter(Boolean).join(" ")}`);
  place.append(text, picture);
}
