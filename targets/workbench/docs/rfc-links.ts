// A section of an RFC that a page names becomes a link to it.

const RFC = "https://www.rfc-editor.org/rfc/rfc";

/** What stays as it is: headings, which are addresses themselves, code, links, marks of HTML. */
const KEPT = /^#.*$|`[^`]*`|!?\[(?:[^\]\\]|\\.)*\]\([^)\s]+\)|<[^>]*>/gm;
const SECTIONS = /RFC (\d+)((?:,?(?: and)? (?:§|section )\d+(?:\.\d+)*)+)/g;

function linked(text: string): string {
  return text.replace(SECTIONS, (_, rfc: string, sections: string) => {
    let isFirst = true;
    return sections.replace(/(,?(?: and)? )((?:§|section )([\d.]+))/g, (_all, before, name, at) => {
      const link = `[${isFirst ? `RFC ${rfc} ` : ""}${name}](${RFC}${rfc}#section-${at})`;
      const shown = isFirst ? link : before + link;
      isFirst = false;
      return shown;
    });
  });
}

/** Prose of a page, Markdown without blocks of code, with a link at each section of an RFC: `RFC 8628 §3.5`. */
export function withRfcLinks(prose: string): string {
  let from = 0;
  let text = "";
  for (const { 0: kept, index } of prose.matchAll(KEPT)) {
    text += linked(prose.slice(from, index)) + kept;
    from = index + kept.length;
  }
  return text + linked(prose.slice(from));
}
