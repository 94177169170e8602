// A printer with a display of 16x2 for the countdown. For each code, it prints a slip with the complete address.

import * as core from "picogrant/core";
import { Driver, noEndpoints } from "picogrant/driver";
import { nodePlatform } from "picogrant/node";
import { config, endpoints, state } from "./settings.mjs";

const COLUMNS = 16;
const ROWS = 2;
const PAPER_COLUMNS = 32;

const glass = {
  columns: COLUMNS,
  rows: ROWS,
  show(cells, from) {
    const text = String.fromCharCode(...Array.from({ length: 32 }, (_, at) => cells[from + at]));
    console.log(`[${text.slice(0, COLUMNS)}]\n[${text.slice(COLUMNS)}]`);
  },
};

function print(lines) {
  console.log(`${"-".repeat(PAPER_COLUMNS)}\n${lines.join("\n")}\n${"-".repeat(PAPER_COLUMNS)}`);
}

function wrapped(text) {
  return text.match(new RegExp(`.{1,${PAPER_COLUMNS}}`, "g")) ?? [];
}

function fieldOf(field) {
  const { start, length } = driver.device;
  const end = start[field] + Math.max(0, length[field]);
  return Buffer.from(driver.memory.subarray(start[field], end)).toString("latin1");
}

let printed = "";
let wasSignedIn = false;

/** Call this whenever the device may have changed. */
function changed() {
  const { device, isSignedIn } = driver;
  const code = device.codeConfirmed ? fieldOf(core.Field.USER_CODE) : "";
  if (code !== "" && code !== printed) {
    printed = code;
    const complete = fieldOf(core.Field.VERIFICATION_URI_COMPLETE);
    print([
      "Connect this printer",
      "1. Open on your phone:",
      ...wrapped(fieldOf(core.Field.VERIFICATION_URI)),
      "2. Enter the code:",
      // The code must be unaltered and on its own line.
      code,
      // A printer with graphics prints this as a QR code.
      ...(complete === "" ? [] : ["or open:", ...wrapped(complete)]),
    ]);
  }
  if (isSignedIn && !wasSignedIn) print(["This printer is connected."]);
  wasSignedIn = isSignedIn;
}

const driver = new Driver({
  core,
  platform: nodePlatform({ stateDirectory: state, display: glass }),
  endpoints: { ...noEndpoints, ...endpoints },
  config,
  onChange: changed,
});
driver.start();
