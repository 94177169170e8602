// What the panel shows as of no use is refused when it is done all the same, and what it shows as of use is not: in
// random sessions, for every action.
import fc from "fast-check";
import { expect, test } from "vitest";
import { virtualWorld } from "../../targets/desktop/scenarios/play.ts";
import { Controller } from "../../targets/desktop/simulator/controls.ts";
import { DEEDS } from "../../targets/desktop/simulator/deeds.ts";
import { whyNot } from "../../targets/desktop/simulator/needs.ts";
import { Viewer } from "../../targets/desktop/simulator/view.ts";
import { FAULTS } from "../../targets/desktop/simulator/world/faults.ts";
import { isFullRun } from "../full-run.ts";
import { bench } from "./bench.ts";

const PRESSED = DEEDS.filter(({ name, step }) => name === "mend" || !/^(answer|fault) /.test(step));
/** What an action says that could do nothing for want of something else. */
const REFUSED =
  /^(there is no|nobody is signed in|the device has no power|the device waits for no|.*: nothing to do in this state)/;

test("a button is disabled where pressing it does nothing, and nowhere else", async () => {
  const step = fc.oneof(
    { weight: 2, arbitrary: fc.constantFrom("advance 3s", "advance 20s", "advance 31m") },
    {
      weight: 3,
      arbitrary: fc.constantFrom("press new-code", "allow", "deny", "press sign-out", "power"),
    },
    { weight: 1, arbitrary: fc.constantFrom("fault offline", "mend") },
  );
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { maxLength: 12, size: "max" }),
      fc.constantFrom(...PRESSED),
      async (steps, pressed) => {
        const { simulation, controller } = bench();
        simulation.powerOn();
        for (const one of steps) await controller.run(one);
        controller.viewer.message = "";
        const why = whyNot(pressed.needs, controller.viewer.view());
        const moves = simulation.driver?.device.moves;
        await controller.run(pressed.name);
        const said = controller.viewer.message;
        if (why === "") expect(said, pressed.name).not.toMatch(REFUSED);
        else {
          expect(said, `${pressed.name}: ${why}`).toMatch(REFUSED);
          expect(simulation.driver?.device.moves).toBe(moves);
        }
      },
    ),
    { numRuns: isFullRun ? 200 : 8 },
  );
});

test.each(["poll", "code", "access"])(
  "a jump to the end of %s ends where that has had its effect",
  async (what) => {
    const { simulation, controller } = bench();
    simulation.powerOn();
    await controller.run("advance 5s");
    const code = simulation.userCode;
    if (what === "access") {
      await controller.run("allow");
      await controller.run("advance 10s");
    }
    const before = {
      ...simulation.exchanges.counts,
      polls: simulation.exchanges.counts.get("poll"),
    };
    await controller.run(`jump ${what}`);
    await controller.run("advance 1s");
    if (what === "poll")
      expect(simulation.exchanges.counts.get("poll")).toBe((before.polls ?? 0) + 1);
    if (what === "code") expect(simulation.userCode).not.toBe(code);
    if (what === "access") expect(simulation.exchanges.counts.get("refresh")).toBe(1);
  },
);

test("a jump to the next request while one is under way goes to its end", async () => {
  const { simulation, controller } = bench();
  simulation.powerOn();
  for (const step of ["advance 5s", "fault slow on", "advance 5s"]) await controller.run(step);
  const before = controller.viewer.view();
  expect([before.device.inFlight, whyNot("poll", before)]).toEqual([true, ""]);
  await controller.run("jump poll");
  const after = controller.viewer.view();
  expect([after.message, after.device.inFlight]).toEqual(["", false]);
  // Eight seconds for the answer, and none of the wait after it.
  expect(after.clock.ms - before.clock.ms).toBeLessThanOrEqual(8_000);
});

test("no two deeds share a key of the panel, and every fault has one", () => {
  const keys = DEEDS.flatMap(({ key }) => key || []);
  expect(new Set(keys).size).toBe(keys.length);
  for (const { key } of FAULTS) expect(keys).toContain(key);
});

test("a wrong command is told in one line and changes nothing", async () => {
  const simulation = virtualWorld();
  const viewer = new Viewer(simulation);
  await new Controller(simulation, viewer, true).run("press any key");
  expect(viewer.message).toMatch(/^there is no button/);
  for (const time of ["half-hour", "advance 30m", "pause", "next-event", "speed 10", "code-end"]) {
    viewer.message = "";
    await new Controller(simulation, viewer, false).run(time);
    expect(viewer.message, time).toBe("a real server runs on real time");
  }
  expect(simulation.clock.nowMs()).toBe(0);
});
