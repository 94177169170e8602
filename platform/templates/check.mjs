// Runs the conformance suite over adapters, and says in one line each what they do wrong:
//
//   node check.mjs [adapters.mjs] [timers] [entropy] [storage] [display] [http]
//
// It runs on Node, against adapters that run on Node. On a device, hand the same cases to what you have there: they
// need promises and nothing else. The exit code is 1 where a case fails.

import { pathToFileURL } from "node:url";
import {
  displayConformance,
  entropyConformance,
  httpConformance,
  runConformance,
  storageConformance,
  timersConformance,
} from "picogrant/conformance";
import { startConformanceServer } from "picogrant/conformance/server";

const [file = "adapters.mjs", ...only] = process.argv.slice(2);
const adapters = await import(pathToFileURL(file).href);

/** How the suite lets time pass: here, by waiting. */
const world = {
  wait: (ms) => new Promise((done) => (ms === 0 ? setImmediate(done) : setTimeout(done, ms))),
};

/** Servers that answer as each case tells them, badly too. Certificates are tested where you give it some. */
const bench = { wire: true, tls: false, world, start: () => startConformanceServer() };

/** The suite begins with both slots empty. */
async function emptied(storage) {
  for (const slot of [0, 1]) await new Promise((done) => storage.erase(slot, done));
  return { storage, world };
}

/** With `lines`, what a person sees is compared with what was to be shown. */
function seen(display) {
  return { display, world, ...(display.lines && { look: () => display.lines() }) };
}

const suites = {
  timers: () => timersConformance(() => ({ timers: adapters.makeTimers(), world })),
  entropy: () => entropyConformance(() => ({ entropy: adapters.makeEntropy() })),
  storage: () => storageConformance(() => emptied(adapters.makeStorage())),
  display: () => displayConformance(() => seen(adapters.makeDisplay())),
  http: () => httpConformance((limits) => ({ http: adapters.makeHttp(limits) }), bench),
};

// Said at the end: an adapter under test may print, as a display does.
const report = [];
let failures = 0;
for (const [name, suite] of Object.entries(suites)) {
  if (only.length > 0 && !only.includes(name)) continue;
  const { passed, failed } = await runConformance(suite());
  report.push(`${name}: ${passed.length} of ${passed.length + failed.length} cases pass`);
  for (const { name: title, reason } of failed) report.push(`  ${title}`, `    ${reason}`);
  failures += failed.length;
}
console.log(report.join("\n"));
process.exit(failures > 0 ? 1 : 0);
