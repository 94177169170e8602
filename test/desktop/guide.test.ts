// Tests the three steps that the panel shows. A user who only presses the primary button always gets to a sign-in.
import fc from "fast-check";
import { expect, test } from "vitest";
import { ErrorCode, State } from "../../core/complete.ts";
import { guideOf, type PhonePage, wordsOf } from "../../targets/desktop/panel/client/guide.ts";
import { ACTIONS } from "../../targets/desktop/simulator/actions.ts";
import type { Controller } from "../../targets/desktop/simulator/controls.ts";
import { FAULTS } from "../../targets/desktop/simulator/environment/faults.ts";
import { reportedOf } from "../../targets/desktop/simulator/log/reasons.ts";
import { stateName } from "../../targets/desktop/simulator/log/timeline.ts";
import type { View } from "../../targets/desktop/simulator/view.ts";
import { isFullRun } from "../full-run.ts";
import { bench } from "./bench.ts";

const CODE = "BCDF-GHJK";

function guide(
  state: State,
  phone: PhonePage = "home",
  more: object = {},
  environment: object = {},
) {
  const userCode = state === State.PENDING ? CODE : "";
  const kind = "bare";
  const device = { kind, on: true, state: stateName(state), userCode, reason: undefined, ...more };
  return guideOf(
    { device, faults: [], administrator: "", ...environment } as unknown as View,
    phone,
  );
}

function failedBy(name: string): object {
  const { fix } = reportedOf(ErrorCode[name.toUpperCase() as keyof typeof ErrorCode]);
  return { reason: { name, from: "the authorization server", fix } };
}

test.each([
  [State.STARTING, 0, undefined, /requests a code/],
  [State.SIGNED_OUT, 0, "get a code", /waits for a user/],
  [State.REQUESTING, 0, undefined, /requests a code/],
  [State.PENDING, 1, "enter the code", /shows a code/],
  [State.SIGNED_IN, 3, "What can go wrong?", /is signed in/],
  [State.REFRESHING, 3, "What can go wrong?", /is signed in/],
  [State.REVOKING, 0, undefined, /signs out/],
  [State.FAILED, 0, "get a code", /sign-in failed/],
])("state %i: step %i, with %s as the primary button", (state, step, label, description) => {
  const one = guide(state);
  expect([one.step, one.next?.label]).toEqual([step, label]);
  expect(one.description).toMatch(description);
});

test("while the user works on the phone, the panel has no primary button", () => {
  expect(guide(State.PENDING, "code")).toMatchObject({ step: 1, next: undefined });
  expect(guide(State.PENDING, "consent")).toMatchObject({ step: 2, next: undefined });
  expect(guide(State.PENDING, "other")).toMatchObject({ step: 1, next: { does: "#scan" } });
  // The phone's page does not contain the code yet, so the panel offers a button.
  expect(guide(State.PENDING, "type")).toMatchObject({ step: 1, next: { does: "#scan" } });
  // If the panel has no phone, the user continues on a real phone.
  expect(guide(State.PENDING, "none")).toMatchObject({ step: 1, next: undefined });
  const decision = { what: "ada allows", userCode: CODE, isByKey: true, order: 7 };
  const decided = guide(State.PENDING, "other", {}, { decision });
  expect(decided).toMatchObject({ step: 2, next: undefined });
  expect(decided.description).toMatch(/^Decided: ada allows\./);
});

test("after a refusal, the panel offers another code only if the next sign-in can have another result", () => {
  const refused = failedBy("admin_policy_enforced");
  const administrator = "policy harbour-school";
  expect(guide(State.FAILED, "other", refused, { administrator })).toMatchObject({
    next: { label: "be the administrator: allow it", does: "administrator" },
    description: expect.stringContaining("Ask your administrator to allow what the app requests."),
  });
  for (const name of ["invalid_client", "unauthorized_client", "invalid_scope"]) {
    expect(guide(State.FAILED, "other", failedBy(name)).next?.does).toBe("client living-room-tv");
    expect(guide(State.FAILED, "none", failedBy(name)).next).toBeUndefined();
  }
});

/** Presses the primary button, and tries the accounts in turn. Returns "" once signed in, else the last outputs. */
async function follow(controller: Controller): Promise<string> {
  const accounts = ["ada", "nora", "ben"];
  const output: string[] = [];
  for (let press = 0; press < 40; press++) {
    const view = controller.viewer.view();
    const { step, next, description } = guideOf(view, "home");
    const isShown = wordsOf(step, view.device.on)[0] === "The device shows a code";
    expect(isShown, description).toBe(view.device.userCode !== "" && step < 3);
    output.push(`${description} [${next?.label ?? ""}] {${view.device.state}}`);
    if (next?.does === "#faults") return "";
    if (next?.does === "#scan") {
      await controller.run(`allow ${accounts[0]}`);
      accounts.push(accounts.shift()!);
    } else if (next) await controller.run(next.does);
    await controller.run("advance 70s");
  }
  return output.slice(-6).join("\n");
}

const DISTURBING = ACTIONS.filter(({ group }) => group !== "clock").map(({ step }) => step);

test("the primary button alone leads to a sign-in from any state", async () => {
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
