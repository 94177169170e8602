// The panel's script: puts views of the world on the page, and sends what is clicked or typed as commands. Where
// the world is, the link knows.

import type { SlotView } from "../../simulator/device/metered-storage.ts";
import type { ExchangeDetail } from "../../simulator/log/mask.ts";
import { sentenceOf } from "../../simulator/log/remedies.ts";
import { type Need, whyNot } from "../../simulator/needs.ts";
import type { Gauge, View } from "../../simulator/view.ts";
import { Diagram } from "./diagram.ts";
import { drawModules, drawSlip } from "./display.ts";
import { element, paceOf, setText, time } from "./dom.ts";
import { guideOf, type PhonePage, wordsOf } from "./guide.ts";

// What the panel is connected with: the simulator at the other end of a network, or a world in this very page.

export interface Link {
  /** Calls `show` with each view of the world, and `lost` where there will be none any more. */
  watch(show: (view: View) => void, lost: (why: string) => void): void;
  /** Does what a button says. @returns "" or why it could not be sent */
  send(command: string): Promise<string>;
  /** Request and answer in full, masked; undefined where they are no longer remembered. */
  exchange(id: number): Promise<ExchangeDetail | undefined>;
  /** Opens a page of the service on the phone. */
  openPhone(target: string): void;
  /** What may be said below the QR code. */
  hintFor(verificationUri: string): string;
}

/** How long a message stays. */
const MESSAGE_MS = 7000;
/** Characters of the display's text in one line above the phone. */
const STRIP_MAX = 60;
/** On the phone while no page is open there. */
const NOT_YET =
  "It takes the code from the device: by its camera, or you open the address and type.";
export class Panel {
  #latest: View | undefined;
  /** The number of the world's message that was said last. */
  #heard = -1;
  /** Whether what is said is no longer so. */
  #isOver: (view: View) => boolean = () => false;
  #hush: ReturnType<typeof setTimeout> | undefined;
  /** Which decision by a key the phone tells of. */
  #told = -1;
  readonly #diagram: Diagram;

  readonly #link: Link;

  constructor(link: Link) {
    this.#link = link;
    this.#diagram = new Diagram(element<HTMLOListElement>("sequence"), link);
    // The code's field wants the focus when its page opens; the panel has it for its keys. A browser gives
    // `autofocus` nothing where something has the focus already, in a page or in one around it.
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

  /**
   * One line for the person, for a while.
   * @param isOver whether it is no longer so: then it goes at once
   */
  say(text: string, isOver: (view: View) => boolean = () => false): void {
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
    this.#hear(view);
    this.#showGuide(view);
    showButtons(view);
  }

  #showGuide(view: View): void {
    const { step, next, says } = guideOf(view, phonePage(view.device.userCode), seesFaults());
    const words = wordsOf(step, view.device.on);
    [...element("guide").children].forEach((item, at) => {
      if (item.textContent !== words[at]) item.textContent = words[at]!;
      item.className = at < step ? "done" : "";
      if (at === step) item.setAttribute("aria-current", "step");
      else item.removeAttribute("aria-current");
    });
    setText("guide-says", says);
    const key = element<HTMLButtonElement>("next");
    key.hidden = next === undefined;
    quietenPhone(next !== undefined);
    if (next === undefined) return;
    setText("next", next.label);
    key.dataset.does = next.does;
  }

  /** What the strong button says. */
  #next(): void {
    const does = element<HTMLButtonElement>("next").dataset.does ?? "";
    if (does === "#scan") this.#scan();
    else if (does === "#faults") {
      element("tab-fault").click();
      element("deeds-fault").scrollIntoView({ block: "nearest" });
      element("tab-fault").focus();
    } else void this.#send(does);
  }

  #scan(): void {
    const code = this.#latest?.device.userCode;
    if (code) this.#openPhone(`/device?user_code=${encodeURIComponent(code)}`);
    else {
      const hasCode = ({ device }: View): boolean => device.userCode !== "";
      this.say("There is no code on the display to scan: press new code", hasCode);
    }
  }

  #openPhone(target: string): void {
    element("phone-home").hidden = true;
    element("phone").hidden = false;
    this.#link.openPhone(target);
  }

  /** Who decides by a key sees on the phone what was decided; a page that was open there is over. */
  #showDecision({ decision }: View): void {
    const order = decision?.isByKey ? decision.order : -1;
    if (order === this.#told || element("phone") === null) return;
    this.#told = order;
    const isTold = decision?.isByKey === true;
    setText("phone-says", isTold ? decision.page.title : "Your phone");
    setText("phone-does", isTold ? decision.page.text : NOT_YET);
    if (!isTold) return;
    element("phone-home").hidden = false;
    element("phone").hidden = true;
    setText("phone-address", "");
  }

  #showCode({ device, qr }: View): void {
    const { verificationUri } = device;
    drawModules(element<SVGSVGElement>("qr"), qr);
    setText("qr-text", verificationUri ? this.#link.hintFor(verificationUri) : "No code now");
  }

  /**
   * A message of the world is said once, also where it was said before; it is over when the world says so. With
   * nothing to say, an answer ends nothing else: what the panel has said since then is newer.
   */
  #hear(view: View): void {
    const isNew = view.messageNumber !== this.#heard;
    this.#heard = view.messageNumber;
    if (isNew && view.message !== "") this.say(view.message, ({ message }) => message === "");
    else if (this.#isOver(view)) this.say("");
  }

  async #send(command: string): Promise<void> {
    // What was said belongs to what was pressed before.
    this.say("");
    const problem = await this.#link.send(command);
    if (problem) this.say(problem);
  }

  #click(event: Event): void {
    const button = (event.target as Element).closest("button");
    if (button === null) return;
    // What the other buttons do may have said something already.
    if (button.id === "enter" || button.id === "scan") this.say("");
    const { command } = button.dataset;
    if (button.dataset.whyNot) this.#refuse(button);
    else if (command) void this.#send(command);
    else if (button.id === "enter") this.#openPhone("/device");
    else if (button.id === "scan") this.#scan();
  }

  /** Says why a button is of no use, until it is of some. */
  #refuse({ dataset, firstChild }: HTMLButtonElement): void {
    const { needs, whyNot: why } = dataset;
    const isOver = (view: View): boolean => whyNot(needs as Need, view) === "";
    this.say(`${firstChild?.textContent}: ${why}`, isOver);
  }

  #press(event: KeyboardEvent): void {
    if (event.ctrlKey || event.metaKey || event.altKey || event.key.length > 1) return;
    const at = event.target as Element;
    if (at.closest("input")) return;
    // A focused button or row has its own meaning for the space bar.
    if (event.key === " " && at.closest("button, summary")) return;
    const button = [...document.querySelectorAll<HTMLButtonElement>("[data-key]")].find(
      ({ dataset }) => dataset.key === event.key,
    );
    if (button === undefined) {
      this.say(`The key ${event.key} does nothing; the buttons show the keys that do`);
      return;
    }
    event.preventDefault();
    if (button.dataset.whyNot) this.#refuse(button);
    else void this.#send(button.dataset.command!);
  }
}

/** Where the person is on the phone, by the forms of the page that it shows; one about another code is no use. */
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

/** While something else is what to press, no button of the phone's page is as strong. */
function quietenPhone(isQuiet: boolean): void {
  const page = element<HTMLIFrameElement>("phone")?.contentDocument?.documentElement;
  page?.classList.toggle("quiet", isQuiet);
}

/** A code without what carries nothing (RFC 8628 §6.1). */
function bare(code: string): string {
  return code.replace(/[\s\-\u2010-\u2015\u2212]/gu, "");
}

/** Whether the list of what can go wrong is open, and the window shows it. */
function seesFaults(): boolean {
  const { top, bottom, height } = element("deeds-fault").getBoundingClientRect();
  return height > 0 && bottom > 0 && top < innerHeight;
}

/** Faults that last are pressed; what is of no use now says why. */
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
    setText(`slot-${slot}`, `${slot + 1}: ${keptWords(one)}`);
    element(`slot-${slot}`).title =
      `${bytes} bytes, record ${sequence + 1}, ${writes} writes, ${erases} erases`;
  }
}

/** What the device keeps without power. */
const KEPT_WORDS: Readonly<Record<SlotView["kind"], string>> = {
  empty: "nothing",
  code: "the code",
  token: "the refresh token",
  "access token": "the access token",
  revocation: "what is to be revoked",
  unknown: "nothing that can be read",
};

function keptWords({ kind, bytes }: SlotView): string {
  return bytes > 0 ? KEPT_WORDS[kind] : KEPT_WORDS.empty;
}

/** Above the phone where the device is out of sight: the code to type, and afterwards what came of it. */
function stripOf({ userCode }: View["device"], { lit, lines }: View["display"]): string {
  if (userCode !== "") return `The device shows ${userCode}`;
  const words = lit ? lines.join(" ").replace(/\s+/g, " ").trim() : "nothing: it is off";
  return `The device says: ${words.length > STRIP_MAX ? `${words.slice(0, STRIP_MAX)} ...` : words}`;
}

/** What is wrong: its name, who says so, and who can mend it. A code that waits is nothing wrong. */
function showReason({ reason }: View["device"]): void {
  const isWrong = reason !== undefined && reason.name !== "authorization_pending";
  element("reason").hidden = !isWrong;
  if (!isWrong) return;
  setText("reason", `${reason.name}, says ${reason.from}. ${sentenceOf(reason.mend)}`);
}

/** The groups of buttons behind tabs, as the ARIA practices have them. They need no world: they work while it loads. */
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
