// The model of the core's border: a run of it, that its oracles can fail, that what fails is shrunk
// and replayed. `npm run tool -- model` does more of all.

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
/** A core that takes no notice of Retry-After. */
const impatient: Core = {
  ...ofSources(),
  responseStart: (device, id, status) => ofSources().responseStart(device, id, status, -1),
};

describe("the model of the core's border (core/SPEC.md)", () => {
  it(`every rule holds in random sequences from seed ${SEED}`, () => {
    const { failure, counts } = runCampaign({ makeCore: ofSources, seed: SEED, steps: STEPS });
    expect(failure && `seed ${failure.seed}: ${failure.broken!.message}`).toBeUndefined();
    // Each oracle had something to look at.
    expect(Object.entries(counts).filter(([, count]) => count < 50)).toEqual([]);
  });

  it("the same seed makes the same sequence", () => {
    const first = play(SEED, ofSources, noCounts());
    const second = play(SEED, ofSources, noCounts());
    expect(second.script).toEqual(first.script);
  });

  it("a failing sequence is shrunk, replayed, and printed as a test", () => {
    const makeCore = (): Core => impatient;
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

// The spoiling core (spoil.ts) sees what it is for: a value that is read behind the end of its life, and two
// values that share bytes. Each is planted here; without spoiling the first goes unnoticed.

/** The application's line of the last session comes back when an empty one is set. */
const readsBehindTheEnd: Core = {
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

describe("the spoiling core", () => {
  it("makes rubbish of what is read behind the end of its life", () => {
    expect(lineShown(readsBehindTheEnd)).toContain("first");
    // What is no printable character.
    expect(lineShown(corrupting(readsBehindTheEnd))).toContain("?????");
  });

  it("sees two values that share bytes", () => {
    const create: Core["create"] = (memory, config) => {
      const device = core.create(memory, config);
      // As the device code once lay where the access token is written to.
      if (device) {
        const { start } = damaged(device);
        start[Field.ACCESS_TOKEN] = start[Region.REFRESH_TOKEN]!;
      }
      return device;
    };
    const half = { status: 200, body: '{"access_token":"ZZZZ' };
    const bench = new Port([code(), half], { core: corrupting({ ...core, create }) });
    expect(() => bench.pass(20_000)).toThrow("DEVICE_CODE and ACCESS_TOKEN share bytes");
  });

  it("spoils nothing that is alive", () => {
    const bench = new Port([code(), tokens()], { core: corrupting(core) });
    bench.until(2);
    expect(bench.text(Field.ACCESS_TOKEN)).toBe("access");
    const at = bench.device.start[Field.USER_CODE]!;
    expect(bench.memory[at]).toBe(CORRUPTED);
  });
});
