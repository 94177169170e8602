// Short runs of the core's model, and tests of the model itself: oracles can fail, and a failure is shrunk and
// replayed. `npm run tool -- model` runs more sequences.

import { describe, expect, it } from "vitest";
import * as core from "../../core/complete.ts";
import { Field, Region } from "../../core/complete.ts";
import { bytesOf } from "../../platform/text/text.ts";
import { Port } from "../environment/core-port.ts";
import { code, json, tokens } from "../environment/environment.ts";
import { isFullRun } from "../full-run.ts";
import { freshSeed } from "../seeds.ts";
import { CORRUPTED, corrupting } from "./corrupt.ts";
import { Broken, noCounts } from "./oracles/oracle.ts";
import { asTest, play, replay, runCampaign, shrink } from "./sequence.ts";
import { type Core, damaged, ofSources } from "./subject.ts";

const STEPS = isFullRun ? 30_000 : 20_000;
const SEED = freshSeed();
const ignoresRetryAfter: Core = {
  ...ofSources(),
  responseStart: (device, id, status) => ofSources().responseStart(device, id, status, -1),
};

describe("the core and the ideal device agree (core/SPEC.md)", () => {
  it(`no rule is violated in random sequences from seed ${SEED}`, () => {
    const { failure, counts } = runCampaign({ makeCore: ofSources, seed: SEED, steps: STEPS });
    expect(failure && `seed ${failure.seed}: ${failure.broken!.message}`).toBeUndefined();
    expect(Object.entries(counts).filter(([, count]) => count < 50)).toEqual([]);
  });

  it("the same seed generates the same sequence", () => {
    const first = play(SEED, ofSources, noCounts());
    const second = play(SEED, ofSources, noCounts());
    expect(second.script).toEqual(first.script);
  });

  it("a failing sequence is shrunk, can be replayed, and is printed as a test", () => {
    const makeCore = (): Core => ignoresRetryAfter;
    const { failure } = runCampaign({ makeCore, seed: SEED, steps: STEPS });
    const { script, broken } = shrink(failure!.script, failure!.broken!, makeCore);
    expect(script.steps.length).toBeLessThanOrEqual(Math.min(30, failure!.script.steps.length));
    expect(replay(script, makeCore)).toBeInstanceOf(Broken);
    expect(replay(script, ofSources)).toBeUndefined();
    expect(asTest({ script, broken })).toContain(
      "expect(replay(script, ofSources)).toBeUndefined()",
    );
  });
});

/** Fault: if the application sets an empty status line, the display shows the status line of the last session. */
const readsOldValue: Core = {
  ...core,
  setStatus: (device, bytes, from, to) => {
    if (from < to) core.setStatus(device, bytes, from, to);
    else damaged(device).length[Region.STATUS] = "first".length;
  },
};

function lineShown(subject: Core): string {
  const bench = new Port([code(), tokens()], { core: subject });
  bench.until(2);
  const { device } = bench;
  subject.setStatus(device, bytesOf("first"), 0, 5);
  bench.responses = [json(200, {}), code(), tokens()];
  subject.signOut(device);
  bench.pass(1000);
  subject.signIn(device);
  bench.until(5);
  subject.setStatus(device, [], 0, 0);
  bench.pass(1000);
  return bench.frame()[1]!;
}

describe("a corrupting core", () => {
  it("overwrites a value that is no longer valid", () => {
    expect(lineShown(readsOldValue)).toContain("first");
    expect(lineShown(corrupting(readsOldValue))).toContain("?????");
  });

  it("detects two values that share bytes", () => {
    const create: Core["create"] = (memory, config) => {
      const device = core.create(memory, config);
      // Fault: the user code is stored in the place of the address.
      if (device) {
        const { start } = damaged(device);
        start[Field.USER_CODE] = start[Field.VERIFICATION_URI]!;
      }
      return device;
    };
    const bench = new Port([code()], { core: corrupting({ ...core, create }) });
    expect(() => bench.pass(20_000)).toThrow("USER_CODE and VERIFICATION_URI share bytes");
  });

  it("does not overwrite current values", () => {
    const bench = new Port([code(), tokens()], { core: corrupting(core) });
    bench.until(2);
    expect(bench.text(Field.ACCESS_TOKEN)).toBe("access");
    const at = bench.device.start[Field.USER_CODE]!;
    expect(bench.memory[at]).toBe(CORRUPTED);
  });
});
