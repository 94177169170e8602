// SIGKILL at any moment: the simulator starts again with the old tokens or the new, never with a
// damaged file. PICOGRANT_KILLS says how often; the moments come from a seed that is printed.
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { readSnapshot } from "../../targets/service/index.ts";
import { patience } from "../patience.ts";
import { ended } from "../program.ts";
import { freshSeed } from "../seeds.ts";
import { inFolder, run, start } from "./command.ts";

const KILLS = Number(process.env.PICOGRANT_KILLS ?? 4);
const SEED = freshSeed();

/** Rotating at each refresh, an hour of the world in a few real seconds: it writes all the time. */
const BUSY = ["--approve", "--rotate", "--speed", "10000", "--port", "0", "--state"];

function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1103515245 + 12345) % 2147483648;
    return state / 2147483648;
  };
}

test(
  `a kill at any moment leaves state that the next start goes on with (seed ${SEED})`,
  { timeout: patience.testTimeout + KILLS * 20_000 },
  () =>
    inFolder(async (state) => {
      const next = random(SEED);
      const first = await run(...BUSY, state, "--exit-when", "signed-in");
      expect(first.code, first.stderr).toBe(0);
      for (let kill = 0; kill < KILLS; kill++) {
        const child = start([...BUSY, state]);
        const end = ended(child);
        await Promise.race([end, new Promise((resolve) => child.stdout?.once("data", resolve))]);
        await new Promise((resolve) => setTimeout(resolve, next() * 400));
        child.kill("SIGKILL");
        const { stderr, signal } = await end;
        expect({ stderr, signal }, `kill ${kill}`).toEqual({ stderr: "", signal: "SIGKILL" });
        readSnapshot(JSON.parse(readFileSync(`${state}/service.json`, "utf8")));
      }
      // Still the first sign-in: nobody was asked for a code since.
      const last = await run("--fast", "--port", "0", "--state", state, "--exit-when", "signed-in");
      expect(last).toMatchObject({ code: 0, stderr: "" });
      expect(last.stdout).not.toContain("Code ");
    }),
);
