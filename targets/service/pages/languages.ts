// The language of the pages: the browser's, as far as it is one of five. Texts are looked up by their English
// words; what is put into them is put in as text, before the page's template escapes the whole.
import { WORDS } from "./words.ts";

export const PAGE_LANGUAGES = ["en", "de", "fr", "es", "ja"] as const;
export type PageLanguage = (typeof PAGE_LANGUAGES)[number];

/** Says English words in the page's language; `{name}` in them stands for the value of that name. */
export interface Translate {
  (english: string, values?: Readonly<Record<string, string>>): string;
  readonly language: PageLanguage;
}

/** The first language of the browser's that the pages have (RFC 9110 §12.5.4); English where there is none. */
export function languageOf(acceptLanguage: string | undefined): PageLanguage {
  const wanted = (acceptLanguage ?? "")
    .slice(0, 1000)
    .split(",")
    .map((part) => {
      const [range = "", ...parameters] = part.trim().toLowerCase().split(";");
      const q = parameters.map((text) => /^\s*q=([\d.]+)\s*$/.exec(text)?.[1]).find(Boolean);
      return { primary: range.trim().split("-")[0]!, quality: q === undefined ? 1 : Number(q) };
    })
    .filter(({ quality }) => quality > 0)
    .sort((a, b) => b.quality - a.quality);
  for (const { primary } of wanted) {
    const language = PAGE_LANGUAGES.find((known) => known === primary);
    if (language !== undefined) return language;
  }
  return "en";
}

/** The translator for a language. What nobody has translated stays English. */
export function translator(language: PageLanguage): Translate {
  const say = (english: string, values: Readonly<Record<string, string>> = {}): string => {
    const text =
      language === "en"
        ? english
        : Object.hasOwn(WORDS, english)
          ? WORDS[english]![language]
          : english;
    return text.replace(/\{(\w+)\}/g, (whole, name: string) => values[name] ?? whole);
  };
  return Object.assign(say, { language });
}
