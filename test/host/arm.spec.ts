// The C host on 32-bit ARM under qemu: a whole grant with the engine limited to the board's budget. And the check of
// images as a boot loader has it on a Cortex-M3.

import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { checkImage } from "../../targets/image/check.ts";
import { NO_BORDER } from "../../targets/image/format.ts";
import { heapLimits } from "../../targets/workbench/budgets/budget-limits.ts";
import { programOf } from "../../targets/workbench/host/build.ts";
import { armSysroot } from "../../targets/workbench/host/toolchain.ts";
import { keyIdOf, keys, makeImage, PRODUCT } from "../image/image-builder.ts";
import { COUNTER, FAULTS, type ImageCase, pairsOfFaults } from "../image/image-cases.ts";
import { saidOnCortexM3 } from "./check-image.ts";
import { liveWholeLife } from "./host-life.ts";
import { World } from "./host-world.ts";

const qemu = ["qemu-arm", "-L", armSysroot()];
/** 96 KiB, the host's own default. */
const BUDGET = 98_304;

let world: World | undefined;

afterEach(() => world?.end());

describe("core/DESIGN.md, Sizes: a whole grant on 32-bit ARM, nothing allocated after the start", () => {
  it.each([
    ["the grant alone, in 96 KiB", "arm-grant", "http", heapLimits.grant, false],
    ["the complete core, in 96 KiB", "arm", "http", heapLimits.complete, true],
    ["the complete core over HTTPS, in 96 KiB", "arm", "https", heapLimits.complete, true],
  ] as const)("%s", async (name, kind, protocol, core, calls) => {
    world = new World(protocol);
    await world.open();
    const command = [...qemu, programOf(kind), "--heap-limit", String(BUDGET)];
    const figures = await liveWholeLife(world, { command, calls });
    expect(figures.limit).toBe(BUDGET);
    expect(figures.peak).toBeLessThanOrEqual(BUDGET);
    expect(figures.core).toBeLessThanOrEqual(core);
    const resident = `resident with the emulator ${figures.residentPeakKiB} KiB`;
    const growth = `of it the engine alone ${figures.engine} B, the core ${figures.core} B`;
    console.log(`${name}: used ${figures.used} B, peak ${figures.peak} B, ${growth}, ${resident}`);
  });

  it.each(["arm-grant", "arm"] as const)(
    "%s: 200 polls allocate nothing, the control does",
    (kind) => {
      const [command, ...args] = [...qemu, programOf(kind, "allocations")];
      const text = execFileSync(command!, args, { encoding: "utf8" });
      expect(text).toContain("polls 200\nlife 0\n");
      expect(text).toMatch(/control-object [1-9]/);
      expect(text).toMatch(/control-name [1-9]/);
    },
  );
});

describe("FORMAT.md: a Cortex-M3 says of an image what JavaScript says", () => {
  const abi = "2025-04-26-le32";

  function saidInJavaScript(bytes: Uint8Array, { keys: trusted, oldestKey }: ImageCase): string {
    const result = checkImage(bytes, {
      keys: trusted ?? [keys.publicKey],
      ...(oldestKey && { oldestKey: keyIdOf(oldestKey) }),
      product: PRODUCT,
      targets: [{ engine: "quickjs", abi }],
      border: NO_BORDER,
      counterMin: COUNTER,
      limit: 131_072,
    });
    return typeof result === "string" ? result : "ok";
  }

  it("to a right one, and to each fault, one and two at a time", () => {
    world = new World("http");
    const file = join(world.folder, "image");
    const right: ImageCase = { name: "a right image", parts: {}, expected: "ok" };
    const cases = [right, ...FAULTS, ...pairsOfFaults()];
    const differing = cases.filter((one) => {
      const image = Buffer.concat([
        makeImage({ abi, ...one.parts }),
        Buffer.alloc(one.behind ?? 0),
      ]);
      const question = { file, abi, keys: one.keys, oldestKey: one.oldestKey };
      const said = saidOnCortexM3(image, question);
      return said !== saidInJavaScript(new Uint8Array(image), one) || said !== one.expected;
    });
    expect(differing.map(({ name }) => name)).toEqual([]);
    console.log(`Cortex-M3: ${cases.length} of ${cases.length} verdicts as in JavaScript`);
  });
});
