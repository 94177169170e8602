// Plays the scenarios (in a quick run, every third one). An unmet expectation or a visible secret fails.
import { expect, test } from "vitest";
import { findScenario, play, scenarioNames } from "../../targets/desktop/scenarios/play.ts";
import { isFrame, sideBySide } from "../../targets/desktop/scenarios/player.ts";
import { readScenario } from "../../targets/desktop/scenarios/scenario.ts";
import { ACTIONS, type Action } from "../../targets/desktop/simulator/actions.ts";
import { shows } from "../../targets/desktop/simulator/device/display.ts";
import type { Simulation } from "../../targets/desktop/simulator/simulation.ts";
import { isStep } from "../../targets/desktop/simulator/steps.ts";
import { isFullRun } from "../full-run.ts";

const SECRET = /pg[adr]\.[\w-]{10}|tv-secret/;

function expectMasked({ exchanges }: Simulation): void {
  for (const { id } of exchanges.entries) {
    const { request, response } = exchanges.detailOf(id)!;
    expect(request).toContain("\nAccept: application/json");
    expect(response).toMatch(/^(HTTP status \d{3}\n|no response: |$)/);
    expect(`${request}${response}`).not.toMatch(SECRET);
  }
}

const played = scenarioNames().filter((_, at) => isFullRun || at % 3 === 0);

test.each(played)("scenario %s", async (name) => {
  let environment: Simulation | undefined;
  const { unmet, expectations } = await play(findScenario(name), {
    created(simulation) {
      environment = simulation;
    },
  });
  expect(unmet && `line ${unmet.line.number}\n${sideBySide(unmet)}`).toBeUndefined();
  expect(expectations).toBeGreaterThan(0);
  expect(environment!.exchanges.entries.length).toBeGreaterThan(0);
  expectMasked(environment!);
});

test.each([
  ['expect "Signed in"', "Signed in"],
  ['expect "Code " within 10s\nexpect not "Code "', "not: Code "],
  ["expect state signed in", "signed in"],
  ["expect 3 polls", "expect 3 polls"],
  ["expect frame\n  |Nothing|", "Nothing"],
])("an unmet expectation ends the scenario: %s", async (text, expected) => {
  const { unmet } = await play(readScenario("wrong", `${text}\nexpect "never reached"`));
  expect(unmet?.expected).toEqual([expected]);
  expect(sideBySide(unmet!)).toContain(expected);
});

test.each([
  ["expect", /^wrong, line 1: "expect" is neither/],
  ["\n\nhop", /^wrong, line 3: "hop" is neither/],
  ["with tea", /^wrong, line 1: after "with"/],
  ['expect "x" within soon', /^wrong, line 1: "soon" is no duration/],
])("an invalid scenario is reported with its line: %s", (text, message) => {
  expect(() => readScenario("wrong", text)).toThrow(message);
});

test.each([
  ["press any", /no button "any"/],
  ["fault flood", /no fault "flood"/],
  ["display 9x9", /16 to 80 columns/],
  ["advance soon", /no duration/],
])("a step that cannot run reports why: %s", async (text, message) => {
  await expect(play(readScenario("wrong", text))).rejects.toThrow(message);
});

test("shows finds wrapped text; in isFrame, only ? matches any character", () => {
  expect(shows(["3 broadcasts:       ", "Harbour regatta     "], "broadcasts: Harbour")).toBe(true);
  expect(shows(["3 broadcasts:       "], "Harbour")).toBe(false);
  expect(isFrame(["Code AB"], ["Code ??"])).toBe(true);
  expect(isFrame(["Code AB"], ["Code A?"])).toBe(true);
  expect(isFrame(["Code AB"], ["Code B?"])).toBe(false);
  expect(isFrame(["Code AB"], ["Code ???"])).toBe(false);
  expect(isFrame(["a", "b"], ["a"])).toBe(false);
});

// actions.test.ts plays the faults one by one.
test("a scenario plays every other action of the table", () => {
  const lines = new Set(
    scenarioNames().flatMap((name) => findScenario(name).lines.map(({ text }) => text)),
  );
  const isPlayed = ({ name, step, group }: Action): boolean =>
    group === "clock" ||
    group === "fault" ||
    lines.has(name) ||
    [...lines].some((line) => line === step || line.startsWith(`${step} `));
  expect(ACTIONS.filter((action) => !isPlayed(action)).map(({ name }) => name)).toEqual([]);
});

test("every action has a unique name, and its step is valid", () => {
  const names = ACTIONS.map(({ name }) => name);
  expect(new Set(names).size).toBe(names.length);
  for (const { name, step } of ACTIONS) {
    expect(name).toMatch(/^[a-z][a-z-]*$/);
    expect(isStep(step)).toBe(true);
  }
});
