// The panel's page. The client script (client/) fills it.
import { readFileSync } from "node:fs";
import { html } from "hono/html";
import { ACTIONS, type Action, type ActionGroup } from "../simulator/actions.ts";
import { findFault } from "../simulator/environment/faults.ts";
import { wordsOf } from "./client/guide.ts";

type Html = ReturnType<typeof html>;

export interface PageSettings {
  /** False with a real server, because the user then has a real phone. */
  readonly hasService: boolean;
  readonly folder: string;
  readonly title?: string;
  readonly intro?: string;
  /** False for a page that must work from a disk, because browsers load no modules from there. */
  readonly isModule?: boolean;
  readonly head?: Html | "";
}

/** The groups of actions that have a tab. The buttons of device and clock are elsewhere on the page. */
const TABS = [
  ["fault", "What can go wrong"],
  ["user", "People"],
  ["calls", "Video API"],
  ["offers", "Offers"],
  ["events", "Events"],
  ["clients", "Clients"],
  ["service", "Service"],
] as const;

function buttons(group: ActionGroup): Html[] {
  return ACTIONS.filter((one) => one.group === group).map(button);
}

function button({ name, key, label, step, needs }: Action): Html {
  const fault = findFault(name);
  const shown = key === " " ? "space" : key;
  return html`<button type="button"${fault ? html` aria-describedby="sees-${name}"` : ""} data-command="${step}"${needs ? html` data-needs="${needs}"` : ""}${key ? html` data-key="${key}" aria-keyshortcuts="${key === " " ? "Space" : key}"` : ""}${
    fault?.lasting ? html` data-fault="${name}" aria-pressed="false"` : ""
  }><span>${fault?.label ?? label}</span>${key ? html`<kbd>${shown}</kbd>` : ""}</button>`;
}

function faultRow(action: Action): Html {
  const { sees = "", display = "" } = findFault(action.name) ?? {};
  return html`<div class="fault">${button(action)}${
    sees
      ? html`<p id="sees-${action.name}" class="soft">${sees}${display ? html` <q>${display}</q>` : ""}</p>`
      : ""
  }</div>`;
}

const SHORTCUTS = html`<p class="soft">Shortcuts past the phone's pages: account and decision in one press.</p>`;

function actions(group: (typeof TABS)[number][0]): Html {
  const all =
    group === "fault" ? ACTIONS.filter((one) => one.group === group).map(faultRow) : buttons(group);
  return html`${group === "user" ? SHORTCUTS : ""}${all}`;
}

function tabs(): Html {
  return html`<div class="tabs keys-row" role="tablist" aria-label="What can be done">${TABS.map(
    ([group, title], at) =>
      html`<button type="button" role="tab" id="tab-${group}" aria-controls="actions-${group}"
      aria-selected="${at === 0 ? "true" : "false"}" tabindex="${at === 0 ? 0 : -1}">${title}</button>`,
  )}</div>
  ${TABS.map(
    ([group], at) =>
      html`<div class="buttons" role="tabpanel" id="actions-${group}" aria-labelledby="tab-${group}"${
        at === 0 ? "" : html` hidden`
      }>${actions(group)}</div>`,
  )}`;
}

const INTRO =
  "A device without a keyboard signs in (OAuth 2.0 device grant, RFC 8628): the device, your phone, and what passes between them and the service.";

const LANES = ["user", "device", "service"];

export function panelPage(settings: PageSettings) {
  const { hasService, folder, title = "simulator", intro = INTRO, head = "" } = settings;
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
${head}
<title>picogrant · ${title}</title>
<link rel="icon" href="${folder}icon.svg" type="image/svg+xml">
<link rel="stylesheet" href="${folder}panel.css">
</head>
<body>
<header>
  <div class="what"><h1>picogrant <small>${title}</small></h1>
  <p class="intro soft">${intro}</p></div>
  <div class="clock" role="group" aria-label="Clock">
    <output id="time" aria-label="Simulated time">0:00</output>
    <output id="speed" aria-label="Speed">x1</output>
    ${buttons("clock")}
  </div>
  <p id="connection" role="status"></p>
</header>
<main id="bench" tabindex="-1">
  <section class="guide" aria-labelledby="guide-title">
    <h2 id="guide-title" class="hidden-text">Signing in, step by step</h2>
    <ol id="guide">${wordsOf(0).map((step) => html`<li>${step}</li>`)}</ol>
    <p id="guide-says" class="soft" role="status"></p>
    <button type="button" id="next" class="main" hidden></button>
  </section>
  <section class="device" aria-labelledby="device-title">
    <h2 id="device-title" class="hidden-text">Device</h2>
    <div class="case">
      <div class="brand"><span id="led" aria-hidden="true"></span><span id="device-name">Living Room TV</span><span id="state">off</span></div>
      <div class="bezel"><pre id="frame" role="group" aria-label="Character display" aria-live="polite"></pre></div>
      <div class="keys buttons">${buttons("device")}</div>
    </div>
    <div id="slip" class="slip" role="img" hidden></div>
    <p id="reason" hidden></p>
    <p id="message" role="status"></p>
    <dl class="facts gauges">
      <div class="gauge"><dt>Next request</dt><dd><meter id="poll" aria-label="Until the next request" min="0" max="1" value="0"></meter><span id="poll-text"></span></dd></div>
      <div class="gauge"><dt>Code</dt><dd><meter id="code" aria-label="Left of the code" min="0" max="1" value="0"></meter><span id="code-text"></span></dd></div>
      <div class="gauge"><dt>Access token</dt><dd><meter id="access" aria-label="Left of the access token" min="0" max="1" value="0"></meter><span id="access-text"></span></dd></div>
    </dl>
    <details class="inside" open><summary>Inside the device</summary>
    <dl class="facts">
      <div><dt>Known as</dt><dd id="client"></dd></div>
      <div><dt>Working memory</dt><dd id="memory"></dd></div>
      <div><dt>Stored without power</dt><dd class="slots"><span id="slot-0"></span><span id="slot-1"></span></dd></div>
    </dl></details>
  </section>
  <section class="second" aria-labelledby="phone-title">
    <h2 id="phone-title" class="hidden-text">The phone</h2>
    ${
      hasService
        ? html`<p id="code-strip" aria-hidden="true"></p>
    <div class="phone"><div class="address soft"><span id="phone-address"></span></div>
      <div id="phone-home"><strong id="phone-says">Your phone</strong><p id="phone-does" class="soft">It takes the code from the device: by its camera, or you open the address and type.</p></div>
      <iframe id="phone" title="The service's pages on the phone" hidden></iframe></div>
    <div class="buttons"><button type="button" id="scan" data-needs="code">enter the code</button><button type="button" id="enter">open the address</button></div>`
        : html`<p class="soft">Open the address on the display with your own phone.</p>`
    }
    <details class="qr"${hasService ? "" : html` open`}><summary>The code as a QR code</summary>
    <figure><svg id="qr" role="img" aria-label="QR code of the address with the code" viewBox="0 0 1 1"></svg>
    <figcaption id="qr-text"></figcaption></figure></details>
  </section>
  <section class="exchange" aria-labelledby="exchange-title">
    <h2 id="exchange-title" class="hidden-text">Requests and responses</h2>
    <div class="headings" aria-hidden="true"><div class="lanes"><span class="time">time</span>${LANES.map((lane) => html`<span class="lane ${lane}">${lane}</span>`)}</div></div>
    <div class="scroll" tabindex="0" role="group" aria-label="Sequence, newest last">
      <ol id="sequence"></ol>
    </div>
  </section>
  <section class="actions" aria-labelledby="actions-title">
    <h2 id="actions-title" class="hidden-text">What can be done</h2>
    ${tabs()}
  </section>
</main>
<script ${settings.isModule === false ? "defer" : html`type="module"`} src="${folder}panel.js"></script>
</body>
</html>
`;
}

const FOLDER = new URL("styles/", import.meta.url);
const PARTS = ["base", "bench", "diagram"];

export function stylesheet(): string {
  return PARTS.map((name) => readFileSync(new URL(`${name}.css`, FOLDER), "utf8")).join("\n");
}
