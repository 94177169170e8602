// The C loader of signed images (targets/firmware/image/FORMAT.md): every refusal by its name, every byte
// flipped, every length cut; two slots, trials, fallback, and no way back to an older image.

import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { hostFolder, programOf } from "../../scripts/host/build.ts";
import { bytesOfArray } from "../../scripts/image/payload.ts";
import { parsePublicKey } from "../../targets/firmware/image/key-file.ts";
import { type ImageParts, keys, makeImage } from "../image/image-builder.ts";
import { COUNTER, FAULTS, pairsOfFaults, refusalsOfFlip, rowsOf } from "../image/image-cases.ts";
import { play, type SlotDevice, scenarioRows, type Version } from "../image/slot-scenarios.ts";
import { HostProcess } from "./host-process.ts";
import { World } from "./world.ts";

const host = programOf("sanitize");
const limit = ["--heap-limit", "262144"];
const abi = execFileSync(host, ["--abi"], { encoding: "utf8" }).trim();
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
});

afterEach(() => world.end());

/** What the loader says to an image, and to all its flips and cuts. */
function check(image: Buffer): string[] {
  writeFileSync(path("image"), image);
  const args = [path("image"), publicKey, abi, String(COUNTER)];
  const text = execFileSync(programOf("sanitize", "check-image"), args, { encoding: "utf8" });
  return text.trimEnd().split("\n");
}

describe("FORMAT.md: order of the checks", () => {
  it.each(rowsOf([...FAULTS, ...pairsOfFaults()]))("%s: %s", (_name, expected, one) => {
    const { parts, behind = 0 } = one;
    const image = Buffer.concat([makeImage({ abi, ...parts }), Buffer.alloc(behind)]);
    expect(check(image)[0]).toBe(expected);
  });

  it.each<[string, ImageParts]>([
    ["another word size", { abi: abi.replace(/\d\d$/, "16") }],
    ["source for stock QuickJS", { abi: "std-1", kind: 1 }],
  ])("%s is another ABI to a host in C", (_name, parts) => {
    expect(check(makeImage({ abi, ...parts }))[0]).toBe("wrong-abi");
  });

  it("every byte flipped and every length cut is refused, by the check that comes first", () => {
    const image = makeImage({ abi, config: Buffer.from("{}") });
    const lines = check(image).slice(1);
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
  async install({ label, counter = 5, broken }: Version): Promise<string> {
    const payload = broken ? Buffer.from("no bytecode") : bytecode;
    const config = readFileSync(world.configure({ display: { columns: label } }));
    writeFileSync(path("new.img"), makeImage({ abi, payload, config, counter }));
    const process = this.spawn(["--install", path("new.img")]);
    return this.refusalOf(await process.exit(), process.messages);
  }

  async start(counterMin: number): Promise<string> {
    const process = this.spawn([...limit, "--counter-min", String(counterMin)]);
    const ended = process.exit();
    const ticked = process.state("PENDING").then(() => "ticked" as const);
    // Whichever comes first; the other one fails or hangs, and nobody listens any more.
    const code = await Promise.race([ended, ticked.catch(() => ended)]);
    if (code !== "ticked") return this.refusalOf(code, process.messages);
    const columns = process.frame[0]!.length;
    expect(await process.quit()).toBe(0);
    return String(columns);
  }

  damage(file: string): void {
    const bytes = readFileSync(path(file));
    bytes[bytes.length >> 1]! ^= 1;
    writeFileSync(path(file), bytes);
  }

  remove(file: string): void {
    rmSync(path(file));
  }

  private spawn(args: readonly string[]): HostProcess {
    return new HostProcess([host, "--images", world.folder, "--key", path("key"), ...args]);
  }

  private refusalOf(code: number, messages: string): string {
    expect(code).toBe(messages === "" ? 0 : 2);
    if (messages.includes("no slot holds an image")) return "none";
    return messages.includes("bytecode: ")
      ? "crash"
      : (/^picogrant-host: .*: ([a-z-]+)$/m.exec(messages)?.[1] ?? "");
  }
}

describe("FORMAT.md: two slots and the boot record", () => {
  it.each(scenarioRows)("%s", (_name, steps) => play(steps, new DeviceInC()));

  it("the boot record is FORMAT.md's", async () => {
    const device = new DeviceInC();
    expect(await device.install({ label: 20, counter: 77 })).toBe("");
    expect(await device.start(0)).toBe("20");
    const record = readFileSync(path("boot"));
    expect(record.subarray(0, 6).toString("latin1")).toBe("PGBR\0\x01");
    expect([...record.subarray(6, 9)]).toEqual([0, 255, 0]);
    expect(record.readUInt32BE(12)).toBe(77);
    const sum = createHash("sha512").update(record.subarray(0, 24)).digest().subarray(0, 8);
    expect(record.subarray(24)).toEqual(sum);
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
    const process = new HostProcess([host, "--images", world.folder, "--key", path("key")]);
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
      const process = new HostProcess([host, "--images", world.folder, ...args]);
      expect(await process.exit()).toBe(2);
      expect(process.messages).toMatch(message);
    }
  });
});
