// Images made by npm run image on the loaders of both languages: what the one says of an image, and of
// each of its bytes changed and lengths cut, the other says too, by the same name.

import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { programOf } from "../../scripts/host/build.ts";
import { readOptions } from "../../scripts/image/options.ts";
import { perform } from "../../scripts/image/perform.ts";
import { checkImage } from "../../targets/firmware/image/check.ts";
import { keys, makeImage } from "../image/image-builder.ts";
import { COUNTER, FAULTS, pairsOfFaults } from "../image/image-cases.ts";
import { HostProcess } from "./host-process.ts";
import { World } from "./world.ts";

const host = programOf("sanitize");
const abi = execFileSync(host, ["--abi"], { encoding: "utf8" }).trim();
const publicKey = Buffer.from(keys.publicKey).toString("hex");
const HOST_LIMIT = 131_072;

let folder: string;
const path = (name: string): string => join(folder, name);

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "picogrant-cross-"));
  const secret = Buffer.from(keys.secretKey).toString("hex");
  writeFileSync(path("maker.key"), secret, { mode: 0o600 });
  writeFileSync(path("payload"), "payload");
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function made(...args: string[]): Promise<Buffer> {
  const own = ["--key", path("maker.key"), "--counter", String(COUNTER), "--out", path("made.img")];
  await perform(readOptions([...own, ...args]));
  return readFileSync(path("made.img"));
}

/** The lines of check-image: the image, each byte flipped twice, each length cut. */
function saidInC(image: Uint8Array): string[] {
  writeFileSync(path("image"), image);
  const args = [path("image"), publicKey, abi, String(COUNTER)];
  const text = execFileSync(programOf("sanitize", "check-image"), args, { encoding: "utf8" });
  return text.trimEnd().split("\n");
}

function saidInJavaScript(bytes: Uint8Array): string {
  const targets = [{ engine: "quickjs", abi }];
  const own = { keys: [keys.publicKey], targets, counterMin: COUNTER, limit: HOST_LIMIT };
  const result = checkImage(new Uint8Array(bytes), own);
  return typeof result === "string" ? result : "ok";
}

/** The same lines in JavaScript. */
function linesInJavaScript(image: Buffer): string[] {
  const flipped = (at: number, bits: number): string => {
    const bytes = Buffer.from(image);
    bytes[at]! ^= bits;
    return saidInJavaScript(bytes);
  };
  const places = [...image.keys()];
  return [
    saidInJavaScript(image),
    ...places.map((at) => `${at} ${flipped(at, 1)} ${flipped(at, 0xff)}`),
    ...places.map((length) => `cut ${length} ${saidInJavaScript(image.subarray(0, length))}`),
  ];
}

describe("npm run image, the loader in C and the one in JavaScript", () => {
  it("agree on an image, and on every byte and length of it", async () => {
    const image = await made("--target", "c-host", "--abi", abi, "--payload", path("payload"));
    const lines = linesInJavaScript(image);
    expect(lines[0]).toBe("ok");
    expect(saidInC(image)).toEqual(lines);
  });

  it("agree on each fault, one and two at a time", () => {
    for (const { name, parts, behind = 0 } of [...FAULTS, ...pairsOfFaults()]) {
      const image = Buffer.concat([makeImage({ abi, ...parts }), Buffer.alloc(behind)]);
      expect(saidInC(image)[0], name).toBe(saidInJavaScript(image));
    }
  });

  it("agree on the longest image of the host, and on one that is a byte longer", async () => {
    const args = ["--target", "c-host", "--abi", abi, "--payload", path("large")];
    for (const [length, expected] of [
      [HOST_LIMIT - 256, "ok"],
      [HOST_LIMIT - 255, "length-wrong"],
    ] as const) {
      writeFileSync(path("large"), Buffer.alloc(length, "a"));
      const image = await made(...args);
      expect(saidInJavaScript(image)).toBe(expected);
      writeFileSync(path("large.img"), image);
      // Through the host itself: check-image would try every byte of it.
      writeFileSync(path("maker.pub"), publicKey);
      const install = ["--images", folder, "--key", path("maker.pub"), "--install"];
      const process = new HostProcess([host, ...install, path("large.img")]);
      await process.exit();
      expect(process.messages.includes("length-wrong")).toBe(expected !== "ok");
    }
  });

  it.each([
    ["qjs", "wrong-engine"],
    ["quickjs-ng", "wrong-engine"],
    ["es5", "wrong-engine"],
    ["quickjs", "wrong-abi"],
  ])("agree that an image for %s is not the host's", async (target, expected) => {
    const image = await made("--target", target, "--payload", path("payload"));
    expect([saidInC(image)[0], saidInJavaScript(image)]).toEqual([expected, expected]);
  });

  it("the host runs the bytecode that the tool compiled, with the configuration inside", async () => {
    const world = new World("http");
    try {
      await world.open();
      const config = world.configure({ display: { columns: 24, rows: 4 } });
      const image = await made("--target", "c-host", "--abi", abi, "--config", config);
      writeFileSync(join(world.folder, "new.img"), image);
      writeFileSync(join(world.folder, "maker.pub"), `${publicKey}\n`);
      const args = ["--images", world.folder, "--key", join(world.folder, "maker.pub")];
      const install = new HostProcess([host, ...args, "--install", join(world.folder, "new.img")]);
      expect(await install.exit()).toBe(0);
      const device = new HostProcess([host, ...args, "--heap-limit", "262144"]);
      await device.state("PENDING");
      expect(device.frame[0]).toHaveLength(24);
      expect(await device.quit()).toBe(0);
    } finally {
      await world.end();
    }
  });
});
