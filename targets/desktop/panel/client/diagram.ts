// The sequence diagram: person, device and service as three lines under headings that stay, what passes between
// them as arrows, the device's states as beads on its line, newest at the bottom. An exchange opens below its row; a
// run of polls unfolds into them; what is not looked for is left out.
import type { ExchangeEntry } from "../../simulator/log/exchanges.ts";
import type { View } from "../../simulator/view.ts";
import { element, make } from "./dom.ts";
import { drawEntry, drawEvent, drawExchangeLine, kindOf } from "./draw-rows.ts";
import { drawDetail } from "./exchange-detail.ts";
import { type Kept, keepInStep, type List } from "./in-step.ts";
import type { Link } from "./link.ts";
import { type Row, rowsOf } from "./rows.ts";

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
  /** Polls whose run is shown poll by poll, by their moments: another world has others. */
  readonly #unfolded = new Set<string>();
  #latest: View | undefined;

  constructor(list: HTMLOListElement, link: Link) {
    this.#list = list;
    this.#link = link;
    element("filter-kind").addEventListener("change", () => this.#filter());
    element("filter-text").addEventListener("input", () => this.#filter());
  }

  /** Draws what is new; the end stays in sight where it was. */
  show(view: View): void {
    this.#latest = view;
    const scroll = this.#list.closest(".scroll")!;
    const wasAtEnd = scroll.scrollHeight - scroll.scrollTop - scroll.clientHeight < 40;
    const rows = rowsOf(view, (poll) => this.#unfolded.has(momentOf(poll)));
    const hasChanged = keepInStep(itemsOf(this.#list), this.#kept, rows, (row, before) =>
      this.#draw(row, before?.querySelector("details")?.open ?? false),
    );
    if (!hasChanged) return;
    this.#filter();
    if (wasAtEnd) showEnd(this.#list);
  }

  #draw(row: Row, isOpen: boolean): HTMLLIElement {
    const item = make("li", "");
    item.dataset.kind = kindOf(row);
    if (row.entry) item.append(...drawEntry(row.entry));
    else if (row.event) item.append(drawEvent(row.event));
    else item.append(...this.#drawExchange(row));
    const details = item.querySelector("details");
    if (details) details.open = isOpen;
    return item;
  }

  #drawExchange(row: Row): HTMLElement[] {
    const details = make("details", "");
    const body = make("div", "detail");
    details.append(drawExchangeLine(row), body);
    details.addEventListener("toggle", () => {
      if (details.open) void this.#fill(body, row.exchanges);
    });
    const [first] = row.run;
    const isFirst = first !== undefined && row.exchanges[0]?.id === first.id;
    return row.run.length > 1 && isFirst ? [this.#foldKey(row), details] : [details];
  }

  /** Beside the first row of a run of polls: unfolds it, or folds it again. */
  #foldKey({ run, exchanges }: Row): HTMLElement {
    const isFolded = exchanges.length > 1;
    const key = make("button", "fold", isFolded ? "unfold" : "fold");
    key.type = "button";
    key.setAttribute("aria-expanded", String(!isFolded));
    key.setAttribute("aria-label", `${isFolded ? "unfold" : "fold"} ${run.length} polls`);
    key.addEventListener("click", () => {
      for (const poll of run) {
        if (isFolded) this.#unfolded.add(momentOf(poll));
        else this.#unfolded.delete(momentOf(poll));
      }
      if (this.#latest) this.show(this.#latest);
    });
    return key;
  }

  async #fill(body: HTMLElement, exchanges: readonly ExchangeEntry[]): Promise<void> {
    const detail = await this.#link.exchange(exchanges.at(-1)!.id);
    const gone = make("p", "soft", "This exchange is no longer remembered.");
    const parts = detail ? drawDetail(detail) : [gone];
    if (exchanges.length > 1) {
      const last = `The last one of ${exchanges.length}, which were answered alike.`;
      parts.unshift(make("p", "soft", last));
    }
    body.replaceChildren(...parts);
    // Beside its row, and not below the fold.
    const item = body.closest("li")!;
    const room = this.#list.closest(".scroll")!.clientHeight;
    item.scrollIntoView({ block: item.offsetHeight > room ? "start" : "nearest" });
    if (item === this.#list.lastElementChild) showEnd(this.#list);
  }

  /** Leaves out what is not of the kind, or has not the words, that are looked for. */
  #filter(): void {
    const kind = element<HTMLSelectElement>("filter-kind").value;
    const text = element<HTMLInputElement>("filter-text").value.toLowerCase();
    let hidden = 0;
    for (const item of this.#list.children as HTMLCollectionOf<HTMLElement>) {
      const isKind = kind === "all" || item.dataset.kind === kind;
      const words = text === "" ? "" : (item.firstElementChild!.textContent ?? "").toLowerCase();
      const summary = item.querySelector("summary")?.textContent?.toLowerCase() ?? words;
      item.hidden = !(isKind && (words.includes(text) || summary.includes(text)));
      if (item.hidden) hidden++;
    }
    element("filter-said").textContent = hidden > 0 ? `${hidden} left out` : "";
  }
}

function momentOf({ id, atMs }: ExchangeEntry): string {
  return `${id} ${atMs}`;
}

/** The end of the diagram in sight, with a whole row at the top of what can be seen. */
export function showEnd(list: HTMLOListElement): void {
  const scroll = list.closest(".scroll")!;
  list.style.paddingBottom = "";
  const from = scroll.scrollHeight - scroll.clientHeight;
  const rows = [...(list.children as HTMLCollectionOf<HTMLElement>)];
  const first = rows.find(({ hidden, offsetTop }) => !hidden && offsetTop >= from);
  if (from > 0 && first) {
    const { paddingBottom } = getComputedStyle(list);
    list.style.paddingBottom = `${Number.parseFloat(paddingBottom) + first.offsetTop - from}px`;
  }
  scroll.scrollTop = scroll.scrollHeight;
}
