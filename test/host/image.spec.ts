// The C loader of signed images (targets/image/FORMAT.md): every refusal by its name, every byte
// flipped, every length cut; the host itself out of two slots, with trials, fallback, and no way back to
// an older image.

import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { parsePublicKey } from "../../targets/image/key-file.ts";
import { bytesOfArray } from "../../targets/workbench/built-payload.ts";
import { hostFolder, programOf } from "../../targets/workbench/host/build.ts";
import { borderDigest } from "../../targets/workbench/host/generate.ts";
import {
  type ImageParts,
  keyIdOf,
  keys,
  makeImage,
  newerKeys,
  PRODUCT,
} from "../image/image-builder.ts";
import { FAULTS, pairsOfFaults, refusalsOfFlip, rowsOf } from "../image/image-cases.ts";
import {
  plainScenarioRows,
  play,
  type SlotDevice,
  type SlotFile,
  type Version,
} from "../image/slot-scenarios.ts";
import { linesInC, type Question, saidInC } from "./check-image.ts";
import { HostProcess } from "./host-process.ts";
import { World } from "./host-world.ts";

const host = programOf("sanitize");
const limit = ["--heap-limit", "262144"];
const abi = execFileSync(host, ["--abi"], { encoding: "utf8" }).trim();
const border = borderDigest();
const publicKey = Buffer.from(keys.publicKey).toString("hex");

/** The core's bytecode as qjsc wrote it. */
const bytecode = bytesOfArray(readFileSync(`${hostFolder}generated-complete/bytecode.h`, "latin1"));

let world: World;
let path: (name: string) => string;

beforeEach(async () => {
  world = new World("http");
  await world.open();
  path = (name) => join(world.folder, name);
  writeFileSync(path("key"), `${publicKey}\n`);
  writeFileSync(path("newer"), newerKeys.publicKey);
});

afterEach(() => world.end());

const own = () => ["--images", world.folder, "--product", PRODUCT, "--key", path("key")];
const question = (): Question => ({ file: path("image"), abi });

describe("FORMAT.md: order of the checks", () => {
  it.each(rowsOf([...FAULTS, ...pairsOfFaults()]))("%s: %s", (_name, expected, one) => {
    const { parts, behind = 0, keys: trusted, oldestKey } = one;
    const image = Buffer.concat([makeImage({ abi, ...parts }), Buffer.alloc(behind)]);
    expect(saidInC(image, { ...question(), keys: trusted, oldestKey })).toBe(expected);
  });

  it.each<[string, ImageParts]>([
    ["another word size", { abi: abi.replace(/\d\d$/, "16") }],
    ["source", { abi: "es5", kind: 1 }],
  ])("%s is another ABI to a host in C", (_name, parts) => {
    expect(saidInC(makeImage({ abi, ...parts }), question())).toBe("wrong-abi");
  });

  it("every byte flipped and every length cut is refused, by the check that comes first", () => {
    const image = makeImage({ abi, config: Buffer.from("{}") });
    const lines = linesInC(image, question()).slice(1);
    expect(lines).toHaveLength(2 * image.length);
    lines.slice(0, image.length).forEach((line, at) => {
      for (const name of line.split(" ").slice(1)) {
        expect(refusalsOfFlip(at, image.length), line).toContain(name);
      }
    });
    for (const line of lines.slice(image.length)) expect(line).toMatch(/ truncated$/);
  });
});

/** The host with its images. Labels are widths of the display: the program cannot be seen. */
class DeviceInC implements SlotDevice {
  async install(version: Version): Promise<string> {
    const { label, counter = 5, broken, newerKey, retires } = version;
    const payload = broken ? Buffer.from("no bytecode") : bytecode;
    const config = readFileSync(world.configure({ display: { columns: label } }));
    const { publicKey: own, secretKey: signer } = newerKey ? newerKeys : keys;
    const signed = { keyId: keyIdOf(own), signer, flags: retires ? 1 : 0, border };
    writeFileSync(path("new.img"), makeImage({ abi, payload, config, counter, ...signed }));
    const process = this.#spawn(["--install", path("new.img")]);
    return this.#refusalOf(await process.exit(), process.messages);
  }

  async start(counterMin: number): Promise<string> {
    // Without records it asks for a code, whose answer is the test that it has to pass.
    rmSync(path("state"), { recursive: true, force: true });
    const process = this.#spawn([...limit, "--counter-min", String(counterMin)]);
    const ended = process.exit();
    const ticked = process.state("PENDING").then(() => "ticked" as const);
    // Whichever comes first; the other one fails or hangs, and nobody listens any more.
    const code = await Promise.race([ended, ticked.catch(() => ended)]);
    if (code !== "ticked") return this.#refusalOf(code, process.messages);
    const columns = process.frame[0]!.length;
    expect(await process.quit()).toBe(0);
    return String(columns);
  }

  read(file: SlotFile): Buffer | undefined {
    return existsSync(path(file)) ? readFileSync(path(file)) : undefined;
  }

  write(file: SlotFile, content: Buffer): void {
    writeFileSync(path(file), content);
  }

  remove(file: SlotFile): void {
    rmSync(path(file));
  }

  #spawn(args: readonly string[]): HostProcess {
    return new HostProcess([host, ...own(), "--key", path("newer"), ...args]);
  }

  #refusalOf(code: number, messages: string): string {
    expect(code).toBe(messages === "" ? 0 : 2);
    if (messages.includes("no slot holds an image")) return "none";
    return messages.includes("host: code: ")
      ? "crash"
      : (/^picogrant-host: .*: ([a-z-]+)$/m.exec(messages)?.[1] ?? "");
  }
}

describe("FORMAT.md: two slots and the boot record", () => {
  it.each(plainScenarioRows)("%s", (_name, steps) => play(steps, new DeviceInC()));

  it("the boot record is FORMAT.md's", async () => {
    const device = new DeviceInC();
    expect(await device.install({ label: 20, counter: 77 })).toBe("");
    expect(await device.start(0)).toBe("20");
    // Written for the installation, the try and the confirmation: into one copy, the other, the one.
    expect(readFileSync(path("boot-1")).readBigUInt64BE(16)).toBe(2n);
    const record = readFileSync(path("boot-0"));
    expect(record.readBigUInt64BE(16)).toBe(3n);
    expect(record.subarray(0, 6).toString("latin1")).toBe("PGBR\0\x02");
    expect([...record.subarray(6, 9)]).toEqual([0, 255, 0]);
    expect(record.readUInt32BE(12)).toBe(77);
    const sum = createHash("sha512").update(record.subarray(0, 40)).digest().subarray(0, 8);
    expect(record.subarray(40)).toEqual(sum);
  });

  it.each([
    ["digits with white space", `${publicKey.slice(0, 32)} \r\n${publicKey.slice(32)}\n`, ""],
    ["capital digits", publicKey.toUpperCase(), ""],
    ["32 bytes", keys.publicKey, ""],
    ["a text", "not a key", "bad"],
    ["a digit too few", publicKey.slice(1), "bad"],
    ["a byte too many", `${publicKey}00`, "bad"],
    ["a secret key", Buffer.from(keys.secretKey).toString("hex"), "bad"],
    ["a secret key's bytes", keys.secretKey, "bad"],
    ["NUL behind the digits", `${publicKey}\0`, "bad"],
    ["a space within a pair", `${publicKey.slice(0, 1)} ${publicKey.slice(1)}`, "bad"],
    ["161 bytes", publicKey.padEnd(161), "bad"],
  ])("a key file with %s", async (_name, content, expected) => {
    writeFileSync(path("key"), content);
    const parsed = parsePublicKey(new Uint8Array(readFileSync(path("key"))));
    expect(parsed === undefined ? "bad" : "").toBe(expected);
    const process = new HostProcess([host, ...own()]);
    expect(await process.exit()).toBe(2);
    expect(process.messages).toContain(
      expected
        ? `${path("key")}: the key file holds no public key`
        : `${world.folder}: no slot holds an image`,
    );
  });

  it("an image or a key that is not there is named", async () => {
    for (const [args, message] of [
      [["--key", path("key"), "--install", path("none.img")], /none\.img: does not exist\n$/],
      [["--key", path("none.pub")], /none\.pub: cannot be read or written\n$/],
    ] as const) {
      const dir = ["--images", world.folder, "--product", PRODUCT];
      const process = new HostProcess([host, ...dir, ...args]);
      expect(await process.exit()).toBe(2);
      expect(process.messages).toMatch(message);
    }
  });
});
