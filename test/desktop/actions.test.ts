// Tests the actions of the panel: which are disabled, how many exchanges one may cause, and when a jump in time ends.
import fs from "node:fs";
import fc from "fast-check";
import { expect, onTestFinished, test, vi } from "vitest";
import { virtualEnvironment } from "../../targets/desktop/scenarios/play.ts";
import { ACTIONS } from "../../targets/desktop/simulator/actions.ts";
import { Controller } from "../../targets/desktop/simulator/controls.ts";
import { shows } from "../../targets/desktop/simulator/device/display.ts";
import { FAULTS } from "../../targets/desktop/simulator/environment/faults.ts";
import { whyNot } from "../../targets/desktop/simulator/preconditions.ts";
import type { Simulation } from "../../targets/desktop/simulator/simulation.ts";
import { perform } from "../../targets/desktop/simulator/steps.ts";
import { Viewer } from "../../targets/desktop/simulator/view.ts";
import { isFullRun } from "../full-run.ts";
import { bench, startSimulator } from "./bench.ts";

const PRESSED = ACTIONS.filter(({ name, step }) => name === "fix" || !step.startsWith("fault "));
const REFUSED =
  /^(there is no|nobody is signed in|the device has no power|the device is not waiting|.*: nothing to do in this state)/;

test("a button is disabled exactly while its action has no effect", async () => {
  const step = fc.oneof(
    { weight: 2, arbitrary: fc.constantFrom("advance 3s", "advance 20s", "advance 31m") },
    {
      weight: 3,
      arbitrary: fc.constantFrom("press new-code", "allow", "deny", "press sign-out", "power"),
    },
    { weight: 1, arbitrary: fc.constantFrom("fault offline", "fix") },
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
        const output = controller.viewer.message;
        if (why === "") expect(output, pressed.name).not.toMatch(REFUSED);
        else {
          expect(output, `${pressed.name}: ${why}`).toMatch(REFUSED);
          expect(simulation.driver?.device.moves).toBe(moves);
        }
      },
    ),
    { numRuns: isFullRun ? 200 : 8 },
  );
});

const NEW_CODE = [
  ...["power on", "fix", "service as-usual", "account enable", "client living-room-tv"],
  ...["press sign-out", "advance 1m", "press new-code", "advance 20s"],
];
const SIGNED_IN = [...NEW_CODE, "allow", "advance 20s"];
const LONG_WAIT = [...NEW_CODE, "service interval 20", "press new-code", "advance 20s"];
const NEEDED: Readonly<Record<string, readonly string[]>> = {
  ...{ code: NEW_CODE, attempt: NEW_CODE, poll: NEW_CODE, "no session": NEW_CODE },
  ...{ session: SIGNED_IN, access: SIGNED_IN, "to sign out": SIGNED_IN, record: SIGNED_IN },
  ...{ power: ["power on"], "code life": LONG_WAIT, fault: ["fault offline"] },
  "next page": [...SIGNED_IN, "call broadcasts maxResults=1", "advance 20s"],
  refusal: [...NEW_CODE, "allow-as-pupil", "advance 20s"],
};
/** Limits for one action: exchanges in a turn (an event stream needs two), and bytes (the stored state grows). */
const AT_MOST = { inTurn: 2, bytes: 60_000 };

test("no button makes many exchanges in one turn of the event loop, or writes much", async () => {
  const { simulation, controller, close } = await startSimulator();
  onTestFinished(close);
  let now = 0;
  let most = 0;
  simulation.service!.observe(({ type }) => {
    if (type !== "exchange") return;
    if (now === 0) setImmediate(() => (now = 0));
    most = Math.max(most, ++now);
  });
  const writes = [vi.spyOn(fs, "writeFileSync"), vi.spyOn(fs, "writeSync")];
  const wrong: object[] = [];
  for (const { name, needs, group } of ACTIONS.filter((_, at) => isFullRun || at % 4 === 0)) {
    // The developer's server receives the events of only one client.
    if (group === "events") await controller.run("client living-room-tv");
    if (group === "clock" || whyNot(needs, controller.viewer.view()) !== "")
      for (const step of (needs && NEEDED[needs]) ?? LONG_WAIT) await controller.run(step);
    most = 0;
    for (const spy of writes) spy.mockClear();
    await controller.run(name);
    const output = controller.viewer.message;
    await controller.run("advance 20s");
    const written = writes.flatMap(({ mock }) => mock.calls.map(([, what]) => what));
    const bytes = written.reduce((sum, what) => sum + (what as string | Uint8Array).length, 0);
    const isDone = !REFUSED.test(output);
    if (!isDone || most > AT_MOST.inTurn || bytes > AT_MOST.bytes)
      wrong.push({ name, most, bytes, output });
  }
  expect(wrong).toEqual([]);
});

test.each(["poll", "code", "access"])(
  "a jump to the end of %s stops after it has taken effect",
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

test("no two actions have the same key in the panel, and every fault has a key", () => {
  const keys = ACTIONS.flatMap(({ key }) => key || []);
  expect(new Set(keys).size).toBe(keys.length);
  for (const { key } of FAULTS) expect(keys).toContain(key);
});

test("a wrong command produces one line and changes nothing", async () => {
  const { simulation, viewer, controller } = bench();
  await controller.run("press any key");
  expect(viewer.message).toMatch(/^there is no button/);
  for (const time of ["half-hour", "advance 30m", "pause", "next-event", "speed 10", "code-end"]) {
    viewer.message = "";
    await new Controller(simulation, viewer, false).run(time);
    expect(viewer.message, time).toBe("a real server runs on real time");
  }
  expect(simulation.clock.nowMs()).toBe(0);
});

async function signedIn(): Promise<Simulation> {
  const simulation = virtualEnvironment();
  simulation.powerOn();
  await simulation.clock.advance(20_000);
  await perform(simulation, "allow");
  await simulation.clock.advance(20_000);
  return simulation;
}

test("a fix restores values of fixture and options, and reports if there is nothing to fix", async () => {
  const simulation = virtualEnvironment({ account: "nora" });
  const service = simulation.service!;
  const deviceCodeQuota = { requests: 7, windowSeconds: 70 };
  service.setPolicy("nora", ["publisher"]);
  service.setOptions({ deviceCodeQuota });
  for (const fault of ["policy", "quota"])
    for (const how of ["on", "on", "off"]) await perform(simulation, `fault ${fault} ${how}`);
  expect(service.policyOf("nora")).toEqual(["publisher"]);
  expect(service.options.deviceCodeQuota).toEqual(deviceCodeQuota);
  expect(await perform(simulation, "fix")).toBe("there is no fault to fix");
});

test("a step that fails internally does not block the next one", async () => {
  const { simulation, viewer, controller } = bench();
  simulation.resize = () => {
    throw new TypeError("broken inside");
  };
  await controller.run("display 20x4");
  expect(viewer.message).toContain("broken inside");
  await controller.run("fix");
  expect(viewer.message).toBe("there is no fault to fix");
});

test("a restored session shows no lifetime of an access token before it is known", async () => {
  const simulation = await signedIn();
  const viewer = new Viewer(simulation);
  const reported: number[] = [];
  simulation.onChange(() => reported.push(viewer.view().device.access.leftMs));
  await perform(simulation, "power cycle");
  await simulation.clock.advance(20_000);
  expect(Math.max(...reported)).toBeGreaterThan(3_000_000);
  expect(Math.max(...reported)).toBeLessThanOrEqual(3_600_000);
});

test("an action during a jump reports that it waits; pause ends the jump", async () => {
  const { simulation, viewer, controller } = bench();
  simulation.powerOn();
  const output: string[] = [];
  let denied: Promise<void> | undefined;
  simulation.clock.after(60_000, () => {
    denied = controller.run("deny");
    output.push(viewer.message);
    void controller.run("pause");
  });
  await controller.run("advance 30m");
  expect(output).toEqual(["time jumps: deny runs after the jump; pause ends it"]);
  expect(simulation.clock.nowMs()).toBe(60_000);
  await denied;
  await simulation.clock.advance(10_000);
  expect(viewer.view().device.error).toBe("access denied");
});

const CODE = ["power on", "advance 20s"];
const SESSION = [...CODE, "allow", "advance 20s"];
const BESIDE: Readonly<Record<string, readonly [before: string[], after: string[]]>> = {
  slow: [CODE, []],
  "slow-down": [CODE, []],
  "repeat-poll": [CODE, []],
  "wrong-grant-type": [CODE, []],
  "cut-poll": [CODE, []],
  restart: [CODE, []],
  quota: [CODE, ["press new-code"]],
  policy: [CODE, ["allow"]],
  revoke: [SESSION, []],
  "lose-response": [SESSION, []],
  "flip-bit": [SESSION, ["power cycle"]],
};

test.each(FAULTS)(
  "a fault has the visible effect that its button describes: $name: $label",
  async ({ name, display, needs }) => {
    const simulation = virtualEnvironment();
    const [before, after] = BESIDE[name] ?? [[], []];
    for (const step of before) await perform(simulation, step);
    const shown = [...simulation.display.lines];
    const why = whyNot(needs, new Viewer(simulation).view());
    expect(why).toBe("");
    for (const step of [`fault ${name}`, "power on", ...after]) await perform(simulation, step);
    const seen = (): boolean => shows(simulation.display.lines, display);
    if (display === "") {
      await simulation.clock.advance(60_000);
      expect(simulation.display.lines[0]).toBe(shown[0]);
    } else {
      // Ignore the first 7 s, because the display may still show the same text from before.
      await simulation.clock.advance(7000);
      await simulation.clock.advance(70_000, seen);
      expect(seen()).toBe(true);
    }
  },
);
