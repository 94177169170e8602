// The field for the code on the phone: what is typed stands in the groups that the device shows. The service's pages
// have no script of their own and need none; spaces and dashes carry nothing (RFC 8628 §6.1).

const CARRIES_NOTHING = /[\s\-\u2010-\u2015\u2212]/gu;

/** A code without what carries nothing. */
export function bare(code: string): string {
  return code.replace(CARRIES_NOTHING, "");
}

/** What was typed, in the groups of `format`, where each X stands for a character of the code; case is kept. */
export function grouped(typed: string, format: string): string {
  const characters = [...bare(typed)];
  let text = "";
  for (const place of format) {
    if (characters.length === 0) return text;
    text += place === "X" ? characters.shift()! : place;
  }
  // More than a code has: nobody's letters are taken away.
  return text + characters.join("");
}

/** Where in `text` so many characters of the code have been passed. */
export function placeAfter(text: string, count: number): number {
  let passed = 0;
  for (let at = 0; at < text.length; at++) {
    if (passed === count) return at;
    if (!text[at]!.match(CARRIES_NOTHING)) passed++;
  }
  return text.length;
}

/** Has the code's field of a page group what is typed, where the page has one. */
export function takeCodeField(page: Document | null): void {
  const field = page?.querySelector<HTMLInputElement>("input[name=user_code][data-format]");
  field?.addEventListener("input", () => {
    const before = field.value.slice(0, field.selectionStart ?? field.value.length);
    const count = bare(before).length;
    const text = grouped(field.value, field.dataset.format!);
    if (text === field.value) return;
    field.value = text;
    // At the end one goes on typing there; in the middle, behind the letter that was typed.
    const place = before.length > 0 ? placeAfter(text, count) : 0;
    field.setSelectionRange(place, place);
  });
}
