// The spoiling core (spoil.ts) sees what it is for: a value that is read behind the end of its life, and two
// values that share bytes. Each is planted here; without spoiling the first goes unnoticed.

import { describe, expect, it } from "vitest";
import * as core from "../../core/complete.ts";
import { Field, Region } from "../../core/complete.ts";
import { Bench, bytesOf, code, json, tokens } from "../core/bench.ts";
import { SPOILT, spoiling } from "./spoil.ts";
import { type Core, damaged } from "./subject.ts";

/** The application's line of the last session comes back when an empty one is set. */
const readsBehindTheEnd: Core = {
  ...core,
  setStatus: (device, bytes, from, to) => {
    if (from < to) core.setStatus(device, bytes, from, to);
    else damaged(device).length[Region.STATUS] = "first".length;
  },
};

/** What is shown of the first session's line in the second one. */
function lineShown(subject: Core): string {
  const bench = new Bench([code(), tokens()], { core: subject });
  bench.until(2);
  const { device } = bench;
  subject.setStatus(device, bytesOf("first"), 0, 5);
  bench.answers = [json(200, {}), code(), tokens()];
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
    expect(lineShown(spoiling(readsBehindTheEnd))).toContain("?????");
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
    const bench = new Bench([code(), half], { core: spoiling({ ...core, create }) });
    expect(() => bench.pass(20_000)).toThrow("DEVICE_CODE and ACCESS_TOKEN share bytes");
  });

  it("spoils nothing that is alive", () => {
    const bench = new Bench([code(), tokens()], { core: spoiling(core) });
    bench.until(2);
    expect(bench.text(Field.ACCESS_TOKEN)).toBe("access");
    const at = bench.device.start[Field.USER_CODE]!;
    expect(bench.memory[at]).toBe(SPOILT);
  });
});
