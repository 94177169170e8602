// Runs the C host on QuickJS, for 32-bit ARM in qemu: a complete grant with a heap of 64 KiB.

import { describe, expect, it } from "vitest";
import { programOf } from "../../targets/workbench/host/build.ts";
import { armSysroot } from "../../targets/workbench/host/toolchain.ts";
import { opened } from "../environment/real-environment.ts";
import { runWholeLife } from "./host-run.ts";

const qemu = ["qemu-arm", "-L", armSysroot()];
const BUDGET = 65_536;

describe("core/DESIGN.md, Sizes: a complete grant on 32-bit ARM, without allocations after the start", () => {
  it.each([
    ["the grant alone, in 64 KiB", "arm-grant", "http", false],
    ["the complete core, in 64 KiB", "arm", "http", true],
    ["the complete core over HTTPS, in 64 KiB", "arm", "https", true],
  ] as const)("%s", async (name, kind, protocol, calls) => {
    const environment = await opened(protocol);
    const command = [...qemu, programOf(kind), "--heap-limit", String(BUDGET)];
    const figures = await runWholeLife(environment, { command, calls });
    expect(figures.limit).toBe(BUDGET);
    expect(figures.peak).toBeLessThanOrEqual(BUDGET);
    const resident = `resident with the emulator ${figures.residentPeakKiB} KiB`;
    const growth = `of it the engine alone ${figures.engine} B, the core ${figures.core} B`;
    console.log(`${name}: used ${figures.used} B, peak ${figures.peak} B, ${growth}, ${resident}`);
  });
});
