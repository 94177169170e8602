// Slots and boot record of the C loader (FORMAT.md, "Two slots and the boot record"): the same table as in
// JavaScript; the power goes, and calls fail, at every step of storage while it installs or starts; two
// programs at once.

import { type ChildProcessByStdio, spawn, spawnSync } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { constants, tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Readable, Writable } from "node:stream";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { programOf } from "../../targets/workbench/host/build.ts";
import { keyIdOf, keys, makeImage, newerKeys, PRODUCT } from "../image/image-builder.ts";
import {
  type Medium,
  play,
  type SlotDevice,
  type SlotFile,
  scenarioRows,
  type Version,
} from "../image/slot-scenarios.ts";

const ABI = "2025-04-26-le64";
const CUT = 99;
const { ENOSPC, EROFS, EIO } = constants.errno;

let folder: string;
const path = (name: string): string => join(folder, name);

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "picogrant-boot-"));
  writeFileSync(path("key"), keys.publicKey);
  writeFileSync(path("newer"), newerKeys.publicKey);
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

beforeEach(() => {
  rmSync(path("slots"), { recursive: true, force: true });
  mkdirSync(path("slots"));
});

/** The file with an image. */
function fileOf(version: Version): string {
  const { label, counter = 5, broken, silent, newerKey, retires } = version;
  const name = path(`${Object.values(version).join("-")}-${Object.keys(version).join("-")}.img`);
  if (existsSync(name)) return name;
  const payload = Buffer.from(broken ? "crash" : `${label}${silent ? " silent" : ""}`);
  const { publicKey, secretKey: signer } = newerKey ? newerKeys : keys;
  const signed = { keyId: keyIdOf(publicKey), signer, flags: retires ? 1 : 0 };
  writeFileSync(name, makeImage({ abi: ABI, counter, payload, ...signed }));
  return name;
}

interface Run {
  status: number;
  said: string;
  failures: number;
  unwritten: boolean;
}

interface Call {
  kind?: "release" | "sanitize";
  fault?: string;
  counterMin?: number;
  slots?: string;
}

/** Starts processes of the loader, one behind the other: by a small one, since a sweep has thousands of them. */
class Starter {
  readonly #starter: ChildProcessByStdio<Writable, Readable, Readable>;
  readonly #lines: AsyncIterator<string>;
  complaints = "";

  constructor(kind: "release" | "sanitize") {
    const program = programOf(kind, "boot-device");
    this.#starter = spawn(program, ["serve"], { stdio: ["pipe", "pipe", "pipe"] });
    this.#lines = createInterface({ input: this.#starter.stdout })[Symbol.asyncIterator]();
    this.#starter.stderr.on("data", (text: Buffer) => {
      this.complaints += text;
    });
  }

  /** What one process said, and the code it ended with. */
  async start(args: readonly string[]): Promise<{ status: number; said: string[] }> {
    this.#starter.stdin.write(`${args.join("\t")}\n`);
    const said: string[] = [];
    for (;;) {
      const { done, value: line } = await this.#lines.next();
      if (done) throw new Error(`boot-device ended: ${this.complaints}`);
      const status = /^exit (\d+)$/.exec(line)?.[1];
      if (status !== undefined) return { status: Number(status), said };
      said.push(line);
    }
  }

  end(): Promise<void> {
    this.#starter.stdin.end();
    return new Promise((resolve) => this.#starter.on("close", () => resolve()));
  }
}

const starters = { release: new Starter("release"), sanitize: new Starter("sanitize") };

afterAll(async () => {
  for (const starter of Object.values(starters)) {
    await starter.end();
    expect(starter.complaints).toBe("");
  }
});

/** Runs the loader in a directory: `start`, or `install` with a file. */
async function run(action: readonly string[], call: Call = {}): Promise<Run> {
  const { kind = "release", fault = "none", counterMin = 0, slots = "slots" } = call;
  const device = [path(slots), `${path("key")},${path("newer")}`, PRODUCT, ABI];
  const args = [...device, String(counterMin), fault, ...action];
  const {
    status,
    said: [said = "", figures = ""],
  } = await starters[kind].start(args);
  const failures = Number(/(\d+) failed/.exec(figures)?.[1] ?? 0);
  return { status, said, failures, unwritten: figures.endsWith("unwritten") };
}

const NAMES: Readonly<Record<string, string>> = {
  ok: "",
  "cannot be read or written": "unwritten",
  "no slot holds an image": "none",
  "another program is writing there": "busy",
};

const full = `writes:0:${ENOSPC}`;

class DeviceInC implements SlotDevice {
  async install(version: Version, medium?: Medium): Promise<string> {
    return this.#said(["install", fileOf(version)], 0, medium);
  }

  async start(counterMin: number, meanwhile?: Version, medium?: Medium): Promise<string> {
    const other = meanwhile ? [fileOf(meanwhile)] : [];
    return this.#said(["start", ...other], counterMin, medium);
  }

  read(file: SlotFile): Buffer | undefined {
    const name = path(`slots/${file}`);
    return existsSync(name) ? readFileSync(name) : undefined;
  }

  write(file: SlotFile, content: Buffer): void {
    writeFileSync(path(`slots/${file}`), content);
  }

  remove(file: SlotFile): void {
    rmSync(path(`slots/${file}`));
  }

  async #said(action: string[], counterMin: number, medium: Medium | undefined): Promise<string> {
    const fault = medium ? full : "none";
    const { status, said } = await run(action, { kind: "sanitize", fault, counterMin });
    expect(status).toBe(0);
    return NAMES[said] ?? said.split(" ")[0]!;
  }
}

describe("FORMAT.md: two slots and the boot record", () => {
  it.each(scenarioRows)("%s", (_name, steps) => play(steps, new DeviceInC()));

  it("a device on a medium that takes nothing says so", async () => {
    await run(["install", fileOf({ label: 20 })]);
    await run(["start"]);
    await run(["install", fileOf({ label: 24 })]);
    expect(await run(["start"], { fault: full })).toMatchObject({ said: "20", unwritten: true });
    expect(await run(["start"])).toMatchObject({ said: "24", unwritten: false });
  });

  it("nothing is written through a link in the draft's place, and nothing is left behind", async () => {
    writeFileSync(path("precious"), "mine");
    for (const name of ["slot-a.img", "boot-0", "boot-1"]) {
      symlinkSync(path("precious"), path(`slots/${name}.draft`));
    }
    expect((await run(["install", fileOf({ label: 20 })])).said).toBe("ok");
    expect((await run(["start"])).said).toBe("20");
    expect(readFileSync(path("precious"), "utf8")).toBe("mine");
    expect(readdirSync(path("slots")).sort()).toEqual(["boot-0", "boot-1", "lock", "slot-a.img"]);
    rmSync(path("precious"));
  });

  it("a pipe in the place of a slot or record does not keep it waiting", async () => {
    await run(["install", fileOf({ label: 20 })]);
    for (const name of ["slot-b.img", "boot-1"]) spawnSync("mkfifo", [path(`slots/${name}`)]);
    expect((await run(["start"])).said).toBe("20");
  });
});

it("in flash, cut and failed at every byte: the old image runs or the new one, and a further one", () => {
  // The bytes behind read, program and erase are those of a board.
  const versions: Version[] = [
    { label: 20, counter: 1 },
    { label: 24, counter: 2 },
    { label: 28, counter: 3 },
    { label: 32, counter: 4 },
  ];
  const args = [path("key"), PRODUCT, ABI, ...versions.map(fileOf)];
  const { status, stdout, stderr } = spawnSync(programOf("sanitize", "boot-flash"), args, {
    encoding: "utf8",
  });
  expect([status, stderr]).toEqual([0, ""]);
  const steps = [...stdout.matchAll(/: (\d+) (power cuts|single failures|failures from)/g)];
  // Read and mapped, three histories, three faults: update and start; where it is mapped an update in pieces, too.
  expect(steps).toHaveLength(2 * 3 * 2 * 3 + 3 * 3);
  for (const [, count] of steps) expect(Number(count)).toBeGreaterThanOrEqual(100);
  console.log(stdout);
});

it("in flash that somebody changes while the power is off: only the maker's images run, and one does if it can", () => {
  const seed = process.env.PICOGRANT_SEED ?? String(Date.now() % 1_000_000);
  const versions: Version[] = [
    { label: 20, counter: 4 },
    { label: 24, counter: 5 },
    { label: 28, counter: 5 },
    { label: 32, counter: 6 },
  ];
  const args = [path("key"), PRODUCT, ABI, ...versions.map(fileOf), seed, "2000"];
  const run = spawnSync(programOf("release", "boot-corruption"), args, { encoding: "utf8" });
  const where = `PICOGRANT_SEED=${seed}\n${run.stdout}`;
  expect([run.status, run.stderr], where).toEqual([0, ""]);
  // Five states of a device: each bit once, and spoilt at random without and with a counter of the hardware's.
  expect(run.stdout.match(/a bit flipped [56]\d{3} times/g), where).toHaveLength(5);
  expect(run.stdout.match(/spoilt 2000 times/g), where).toHaveLength(10);
  // With one good image beside a good one of the same counter, no single bit keeps the device from starting.
  expect(run.stdout, where).toMatch(
    /after another update, a bit flipped \d+ times: none runs 0 times/,
  );
  console.log(where);
});

interface History {
  name: string;
  steps: readonly (Version | "start")[];
  /** What can run on it, the newest last. */
  labels: readonly string[];
}

const OLD: Version = { label: 20 };
const TRIAL: Version = { label: 24, counter: 6 };
const NEW: Version = { label: 28, counter: 7 };
const LATER: Version = { label: 32, counter: 8 };

/** What a device may have gone through before. */
const HISTORIES: readonly History[] = [
  { name: "as the factory wrote it", steps: [], labels: ["20"] },
  { name: "before its first start", steps: [OLD], labels: ["20"] },
  { name: "with a good image", steps: [OLD, "start"], labels: ["20"] },
  { name: "with a trial", steps: [OLD, "start", TRIAL], labels: ["20", "24"] },
];

const actionOf = (step: Version | "start"): string[] =>
  step === "start" ? ["start"] : ["install", fileOf(step)];

async function prepare(steps: readonly (Version | "start")[]): Promise<void> {
  rmSync(path("before"), { recursive: true, force: true });
  mkdirSync(path("before"));
  if (steps[0] !== OLD) cpSync(fileOf(OLD), path("before/slot-a.img"));
  for (const step of steps) expect((await run(actionOf(step), { slots: "before" })).status).toBe(0);
}

/** The device as it was before the sweep. */
function restore(): void {
  rmSync(path("slots"), { recursive: true, force: true });
  cpSync(path("before"), path("slots"), { recursive: true });
}

const outcomes = new Map<string, number>();
let swept = 0;

function count(sweep: string, outcome: string): void {
  swept++;
  const key = `${sweep}: ${outcome}`;
  outcomes.set(key, (outcomes.get(key) ?? 0) + 1);
}

afterAll(() => {
  const lines = [...outcomes].sort().map(([what, times]) => `  ${what}: ${times}`);
  console.log(`slots in C, ${swept} cuts and failures:\n${lines.join("\n")}`);
});

/** Cuts at each step; the labels that ran afterwards. */
async function cutEverywhere(what: Version | "start"): Promise<string[]> {
  const seen: string[] = [];
  for (let step = 0; ; step++) {
    restore();
    const { status } = await run(actionOf(what), { fault: `cut:${step}` });
    if (status !== CUT) {
      expect(status).toBe(0);
      return seen;
    }
    const { said } = await run(["start"]);
    seen.push(said);
    count("power cut", `${said} runs`);
    // And it goes on: the next start runs the same, an update still works.
    expect((await run(["start"])).said, `step ${step}`).toBe(said);
    if (step % 4 !== 0) continue;
    expect((await run(actionOf(LATER))).said, `step ${step}`).toBe("ok");
    expect((await run(["start"])).said, `step ${step}`).toBe("32");
  }
}

describe.each(HISTORIES)("a power cut at every step: a board $name", ({ steps, labels }) => {
  it("that is being updated runs the old image or the new one", async () => {
    await prepare(steps);
    const seen = await cutEverywhere(NEW);
    expect(seen.length).toBeGreaterThanOrEqual(12);
    expect(seen).toContain("28");
    expect([...labels, "28"]).toEqual(expect.arrayContaining([...new Set(seen)]));
  });

  it("that starts an update runs the old image or the new one", async () => {
    await prepare([...steps, NEW]);
    const seen = await cutEverywhere("start");
    expect(seen.length).toBeGreaterThanOrEqual(12);
    expect([...labels, "28"]).toEqual(expect.arrayContaining([...new Set(seen)]));
  });
});

const FAULTS = [
  ["one call fails", "once", EIO],
  ["the disk is full from there on", "writes", ENOSPC],
  ["it is read-only from there on", "writes", EROFS],
  ["nothing works from there on", "on", EIO],
] as const;

describe.each(HISTORIES)("a failure at every call: a board $name", ({ steps, labels }) => {
  it.each(FAULTS)("that is being updated, %s", async (what, kind, errno) => {
    await prepare(steps);
    for (let at = 0; ; at++) {
      restore();
      const { status, said, failures } = await run(actionOf(NEW), {
        fault: `${kind}:${at}:${errno}`,
      });
      expect(status).toBe(0);
      if (failures === 0) return;
      const runs = (await run(["start"])).said;
      expect([...labels, "28"], `call ${at}`).toContain(runs);
      // Whoever was told that it is installed finds it.
      if (said === "ok") expect(runs, `call ${at}`).toBe("28");
      expect((await run(["start"])).said, `call ${at}`).toBe(runs);
      count(`update, ${what}`, `${said === "ok" ? "installed" : "unwritten"}, then ${runs} runs`);
    }
  });

  it.each(FAULTS)("that starts an update, %s", async (what, kind, errno) => {
    await prepare([...steps, NEW]);
    for (let at = 0; ; at++) {
      restore();
      const during = await run(["start"], { fault: `${kind}:${at}:${errno}` });
      expect(during.status).toBe(0);
      if (during.failures === 0) return;
      // With a medium that can be read it works all the same, and at once.
      if (kind === "writes") expect([...labels, "28"], `call ${at}`).toContain(during.said);
      const after = (await run(["start"])).said;
      expect([...labels, "28"], `call ${at}`).toContain(after);
      expect((await run(["start"])).said, `call ${at}`).toBe(after);
      count(`start, ${what}`, `${during.said} runs, later ${after}`);
    }
  });
});

/** Runs the loader beside others. */
function beside(action: readonly string[]): Promise<string> {
  const device = [path("slots"), path("key"), PRODUCT, ABI, "0", "none", ...action];
  const child = spawn(programOf("release", "boot-device"), device);
  let text = "";
  child.stdout.on("data", (chunk: Buffer) => {
    text += chunk.toString();
  });
  return new Promise((resolve) => child.on("close", () => resolve(text.split("\n")[0]!)));
}

it("installations and starts at once, again and again: one is right, the others are busy", async () => {
  await prepare([OLD, "start"]);
  for (let round = 0; round < 20; round++) {
    restore();
    const said = await Promise.all([
      beside(actionOf(TRIAL)),
      beside(actionOf(NEW)),
      beside(["start"]),
      beside(actionOf({ label: 32, counter: 6 })),
    ]);
    const installs = said.filter((_one, index) => index !== 2);
    expect(installs).toContain("ok");
    for (const one of installs) {
      expect(["ok", "another program is writing there", "rollback"]).toContain(one);
      count("three installations and a start", one);
    }
    expect(["20", "24", "28", "32"]).toContain(said[2]);
    const runs = (await run(["start"])).said;
    expect(["24", "28", "32"]).toContain(runs);
    expect((await run(["start"])).said).toBe(runs);
  }
});
