// The loader of signed images as a program in qjs: nothing of a refused image runs, two slots, and a whole
// sign-in out of an image that npm run image made.

import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { readOptions } from "../../scripts/image/options.ts";
import { perform } from "../../scripts/image/perform.ts";
import { keys, makeImage } from "../image/image-builder.ts";
import { COUNTER, FAULTS, refusalsOfFlip } from "../image/image-cases.ts";
import { play, type SlotDevice, scenarioRows, type Version } from "../image/slot-scenarios.ts";
import { TV, VIDEO_READONLY } from "../service/harness.ts";
import { RunningDevice, writeConfig } from "./device.ts";
import { type Finished, runToEnd } from "./limits.ts";
import { enginesHere, temporaryFolder, writeProgram, writeTestProgram } from "./qjs.ts";
import { RunningService } from "./service.ts";

const OWN = { engine: "qjs", abi: "std-1", kind: 1 } as const;
const publicKey = Buffer.from(keys.publicKey).toString("hex");
const TICKS = "picograntBoot.firstTick();";

/** A device with empty slots. */
class DeviceInQjs implements SlotDevice {
  readonly folder = temporaryFolder();
  readonly slots = join(this.folder, "images");
  readonly args: readonly string[];
  private readonly qjs: string;

  private constructor(qjs: string, loader: string) {
    this.qjs = qjs;
    mkdirSync(this.slots);
    writeFileSync(join(this.folder, "maker.pub"), `${publicKey}\n`);
    const key = join(this.folder, "maker.pub");
    this.args = ["--std", "-m", loader, "--images", this.slots, "--key", key];
  }

  static async make(qjs: string): Promise<DeviceInQjs> {
    return new DeviceInQjs(qjs, await writeProgram("loader", temporaryFolder()));
  }

  run(...args: string[]): Promise<Finished> {
    return runToEnd(`the loader, ${args.join(" ")}`, this.qjs, [...this.args, ...args]);
  }

  async install({ label, counter = COUNTER, broken }: Version): Promise<string> {
    const source = broken ? 'throw new Error("broken")' : `print(${label}); ${TICKS}`;
    const image = join(this.folder, "new.img");
    writeFileSync(image, makeImage({ ...OWN, counter, payload: Buffer.from(source) }));
    return refusalOf(await this.run("--install", image));
  }

  async start(counterMin: number): Promise<string> {
    const ended = await this.run("--counter-min", String(counterMin));
    if (ended.status === 0) return ended.stdout.trim();
    return ended.status === 70 ? "crash" : refusalOf(ended);
  }

  damage(file: string): void {
    const bytes = readFileSync(join(this.slots, file));
    bytes[bytes.length >> 1]! ^= 1;
    writeFileSync(join(this.slots, file), bytes);
  }

  remove(file: string): void {
    rmSync(join(this.slots, file));
  }
}

/** The name of a refusal; "" where there was none. */
function refusalOf({ status, stdout, stderr }: Finished): string {
  if (status === 0) return "";
  expect(stderr).toMatch(/^picogrant-loader: [^\n]+\n$/);
  expect([status, stdout]).toEqual([2, ""]);
  if (stderr.includes("no slot holds an image")) return "none";
  return /: ([a-z-]+) \(/.exec(stderr)?.[1] ?? stderr;
}

describe.each(enginesHere())("%s", (name, qjs) => {
  it("an image that is refused runs not a single byte: each fault by its name", async () => {
    const device = await DeviceInQjs.make(qjs);
    const payload = Buffer.from(`print("ran"); ${TICKS}`);
    for (const { name: fault, parts, behind = 0, ...given } of FAULTS) {
      // To QuickJS-ng its elder sister is another engine, not another version.
      const isOther = name === "QuickJS-ng" && given.expected === "wrong-abi";
      const expected = isOther ? "wrong-engine" : given.expected;
      // The record keeps a counter that has run; each case is a device of its own.
      rmSync(join(device.slots, "boot"), { force: true });
      const image = makeImage({ ...OWN, payload, ...parts });
      const bytes = Buffer.concat([image, Buffer.alloc(behind)]);
      writeFileSync(join(device.slots, "slot-a.img"), bytes);
      const ended = await device.run("--counter-min", String(COUNTER));
      expect([ended.stdout, refusalOf(ended)], fault).toEqual(
        expected === "ok" ? ["ran\n", ""] : ["", expected],
      );
    }
  });

  it("every byte flipped and every length cut, checked by this engine's arithmetic", async () => {
    const folder = temporaryFolder();
    const image = makeImage({ ...OWN, config: Buffer.from("{}") });
    writeFileSync(join(folder, "image"), image);
    const program = await writeTestProgram("check-program", folder);
    const args = ["--std", "-m", program, join(folder, "image"), publicKey, String(COUNTER)];
    const { stdout, stderr } = await runToEnd("checking every change", qjs, args);
    expect(stderr).toBe("");
    const [own, ...others] = stdout.trimEnd().split("\n");
    expect(own).toBe("ok");
    expect(others).toHaveLength(2 * image.length);
    others.slice(0, image.length).forEach((said, at) => {
      expect(refusalsOfFlip(at, image.length), `byte ${at}`).toContain(said);
    });
    expect(new Set(others.slice(image.length))).toEqual(new Set(["truncated"]));
  });

  it.each(scenarioRows)("two slots: %s", async (_name, steps) => {
    await play(steps, await DeviceInQjs.make(qjs));
  });

  it("runs what was built for its own engine, not for the other one", async () => {
    const device = await DeviceInQjs.make(qjs);
    for (const engine of ["quickjs", "quickjs-ng"]) {
      rmSync(join(device.slots, "boot"), { force: true });
      const payload = Buffer.from(TICKS);
      writeFileSync(join(device.slots, "slot-a.img"), makeImage({ ...OWN, engine, payload }));
      const own = name === "QuickJS" ? "quickjs" : "quickjs-ng";
      expect(refusalOf(await device.run())).toBe(engine === own ? "" : "wrong-engine");
    }
  });

  const usage: [string, (device: DeviceInQjs) => readonly string[], string][] = [
    ["no value", () => ["--install"], "usage: qjs"],
    ["an unknown flag", () => ["--frobnicate", "1"], "usage: qjs"],
    ["a counter beyond 32 bits", () => ["--counter-min", "4294967296"], "usage: qjs"],
    ["no image file", () => ["--install", "/nonexistent"], "/nonexistent: does not exist"],
    ["no key file", () => ["--key", "/nonexistent"], "/nonexistent: does not exist"],
    ["a key file without a key", (one) => ["--key", one.args[2]!], "holds no public key"],
  ];
  it.each(usage)("%s: one line, exit code 2", async (_name, args, text) => {
    const device = await DeviceInQjs.make(qjs);
    const { status, stderr } = await device.run(...args(device));
    expect(stderr).toMatch(/^picogrant-loader: [^\n]+\n$/);
    expect(stderr).toContain(text);
    expect(status).toBe(2);
  });

  it("slots that cannot be written: one line, and what ran before runs on", async () => {
    const device = await DeviceInQjs.make(qjs);
    expect(await device.install({ label: 20 })).toBe("");
    expect(await device.start(0)).toBe("20");
    // A directory in the draft's place: neither removed nor written, even by root.
    mkdirSync(join(device.slots, "slot-b.img.draft", "full"), { recursive: true });
    expect(await device.install({ label: 24 })).toContain("slot-b.img: cannot be written");
    expect(await device.start(0)).toBe("20");
  });

  it("a device signs in out of an image that npm run image made, and updates itself to the next", async () => {
    const device = await DeviceInQjs.make(qjs);
    const service = new RunningService();
    await service.start();
    const secret = join(device.folder, "maker.key");
    writeFileSync(secret, Buffer.from(keys.secretKey).toString("hex"), { mode: 0o600 });
    writeFileSync(join(device.folder, "device.key"), "0123456789abcdef", { mode: 0o600 });
    const made = async (counter: number): Promise<string> => {
      const config = writeConfig(device.folder, configOf(device.folder, service.url));
      const out = join(device.folder, `${counter}.img`);
      const args = [
        "--key",
        secret,
        "--counter",
        String(counter),
        "--config",
        config,
        "--out",
        out,
      ];
      await perform(readOptions(args));
      return out;
    };
    expect(refusalOf(await device.run("--install", await made(1)))).toBe("");
    let running = new RunningDevice(qjs, device.args);
    await running.state("pending");
    service.service.approve(service.service.pending().at(-1)!.userCode, "ada");
    await running.state("signed-in");
    // Its record must be durable first: a signal ends QuickJS-ng at once, like a loss of power.
    running.send("get video /liveBroadcasts?part=id&broadcastStatus=all");
    await running.event("the answer", ({ event }) => event === "answer");
    const records = (): string => readdirSync(join(device.folder, "state")).join();
    await expect.poll(records).not.toContain("draft");
    expect(await running.signal("SIGTERM")).toEqual({ code: 0, errors: "" });

    expect(refusalOf(await device.run("--install", await made(2)))).toBe("");
    running = new RunningDevice(qjs, device.args);
    await running.state("signed-in");
    expect((await running.signal("SIGTERM")).code).toBe(0);
    expect(refusalOf(await device.run("--install", join(device.folder, "1.img")))).toBe("rollback");
    // Nothing is left over, and nobody else reads an image: it has the client's secret in it.
    expect(readdirSync(device.slots).sort()).toEqual(["boot", "slot-a.img", "slot-b.img"]);
    expect(statSync(join(device.slots, "slot-b.img")).mode & 0o777).toBe(0o600);
  });
});

function configOf(folder: string, url: string) {
  return {
    clientId: TV.client_id,
    clientSecret: TV.client_secret,
    scope: VIDEO_READONLY,
    issuer: url,
    endpoints: { videoApi: `${url}/video/v3` },
    display: { kind: "text" as const, path: join(folder, "display"), columns: 40, rows: 4 },
    storage: {
      directory: join(folder, "state"),
      deviceKeyFile: join(folder, "device.key"),
    },
    control: { commands: "stdin", events: "stdout" },
  };
}
