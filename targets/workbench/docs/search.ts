// What the site's search knows. People ask in their own words and want a guide: pages come before the reference, what
// they are about counts more than what they mention, and neither sources nor pages about our tests are in it.

import type { DeclarationReflection, DocumentReflection, IndexEvent } from "typedoc";
import { chapters, type Page, start } from "./pages.ts";

/** How much a name of the reference counts, and a member of one: who types one of them whole finds it all the same. */
const NAME = 0.2;
const MEMBER = 0.1;

interface Searched {
  readonly page: Page;
  readonly weight: number;
}

/** By title: the generator knows a page by nothing else. */
const searched: ReadonlyMap<string, Searched> = new Map([
  ...chapters.flatMap(({ pages, weight }) =>
    pages.map((page) => [page.title, { page, weight }] as const),
  ),
  [start.title, { page: start, weight: 1 }],
]);

type Found = DeclarationReflection | DocumentReflection;

/** A page's headings, without their marks. */
function headingsOf(document: DocumentReflection): string {
  const text = document.content.map((part) => part.text).join("\n");
  const prose = text.replaceAll(/^```[\s\S]*?^```/gm, "");
  return [...prose.matchAll(/^#+ (.*)$/gm)].map(([, heading]) => heading!).join("\n");
}

/** Arranges the index before it is made. */
export function arrangeSearch(event: IndexEvent): void {
  const { searchResults, searchFields } = event;
  for (let at = searchResults.length - 1; at >= 0; at--) {
    const found = searchResults[at] as Found;
    if (!found.isDocument()) {
      // The page of errors has each, with what to do.
      if (found.parent?.name === "ErrorCode") event.removeResult(at);
      else found.relevanceBoost = found.parent?.isDeclaration() ? MEMBER : NAME;
      continue;
    }
    const known = searched.get(found.name);
    // Chapters and sources are pages of the generator's, too.
    if (known === undefined || known.page.isUnsearched) {
      event.removeResult(at);
      continue;
    }
    found.relevanceBoost = known.weight;
    searchFields[at] = { headings: headingsOf(found), about: known.page.about ?? "" };
  }
  Object.assign(event.searchFieldWeights, { name: 2, document: 0.6, headings: 3, about: 25 });
}
