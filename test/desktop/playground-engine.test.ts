// The playground's device: the shipped bundle on QuickJS, driven by the driver of platform/. All scenarios go there as
// they go on the sources, and not one call of the core asks for memory (core/SPEC.md).
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import releaseVariant from "@jitl/quickjs-wasmfile-release-sync";
import {
  newQuickJSWASMModuleFromVariant,
  newVariant,
  type QuickJSWASMModule,
} from "quickjs-emscripten-core";
import { beforeAll, describe, expect, test } from "vitest";
import { shippedFiles } from "../../targets/bundle/shipped.ts";
import { CoreInQuickjs } from "../../targets/desktop/playground/engine/core-in-quickjs.ts";
import { findScenario, scenarioNames } from "../../targets/desktop/scenarios/play.ts";
import { playIn } from "../../targets/desktop/scenarios/player.ts";
import { createVirtualWorld } from "../../targets/desktop/simulator/world/virtual-world.ts";
import { fixture } from "../../targets/desktop/simulator/world/world.ts";
import { mallocExport, quickjsPackage } from "../../targets/workbench/budgets/engine.ts";
import { countBytes } from "../../targets/workbench/budgets/wasm-counter.ts";

let module: QuickJSWASMModule;
let bundle: string;

beforeAll(async () => {
  const wasm = readFileSync(createRequire(import.meta.url).resolve(`${quickjsPackage}/wasm`));
  const wasmModule = new WebAssembly.Module(countBytes(wasm, mallocExport()));
  module = await newQuickJSWASMModuleFromVariant(newVariant(releaseVariant, { wasmModule }));
  bundle = (await shippedFiles("complete"))["picogrant.js"]!;
});

describe("the shipped bundle on QuickJS in the simulator", () => {
  test.each(scenarioNames())("%s", async (name) => {
    const scenario = findScenario(name);
    const engine = new CoreInQuickjs(module, bundle);
    const settings = { ...scenario.settings, fixture: fixture(), core: engine.core };
    const { unmet } = await playIn(createVirtualWorld(settings), scenario);
    expect(unmet).toBeUndefined();
    expect(engine.figures.calls).toBeGreaterThan(2);
    expect(engine.figures.takenBytes).toBe(0);
    engine.dispose();
  });

  test("what does ask for memory is counted", async () => {
    const engine = new CoreInQuickjs(
      module,
      `${bundle}
      var honest = picogrant.tick;
      picogrant.tick = function (device, ms) { device.waste = [ms]; return honest(device, ms); };`,
    );
    const settings = { ...findScenario("sign-in").settings, fixture: fixture(), core: engine.core };
    await playIn(createVirtualWorld(settings), findScenario("sign-in"));
    expect(engine.figures.takenBytes).toBeGreaterThan(engine.figures.calls);
    engine.dispose();
  });
});
