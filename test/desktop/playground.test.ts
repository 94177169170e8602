// The playground's folder can be made from the sources as they are, and what its page has instead of node:crypto signs
// security events as the simulated service does on Node (RFC 8037).
import { createHash, createPrivateKey, createPublicKey, sign } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import path from "node:path";
import releaseVariant from "@jitl/quickjs-wasmfile-release-sync";
import {
  newQuickJSWASMModuleFromVariant,
  newVariant,
  type QuickJSWASMModule,
} from "quickjs-emscripten-core";
import { beforeAll, describe, expect, test } from "vitest";
import { shippedFiles } from "../../targets/bundle/shipped.ts";
import { CoreInQuickjs } from "../../targets/desktop/playground/engine/core-in-quickjs.ts";
import { writePlayground } from "../../targets/desktop/playground/folder.ts";
import * as page from "../../targets/desktop/playground/stand-ins.ts";
import { findScenario, scenarioNames } from "../../targets/desktop/scenarios/play.ts";
import { playIn } from "../../targets/desktop/scenarios/player.ts";
import { createVirtualWorld } from "../../targets/desktop/simulator/world/virtual-world.ts";
import { fixture } from "../../targets/desktop/simulator/world/world.ts";
import { mallocExport, quickjsPackage } from "../../targets/workbench/budgets/engine.ts";
import { countBytes } from "../../targets/workbench/budgets/wasm-counter.ts";

test("everything that the service imports from Node has a stand-in", async () => {
  const folder = mkdtempSync(path.join(tmpdir(), "picogrant-"));
  try {
    expect(await writePlayground(folder, new Uint8Array(8))).toContain("panel.js");
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test("RFC 8037: the same keys, signatures and hashes as Node's", () => {
  const seed = Uint8Array.from({ length: 32 }, (_, at) => (at * 7) % 256);
  const key = Buffer.concat([Buffer.from("302e020100300506032b657004220420", "hex"), seed]);
  const nodeKey = createPrivateKey({ key, format: "der", type: "pkcs8" });
  const pageKey = page.createPrivateKey({ key });
  const data = new TextEncoder().encode("header.claims");
  expect(Buffer.from(page.sign(null, data, pageKey))).toEqual(sign(null, data, nodeKey));
  expect(page.createPublicKey(pageKey).export()).toEqual(
    createPublicKey(nodeKey).export({ format: "jwk" }),
  );
  expect(page.createHash("sha256").update("{}").digest("base64url")).toBe(
    createHash("sha256").update("{}").digest("base64url"),
  );
});

// The playground's device: the shipped bundle on QuickJS, driven by the driver of platform/. All scenarios go there as
// they go on the sources, and not one call of the core asks for memory (core/SPEC.md).

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
