// The table in test/README.md: each kind of test, what it is for, how much of it there is, and its command. The counts
// are taken from the tests themselves.

import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { variants } from "../targets/bundle/surface.ts";
import { scenarioNames } from "../targets/desktop/scenarios/library.ts";
import { engines } from "../targets/workbench/engines/catalogue.ts";
import { surfaces } from "../targets/workbench/host/fuzz-surfaces.ts";
import { bundlers, runtimes } from "../targets/workbench/runtimes.ts";
import { TOOLS } from "../targets/workbench/tool-list.ts";
import { documentRows } from "./coverage/rows.ts";
import { standardSections, standards } from "./coverage/standards.ts";
import { rowsFor } from "./platform/certificate-cases.ts";
import { recordedServers } from "./servers/recording.ts";

const root = fileURLToPath(new URL("../", import.meta.url));

function files(folder: string, ending: RegExp): string[] {
  return readdirSync(`${root}${folder}`, { recursive: true, encoding: "utf8" }).filter((name) =>
    ending.test(name),
  );
}

const texts = (folder: string, ending: RegExp): string =>
  files(folder, ending)
    .map((name) => readFileSync(`${root}${folder}/${name}`, "utf8"))
    .join("\n");

const numberOf = (names: readonly string[]): string =>
  `${names.length} ${names.length === 1 ? "file" : "files"}`;

/** What needs nothing but vitest, and what the command of its room builds something for: no command runs both. */
const PLAIN = /\.test\.ts$/;
const BUILT = /\.spec\.ts$/;
const testsIn = (folder: string, ending: RegExp): string => numberOf(files(folder, ending));
const hostTests = files("test/host", BUILT);
/** As scripts/arm.ts chooses them; test/host/vitest.config.ts leaves them to it. */
const isOfArm = (name: string): boolean => name.startsWith("arm");
const peerTests = TOOLS["test-peers"]!.tests!.filter((word) => word.endsWith(".test.ts"));

const assertions = texts("core", /\.ts$/).match(/^ *ASSERT: /gm)!.length;
const assertionsInC = texts("targets/host/portable", /\.c$/).match(/^ *PG_MUST\(/gm)!.length;

/** Kind, what it finds that the others do not, how much there is, and the command. */
const KINDS: readonly (readonly [kind: string, finds: string, count: string, command: string])[] = [
  [
    "tables of cases",
    "what the documents and RFCs say, row by row",
    testsIn("test/core", PLAIN),
    "npm run test:core",
  ],
  [
    "rows of the documents",
    "a sentence that no test guards",
    `${documentRows.length} rows`,
    "npm run tool -- coverage",
  ],
  [
    "sections of RFCs",
    "the same of the standards",
    `${standardSections.length} sections of ${Object.keys(standards).length} RFCs`,
    "npm run tool -- coverage",
  ],
  [
    "assertions in the core",
    "a state that must not be, where it arises",
    `${assertions}, each with a planted fault`,
    "npm run test:all",
  ],
  [
    "model of the core",
    "any difference from a second, ideal device",
    "2,500,000 steps in the gate",
    "npm run tool -- model",
  ],
  [
    "model of the session",
    "a promise that never settles, an event that is lost",
    "any number of lives",
    "npm run tool -- session-lives",
  ],
  [
    "what ships",
    "what minifying and numbering places break",
    `${variants.length} builds`,
    "npm run tool -- test-dist",
  ],
  [
    "integers",
    "a number that an engine would box",
    "every expression",
    "npm run tool -- test-integers",
  ],
  ["engines", "what an engine lacks or allocates", `${engines.length} engines`, "npm run engines"],
  [
    "session and adapters",
    "what programs, disks and proxies do",
    testsIn("test/platform", PLAIN),
    "npm run test:all",
  ],
  [
    "certificates",
    "a server that must not be trusted",
    `${rowsFor("www.shop.example").length} certificates`,
    "npm run test:all",
  ],
  [
    "the simulated service",
    "a sentence of the documents on the other side",
    testsIn("test/service", PLAIN),
    "npm run test:all",
  ],
  [
    "scenarios",
    "a whole story, told and shown",
    `${scenarioNames().length} stories`,
    "npm run tool -- scenarios",
  ],
  [
    "servers recorded",
    "a dialect that ends a session",
    `${recordedServers().length} servers`,
    "npm run tool -- servers",
  ],
  [
    "servers and clients of others",
    "what we and they understand differently",
    numberOf(peerTests),
    "npm run tool -- test-peers",
  ],
  [
    "pages in a browser",
    "what a person sees, presses and cannot reach",
    testsIn("test/browser", PLAIN),
    "npm run tool -- test-browser",
  ],
  [
    "host in C",
    "the same lives in C, under sanitizers and valgrind",
    numberOf(hostTests.filter((name) => !isOfArm(name))),
    "npm run host",
  ],
  [
    "assertions in C",
    "a fault of the host's own, where it arises",
    `${assertionsInC}, each with a planted fault`,
    "npm run host",
  ],
  [
    "fuzzing of C",
    "bytes that break a parser in C",
    `${surfaces.length} surfaces`,
    "npm run tool -- fuzz-c",
  ],
  [
    "proofs of C",
    "an overflow that no input has found yet",
    `${files("test/host/proof", /\.c$/).length} proofs`,
    "npm run tool -- prove-c",
  ],
  [
    "32-bit ARM",
    "what another word size changes",
    `${numberOf(hostTests.filter(isOfArm))}: whole lives`,
    "npm run tool -- arm",
  ],
  [
    "a board",
    "firmware on a bare machine: flash, network, watchdog",
    testsIn("test/board", BUILT),
    "npm run board -- --test",
  ],
  [
    "stock QuickJS",
    "the application on qjs as Debian has it",
    testsIn("test/quickjs", PLAIN),
    "npm run tool -- test-qjs",
  ],
  [
    "budgets",
    "a byte of heap or a file too much",
    "every figure that is claimed",
    "npm run budgets",
  ],
  [
    "the package",
    "what an installer gets",
    testsIn("test/package", BUILT),
    "npm run tool -- test-package",
  ],
  [
    "the package elsewhere",
    "a bundler or a runtime that takes it otherwise",
    `${bundlers.length} bundlers, ${runtimes.length} runtimes`,
    "npm run tool -- runtimes",
  ],
];

it("How picogrant is tested: the table counts what there is", () => {
  const file = `${root}test/README.md`;
  const text = readFileSync(file, "utf8");
  const begin = "<!-- kinds: begin -->";
  const from = text.indexOf(begin);
  const to = text.indexOf("<!-- kinds: end -->");
  expect(from).toBeGreaterThan(0);
  const rows = KINDS.map(
    ([kind, finds, count, command]) => `| ${kind} | ${finds} | ${count} | \`${command}\` |`,
  );
  const table = [
    "",
    "",
    "| kind | finds | how much | command |",
    "|---|---|---|---|",
    ...rows,
    "",
    "",
  ].join("\n");
  if (process.env.PICOGRANT_GENERATE)
    writeFileSync(file, text.slice(0, from) + begin + table + text.slice(to));
  else
    expect(text.slice(from + begin.length, to), "npm run generate kinds brings it up to date").toBe(
      table,
    );
});

it("each command of it is one that there is", () => {
  const { scripts } = JSON.parse(readFileSync(`${root}package.json`, "utf8")) as {
    scripts: object;
  };
  const known = [...Object.keys(scripts), "test"];
  for (const [, , , command] of KINDS) {
    const [, , first, , tool] = command.replace("npm test", "npm run test").split(" ");
    expect(known).toContain(first);
    if (first === "tool") expect(Object.keys(TOOLS)).toContain(tool);
  }
});

it("none of its counts is zero, and no cell is empty", () => {
  for (const row of KINDS) for (const cell of row) expect(cell).not.toMatch(/^$|\b0 /);
});
