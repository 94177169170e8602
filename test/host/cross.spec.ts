// Images made by npm run tool -- image, judged by the tool itself and by the loader in C: what the one says of an image, and of
// each of its bytes changed and lengths cut, the other says too, by the same name.

import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { readOptions } from "../../targets/command/image/options.ts";
import { checkImage } from "../../targets/image/check.ts";
import { NO_BORDER } from "../../targets/image/format.ts";
import { performBuilt as perform } from "../../targets/workbench/built-payload.ts";
import { programOf } from "../../targets/workbench/host/build.ts";
import { borderDigest } from "../../targets/workbench/host/generate.ts";
import { keyIdOf, keys, makeImage, PRODUCT } from "../image/image-builder.ts";
import { COUNTER, FAULTS, type ImageCase, pairsOfFaults } from "../image/image-cases.ts";
import { linesInC, saidInC } from "./check-image.ts";
import { HostProcess } from "./host-process.ts";
import { World } from "./host-world.ts";

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
  const own = ["--key", path("maker.key"), "--counter", String(COUNTER), "--product", PRODUCT];
  await perform(readOptions([...own, "--out", path("made.img"), ...args]));
  return readFileSync(path("made.img"));
}

const border = borderDigest();

function saidInJavaScript(bytes: Uint8Array, one: Partial<ImageCase> = {}, own = border): string {
  const result = checkImage(new Uint8Array(bytes), {
    keys: one.keys ?? [keys.publicKey],
    ...(one.oldestKey && { oldestKey: keyIdOf(one.oldestKey) }),
    product: PRODUCT,
    targets: [{ engine: "quickjs", abi }],
    border: own,
    counterMin: COUNTER,
    limit: HOST_LIMIT,
  });
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

describe("npm run tool -- image, and the loader in C", () => {
  it("agree on an image, and on every byte and length of it", async () => {
    const image = await made("--target", "c-host", "--abi", abi, "--payload", path("payload"));
    const lines = linesInJavaScript(image);
    expect(lines[0]).toBe("ok");
    expect(linesInC(image, { file: path("image"), abi, border })).toEqual(lines);
  });

  it("agree on each fault, one and two at a time", () => {
    for (const one of [...FAULTS, ...pairsOfFaults()]) {
      const { name, parts, behind = 0, keys: trusted, oldestKey } = one;
      const image = Buffer.concat([makeImage({ abi, ...parts }), Buffer.alloc(behind)]);
      const said = saidInC(image, { file: path("image"), abi, keys: trusted, oldestKey });
      expect(said, name).toBe(saidInJavaScript(image, one, NO_BORDER));
    }
  });

  it("agree on the longest image of the host, and on one that is a byte longer", async () => {
    const args = ["--target", "c-host", "--abi", abi, "--payload", path("large")];
    for (const [length, expected] of [
      [HOST_LIMIT - 304, "ok"],
      [HOST_LIMIT - 303, "length-wrong"],
    ] as const) {
      writeFileSync(path("large"), Buffer.alloc(length, "a"));
      const image = await made(...args);
      expect(saidInJavaScript(image)).toBe(expected);
      writeFileSync(path("large.img"), image);
      // Through the host itself: check-image would try every byte of it.
      writeFileSync(path("maker.pub"), publicKey);
      const own = ["--images", folder, "--product", PRODUCT, "--key", path("maker.pub")];
      const process = new HostProcess([host, ...own, "--install", path("large.img")]);
      await process.exit();
      expect(process.messages.includes("length-wrong")).toBe(expected !== "ok");
    }
  });

  it.each([
    [["--target", "es5"], "wrong-engine"],
    [["--target", "c-host", "--abi", "2024-01-13-le64"], "wrong-abi"],
  ])("agree that an image for %j is not the host's", async (target, expected) => {
    const image = await made(...target, "--payload", path("payload"));
    const said = saidInC(image, { file: path("image"), abi, border });
    expect([said, saidInJavaScript(image)]).toEqual([expected, expected]);
  });

  it("the host runs the bytecode that the tool compiled, with the configuration inside", async () => {
    const world = new World("http");
    try {
      await world.open();
      const config = world.configure({ display: { columns: 24, rows: 4 } });
      const image = await made("--target", "c-host", "--abi", abi, "--config", config);
      writeFileSync(join(world.folder, "new.img"), image);
      writeFileSync(join(world.folder, "maker.pub"), `${publicKey}\n`);
      const key = join(world.folder, "maker.pub");
      const args = ["--images", world.folder, "--product", PRODUCT, "--key", key];
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

describe("FORMAT.md: the core's source as an image, on hosts that evaluate it", () => {
  describe.each(["duktape"] as const)("%s", (kind) => {
    const host = programOf(kind);
    let world: World;
    let args: string[];

    beforeAll(async () => {
      world = new World("http");
      await world.open();
      writeFileSync(join(world.folder, "maker.pub"), `${publicKey}\n`);
      const key = join(world.folder, "maker.pub");
      args = [host, "--images", world.folder, "--product", PRODUCT, "--key", key];
    });

    afterAll(() => world.end());

    async function install(image: Uint8Array): Promise<string> {
      writeFileSync(join(world.folder, "new.img"), image);
      const process = new HostProcess([...args, "--install", join(world.folder, "new.img")]);
      return (await process.exit()) === 0 ? "installed" : process.messages;
    }

    async function signed(...own: string[]): Promise<Buffer> {
      const config = world.configure({ display: { columns: 24, rows: 4 } });
      return made("--target", "es5", "--config", config, ...own);
    }

    it("says what it takes", () => {
      expect(execFileSync(host, ["--abi"], { encoding: "utf8" })).toBe("es5\n");
    });

    it("takes no image whose bytes were changed, nor one of bytecode", async () => {
      const image = await signed();
      for (const at of [0, 40, 170, 200, 241, image.length - 70, image.length - 1]) {
        const bytes = Buffer.from(image);
        bytes[at]! ^= 1;
        expect(await install(bytes)).toMatch(/not-an-image|damaged|signature-wrong/);
      }
      const bytecode = await made("--target", "c-host", "--abi", abi, "--payload", path("payload"));
      expect(await install(bytecode)).toContain("wrong-engine");
    });

    it("installs it, starts it with the configuration inside, and no more once it was changed", async () => {
      expect(await install(await signed())).toBe("installed");
      const device = new HostProcess(args);
      await device.state("PENDING");
      expect(device.frame[0]).toHaveLength(24);
      expect(await device.quit()).toBe(0);
      const slot = join(world.folder, "slot-a.img");
      const bytes = readFileSync(slot);
      bytes[300]! ^= 1;
      writeFileSync(slot, bytes);
      const spoilt = new HostProcess(args);
      expect(await spoilt.exit()).toBe(2);
      expect(spoilt.messages).toContain("damaged");
    });

    it("refuses signed source that is no core", async () => {
      const payload = Buffer.from("1;");
      const parts = { engine: "any", abi: "es5", kind: 1, payload, counter: COUNTER };
      expect(await install(makeImage({ ...parts, border }))).toBe("installed");
      const config = world.configure();
      const device = new HostProcess([...args, "--config", config]);
      expect(await device.exit()).not.toBe(0);
      expect(device.messages.trimEnd().split("\n")).toHaveLength(1);
    });
  });
});
