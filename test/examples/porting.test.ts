// The porting kit as a porter uses it: the templates copied into an empty folder, tested as they are, then with the
// adapters of targets/examples/own-adapters in their place, and then a sign-in on them.

import { cpSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { allow, examples, inAWorld, Program, type World, withProgram } from "./running.ts";

const templates = fileURLToPath(new URL("../../platform/templates", import.meta.url));

/** Runs check.mjs in the folder over these suites, or all; what it printed, and its exit code. */
async function check(
  world: World,
  ...suites: string[]
): Promise<[output: string, code: number | null]> {
  const file = path.join(world.folder, "check.mjs");
  const adapters = path.join(world.folder, "adapters.mjs");
  const program = new Program(file, world, {}, [adapters, ...suites]);
  const code = await program.ended();
  return [program.output, code];
}

describe("porting kit", () => {
  it("the empty templates fail, and each suite says in plain words what is missing", async () => {
    await inAWorld(async (world) => {
      cpSync(templates, world.folder, { recursive: true });
      // Without HTTP, whose cases wait for what never comes.
      const suites = ["timers", "entropy", "storage", "display"];
      const [output, code] = await check(world, ...suites);
      expect(code).toBe(1);
      expect(output).toContain("timers.now is not written yet");
      for (const suite of suites) {
        const [, passed, all] = new RegExp(`^${suite}: (\\d+) of (\\d+) cases pass`, "m").exec(
          output,
        )!;
        expect(Number(passed)).toBeLessThan(Number(all));
      }
    });
  });

  it("adapters over node:http, files and a console pass all of it and sign in", async () => {
    await inAWorld(async (world) => {
      cpSync(templates, world.folder, { recursive: true });
      cpSync(path.join(examples, "own-adapters"), world.folder, { recursive: true });
      const [output, code] = await check(world);
      expect(output).not.toMatch(/^ {2}\w+: /m);
      expect(output.match(/^\w+: (\d+) of \1 cases pass$/gm)).toHaveLength(5);
      expect(code).toBe(0);
      const device = path.join(world.folder, "device.mjs");
      await withProgram(device, world, async (program) => {
        await allow(world, program);
        await program.until(/^\|Signed in {11}\|$/m);
      });
      await withProgram(device, world, async (program) => {
        await program.until(/^\|Signed in {11}\|$/m);
        expect(program.output).not.toContain("Code ");
      });
    });
  });
});
