// Formats the list of broadcasts for the display. The core accepts printable ASCII from applications.
import { clean } from "../../../service/observers.ts";

/** One page of the list, and the number of items on earlier pages. */
export interface ListedPage {
  readonly titles: readonly string[];
  readonly total: number;
  /** The number of items on earlier pages; undefined if the user has set the page token. */
  readonly before: number | undefined;
}

/** @returns undefined if the response is not a list */
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

/**
 * Describes the list: "3 broadcasts: Harbour regatta ...", or for a second page of one item "2 of 3 broadcasts: Evening
 * choir".
 */
export function describeList(
  { titles, total, before }: ListedPage,
  capacity: { readonly columns: number; readonly rows: number },
): string {
  if (titles.length === 0) return "No broadcasts";
  const count = `${whichOf({ titles, total, before })} broadcast${total === 1 ? "" : "s"}`;
  const inFull = `${count}: ${titles.join(", ")}`;
  // The dots show that there are more items.
  if (titles.length === 1 || fits(inFull, capacity)) return inFull;
  return `${count}: ${titles[0]} ...`;
}

/** The visible part of the list: "3" for a whole list, otherwise "2 of 3" or "1-2 of 3". */
function whichOf({ titles: { length }, total, before }: ListedPage): string {
  if (length >= total || before === undefined) return String(length);
  const which = length === 1 ? `${before + 1}` : `${before + 1}-${before + length}`;
  return `${which} of ${total}`;
}

/** Whether the text fits on a display of this size, wrapped between words. */
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
