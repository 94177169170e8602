// What the three steps of the panel say, in each state of the device and on each page of the phone.

import { expect, test } from "vitest";
import { State } from "../../core/complete.ts";
import { guideOf, type PhonePage } from "../../targets/desktop/panel/client/guide.ts";
import { stateName } from "../../targets/desktop/simulator/log/names.ts";
import type { View } from "../../targets/desktop/simulator/view.ts";

function guide(state: State, phone: PhonePage = "home", more: object = {}) {
  const userCode = state === State.PENDING ? "BCDF-GHJK" : "";
  const device = { on: true, state: stateName(state), userCode, reason: undefined, ...more };
  return guideOf({ device } as unknown as View, phone);
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
});

test("switched off, the switch is the thing to press; what fails and passes says so", () => {
  expect(guide(State.PENDING, "home", { on: false }).next?.does).toBe("power");
  const reason = { name: "unreachable", from: "the device", mend: "passes by itself" };
  expect(guide(State.REQUESTING, "home", { reason }).says).toMatch(/tries again by itself/);
});
