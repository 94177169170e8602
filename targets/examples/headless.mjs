// A device without a display. The blinking of its light shows the state, and a set-up page shows the code. A real
// device serves the page to the local network, but this example serves it only to this machine. Frames are discarded.

import { createServer } from "node:http";
import * as core from "picogrant/core";
import { Driver, noEndpoints } from "picogrant/driver";
import { nodePlatform } from "picogrant/node";
import { config, endpoints, state } from "./settings.mjs";

const { Field, State } = core;

/** The light's pattern in each state, in steps of 250 ms: `*` on, `.` off. */
const PATTERNS = {
  [State.STARTING]: "*.",
  [State.SIGNED_OUT]: "........",
  [State.REQUESTING]: "*.",
  [State.PENDING]: "****....",
  [State.SIGNED_IN]: "********",
  [State.REFRESHING]: "********",
  [State.REVOKING]: "*.",
  [State.FAILED]: "*.*.....",
};

let step = 0;
let lit;
function blink() {
  const pattern = PATTERNS[driver.device.state];
  const isOn = pattern[step++ % pattern.length] === "*";
  // Firmware sets its pin here.
  if (isOn !== lit) console.log(isOn ? "light on" : "light off");
  lit = isOn;
}

function fieldOf(field) {
  const { start, length } = driver.device;
  const end = start[field] + Math.max(0, length[field]);
  return Buffer.from(driver.memory.subarray(start[field], end)).toString("latin1");
}

/** The content of the set-up page. It contains no token, because everybody in the local network could read it. */
function status() {
  if (driver.device.codeConfirmed) {
    return `Open ${fieldOf(Field.VERIFICATION_URI)} and enter ${fieldOf(Field.USER_CODE)}\n`;
  }
  return driver.isSignedIn ? "Signed in\n" : "Not signed in\n";
}

const driver = new Driver({
  core,
  platform: nodePlatform({
    stateDirectory: state,
    display: { columns: 16, rows: 2, show() {} },
  }),
  endpoints: { ...noEndpoints, ...endpoints },
  config,
});
driver.start();
setInterval(blink, 250);

const page = createServer((_, response) => {
  response.setHeader("content-type", "text/plain; charset=utf-8");
  response.setHeader("cache-control", "no-store");
  response.end(status());
});
page.listen(Number(process.env.PORT ?? 0), "127.0.0.1", () => {
  const address = page.address();
  if (typeof address === "object") console.log(`set-up page: http://127.0.0.1:${address.port}/`);
});
