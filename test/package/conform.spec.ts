// `picogrant conform` of the installed package: the filled-in adapters of the examples keep every rule; adapters with one
// fault each are told which sentence of the contract they break.

import { cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { beforeAll, describe, expect, inject, it } from "vitest";
import {
  displayConformance,
  entropyConformance,
  httpConformance,
  storageConformance,
  timersConformance,
} from "../../platform/conformance.ts";
import { contractLine } from "../../targets/command/conform/contract-lines.ts";
import { events, run } from "./command.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));
const folder = path.join(inject("project"), "adapters");

beforeAll(() => {
  mkdirSync(folder, { recursive: true });
  cpSync(path.join(root, "targets/examples/own-adapters"), folder, { recursive: true });
});

/** A module with one adapter of the examples, changed. */
function changed(name: string, from: string, to: string): string {
  const text = readFileSync(path.join(folder, `${name}.mjs`), "utf8");
  expect(text).toContain(from);
  const file = path.join(folder, `broken-${name}.mjs`);
  writeFileSync(file, text.replace(from, to));
  return file;
}

describe("picogrant conform", () => {
  it("passes adapters that keep every rule, certificates included", async () => {
    const { code, stdout } = await run(["conform", "adapters/adapters.mjs", "--tls", "--json"], {
      STATE: path.join(folder, "state"),
    });
    const cases = events(stdout.replace(/^[^{].*$/gm, ""));
    expect(cases.filter(({ passed }) => !passed)).toEqual([]);
    expect(cases.length).toBeGreaterThan(100);
    expect(code).toBe(0);
  });

  it("says what happened, and which sentence of the contract that breaks", async () => {
    const file = changed("entropy", "return true", "into[to] = 0;\n      return true");
    const { code, stdout } = await run(["conform", file]);
    expect(code).toBe(1);
    expect(stdout).toMatch(/^entropy: \d+ of \d+ cases pass$/m);
    expect(stdout).toMatch(/^ {2}entropy: fills its range and nothing else, plain arrays too$/m);
    expect(stdout).toMatch(/^ {4}what happened: index 38 outside the range was changed$/m);
    expect(stdout).toMatch(/^ {4}the contract: {2}"Fills `into\[from\.\.to\)` from /m);
  });

  it("an exception in a callback of the adapter is a failed case, not the end", async () => {
    const file = path.join(folder, "throwing.mjs");
    writeFileSync(
      file,
      "export const makeTimers = () => ({ now: () => Math.floor(performance.now()), cancel() {},\n" +
        '  alarm() { setTimeout(() => { throw new Error("oh no"); }, 1); } });\n',
    );
    const { code, stdout } = await run(["conform", file, "--json"]);
    expect(code).toBe(1);
    const reasons = events(stdout).map(({ reason }) => reason);
    expect(reasons).toContain("it threw: Error: oh no");
    expect(events(stdout).some(({ passed }) => passed)).toBe(true);
  });

  it.each([
    [["conform"], /missing required argument 'module'/],
    [["conform", "nowhere.js"], /nowhere\.js: there is no such module/],
    [["conform", "adapters/adapters.mjs", "abacus"], /there is no contract abacus; choose of /],
    [["conform", "adapters/entropy.mjs", "http"], /exports no function makeHttp/],
    [
      ["conform", "node_modules/picogrant-firmware/dist/picogrant.mjs"],
      /exports none of makeTimers, /,
    ],
  ])("%j is a mistake: one line and exit code 2", async (args, message) => {
    const { code, stdout, stderr } = await run(args);
    expect(stderr).toMatch(message);
    expect(stderr).toMatch(/^picogrant conform: [^\n]*\n$/);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
  });

  it("a module that cannot be loaded is one line and exit code 1", async () => {
    const file = path.join(folder, "wrong.mjs");
    writeFileSync(file, "export const = 1;\n");
    const { code, stderr } = await run(["conform", file]);
    expect(stderr).toMatch(/^picogrant conform: \S+ cannot be loaded: [^\n]+\n$/);
    expect(code).toBe(1);
  });
});

describe("the sentences of the contract", () => {
  const world = { wait: async () => {} };
  const never = (): never => {
    throw new Error("not run");
  };
  const cases = [
    ...timersConformance(never),
    ...entropyConformance(never),
    ...storageConformance(never),
    ...displayConformance(never),
    ...httpConformance(never, { wire: true, tls: true, world, start: never }),
  ];
  // One line, as a person reads a comment.
  const contracts = readFileSync(path.join(root, "platform/contracts.ts"), "utf8").replace(
    /\n\s*(?:\/\/|\*) */g,
    " ",
  );

  it.each(cases.map(({ name }) => name))("%s: quotes one that stands there", (name) => {
    const sentence = contractLine(name);
    expect(sentence).not.toBe("");
    expect(contracts).toContain(sentence);
  });
});
