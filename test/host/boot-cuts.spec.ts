// The power goes at every step of storage while the C loader installs or starts (FORMAT.md, "Two slots and
// the boot record"): a device that could start before can start afterwards.

import { execFileSync, spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { programOf } from "../../scripts/host/build.ts";
import { keys, makeImage } from "../image/image-builder.ts";

const program = programOf("release", "boot-cuts");
const abi = execFileSync(programOf("release"), ["--abi"], { encoding: "utf8" }).trim();
const CUT = 99;

let folder: string;
const path = (name: string): string => join(folder, name);

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "picogrant-cuts-"));
  writeFileSync(path("key"), keys.publicKey);
  for (const [counter, label] of ["old", "trial", "new"].entries()) {
    const payload = Buffer.from(label);
    writeFileSync(path(label), makeImage({ abi, payload, counter }));
  }
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Runs the loader in a directory; `what` is "start" or the label of an image to install. */
function run(slots: string, step: number, what: string): { status: number | null; said: string } {
  const image = what === "start" ? what : path(what);
  const args = [path(slots), path("key"), String(step), image];
  const { status, stdout } = spawnSync(program, args, { encoding: "utf8" });
  return { status, said: stdout.trim() };
}

/** What a device may have gone through before, and what can run on it. */
const HISTORIES: [string, string[], string[]][] = [
  ["as the factory wrote it", [], ["old"]],
  ["before its first start", ["old"], ["old"]],
  ["with a good image", ["old", "start"], ["old"]],
  ["with a trial", ["old", "start", "trial"], ["old", "trial"]],
];

function prepare(history: readonly string[]): void {
  rmSync(path("before"), { recursive: true, force: true });
  mkdirSync(path("before"));
  if (history.length === 0) cpSync(path("old"), path("before/slot-a.img"));
  for (const what of history) expect(run("before", -1, what).status).toBe(0);
}

/** Cuts at each step of `what`; the labels that ran afterwards. */
function cutEverywhere(what: string): string[] {
  const seen: string[] = [];
  for (let step = 0; ; step++) {
    rmSync(path("slots"), { recursive: true, force: true });
    cpSync(path("before"), path("slots"), { recursive: true });
    const { status } = run("slots", step, what);
    if (status !== CUT) {
      expect(status).toBe(0);
      return seen;
    }
    const { said } = run("slots", -1, "start");
    seen.push(said);
    // And it goes on: the next start runs the same, an update still works.
    expect(run("slots", -1, "start").said, `step ${step}`).toBe(said);
    expect(run("slots", -1, "new").said, `step ${step}`).toBe("ok");
    expect(run("slots", -1, "start").said, `step ${step}`).toBe("new");
  }
}

describe.each(HISTORIES)("a board %s", (_name, history, labels) => {
  it("whose power goes while it is updated runs the old image or the new one", () => {
    prepare(history);
    const seen = cutEverywhere("new");
    expect(seen.length).toBeGreaterThanOrEqual(12);
    expect(new Set([...labels.slice(-1), ...seen, "new"])).toEqual(new Set(seen));
    expect([...labels, "new"]).toEqual(expect.arrayContaining([...new Set(seen)]));
  });

  it("whose power goes while it starts an update runs the old image or the new one", () => {
    prepare([...history, "new"]);
    const seen = cutEverywhere("start");
    expect(seen.length).toBeGreaterThanOrEqual(12);
    expect([...labels, "new"]).toEqual(expect.arrayContaining([...new Set(seen)]));
  });
});
