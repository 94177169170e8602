// What the three steps of the panel say, in each state of the device and on each page of the phone; and that whoever
// presses nothing but the strong button signs in, whatever happened before.
import fc from "fast-check";
import { expect, test } from "vitest";
import { ErrorCode, State } from "../../core/complete.ts";
import { guideOf, type PhonePage, wordsOf } from "../../targets/desktop/panel/client/guide.ts";
import type { Controller } from "../../targets/desktop/simulator/controls.ts";
import { DEEDS } from "../../targets/desktop/simulator/deeds.ts";
import { toldOf } from "../../targets/desktop/simulator/log/reasons.ts";
import { stateName } from "../../targets/desktop/simulator/log/timeline.ts";
import type { View } from "../../targets/desktop/simulator/view.ts";
import { FAULTS } from "../../targets/desktop/simulator/world/faults.ts";
import { isFullRun } from "../full-run.ts";
import { bench } from "./bench.ts";

const CODE = "BCDF-GHJK";

function guide(state: State, phone: PhonePage = "home", more: object = {}, world: object = {}) {
  const userCode = state === State.PENDING ? CODE : "";
  const kind = "bare";
  const device = { kind, on: true, state: stateName(state), userCode, reason: undefined, ...more };
  return guideOf({ device, faults: [], administrator: "", ...world } as unknown as View, phone);
}

function failedBy(name: string): object {
  const { mend } = toldOf(ErrorCode[name.toUpperCase() as keyof typeof ErrorCode]);
  return { reason: { name, from: "the authorization server", mend } };
}

test.each([
  [State.STARTING, 0, undefined, /asks the service/],
  [State.SIGNED_OUT, 0, "get a code", /waits for somebody/],
  [State.REQUESTING, 0, undefined, /asks the service/],
  [State.PENDING, 1, "enter the code", /shows a code/],
  [State.SIGNED_IN, 3, "What can go wrong?", /is signed in/],
  [State.REFRESHING, 3, "What can go wrong?", /is signed in/],
  [State.REVOKING, 0, undefined, /signs out/],
  [State.FAILED, 0, "get a code", /sign-in failed/],
])("state %i: step %i is lit, and %s is what to press", (state, step, label, says) => {
  const one = guide(state);
  expect([one.step, one.next?.label]).toEqual([step, label]);
  expect(one.says).toMatch(says);
});

test("on the phone it goes on there: nothing of the panel is the thing to press", () => {
  expect(guide(State.PENDING, "code")).toMatchObject({ step: 1, next: undefined });
  expect(guide(State.PENDING, "consent")).toMatchObject({ step: 2, next: undefined });
  expect(guide(State.PENDING, "other")).toMatchObject({ step: 1, next: { does: "#scan" } });
  // A page that wants the code, and has none or another, goes on nowhere: there is something to press.
  expect(guide(State.PENDING, "type")).toMatchObject({ step: 1, next: { does: "#scan" } });
  // Without a phone of the panel's, it is the person's own.
  expect(guide(State.PENDING, "none")).toMatchObject({ step: 1, next: undefined });
  const decision = { what: "ada allows", userCode: CODE, isByKey: true, order: 7 };
  const decided = guide(State.PENDING, "other", {}, { decision });
  expect(decided).toMatchObject({ step: 2, next: undefined });
  expect(decided.says).toMatch(/^Decided: ada allows\./);
});

test("after a refusal another code is offered only where it can end otherwise", () => {
  const refused = failedBy("admin_policy_enforced");
  const administrator = "policy harbour-school";
  expect(guide(State.FAILED, "other", refused, { administrator })).toMatchObject({
    next: { label: "be the administrator: allow it", does: "administrator" },
    says: expect.stringContaining("Ask your administrator to allow what the app asks for."),
  });
  for (const name of ["invalid_client", "unauthorized_client", "invalid_scope"]) {
    expect(guide(State.FAILED, "other", failedBy(name)).next?.does).toBe("client living-room-tv");
    expect(guide(State.FAILED, "none", failedBy(name)).next).toBeUndefined();
  }
});

/** Presses the strong button alone; on the phone, the accounts are tried in turn. @returns what it said last */
async function follow(controller: Controller): Promise<string> {
  const accounts = ["ada", "nora", "ben"];
  const said: string[] = [];
  for (let press = 0; press < 40; press++) {
    const view = controller.viewer.view();
    const { step, next, says } = guideOf(view, "home");
    // What is lit, or ticked, says of a code that it is shown only while one is.
    const isShown = wordsOf(step, view.device.on)[0] === "The device shows a code";
    expect(isShown, says).toBe(view.device.userCode !== "" && step < 3);
    said.push(`${says} [${next?.label ?? ""}] {${view.device.state}}`);
    if (next?.does === "#faults") return "";
    if (next?.does === "#scan") {
      await controller.run(`allow ${accounts[0]}`);
      accounts.push(accounts.shift()!);
    } else if (next) await controller.run(next.does);
    await controller.run("advance 70s");
  }
  return said.slice(-6).join("\n");
}

const DISTURBING = DEEDS.filter(({ group }) => group !== "clock").map(({ step }) => step);

test("whoever presses nothing but the strong button is signed in in the end, whatever was done before", async () => {
  const step = fc.oneof(
    { weight: 1, arbitrary: fc.constantFrom("advance 3s", "advance 40s", "allow", "power") },
    { weight: 1, arbitrary: fc.constantFrom(...FAULTS.map(({ name }) => `fault ${name}`)) },
    { weight: 1, arbitrary: fc.constantFrom(...DISTURBING) },
  );
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 10, size: "max" }), async (steps) => {
      const { simulation, controller } = bench();
      simulation.powerOn();
      for (const one of steps) await controller.run(one);
      expect(await follow(controller)).toBe("");
      expect(simulation.driver?.isSignedIn).toBe(true);
    }),
    { numRuns: isFullRun ? 200 : 10 },
  );
});
