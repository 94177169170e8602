// The list of broadcasts as a line for the display, in the display's language. The core shows printable ASCII of an
// application, so these are words that need no other letters; katakana has none, and does without.
import type { Language } from "../../../../platform/display/languages.ts";
import { clean } from "../../../service/observers.ts";

interface Words {
  readonly one: string;
  readonly many: string;
  readonly none: string;
  readonly of: string;
}

const WORDS: Readonly<Record<Language, Words>> = {
  en: { one: "broadcast", many: "broadcasts", none: "No broadcasts", of: "of" },
  de: { one: "Sendung", many: "Sendungen", none: "Keine Sendungen", of: "von" },
  fr: { one: "direct", many: "directs", none: "Aucun direct", of: "sur" },
  es: { one: "directo", many: "directos", none: "Sin directos", of: "de" },
  ja: { one: "", many: "", none: "0", of: "/" },
};

/** A page of the list: what the service has answered, and how many came on the pages before. */
export interface ListedPage {
  readonly titles: readonly string[];
  readonly total: number;
  /** undefined where the page was asked for by a token of one's own. */
  readonly before: number | undefined;
}

/** @returns undefined for an answer that is no list */
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

/** "3 broadcasts: Harbour regatta ...", on a second page of one "2 of 3 broadcasts: Evening choir". */
export function describeList(
  { titles, total, before }: ListedPage,
  language: Language,
  room: { readonly columns: number; readonly rows: number },
): string {
  const words = WORDS[language];
  if (titles.length === 0) return words.none;
  const name = total === 1 ? words.one : words.many;
  const count = [whichOf({ titles, total, before }, words.of), name].filter(Boolean).join(" ");
  const inFull = `${count}: ${titles.join(", ")}`;
  // Where not all of them fit, the dots say that there are more.
  if (titles.length === 1 || fits(inFull, room)) return inFull;
  return `${count}: ${titles[0]} ...`;
}

/** All of them: "3"; a part: "2 of 3", "1-2 of 3". */
function whichOf({ titles: { length }, total, before }: ListedPage, of: string): string {
  if (length >= total || before === undefined) return String(length);
  const which = length === 1 ? `${before + 1}` : `${before + 1}-${before + length}`;
  return `${which} ${of} ${total}`;
}

/** Whether a display of this size shows all of it, wrapped between words. */
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
