// The frame of every page, the stylesheet, and common elements. The template `html` escapes inserted text.

import { html } from "hono/html";

export type Html = ReturnType<typeof html>;

export interface PageContent {
  title: string;
  body: Html;
}

/** A whole document. Screen readers read the title first, so it also names errors. */
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
<footer>For development and tests. No password is requested or stored.</footer>
</body>
</html>
`;
}

/** Screen readers read an alert aloud at once, and a status when they are idle. */
export function note(kind: "warn" | "good" | "hint", text: unknown): Html {
  const role = kind === "warn" ? "alert" : kind === "good" ? "status" : "note";
  return html`<div class="note ${kind}" role="${role}"><p>${text}</p></div>`;
}

export function badge(name: string): Html {
  const letter = [...name.trim()][0] ?? "?";
  return html`<span class="badge" aria-hidden="true">${letter.toUpperCase()}</span>`;
}

export function hidden(fields: Readonly<Record<string, string>>): Html[] {
  return Object.entries(fields).map(
    ([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`,
  );
}

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

/** Examples: "30 days", "1 hour", "90 seconds". */
export function durationInWords(seconds: number): string {
  for (const [size, name] of UNITS) {
    if (seconds < size || (seconds % size !== 0 && seconds < 2 * size && size > 1)) continue;
    const count = Math.round(seconds / size);
    return count === 1 ? `1 ${name}` : `${count} ${name}s`;
  }
  return "a moment";
}

export const STYLESHEET = `
:root {
  color-scheme: light dark;
  --ground: #f3f1ec; --card: #fffdf9; --text: #1f2328; --soft: #565d66; --line: #d5d0c6;
  --accent: #1b5e52; --on-accent: #ffffff; --warn: #a3291f; --warn-ground: #fbe9e6;
  --good: #1c6b3c; --good-ground: #e5f4ea; --hint-ground: #fbf1d8; --hint: #5c4300;
}
@media (prefers-color-scheme: dark) {
  :root {
    --ground: #14171a; --card: #1d2226; --text: #eceae5; --soft: #a9b0b7; --line: #3a4148;
    --accent: #7fd1bf; --on-accent: #08221d; --warn: #ff9d91; --warn-ground: #3a1f1c;
    --good: #8fdba9; --good-ground: #18301f; --hint-ground: #352c16; --hint: #f2d58b;
  }
}
* { box-sizing: border-box; }
html { font: 100%/1.5 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif; }
body { margin: 0; background: var(--ground); color: var(--text); min-height: 100vh;
  display: flex; flex-direction: column; align-items: center; padding: min(1rem, 4vw); gap: 1rem; }
header, main, footer { width: 100%; max-width: 30rem; }
header { color: var(--soft); font-size: .9rem; display: flex; flex-wrap: wrap; justify-content: space-between; gap: .25rem 1rem; }
a { color: var(--accent); }
header a { color: inherit; white-space: nowrap; }
main { background: var(--card); border: 1px solid var(--line); border-radius: 1rem; padding: min(1.5rem, 6vw); }
footer { color: var(--soft); font-size: .8rem; text-align: center; }
h1 { font-size: 1.45rem; line-height: 1.25; margin: 0 0 .75rem; overflow-wrap: anywhere; }
h2 { font-size: 1.05rem; margin: 1.5rem 0 .5rem; }
p { margin: 0 0 1rem; overflow-wrap: anywhere; }
label, legend { font-weight: 600; }
fieldset { border: 0; padding: 0; margin: 0 0 1.25rem; min-width: 0; }
legend { padding: 0; margin-bottom: .5rem; }
.soft { color: var(--soft); font-weight: 400; font-size: .92rem; }
.code { font: 600 min(1.5rem, 7.5vw)/1.2 ui-monospace, "SF Mono", Menlo, Consolas, monospace;
  letter-spacing: .08em; white-space: nowrap; }
input.code { width: 100%; margin: .35rem 0 .35rem; padding: .7rem .8rem; text-align: center;
  font-size: min(1.6rem, 7.5vw);
  color: inherit; background: var(--ground); border: 2px solid var(--line); border-radius: .6rem; }
input[aria-invalid] { border-color: var(--warn); }
select { font: inherit; color: inherit; background: var(--ground); width: 100%; min-height: 2.9rem;
  padding: .5rem .7rem; border: 1px solid var(--line); border-radius: .6rem; margin-top: .35rem; }
button { font: inherit; font-weight: 600; min-height: 3rem; padding: .6rem 1.2rem; cursor: pointer;
  border-radius: .6rem; border: 1px solid var(--accent); background: none; color: var(--accent); }
button.main { background: var(--accent); color: var(--on-accent); }
/* No emphasis while the surrounding page highlights another button. */
.quiet button.main { background: none; color: var(--accent); }
button.wide { width: 100%; }
button.danger { border-color: var(--warn); color: var(--warn); }
button.small { min-height: 2.75rem; padding: .3rem .8rem; font-size: .92rem; }
button.plain { border-color: transparent; text-decoration: underline; padding: .3rem .4rem; }
summary { cursor: pointer; min-height: 2.75rem; padding: .6rem 0; color: var(--warn); font-weight: 600; }
button:hover { filter: brightness(1.08); }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
.row { display: flex; flex-wrap: wrap; align-items: center; gap: .5rem .75rem; }
.row > .grow { flex: 1 1 7rem; min-width: 0; overflow-wrap: anywhere; }
.account .row { flex-wrap: nowrap; }
.account .row > .grow { flex-basis: 0; }
.buttons { display: flex; flex-wrap: wrap; gap: .75rem; margin-top: 1.25rem; }
.buttons > button { flex: 1 1 6rem; }
/* The buttons stay visible below a long page. */
@media (max-height: 60rem) {
  html:has(form[action="/device/decision"]) { scroll-padding-bottom: 6rem; }
  body:has(form[action="/device/decision"]) { padding-bottom: 6rem; }
  form[action="/device/decision"] .buttons { position: fixed; z-index: 1; left: 0; right: 0; bottom: 0;
    max-width: 30rem; margin: 0 auto; padding: .7rem 1rem;
    background: var(--card); border-top: 1px solid var(--line); }
  /* Content fades out above the buttons, to show that there is more. */
  form[action="/device/decision"] .buttons::before { content: ""; position: absolute; left: 0; right: 0; bottom: 100%;
    height: 1.25rem; background: linear-gradient(transparent, var(--card)); pointer-events: none; }
}
.note { border-radius: .6rem; padding: .8rem min(1rem, 4vw); margin: 0 0 1.25rem; }
.note > :last-child { margin-bottom: 0; }
.note .code { display: block; margin: .35rem 0 0; }
.mark { display: grid; place-items: center; width: 3.5rem; height: 3.5rem; border-radius: 50%;
  font-size: 1.8rem; margin: 0 0 1rem; background: var(--good-ground); color: var(--good); }
.note.warn { background: var(--warn-ground); color: var(--warn); }
.note.good { background: var(--good-ground); color: var(--good); }
.note.hint { background: var(--hint-ground); color: var(--hint); }
.list { list-style: none; margin: 0 0 1.25rem; padding: 0; border-top: 1px solid var(--line); }
.list > li { border-bottom: 1px solid var(--line); padding: .7rem 0; }
.scope { display: flex; min-height: 1.75rem; gap: .75rem; align-items: flex-start; font-weight: 400; }
.scope input { width: 1.35rem; height: 1.35rem; margin: .1rem 0 0; flex: none; accent-color: var(--accent); }
button.account { width: 100%; text-align: left; border-color: var(--line); color: inherit;
  font-weight: 400; margin-bottom: .6rem; }
button.account:disabled { opacity: .55; cursor: not-allowed; }
.badge { flex: none; width: 2.5rem; height: 2.5rem; border-radius: 50%; display: grid;
  place-items: center; background: var(--accent); color: var(--on-accent); font-weight: 700; }
.who { border: 1px solid var(--line); border-radius: .6rem; padding: .6rem .8rem; margin-bottom: 1.25rem; }
form.inline { margin: 0; }
/* In a small window, the account, the code and the warning stay visible above the buttons. */
@media (max-height: 44rem) {
  body:has(form[action="/device/decision"]) { padding: .35rem .5rem 5rem; gap: .3rem; }
  body:has(form[action="/device/decision"]) header { flex-wrap: nowrap; font-size: .78rem; }
  header span { overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
  main:has(form[action="/device/decision"]) { padding: .5rem .8rem; font-size: .84rem; line-height: 1.3; }
  main:has(form[action="/device/decision"]) h1 { font-size: 1.05rem; margin-bottom: .3rem; }
  main:has(form[action="/device/decision"]) .note.hint { padding: .35rem .6rem; margin-bottom: .8rem; }
  .note.hint p { margin-bottom: .25rem; }
  .note.hint .code { display: inline; font-size: 1.05rem; }
  .who { padding: .1rem .1rem .1rem .7rem; margin-bottom: .4rem; flex-wrap: nowrap; }
  .who .grow { line-height: 1.2; }
  main:has(form[action="/device/decision"]) .note.hint { margin-bottom: .5rem; }
  main:has(form[action="/device/decision"]) legend { margin-bottom: .2rem; }
  main:has(form[action="/device/decision"]) .list { margin-bottom: .6rem; }
  main:has(form[action="/device/decision"]) .list > li { padding: .3rem 0; }
  .who .badge { display: none; }
  .row.who > .grow { flex-basis: 0; }
}
@media (prefers-reduced-motion: no-preference) { button { transition: filter .15s; } }
`;
