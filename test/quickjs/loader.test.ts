// The loader of signed images as a program in qjs: nothing of a refused image runs, two slots, and a whole
// sign-in out of an image that npm run tool -- image made.

import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { readOptions } from "../../targets/command/image/options.ts";
import { performBuilt as perform } from "../../targets/workbench/built-payload.ts";
import { keyIdOf, keys, makeImage, newerKeys, PRODUCT } from "../image/image-builder.ts";
import { COUNTER, FAULTS, refusalsOfFlip } from "../image/image-cases.ts";
import {
  play,
  type SlotDevice,
  type SlotFile,
  soundScenarioRows,
  type Version,
} from "../image/slot-scenarios.ts";
import { TV, VIDEO_READONLY } from "../service/harness.ts";
import { RunningDevice, writeConfig } from "./device.ts";
import { type Finished, runToEnd } from "./limits.ts";
import { enginesHere, temporaryFolder, writeProgram, writeTestProgram } from "./qjs.ts";
import { RunningService } from "./service.ts";

const OWN = { engine: "qjs", abi: "std-1", kind: 1 } as const;
const publicKey = Buffer.from(keys.publicKey).toString("hex");
const CONFIRMS = "picograntBoot.confirm();";

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
    writeFileSync(join(this.folder, "newer.pub"), newerKeys.publicKey);
    const [older, newer] = ["maker.pub", "newer.pub"].map((name) => join(this.folder, name));
    const own = ["--images", this.slots, "--product", PRODUCT, "--key", older!, "--key", newer!];
    this.args = ["--std", "-m", loader, ...own];
  }

  static async make(qjs: string): Promise<DeviceInQjs> {
    return new DeviceInQjs(qjs, await writeProgram("loader", temporaryFolder()));
  }

  run(...args: string[]): Promise<Finished> {
    return runToEnd(`the loader, ${args.join(" ")}`, this.qjs, [...this.args, ...args]);
  }

  async install(version: Version): Promise<string> {
    const image = join(this.folder, "new.img");
    this.make(version, image);
    return refusalOf(await this.run("--install", image));
  }

  async installAtOnce(versions: readonly Version[]): Promise<string[]> {
    const ends = versions.map((version, at) => {
      const image = join(this.folder, `${at}.img`);
      this.make(version, image);
      return this.run("--install", image);
    });
    return (await Promise.all(ends)).map(refusalOf);
  }

  async start(counterMin: number, meanwhile?: Version): Promise<string> {
    if (meanwhile) this.make(meanwhile, this.other);
    const ended = await this.run("--counter-min", String(counterMin));
    rmSync(this.other, { force: true });
    if (ended.status === 0) return ended.stdout.trim();
    return ended.status === 70 ? "crash" : refusalOf(ended);
  }

  read(file: SlotFile): Buffer | undefined {
    const path = join(this.slots, file);
    return existsSync(path) ? readFileSync(path) : undefined;
  }

  write(file: SlotFile, content: Buffer): void {
    writeFileSync(join(this.slots, file), content);
  }

  remove(file: SlotFile): void {
    rmSync(join(this.slots, file));
  }

  /** Without a record, as the factory made it. */
  forget(): void {
    for (const copy of ["boot-0", "boot-1"]) rmSync(join(this.slots, copy), { force: true });
  }

  /** An image that is installed by another process while the program runs, if it is there. */
  private get other(): string {
    return join(this.folder, "other.img");
  }

  private make(version: Version, path: string): void {
    const { label, counter = COUNTER, broken, silent, newerKey, retires } = version;
    const command = JSON.stringify([this.qjs, ...this.args, "--install", this.other]);
    const installs = `if (os.stat(${JSON.stringify(this.other)})[0]) os.exec(${command});`;
    const source = broken
      ? 'throw new Error("broken")'
      : `print(${label}); ${installs} ${silent ? "" : CONFIRMS}`;
    const { publicKey: own, secretKey: signer } = newerKey ? newerKeys : keys;
    const signed = { keyId: keyIdOf(own), signer, flags: retires ? 1 : 0 };
    writeFileSync(path, makeImage({ ...OWN, counter, payload: Buffer.from(source), ...signed }));
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
    const payload = Buffer.from(`print("ran"); ${CONFIRMS}`);
    for (const { name: fault, parts, behind = 0, ...given } of FAULTS) {
      // Those about keys have devices of their own; check-program has the same arithmetic.
      if (given.keys !== undefined) continue;
      // To QuickJS-ng its elder sister is another engine, not another version.
      const isOther = name === "QuickJS-ng" && given.expected === "wrong-abi";
      const expected = isOther ? "wrong-engine" : given.expected;
      // The record keeps a counter that has run; each case is a device of its own.
      device.forget();
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
    const args = [
      "--std",
      "-m",
      program,
      join(folder, "image"),
      publicKey,
      PRODUCT,
      String(COUNTER),
    ];
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

  it.each(soundScenarioRows)("two slots: %s", async (_name, steps) => {
    await play(steps, await DeviceInQjs.make(qjs));
  });

  it("FORMAT.md two installs at once: each is done or refused, and what starts is one that was done", async () => {
    const device = await DeviceInQjs.make(qjs);
    expect(await device.install({ label: 20 })).toBe("");
    expect(await device.start(0)).toBe("20");
    for (const labels of [
      [24, 28],
      [32, 20],
      [24, 28],
    ] as const) {
      const refusals = await device.installAtOnce(labels.map((label) => ({ label })));
      for (const refusal of refusals) {
        expect(refusal).toMatch(/^$|another program is writing there/);
      }
      const done = labels.filter((_, at) => refusals[at] === "").map(String);
      expect(done.length).toBeGreaterThan(0);
      expect(done).toContain(await device.start(0));
    }
  });

  it("runs what was built for its own engine, not for the other one", async () => {
    const device = await DeviceInQjs.make(qjs);
    for (const engine of ["quickjs", "quickjs-ng"]) {
      device.forget();
      const payload = Buffer.from(CONFIRMS);
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
    ["a fifth key", (one) => [1, 2, 3].flatMap(() => ["--key", one.args.at(-1)!]), "4 keys are"],
    ["a product with a space", () => ["--product", "a b"], "usage: qjs"],
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

  it("a device signs in out of an image that npm run tool -- image made, and updates itself to the next", async () => {
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
        "--product",
        PRODUCT,
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
    running.send("get 0 /liveBroadcasts?part=id&broadcastStatus=all");
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
    expect(readdirSync(device.slots).sort()).toEqual([
      ...["boot-0", "boot-1", "lock", "slot-a.img", "slot-b.img"],
    ]);
    expect(statSync(join(device.slots, "slot-b.img")).mode & 0o777).toBe(0o600);
  });
});

function configOf(folder: string, url: string) {
  return {
    clientId: TV.client_id,
    clientSecret: TV.client_secret,
    scope: VIDEO_READONLY,
    issuer: url,
    endpoints: { resources: [`${url}/video/v3`] },
    display: { kind: "text" as const, path: join(folder, "display"), columns: 40, rows: 4 },
    storage: {
      directory: join(folder, "state"),
      deviceKeyFile: join(folder, "device.key"),
    },
    control: { commands: "stdin", events: "stdout" },
  };
}
