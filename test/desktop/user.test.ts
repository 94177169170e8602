// Tests the log of the user's steps on the service's pages. The log must not contain codes.
import { beforeEach, expect, test } from "vitest";
import { virtualEnvironment } from "../../targets/desktop/scenarios/play.ts";
import { shows } from "../../targets/desktop/simulator/device/display.ts";
import type { Simulation } from "../../targets/desktop/simulator/simulation.ts";
import { perform } from "../../targets/desktop/simulator/steps.ts";
import { UserAgent } from "../service/user-agent.ts";

let simulation: Simulation;
let userAgent: UserAgent;

beforeEach(async () => {
  simulation = virtualEnvironment();
  userAgent = new UserAgent(simulation.service!);
  simulation.powerOn();
  await simulation.clock.advance(10_000, () => simulation.userCode !== "");
});

function reported(): string[] {
  return simulation.timeline.entries.filter(({ by }) => by === "user").map(({ what }) => what);
}

test("the user opens the address, types the code, signs in, and allows", async () => {
  const entry = await userAgent.get("/device");
  const chooser = await userAgent.submit(entry, "/device", { user_code: simulation.userCode });
  const consent = await userAgent.submit(chooser, "/device/account", { account: "ben" });
  await userAgent.submit(consent, "/device/decision", { decision: "allow", access: "" });
  expect(reported()).toEqual(["opens the page", "types the code", "signs in as ben", "ben allows"]);
  expect(JSON.stringify(simulation.timeline.entries)).not.toContain(simulation.userCode);
});

test("the user scans the code, confirms it, and denies", async () => {
  const entry = await userAgent.get(`/device?user_code=${simulation.userCode}`);
  const chooser = await userAgent.submit(entry, "/device", {});
  const consent = await userAgent.submit(chooser, "/device/account", { account: "ada" });
  await userAgent.submit(consent, "/device/decision", { decision: "deny" });
  expect(reported()).toEqual([
    "enters the code",
    "confirms the code",
    "signs in as ada",
    "user denies",
  ]);
});

test("wrong, used and expired codes are logged; a page that is loaded twice is logged once", async () => {
  const code = simulation.userCode;
  await userAgent.get("/device");
  const entry = await userAgent.get("/device");
  await userAgent.submit(entry, "/device", { user_code: "BBBB-BBBB" });
  simulation.decide("deny");
  await userAgent.submit(entry, "/device", { user_code: code });
  await simulation.clock.advance(10_000);
  await perform(simulation, "new-code");
  await simulation.clock.advance(10_000, () => simulation.userCode !== "");
  const second = simulation.userCode;
  simulation.powerOff();
  await simulation.clock.advance(1_900_000);
  await userAgent.submit(entry, "/device", { user_code: second });
  expect(reported()).toEqual([
    "opens the page",
    "types a wrong code",
    "user denies",
    "enters a code that was used",
    "enters a code that has expired",
  ]);
});

test("an action on the account page is logged as the step with the same name", async () => {
  const chooser = await userAgent.get("/account");
  const account = await userAgent.submit(chooser, "/account/choose", { account: "ada" });
  await userAgent.submit(account, "/account/sign-out-everywhere", {});
  await perform(simulation, "sign-out-everywhere");
  const [signIn, ...both] = reported();
  expect(signIn).toBe("signs in as ada");
  expect(both).toEqual(["ada signs out everywhere", "ada signs out everywhere"]);
});

test("a form from another site is not logged as a step of this user", async () => {
  await userAgent.post("/device", { csrf: "guessed", user_code: simulation.userCode });
  await userAgent.post("/account/disable", { csrf: "guessed", account: "ada" });
  expect(reported()).toEqual([]);
  expect(shows(simulation.display.lines, "Code ")).toBe(true);
});
