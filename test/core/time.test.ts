// What a host may do wrong with time and with answers: the core takes what comes, and polls neither early
// nor in bursts.

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Command, State } from "../../core/complete.ts";
import { Bench, code, type Reaction, tokens } from "./bench.ts";
import { bytesOf } from "./session.ts";

/** A device with a code, which has sent one request; polls are answered with pending, or hang. */
function pending(...later: Reaction[]): Bench {
  const bench = new Bench([code(), ...later]);
  bench.until(1);
  bench.pass(0);
  expect(bench.device.state).toBe(State.PENDING);
  return bench;
}

describe("SPEC.md, Time: elapsed time as hosts report it", () => {
  it.each([0, -1, -134_216_000, Number.NaN])("%d lets no time pass", (elapsed) => {
    const bench = pending();
    const before = bench.core.wakeIn(bench.device);
    for (let i = 0; i < 100; i++) bench.core.tick(bench.device, elapsed);
    expect(bench.core.wakeIn(bench.device)).toBe(before);
    expect(bench.sent).toHaveLength(1);
  });

  it.each([134_216_000, 134_217_727, 2 ** 31, 1e15])(
    "%d at once is one long sleep: the code is over, and one request goes out, not a burst",
    (elapsed) => {
      const bench = pending("hang");
      bench.run(elapsed);
      // The last poll, for what somebody may have decided.
      expect(bench.sent).toHaveLength(2);
      bench.answers = ["hang"];
      bench.core.responseFailed(bench.device, bench.sent[1]!.id);
      bench.pass(5000);
      expect(bench.device.state).toBe(State.REQUESTING);
      expect(bench.sent).toHaveLength(3);
    },
  );

  it("a sleep beyond the interval gives one poll", () => {
    const bench = pending();
    bench.run(600_000);
    expect(bench.sent).toHaveLength(2);
    bench.run(0);
    expect(bench.sent).toHaveLength(2);
  });

  it("wakeIn is never late: a tick just before it sends nothing, one at it does", () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 1500 }), { maxLength: 20 }), (naps) => {
        const bench = pending();
        let left = bench.sent[0]!.atMs + 5000 - bench.nowMs;
        for (const nap of naps) {
          const step = Math.min(nap, left - 1);
          bench.run(step);
          left -= step;
        }
        bench.run(left - 1);
        expect(bench.sent).toHaveLength(1);
        bench.run(1);
        expect(bench.sent).toHaveLength(2);
      }),
    );
  });
});

describe("SPEC.md, Time: the wait for the next request", () => {
  it("stands still while discovery is under way: no poll comes in a burst with it", () => {
    const bench = pending("hang");
    bench.pass(1000);
    const left = bench.sent[0]!.atMs + 5000 - bench.nowMs;
    const issuer = bytesOf("https://issuer.example");
    expect(bench.core.discover(bench.device, issuer, 0, issuer.length)).toBe(1);
    bench.pass(60_000);
    expect(bench.sent.map(({ endpoint }) => endpoint)).toEqual([0, 3]);
    bench.core.responseFailed(bench.device, bench.sent[1]!.id);
    bench.pass(left - 1);
    expect(bench.sent).toHaveLength(2);
    bench.pass(1);
    expect(bench.sent.map(({ endpoint }) => endpoint)).toEqual([0, 3, 1]);
  });
});

describe("SPEC.md, The loop: answers that come late", () => {
  it.each(["cancel", "signIn"] as const)(
    "one to a request given up by %s changes nothing",
    (act) => {
      const bench = pending();
      bench.until(2);
      const { id } = bench.sent[1]!;
      bench.core[act](bench.device);
      bench.pass(0);
      const { state, moves } = bench.device;
      bench.core.responseStart(bench.device, id, 200, -1);
      const body = new TextEncoder().encode(tokens().body);
      bench.core.responseBody(bench.device, id, body, 0, body.length);
      bench.core.responseEnd(bench.device, id);
      bench.core.responseFailed(bench.device, id);
      expect(bench.device.state).toBe(state);
      expect(bench.device.moves).toBe(moves);
    },
  );

  it("an exchange that the host never ends is given up after two minutes, and polling goes on", () => {
    const bench = pending("hang");
    bench.until(2);
    const commands: number[] = [];
    for (let second = 0; second < 125; second++) {
      let command = bench.core.tick(bench.device, 1000);
      while (command !== Command.NONE) {
        commands.push(command);
        command = bench.core.tick(bench.device, 0);
      }
    }
    expect(commands.filter((command) => command === Command.ABORT)).toHaveLength(1);
    expect(commands.indexOf(Command.ABORT)).toBeLessThan(commands.indexOf(Command.SEND));
    expect(bench.device.state).toBe(State.PENDING);
  });
});
