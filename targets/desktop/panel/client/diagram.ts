// The sequence diagram: person, device and service as three lines under headings that stay, what passes between
// them as arrows, the device's states as beads on its line, newest at the bottom. An exchange opens to show what
// was sent and answered; polls that were answered alike are one row.
import type { ExchangeDetail } from "../../simulator/log/exchange-detail.ts";
import type { ExchangeEntry } from "../../simulator/log/exchanges.ts";
import type { TimelineEntry } from "../../simulator/log/timeline.ts";
import type { View } from "../../simulator/view.ts";
import type { SecurityEvent } from "../../simulator/world/maker-server.ts";
import type { Link } from "./link.ts";
import { time } from "./time.ts";

const SHOWN = 60;

interface Row {
  /** The same row of the next view has the same key. */
  readonly key: string;
  /** Changes when the row has to be drawn anew. */
  readonly state: string;
  readonly order: number;
  readonly exchanges: readonly ExchangeEntry[];
  readonly entry: TimelineEntry | undefined;
  readonly event: SecurityEvent | undefined;
}

type Outcome = "good" | "wait" | "bad" | "under way";

function outcomeOf({ ended, status, fault }: ExchangeEntry): Outcome {
  if (ended === undefined) return "under way";
  if (status >= 200 && status < 300 && !fault) return "good";
  return status === 428 ? "wait" : "bad";
}

function answerOf({ ended, status, answer, fault }: ExchangeEntry): string {
  if (ended === undefined) return "";
  const error = /(?:error|error_code)=([\w: .-]+?)(?= \w+=|$)/.exec(answer)?.[1];
  const by = fault ? ` (${fault})` : "";
  return status ? `${status} ${error ?? "OK"}${by}` : `${answer}${by}`;
}

interface Happening {
  readonly order: number;
  readonly exchange?: ExchangeEntry;
  readonly entry?: TimelineEntry;
  readonly event?: SecurityEvent;
}

/** Polls that wait and nothing between them are one row. */
function rowsOf(view: View): Row[] {
  const all: Happening[] = [
    ...view.exchanges.map((exchange) => ({ order: exchange.order, exchange })),
    ...view.timeline.map((entry) => ({ order: entry.order, entry })),
    ...view.events.map((event) => ({ order: event.order, event })),
  ].sort((a, b) => a.order - b.order);
  const rows: (Omit<Row, "key" | "state" | "exchanges"> & { exchanges: ExchangeEntry[] })[] = [];
  for (const { exchange, entry, event, order } of all) {
    const before = rows.at(-1)?.exchanges.at(-1);
    if (exchange && before && isAlike(before, exchange)) rows.at(-1)!.exchanges.push(exchange);
    else rows.push({ exchanges: exchange ? [exchange] : [], entry, event, order });
  }
  return rows.slice(-SHOWN).map((row) => {
    const last = row.exchanges.at(-1);
    return {
      ...row,
      key: keyOf(row),
      state: last ? `${row.exchanges.length} ${last.ended?.order} ${last.fault}` : "",
    };
  });
}

/** In another world, which may come instead of this one, what has the same place is another row. */
function keyOf({
  order,
  exchanges,
  entry,
  event,
}: Pick<Row, "order" | "exchanges" | "entry" | "event">) {
  const first = exchanges[0] ?? entry ?? event;
  return `${order} ${first?.atMs} ${exchanges[0]?.purpose ?? entry?.what ?? event?.verdict}`;
}

function isAlike(a: ExchangeEntry, b: ExchangeEntry): boolean {
  const isPoll = a.purpose === "poll" && b.purpose === "poll";
  return isPoll && outcomeOf(a) === "wait" && outcomeOf(b) === "wait";
}

function make(name: string, className: string, text = ""): HTMLElement {
  const element = document.createElement(name);
  if (className) element.className = className;
  if (text) element.textContent = text;
  return element;
}

export class Diagram {
  readonly #items = new Map<string, { item: HTMLLIElement; state: string }>();

  constructor(
    private readonly list: HTMLOListElement,
    private readonly link: Link,
  ) {}

  /** Draws what is new; the end stays in sight where it was. */
  show(view: View): void {
    const rows = rowsOf(view);
    const scroll = this.list.closest(".scroll")!;
    const wasAtEnd = scroll.scrollHeight - scroll.scrollTop - scroll.clientHeight < 40;
    const keys = new Set(rows.map(({ key }) => key));
    for (const [key, { item }] of this.#items) {
      if (keys.has(key)) continue;
      item.remove();
      this.#items.delete(key);
    }
    let changed = false;
    for (const row of rows) {
      const known = this.#items.get(row.key);
      if (known?.state === row.state) continue;
      changed = true;
      const item = this.#draw(row, known?.item.querySelector("details")?.open ?? false);
      if (known) known.item.replaceWith(item);
      else this.list.append(item);
      this.#items.set(row.key, { item, state: row.state });
    }
    if (changed && wasAtEnd) scroll.scrollTop = scroll.scrollHeight;
  }

  #draw(row: Row, isOpen: boolean): HTMLLIElement {
    const item = document.createElement("li");
    if (row.entry) item.append(...drawEntry(row.entry));
    else if (row.event) item.append(drawEvent(row.event, isOpen));
    else item.append(this.#drawExchanges(row.exchanges, isOpen));
    return item;
  }

  #drawExchanges(exchanges: readonly ExchangeEntry[], isOpen: boolean): HTMLElement {
    const last = exchanges.at(-1)!;
    const details = document.createElement("details");
    const summary = make("summary", "row exchange");
    const count = exchanges.length;
    const from = time(exchanges[0]!.atMs);
    const when = make("time", "", count > 1 ? `${from} – ${time(last.atMs)}` : from);
    const out = make("span", "way out");
    out.append(make("span", "label", count > 1 ? `${last.purpose} × ${count}` : last.purpose));
    summary.append(when, out);
    if (last.ended) {
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
    const detail = await this.link.exchange(last.id);
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
