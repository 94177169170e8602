// The C loader of signed images (targets/firmware/image/FORMAT.md): every refusal by its name, every byte
// flipped, every length cut; two slots, trials, fallback, and no way back to an older image.

import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { hostFolder, programOf } from "../../scripts/host/build.ts";
import { HostProcess } from "./host-process.ts";
import { type ImageParts, keyIdOf, keys, makeImage, strangerKeys } from "./image-builder.ts";
import { World } from "./world.ts";

const host = programOf("sanitize");
const limit = ["--heap-limit", "262144"];
const abi = execFileSync(host, ["--abi"], { encoding: "utf8" }).trim();
const publicKey = Buffer.from(keys.publicKey).toString("hex");

/** The core's bytecode as qjsc wrote it. */
function bytecode(): Buffer {
  const text = readFileSync(`${hostFolder}generated-complete/bytecode.h`, "latin1");
  const list = text.slice(text.indexOf("{"));
  return Buffer.from([...list.matchAll(/0x([0-9a-f]{2})/g)].map((byte) => parseInt(byte[1]!, 16)));
}

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
function check(image: Buffer, counter = 5): string[] {
  writeFileSync(path("image"), image);
  const args = [path("image"), publicKey, abi, String(counter)];
  const text = execFileSync(programOf("sanitize", "check-image"), args, { encoding: "utf8" });
  return text.trimEnd().split("\n");
}

describe("FORMAT.md: order of the checks", () => {
  it.each<[string, ImageParts, string]>([
    ["a good one", {}, "ok"],
    ["a higher counter", { counter: 0xffffffff }, "ok"],
    ["another magic", { magic: "PGIMG\n\n\x1a" }, "not-an-image"],
    ["a later format", { version: 2 }, "format-unknown"],
    ["another header", { headerLength: 200 }, "length-wrong"],
    ["no payload", { payload: Buffer.alloc(0) }, "length-wrong"],
    ["a length beyond the limit", { payloadLength: 0xffffffff }, "length-wrong"],
    ["a stranger's key", { keyId: keyIdOf(strangerKeys.publicKey) }, "foreign-key"],
    ["a stranger's signature under our id", { signer: strangerKeys.secretKey }, "signature-wrong"],
    ["reserved bits", { reserved: 1 }, "malformed"],
    ["an unknown kind", { kind: 3 }, "malformed"],
    ["an empty text", { product: "" }, "malformed"],
    ["a text with a space", { product: "1 0" }, "malformed"],
    ["bytes behind a text's end", { product: "1\x000" }, "malformed"],
    ["source for an ABI of bytecode", { kind: 1 }, "malformed"],
    ["another engine", { engine: "quickjs-ng", abi: "std-1", kind: 1 }, "wrong-engine"],
    ["another version of the engine", { abi: "2024-01-13-le64" }, "wrong-abi"],
    ["another word size", { abi: abi.replace(/\d\d$/, "16") }, "wrong-abi"],
    ["source for stock QuickJS", { abi: "std-1", kind: 1 }, "wrong-abi"],
    ["an older counter", { counter: 4 }, "rollback"],
  ])("%s", (_name, parts, expected) => {
    expect(check(makeImage({ abi, ...parts }))[0]).toBe(expected);
  });

  it("bytes behind the image are refused", () => {
    expect(check(Buffer.concat([makeImage({ abi }), Buffer.alloc(1)]))[0]).toBe("length-wrong");
  });

  it("every byte flipped and every length cut is refused, by the check that comes first", () => {
    const image = makeImage({ abi, config: Buffer.from("{}") });
    const lines = check(image).slice(1);
    expect(lines).toHaveLength(2 * image.length);
    const expected = (at: number): RegExp => {
      if (at < 8) return /^not-an-image$/;
      if (at < 10) return /^format-unknown$/;
      if (at < 12 || (at >= 16 && at < 28)) return /^(length-wrong|truncated)$/;
      return at < image.length - 64 && (at < 112 || at >= 128)
        ? /^damaged$/
        : /^(damaged|signature-wrong)$/;
    };
    lines.slice(0, image.length).forEach((line, at) => {
      const [, one, all] = line.split(" ");
      expect(one, line).toMatch(expected(at));
      expect(all, line).toMatch(expected(at));
    });
    for (const line of lines.slice(image.length)) expect(line).toMatch(/ truncated$/);
  });
});

/** Installs an image; the complaint, or "". */
async function install(image: Buffer): Promise<string> {
  writeFileSync(path("new.img"), image);
  const args = ["--images", world.folder, "--key", path("key"), "--install", path("new.img")];
  const process = new HostProcess([host, ...args]);
  const code = await process.exit();
  expect(code).toBe(process.messages === "" ? 0 : 2);
  return process.messages.trim();
}

/** Starts from the slots; the product cannot be seen, so images differ in their configuration. */
function start(): HostProcess {
  const args = ["--images", world.folder, "--key", path("key"), ...limit];
  return new HostProcess([host, ...args]);
}

function imageFor(columns: number, parts: ImageParts = {}): Buffer {
  const config = readFileSync(world.configure({ display: { columns } }));
  return makeImage({ abi, payload: bytecode(), config, ...parts });
}

async function runs(columns: number): Promise<void> {
  const process = start();
  await process.state("PENDING");
  expect(process.frame[0]).toHaveLength(columns);
  expect(await process.quit()).toBe(0);
}

describe("FORMAT.md: two slots and the boot record", () => {
  it("installs, runs, updates, falls back from an image that never ticks, refuses a rollback", async () => {
    expect(await install(imageFor(20))).toBe("");
    await runs(20);
    expect(await install(imageFor(24, { counter: 6 }))).toBe("");
    await runs(24);
    expect(await install(imageFor(28, { counter: 5 }))).toContain("rollback");
    await runs(24);
    // Well signed, but no program: three starts, then the good one again.
    const broken = imageFor(30, { counter: 9, payload: Buffer.from("no bytecode") });
    expect(await install(broken)).toBe("");
    for (let tries = 0; tries < 3; tries++) {
      const process = start();
      expect(await process.exit()).toBe(2);
      expect(process.messages).toContain("bytecode");
    }
    await runs(24);
    // Its counter never counted.
    expect(await install(imageFor(32, { counter: 6 }))).toBe("");
    await runs(32);
  });

  it("a trial damaged in its slot is given up at once; without a record the higher counter runs", async () => {
    expect(await install(imageFor(20))).toBe("");
    await runs(20);
    expect(await install(imageFor(24, { counter: 6 }))).toBe("");
    const slot = path("slot-b.img");
    const bytes = readFileSync(slot);
    bytes[5000]! ^= 1;
    writeFileSync(slot, bytes);
    await runs(20);
    bytes[5000]! ^= 1;
    writeFileSync(slot, bytes);
    writeFileSync(path("boot"), "torn");
    await runs(24);
  });

  it("the boot record is FORMAT.md's", async () => {
    expect(await install(imageFor(20, { counter: 77 }))).toBe("");
    await runs(20);
    const record = readFileSync(path("boot"));
    expect(record.subarray(0, 6).toString("latin1")).toBe("PGBR\0\x01");
    expect([...record.subarray(6, 9)]).toEqual([0, 255, 0]);
    expect(record.readUInt32BE(12)).toBe(77);
    const sum = createHash("sha512").update(record.subarray(0, 24)).digest().subarray(0, 8);
    expect(record.subarray(24)).toEqual(sum);
  });

  it("no image, and a key that is none, are told", async () => {
    const empty = start();
    expect(await empty.exit()).toBe(2);
    expect(empty.messages).toContain("no slot holds an image");
    writeFileSync(path("key"), "not a key");
    const keyless = start();
    expect(await keyless.exit()).toBe(2);
    expect(keyless.messages).toContain("no public key");
  });
});
