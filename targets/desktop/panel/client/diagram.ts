// The sequence diagram: person, device and service as three lines under headings that stay, what passes between
// them as arrows, the device's states as beads on its line, newest at the bottom. An exchange opens to show what
// was sent and answered; polls that were answered alike are one row.
import type { ExchangeDetail } from "../../simulator/log/exchange-detail.ts";
import type { ExchangeEntry } from "../../simulator/log/exchanges.ts";
import type { TimelineEntry } from "../../simulator/log/timeline.ts";
import type { View } from "../../simulator/view.ts";
import type { SecurityEvent } from "../../simulator/world/maker-server.ts";
import { type Kept, keepInStep, type List } from "./in-step.ts";
import type { Link } from "./link.ts";
import { answerOf, outcomeOf, type Row, rowsOf } from "./rows.ts";
import { time } from "./time.ts";

function make(name: string, className: string, text = ""): HTMLElement {
  const element = document.createElement(name);
  if (className) element.className = className;
  if (text) element.textContent = text;
  return element;
}

/** The list's items as the rows' places. */
function itemsOf(list: HTMLOListElement): List<HTMLElement> {
  return {
    insertBefore: (item, before) => void list.insertBefore(item, before),
    remove: (item) => item.remove(),
    at: (place) => list.children.item(place) as HTMLElement | null,
  };
}

export class Diagram {
  readonly #kept = new Map<string, Kept<HTMLElement>>();
  readonly #list: HTMLOListElement;
  readonly #link: Link;

  constructor(list: HTMLOListElement, link: Link) {
    this.#list = list;
    this.#link = link;
  }

  /** Draws what is new; the end stays in sight where it was. */
  show(view: View): void {
    const scroll = this.#list.closest(".scroll")!;
    const wasAtEnd = scroll.scrollHeight - scroll.scrollTop - scroll.clientHeight < 40;
    const hasChanged = keepInStep(itemsOf(this.#list), this.#kept, rowsOf(view), (row, before) =>
      this.#draw(row, before?.querySelector("details")?.open ?? false),
    );
    if (hasChanged && wasAtEnd) scroll.scrollTop = scroll.scrollHeight;
  }

  #draw(row: Row, isOpen: boolean): HTMLLIElement {
    const item = document.createElement("li");
    if (row.entry) item.append(...drawEntry(row.entry));
    else if (row.event) item.append(drawEvent(row.event, isOpen));
    else item.append(this.#drawExchanges(row, isOpen));
    return item;
  }

  #drawExchanges({ exchanges, part }: Row, isOpen: boolean): HTMLElement {
    const last = exchanges.at(-1)!;
    const details = document.createElement("details");
    const summary = make("summary", "row exchange");
    const count = exchanges.length;
    const from = time((part === "answer" ? last.ended! : exchanges[0]!).atMs);
    const when = make("time", "", count > 1 ? `${from} – ${time(last.atMs)}` : from);
    const out = make("span", "way out");
    out.append(make("span", "label", count > 1 ? `${last.purpose} × ${count}` : last.purpose));
    summary.append(when);
    if (part !== "answer") summary.append(out);
    if (part !== "request" && last.ended) {
      const back = make("span", `way back ${outcomeOf(last)}`);
      back.append(make("span", "label", answerOf(last)));
      summary.append(back);
    }
    const body = make("div", "detail");
    details.append(summary, body);
    const fill = (): void => void this.#fill(body, exchanges);
    details.addEventListener("toggle", () => details.open && fill());
    details.open = isOpen;
    return details;
  }

  async #fill(body: HTMLElement, exchanges: readonly ExchangeEntry[]): Promise<void> {
    const last = exchanges.at(-1)!;
    const detail = await this.#link.exchange(last.id);
    const parts: HTMLElement[] = [];
    if (exchanges.length > 1) {
      const times = exchanges.map(({ atMs }) => time(atMs)).join(", ");
      parts.push(make("p", "soft", `${exchanges.length} times, answered alike: ${times}`));
    }
    if (detail) parts.push(...describe(detail));
    else parts.push(make("p", "soft", "This exchange is no longer remembered."));
    body.replaceChildren(...parts);
  }
}

function block(title: string, text: string): HTMLElement[] {
  const pre = make("pre", "", text);
  pre.tabIndex = 0;
  pre.setAttribute("role", "group");
  pre.setAttribute("aria-label", title);
  return [make("h3", "", title), pre];
}

function describe({ request, answer, notes }: ExchangeDetail): HTMLElement[] {
  const parts = [...block("Request", request), ...block("Answer", answer)];
  for (const note of notes) parts.push(...block(note.title, note.text));
  return parts;
}

/** A security event token (RFC 8417): what it is about, and opened, what it says. */
function drawEvent({ atMs, how, types, claims, verdict }: SecurityEvent, isOpen: boolean) {
  const details = document.createElement("details");
  const summary = make("summary", "row event");
  const isGood = !verdict.startsWith("refused");
  const way = make("span", `way back ${isGood ? "good" : "bad"}`);
  way.append(make("span", "label", `${how}: ${types.join(", ")} · ${verdict}`));
  summary.append(make("time", "", time(atMs)), way);
  const body = make("div", "detail");
  body.append(...block("Security event token, decoded", claims));
  details.append(summary, body);
  details.open = isOpen;
  return details;
}

/** Something that is no exchange: a state of the device, a person's deed, a fault. */
function drawEntry(entry: TimelineEntry): HTMLElement[] {
  const when = make("time", "", time(entry.atMs));
  if (entry.state) {
    const row = make("div", `row state ${entry.state.replace(" ", "-")}`);
    const bead = make("span", "bead", entry.state);
    row.append(when, bead, make("span", "cause", entry.what));
    return BRINGS_CODE.includes(entry.what) ? [row, drawWay("device-person", "shows code")] : [row];
  }
  const row = drawWay(wayOf(entry), entry.what.replace(/ pressed$/, ""));
  row.prepend(when);
  return [row];
}

/** Events after which a code is on the display, for the person to read. */
const BRINGS_CODE = ["code received", "code found"];

function drawWay(between: string, label: string): HTMLElement {
  const row = make("div", "row");
  const way = make("span", `way ${between}`);
  way.append(make("span", "label", label));
  row.append(way);
  return row;
}

/** Between whom it passes. What the world does to them has no arrow. */
function wayOf({ what, by }: TimelineEntry): string {
  if (by === "button" || what.startsWith("power ")) return "person-device";
  return by === "person" ? "person-service" : by === "maker" ? "maker-service" : "world-strip";
}
