// The panel's one page: what is where. It lives from what the client script (client/) puts into it.
import { html } from "hono/html";
import { CONTROLS, type Control } from "../simulator/controls.ts";

function buttons(group: Control["group"]) {
  return CONTROLS.filter((control) => control.group === group).map(
    ({ key, label, command }) =>
      html`<button type="button" data-command="${command}" data-key="${key}"
        aria-keyshortcuts="${key === " " ? "Space" : key}"><span>${label}</span><kbd>${key === " " ? "space" : key}</kbd></button>`,
  );
}

/** @param hasService false where the device talks to somebody else's server: there is no phone then */
export function panelPage(hasService: boolean) {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>picogrant · simulator</title>
<link rel="icon" href="/panel/icon.svg" type="image/svg+xml">
<link rel="stylesheet" href="/panel/panel.css">
</head>
<body>
<header>
  <h1>picogrant <small>simulator</small></h1>
  <div class="clock" role="group" aria-label="Clock">
    <output id="time">0:00</output>
    <output id="speed">x1</output>
    ${buttons("clock")}
  </div>
  <p id="connection" role="status"></p>
</header>
<main tabindex="-1">
  <section class="device" aria-labelledby="device-title">
    <h2 id="device-title">Device</h2>
    <div class="case">
      <div class="brand"><span id="led" aria-hidden="true"></span><span>Living Room TV</span></div>
      <div class="bezel"><canvas id="lcd" role="img" aria-label="Character display"></canvas></div>
      <pre id="frame" class="hidden-text" aria-live="polite"></pre>
      <div class="keys">${buttons("device")}</div>
    </div>
    <p id="message" role="status"></p>
    <dl class="facts">
      <div><dt>State</dt><dd id="state">off</dd></div>
      <div><dt>Next request</dt><dd><meter id="poll" min="0" max="1" value="0"></meter><span id="poll-text"></span></dd></div>
      <div><dt>Code</dt><dd><meter id="code" min="0" max="1" value="0"></meter><span id="code-text"></span></dd></div>
      <div><dt>Access token</dt><dd><meter id="access" min="0" max="1" value="0"></meter><span id="access-text"></span></dd></div>
      <div><dt>Memory</dt><dd id="memory"></dd></div>
      <div><dt>Allocated</dt><dd id="allocated"></dd></div>
      <div><dt>Slot 0</dt><dd id="slot-0"></dd></div>
      <div><dt>Slot 1</dt><dd id="slot-1"></dd></div>
    </dl>
  </section>
  <section class="second" aria-labelledby="phone-title">
    <h2 id="phone-title">Second device</h2>
    ${
      hasService
        ? html`<div class="phone"><iframe id="phone" title="The service's pages on the phone"></iframe></div>
    <div class="phone-keys"><button type="button" id="scan">scan the code</button><button type="button" id="enter">type it</button>${buttons("user")}</div>`
        : html`<p class="hint">Open the address on the display with your own phone.</p>`
    }
    <figure class="qr"><svg id="qr" role="img" aria-label="QR code of the address with the code" viewBox="0 0 1 1"></svg>
    <figcaption id="qr-text"></figcaption></figure>
  </section>
  <section class="exchange" aria-labelledby="exchange-title">
    <h2 id="exchange-title">Requests and answers</h2>
    <div class="scroll" tabindex="0" role="region" aria-labelledby="exchange-title"><svg id="sequence" role="img" aria-label="Sequence diagram of the exchange"></svg></div>
  </section>
  <section class="faults" aria-labelledby="faults-title">
    <h2 id="faults-title">Faults</h2>
    <div class="buttons">${buttons("fault")}</div>
  </section>
  <section class="states" aria-labelledby="states-title">
    <h2 id="states-title">States</h2>
    <ol id="timeline" class="scroll" tabindex="0"></ol>
  </section>
</main>
<script type="module" src="/panel/panel.js"></script>
</body>
</html>
`;
}
