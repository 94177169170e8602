// The frame around every page and the small pieces that pages share. Everything that is put into a
// page goes through hono's html template, which escapes it: names and codes stay text.
import { html } from "hono/html";

export type Html = ReturnType<typeof html>;

export interface PageContent {
  title: string;
  body: Html;
}

/** A whole document. The title comes first in a screen reader: errors are named there, too. */
export function page({ title, body }: PageContent): Html {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${title} · picogrant</title>
<link rel="icon" href="/assets/icon.svg" type="image/svg+xml">
<link rel="stylesheet" href="/assets/pages.css">
</head>
<body>
<header><span>picogrant · simulated service</span><a href="/account">Your account</a></header>
<main>${body}</main>
<footer>For development and tests. No password is asked for, none is kept.</footer>
</body>
</html>
`;
}

/** A message in colour and words; errors are announced at once, news politely. */
export function note(kind: "warn" | "good" | "hint", text: unknown): Html {
  const role = kind === "warn" ? "alert" : kind === "good" ? "status" : "note";
  return html`<div class="note ${kind}" role="${role}"><p>${text}</p></div>`;
}

/** The round badge with the first letter of a name; decoration only. */
export function badge(name: string): Html {
  const letter = [...name.trim()][0] ?? "?";
  return html`<span class="badge" aria-hidden="true">${letter.toUpperCase()}</span>`;
}

/** The hidden fields of a form. */
export function hidden(fields: Readonly<Record<string, string>>): Html[] {
  return Object.entries(fields).map(
    ([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`,
  );
}

/** A page with a heading and a message, where nothing is left to do. */
export function messagePage(
  kind: "warn" | "good" | "hint",
  title: string,
  text: string,
  next: Html | "" = "",
): PageContent {
  const mark = kind === "good" ? html`<div class="mark" aria-hidden="true">✓</div>` : "";
  return { title, body: html`${mark}<h1>${title}</h1>${note(kind, text)}${next}` };
}

const UNITS = [
  [86_400, "day"],
  [3_600, "hour"],
  [60, "minute"],
  [1, "second"],
] as const;

/** A duration in words, in the largest unit that fits: "30 days", "1 hour", "90 seconds". */
export function durationInWords(seconds: number): string {
  for (const [size, name] of UNITS) {
    if (seconds < size || (seconds % size !== 0 && seconds < 2 * size && size > 1)) continue;
    const count = Math.round(seconds / size);
    return count === 1 ? `1 ${name}` : `${count} ${name}s`;
  }
  return "a moment";
}
