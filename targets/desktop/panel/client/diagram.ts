// The sequence diagram: lines for user, device and service, arrows for messages, and beads for the device's states.

import type { SecurityEvent } from "../../simulator/environment/manufacturer-server.ts";
import type { ExchangeEntry } from "../../simulator/log/exchanges.ts";
import type { ExchangeDetail } from "../../simulator/log/mask.ts";
import type { TimelineEntry } from "../../simulator/log/timeline.ts";
import type { View } from "../../simulator/view.ts";
import { make, time } from "./dom.ts";
import type { Link } from "./panel.ts";
import {
  type List,
  outcomeOf,
  type Row,
  responseOf,
  rowsOf,
  type Stored,
  updateList,
} from "./rows.ts";

export function drawDetail({ request, response }: ExchangeDetail): HTMLElement {
  const both = make("div", "both");
  for (const [title, text] of [
    ["Request", request],
    ["Response", response],
  ] as const) {
    const side = make("div", "side");
    side.append(...block(title, text));
    both.append(side);
  }
  return both;
}

export function block(title: string, text: string): HTMLElement[] {
  const pre = make("pre", "", text);
  pre.tabIndex = 0;
  pre.setAttribute("role", "group");
  pre.setAttribute("aria-label", title);
  return [make("h3", "", title), pre];
}

export function drawExchangeLine({ exchanges, part }: Row): HTMLElement {
  const first = exchanges[0]!;
  const last = exchanges.at(-1)!;
  const line = make("summary", "row exchange");
  const from = time((part === "response" ? last.ended! : first).atMs);
  const isRun = exchanges.length > 1;
  line.append(make("time", "", from));
  if (part !== "response") {
    const out = make("span", "way out");
    const label = make("span", "label");
    label.append(make("b", "", isRun ? `${last.purpose} × ${exchanges.length}` : last.purpose));
    if (isRun) label.append(` to ${time(last.atMs)}`);
    label.append(make("span", "target soft", ` ${last.method} ${last.target}`));
    out.append(label);
    line.append(out);
  }
  if (part !== "request" && last.ended) {
    const back = make("span", `way back ${outcomeOf(last)}`);
    const label = make("span", "label", responseOf(last));
    label.append(make("span", "figures soft", ` · ${figuresOf(last)}`));
    back.append(label);
    line.append(back);
  }
  return line;
}

/** Size and duration: "164 B · 0.2 s", or "164 B · < 0.1 s". */
function figuresOf({ receivedBytes, atMs, ended }: ExchangeEntry): string {
  const tookS = (ended!.atMs - atMs) / 1000;
  const words = tookS < 10 ? tookS.toFixed(1) : Math.round(tookS);
  return `${receivedBytes} B · ${words === "0.0" ? "< 0.1" : words} s`;
}

/** Draws a security event token (RFC 8417). A click on the row shows the claims. */
export function drawEvent({ atMs, how, types, claims, verdict }: SecurityEvent): HTMLElement {
  const details = make("details", "");
  const summary = make("summary", "row event");
  const isValid = !verdict.startsWith("refused");
  const way = make("span", `way back ${isValid ? "good" : "bad"}`);
  way.append(make("span", "label", `${how}: ${types.join(", ")} · ${verdict}`));
  summary.append(make("time", "", time(atMs)), way);
  const body = make("div", "detail");
  body.append(...block("Security event token, decoded", claims));
  details.append(summary, body);
  return details;
}

/** Draws an entry of the timeline: a state of the device, or an action or fault from outside. */
export function drawEntry(entry: TimelineEntry): HTMLElement[] {
  const when = make("time", "", time(entry.atMs));
  if (entry.state) {
    const row = make("div", `row state ${entry.state.replace(" ", "-")}`);
    const bead = make("span", "bead", entry.state);
    row.append(when, bead, make("span", "cause soft", entry.what));
    return BRINGS_CODE.includes(entry.what) ? [row, drawWay("device-user", "shows code")] : [row];
  }
  const row = drawWay(wayOf(entry), entry.what.replace(/ pressed$/, ""));
  row.prepend(when);
  return [row];
}

/** Events after which the device shows a code. */
const BRINGS_CODE = ["code received", "code found"];

function drawWay(between: string, label: string): HTMLElement {
  const row = make("div", "row");
  const way = make("span", `way ${between}`);
  way.append(make("span", "label", label));
  row.append(way);
  return row;
}

/** The CSS class of an entry: both ends of its arrow. `environment-strip` and `manufacturer-service` have no arrow. */
export function wayOf({ what, by }: Pick<TimelineEntry, "what" | "by">): string {
  if (by === "button" || what.startsWith("power ")) return "user-device";
  if (by === "fault") return "environment-strip fault";
  return by === "user"
    ? "user-service"
    : by === "manufacturer"
      ? "manufacturer-service"
      : "environment-strip";
}

function itemsOf(list: HTMLOListElement): List<HTMLElement> {
  return {
    insertBefore: (item, before) => void list.insertBefore(item, before),
    remove: (item) => item.remove(),
    at: (place) => list.children.item(place) as HTMLElement | null,
  };
}

export class Diagram {
  readonly #stored = new Map<string, Stored<HTMLElement>>();
  readonly #list: HTMLOListElement;
  readonly #link: Link;

  constructor(list: HTMLOListElement, link: Link) {
    this.#list = list;
    this.#link = link;
  }

  show(view: View): void {
    const scroll = this.#list.closest(".scroll")!;
    const wasAtEnd = scroll.scrollHeight - scroll.scrollTop - scroll.clientHeight < 40;
    const rows = rowsOf(view);
    const hasChanged = updateList(itemsOf(this.#list), this.#stored, rows, (row, before) =>
      this.#draw(row, before?.querySelector("details")?.open ?? false),
    );
    if (hasChanged && wasAtEnd) showEnd(this.#list);
  }

  #draw(row: Row, isOpen: boolean): HTMLLIElement {
    const item = make("li", "");
    if (row.entry) item.append(...drawEntry(row.entry));
    else if (row.event) item.append(drawEvent(row.event));
    else item.append(this.#drawExchange(row));
    const details = item.querySelector("details");
    if (details) details.open = isOpen;
    return item;
  }

  #drawExchange(row: Row): HTMLElement {
    const details = make("details", "");
    const body = make("div", "detail");
    details.append(drawExchangeLine(row), body);
    details.addEventListener("toggle", () => {
      if (details.open) void this.#fill(body, row.exchanges);
    });
    return details;
  }

  async #fill(body: HTMLElement, exchanges: readonly ExchangeEntry[]): Promise<void> {
    const detail = await this.#link.exchange(exchanges.at(-1)!.id);
    const gone = make("p", "soft", "This exchange has been discarded.");
    const parts = detail ? [drawDetail(detail)] : [gone];
    if (exchanges.length > 1) {
      const last = `The last of ${exchanges.length} with the same response.`;
      parts.unshift(make("p", "soft", last));
    }
    body.replaceChildren(...parts);
    // If the row is higher than the visible part, show its start.
    const item = body.closest("li")!;
    const capacity = this.#list.closest(".scroll")!.clientHeight;
    item.scrollIntoView({ block: item.offsetHeight > capacity ? "start" : "nearest" });
    if (item === this.#list.lastElementChild) showEnd(this.#list);
  }
}

/** Scrolls to the end. Adds space below, so that the first visible row is complete. */
function showEnd(list: HTMLOListElement): void {
  const scroll = list.closest(".scroll")!;
  list.style.paddingBottom = "";
  const from = scroll.scrollHeight - scroll.clientHeight;
  const rows = [...(list.children as HTMLCollectionOf<HTMLElement>)];
  const first = rows.find(({ offsetTop }) => offsetTop >= from);
  if (from > 0 && first) {
    const { paddingBottom } = getComputedStyle(list);
    list.style.paddingBottom = `${Number.parseFloat(paddingBottom) + first.offsetTop - from}px`;
  }
  scroll.scrollTop = scroll.scrollHeight;
}
