// Whatever a person does in any order, by keys and buttons, on the phone's pages and with faults: recorded, it replays
// to the same end. Random sessions, on a clock that stands and on one that runs.
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { play, virtualWorld } from "../../targets/desktop/scenarios/play.ts";
import { Recorder } from "../../targets/desktop/scenarios/recorder.ts";
import { Recording } from "../../targets/desktop/scenarios/recording.ts";
import { readScenario } from "../../targets/desktop/scenarios/scenario.ts";
import { DEEDS, type Deed } from "../../targets/desktop/simulator/deeds.ts";
import type { Simulation } from "../../targets/desktop/simulator/simulation.ts";
import { isFullRun } from "../full-run.ts";
import { Visitor } from "../service/visitor.ts";
import { bench, differenceOf, startSimulator } from "./bench.ts";

/** One thing that a person does: a command, a visit to the service's pages, or nothing for a while. */
type Act =
  | { readonly does: "command"; readonly command: string }
  | { readonly does: "decide"; readonly how: "allow" | "deny"; readonly account: string }
  | { readonly does: "account"; readonly deed: string }
  | { readonly does: "wait"; readonly ms: number };

/** How time passes is told below: a clock that runs by itself has no replay. */
const isOfWorld = ({ group }: Deed): boolean => group !== "clock";
const often = ["new-code", "allow", "deny", "power", "power-cycle", "sign-out", "list", "mend"];
const act: fc.Arbitrary<Act> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      does: fc.constant("wait" as const),
      ms: fc.integer({ min: 1, max: 400_000 }),
    }),
  },
  { weight: 3, arbitrary: commandOf(often) },
  { weight: 4, arbitrary: commandOf(DEEDS.filter(isOfWorld).map(({ name }) => name)) },
  { weight: 1, arbitrary: commandOf(["advance 30m", "advance 7s", "step", "speed 100"]) },
  {
    weight: 3,
    arbitrary: fc.record({
      does: fc.constant("decide" as const),
      how: fc.constantFrom("allow" as const, "deny" as const),
      account: fc.constantFrom("ada", "ben", "pupil", "nora", "guest", "robot"),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      does: fc.constant("account" as const),
      deed: fc.constantFrom("sign-out-everywhere", "disable", "enable", "remove"),
    }),
  },
);

function commandOf(names: readonly string[]): fc.Arbitrary<Act> {
  return fc.constantFrom(...names).map((command) => ({ does: "command", command }));
}

const commands = (...names: readonly string[]): [Act[]] => [
  names.map((command) => ({ does: "command", command })),
];
/** What random sessions have found. */
const FOUND = [
  // What was due has happened, though no time has passed.
  commands("captive-portal", "new-code", "step"),
];

/** What the person does on the pages; one that is not offered there now is not done. */
async function visit(visitor: Visitor, simulation: Simulation, one: Act): Promise<void> {
  if (one.does === "decide") {
    const entry = await visitor.get(`/device?user_code=${simulation.userCode}`);
    const chooser = await visitor.submit(entry, "/device", { user_code: simulation.userCode });
    if (!chooser.html.includes('action="/device/account"')) return;
    const consent = await visitor.submit(chooser, "/device/account", { account: one.account });
    if (!consent.html.includes('action="/device/decision"')) return;
    await visitor.submit(consent, "/device/decision", { decision: one.how, access: "" });
  } else if (one.does === "account") {
    const page = await visitor.get("/account");
    const own = page.html.includes('action="/account/choose"')
      ? await visitor.submit(page, "/account/choose", { account: "ada" })
      : page;
    const action = `/account/${one.deed}`;
    if (own.html.includes(`action="${action}"`)) await visitor.submit(own, action, {});
  }
}

test("RFC 8628 by hand, in any order: a recording replays to the same end", () =>
  fc.assert(
    fc.asyncProperty(fc.array(act, { minLength: 3, maxLength: 25 }), async (acts) => {
      const { simulation, controller } = bench();
      const recording = new Recording(simulation, "a test");
      controller.recorder = recording;
      const visitor = new Visitor(simulation.service!);
      simulation.powerOn();
      for (const one of acts) {
        if (one.does === "wait") await simulation.clock.advance(one.ms);
        else if (one.does === "command") await controller.run(one.command);
        else await visit(visitor, simulation, one);
      }
      expect(await differenceOf(simulation, await recording.text())).toBe("");
      simulation.clock.close();
    }),
    { numRuns: isFullRun ? 60 : 10, examples: FOUND },
  ));

test("a decision about a code that the device has given up is no step of the recording", async () => {
  const { simulation, controller } = bench();
  const recording = new Recording(simulation, "a test");
  controller.recorder = recording;
  simulation.powerOn();
  await controller.run("new-code");
  await simulation.clock.advance(10_000);
  const { userCode } = simulation;
  await controller.run("new-code");
  await simulation.clock.advance(10_000);
  expect(simulation.userCode).not.toBe(userCode);
  expect(simulation.service!.deny(userCode)).toBe("access_denied");
  await simulation.clock.advance(60_000);
  expect(simulation.display.lines.join()).toContain("Open in browser");
  const text = await recording.text();
  expect(text).not.toContain("deny");
  expect(await differenceOf(simulation, text)).toBe("");
  simulation.clock.close();
});

test("RFC 9112 section 9.8: an idle connection is kept so long that a busy process does not cut a poll off", async () => {
  const { url, close } = await startSimulator();
  try {
    // The device closes one after 4 seconds. Node's own 5 are over where both sides were kept busy for longer.
    const answer = await fetch(`${url}/device`, { headers: { connection: "keep-alive" } });
    const [, seconds] = /timeout=(\d+)/.exec(answer.headers.get("keep-alive") ?? "") ?? [];
    expect(Number(seconds)).toBeGreaterThanOrEqual(30);
  } finally {
    await close();
  }
});

test("what is decided on the service's own pages is recorded with its choices, and replays", async () => {
  const folder = mkdtempSync(path.join(tmpdir(), "picogrant-"));
  const file = path.join(folder, "recorded.scenario");
  const simulation = virtualWorld();
  const service = simulation.service!;
  const recorder = new Recorder(simulation, file);
  simulation.powerOn();
  recorder.step("scope video.readonly email");
  simulation.useScope(["video.readonly", "email"]);
  await simulation.clock.advance(12_000);
  const visitor = new Visitor(service);
  const entry = await visitor.get(`/device?user_code=${simulation.userCode}`);
  const chooser = await visitor.submit(entry, "/device", {});
  const consent = await visitor.submit(chooser, "/device/account", { account: "ben" });
  const decision = { decision: "allow", access: "" };
  await visitor.submit(consent, "/device/decision", decision, ["email"]);
  await simulation.clock.advance(30_000);
  expect(() => new Recorder(simulation, `${file}.2`)).toThrow(/has a past/);
  const account = await visitor.get("/account");
  await visitor.submit(account, "/account/sign-out-everywhere", {});
  await simulation.clock.advance(1000);
  recorder.step("press list");
  simulation.press("list");
  await recorder.save();
  const text = readFileSync(file, "utf8");
  const fresh = virtualWorld();
  expect(() => new Recorder(fresh, file)).toThrow(/is there already; choose another file/);
  expect(readFileSync(file, "utf8")).toBe(text);
  rmSync(folder, { recursive: true });
  expect(text).toMatch(/allow ben scopes=\S+video\.readonly\n/);
  expect(text).toContain("account sign-out-everywhere ben");
  expect(text).toContain("|Session ended");
  expect((await play(readScenario("recorded", text))).unmet).toBeUndefined();
});
