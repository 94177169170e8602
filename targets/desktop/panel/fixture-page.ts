// Where the service's accounts, clients and the rest are edited as JSON: applied to the world that runs, or saved as
// a file for --fixture. Behind the panel it is a page, which works without a script; in the playground a dialog.
import { html } from "hono/html";

export interface FixturePage {
  readonly text: string;
  /** Put into the form, so that no page elsewhere can send it. */
  readonly key: string;
  /** What is wrong with the text, in one line; "" for nothing. */
  readonly problem?: string;
  /** What has been done. */
  readonly done?: string;
}

const LABEL = html`<label for="fixture">The service's organizations, accounts, clients, broadcasts, apps and receivers, as JSON.
    Applied, the service begins anew with them: what it issued before is worth nothing.</label>`;

export function fixturePage({ text, key, problem = "", done = "" }: FixturePage) {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>picogrant · accounts and clients</title>
<link rel="icon" href="/panel/icon.svg" type="image/svg+xml">
<link rel="stylesheet" href="/panel/panel.css">
</head>
<body class="fixture">
<header><h1>picogrant <small>accounts and clients</small></h1></header>
<main tabindex="-1">
  <section>
  <form method="post" action="/panel/fixture">
    <input type="hidden" name="key" value="${key}">
    ${LABEL}
    ${problem ? html`<p id="problem" role="alert">${problem}</p>` : ""}
    ${done ? html`<p role="status">${done}</p>` : ""}
    <textarea id="fixture" name="fixture" spellcheck="false" autocomplete="off"${
      problem ? html` aria-invalid="true" aria-describedby="problem"` : ""
    }>
${text}</textarea>
    <div class="keys-row">
      <button type="submit" class="main" name="deed" value="apply">apply</button>
      <button type="submit" name="deed" value="save">save as a file</button>
      <a href="/panel">back to the panel</a>
    </div>
  </form>
  </section>
</main>
</body>
</html>
`;
}

/** The same in front of a page that has its world in itself. */
export const FIXTURE_DIALOG = html`<dialog id="fixture-dialog" class="fixture" aria-labelledby="fixture-title">
<h2 id="fixture-title">Accounts and clients</h2>
${LABEL}
<p id="fixture-problem" role="alert"></p>
<textarea id="fixture" spellcheck="false" autocomplete="off" aria-describedby="fixture-problem"></textarea>
<div class="keys-row">
<button type="button" class="main" id="fixture-apply">apply</button>
<button type="button" id="fixture-save">save as a file</button>
<button type="button" id="fixture-close">back</button>
</div>
</dialog>`;
