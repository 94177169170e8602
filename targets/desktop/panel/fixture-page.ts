// The page behind the panel on which the service's accounts, clients and the rest are edited as JSON: applied to
// the world that runs, or saved as a file for --fixture. It works without a script.
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
    <label for="fixture">The service's organizations, accounts, clients, broadcasts, apps and receivers, as JSON.
    Applied, the service begins anew with them: what it issued before is worth nothing.</label>
    ${problem ? html`<p id="problem" role="alert">${problem}</p>` : ""}
    ${done ? html`<p role="status">${done}</p>` : ""}
    <textarea id="fixture" name="fixture" spellcheck="false" autocomplete="off"${
      problem ? html` aria-invalid="true" aria-describedby="problem"` : ""
    }>
${text}</textarea>
    <div class="fixture-keys">
      <button type="submit" name="deed" value="apply">apply</button>
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
