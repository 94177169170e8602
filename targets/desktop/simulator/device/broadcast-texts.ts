// Formats the list of broadcasts for the display, in printable ASCII, because the core accepts nothing else.
import { clean } from "../../../service/observers.ts";

export interface ListedPage {
  readonly titles: readonly string[];
  readonly total: number;
  /** The number of items on earlier pages; undefined if the user has set the page token. */
  readonly before: number | undefined;
}

/** Undefined if the response is not a list. */
export function listedPage(
  { items, pageInfo }: Record<string, unknown>,
  before: number | undefined,
): ListedPage | undefined {
  if (!Array.isArray(items)) return undefined;
  const all = items as { id?: string; snippet?: { title?: string } }[];
  const { totalResults = all.length } = (pageInfo ?? {}) as { totalResults?: number };
  const titles = all.map(({ id, snippet }) => clean(String(snippet?.title ?? id ?? "")));
  return { titles, total: totalResults, before };
}

/** Examples: "3 broadcasts: Harbour regatta ...", "2 of 3 broadcasts: Evening choir". */
export function describeList(
  { titles, total, before }: ListedPage,
  capacity: { readonly columns: number; readonly rows: number },
): string {
  if (titles.length === 0) return "No broadcasts";
  const count = `${whichOf({ titles, total, before })} broadcast${total === 1 ? "" : "s"}`;
  const inFull = `${count}: ${titles.join(", ")}`;
  // Otherwise, show the first title, and dots for the other items.
  if (titles.length === 1 || fits(inFull, capacity)) return inFull;
  return `${count}: ${titles[0]} ...`;
}

/** "3" for a whole list, or if `before` is unknown. Otherwise "2 of 3" or "1-2 of 3". */
function whichOf({ titles: { length }, total, before }: ListedPage): string {
  if (length >= total || before === undefined) return String(length);
  const which = length === 1 ? `${before + 1}` : `${before + 1}-${before + length}`;
  return `${which} of ${total}`;
}

/** Whether the text fits, wrapped between words. */
function fits(text: string, { columns, rows }: { columns: number; rows: number }): boolean {
  let row = 1;
  let used = 0;
  for (const { length } of text.split(" ")) {
    const isNext = used > 0 && used + 1 + length > columns;
    if (isNext) row++;
    used = isNext || used === 0 ? length : used + 1 + length;
    if (used > columns) return false;
  }
  return row <= rows;
}
