// The log of the user's steps on the service's pages (RFC 8628 sections 3.3 and 5.4): each once, in order, without
// codes.
import { beforeEach, expect, test } from "vitest";
import { virtualWorld } from "../../targets/desktop/scenarios/play.ts";
import { shows } from "../../targets/desktop/simulator/device/display.ts";
import type { Simulation } from "../../targets/desktop/simulator/simulation.ts";
import { perform } from "../../targets/desktop/simulator/steps.ts";
import { Visitor } from "../service/visitor.ts";

let simulation: Simulation;
let visitor: Visitor;

beforeEach(async () => {
  simulation = virtualWorld();
  visitor = new Visitor(simulation.service!);
  simulation.powerOn();
  await simulation.clock.advance(10_000, () => simulation.userCode !== "");
});

function told(): string[] {
  return simulation.timeline.entries.filter(({ by }) => by === "person").map(({ what }) => what);
}

test("the address opened, the code typed, signed in, allowed", async () => {
  const entry = await visitor.get("/device");
  const chooser = await visitor.submit(entry, "/device", { user_code: simulation.userCode });
  const consent = await visitor.submit(chooser, "/device/account", { account: "ben" });
  await visitor.submit(consent, "/device/decision", { decision: "allow", access: "" });
  expect(told()).toEqual(["opens the page", "types the code", "signs in as ben", "ben allows"]);
  expect(JSON.stringify(simulation.timeline.entries)).not.toContain(simulation.userCode);
});

test("the code scanned and confirmed, denied", async () => {
  const entry = await visitor.get(`/device?user_code=${simulation.userCode}`);
  const chooser = await visitor.submit(entry, "/device", {});
  const consent = await visitor.submit(chooser, "/device/account", { account: "ada" });
  await visitor.submit(consent, "/device/decision", { decision: "deny" });
  expect(told()).toEqual([
    "enters the code",
    "confirms the code",
    "signs in as ada",
    "user denies",
  ]);
});

test("codes that lead nowhere: wrong, used, expired; a page that was loaded twice is logged once", async () => {
  const code = simulation.userCode;
  await visitor.get("/device");
  const entry = await visitor.get("/device");
  await visitor.submit(entry, "/device", { user_code: "BBBB-BBBB" });
  simulation.decide("deny");
  await visitor.submit(entry, "/device", { user_code: code });
  await simulation.clock.advance(10_000);
  await perform(simulation, "new-code");
  await simulation.clock.advance(10_000, () => simulation.userCode !== "");
  const second = simulation.userCode;
  simulation.powerOff();
  await simulation.clock.advance(1_900_000);
  await visitor.submit(entry, "/device", { user_code: second });
  expect(told()).toEqual([
    "opens the page",
    "types a wrong code",
    "user denies",
    "enters a code that was used",
    "enters a code that has expired",
  ]);
});

test("an action on the account page is logged as the step of the same name", async () => {
  const chooser = await visitor.get("/account");
  const account = await visitor.submit(chooser, "/account/choose", { account: "ada" });
  await visitor.submit(account, "/account/sign-out-everywhere", {});
  await perform(simulation, "sign-out-everywhere");
  const [signIn, ...both] = told();
  expect(signIn).toBe("signs in as ada");
  expect(both).toEqual(["ada signs out everywhere", "ada signs out everywhere"]);
});

test("a form from another site is not a step of this user", async () => {
  await visitor.post("/device", { csrf: "guessed", user_code: simulation.userCode });
  await visitor.post("/account/disable", { csrf: "guessed", account: "ada" });
  expect(told()).toEqual([]);
  expect(shows(simulation.display.lines, "Code ")).toBe(true);
});
