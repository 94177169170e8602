// `npm run engines` runs the conformance script on each engine. These tests check that the script detects faults, and that
// the core in C passes it.

import { describe, expect, it, test } from "vitest";
import * as api from "../../core/api.ts";
import * as complete from "../../core/complete.ts";
import * as grant from "../../core/index.ts";
import * as surface from "../../targets/bundle/surface.ts";
import { engines, runInQuickjs, variants } from "../../targets/workbench/engines/catalogue.ts";
import { builtBundle, conformanceScript, readTap } from "../../targets/workbench/engines/script.ts";
import { constantBytes } from "../host/piped.ts";
import { ofWasm } from "../model/wasm-core.ts";

const v8 = engines[0]!;

const { PICOGRANT_CORE = "" } = process.env;
it.runIf(PICOGRANT_CORE.endsWith(".wasm"))("the core as C returns the same numbers", async () => {
  const variant = surface.variants.find((name) => PICOGRANT_CORE.includes(name))!;
  const script = await conformanceScript(variant, "", false, false);
  const output: string[] = [];
  const replay = new Function("picogrant", "print", script);
  const { create } = { complete, api, grant }[variant];
  const constants = (memory: Uint8Array, config: complete.Config): number =>
    constantBytes(create(memory.slice(), config)!, config);
  replay(ofWasm(PICOGRANT_CORE, constants)(), (line: string) => output.push(line));
  expect(readTap(output.join("\n"))).toMatchObject({ failed: 0, failures: [] });
});

describe("the conformance script", () => {
  test.each([
    ["another return value", "if (command === Command.NONE) command = Command.SHOW;", /tick/],
    ["another number", "device[Property.MOVES]++;", /MOVES/],
    ["a byte of a request", "device[Property.MEMORY][device[Property.BODY]] ^= 1;", /bytes/],
    ["a longer text", "device[Property.LENGTH][Field.USER_CODE]++;", /lists/],
    ["an exception", "device.nothing.there();", /did not finish/],
  ])("%s fails", async (_what, fault, complaint) => {
    const broken = `${await builtBundle("grant")}
      picogrant.tick = (function (tick) {
        return function (device, elapsedMs) {
          var command = tick(device, elapsedMs);
          ${fault}
          return command;
        };
      })(picogrant.tick);`;
    const verdict = readTap(await v8.run(await conformanceScript("grant", broken)));
    expect(verdict.failures.join()).toMatch(complaint);
  });

  test("fails if it ends early", () => {
    expect(readTap("ok 1 - a\nok 2 - b\n").failed).toBe(1);
    expect(readTap("ok 1 - a\n1..2\n").failed).toBe(1);
    expect(readTap("ok 1 - a\nnot ok 2 - b\n# got      1\n1..2\n").failures).toEqual([
      "b\n    # got      1",
    ]);
    expect(readTap("ok 1 - a\n1..1\n")).toEqual({ passed: 1, failed: 0, failures: [] });
  });

  test("fails the leak check of QuickJS if a value stays alive", async () => {
    await expect(runInQuickjs(variants.debug, "print('ok 1 - a')", true)).rejects.toThrow();
    await expect(runInQuickjs(variants.debug, "print('ok 1 - a')")).resolves.toBe("ok 1 - a");
  });
});
