// What a person can do, by key or button: no key twice, and what is wrong is told in one line.
import { expect, test } from "vitest";
import { virtualWorld } from "../../targets/desktop/scenarios/play.ts";
import { CONTROLS, Controller } from "../../targets/desktop/simulator/controls.ts";
import { Viewer } from "../../targets/desktop/simulator/view.ts";
import { FAULTS } from "../../targets/desktop/simulator/world/faults.ts";

test("no two controls share a key, and every fault has one", () => {
  const keys = CONTROLS.map(({ key }) => key);
  expect(new Set(keys).size).toBe(keys.length);
  expect(keys).not.toContain("q");
  for (const { key } of FAULTS) expect(keys).toContain(key);
});

test("a wrong command is told in one line and changes nothing", async () => {
  const simulation = virtualWorld({ columns: 20, rows: 4, account: "ada", rotate: false });
  const viewer = new Viewer(simulation);
  await new Controller(simulation, viewer, true).run("press any key");
  expect(viewer.message).toMatch(/^there is no button/);
  await new Controller(simulation, viewer, false).run("advance 30m");
  expect(viewer.message).toBe("a real server runs on real time");
  expect(simulation.clock.nowMs()).toBe(0);
});
