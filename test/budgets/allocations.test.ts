// After create, the core never allocates. This test measures that in QuickJS, and checks that it detects allocations.
// `npm run budgets` measures longer.

import { describe, expect, test } from "vitest";
import { completeFunctions, grantFunctions } from "../../targets/bundle/surface.ts";
import { measurePolls, measureRun } from "../../targets/workbench/budgets/allocations.ts";
import { builtBundle } from "../../targets/workbench/engines/script.ts";

/** The host calls these two functions before it creates the device. They may allocate. */
const boot = ["create", "configError"];
const measured = [...grantFunctions, ...completeFunctions].filter((name) => !boot.includes(name));

describe("allocations of a complete run", () => {
  test("no call in any state allocates, and a planted allocation is detected", async () => {
    const tallies = await measureRun("complete");
    const guilty = tallies.filter(({ isControl, found }) => !isControl && found > 0);
    expect(guilty).toEqual([]);
    const controls = tallies.filter(({ isControl }) => isControl);
    expect(controls).toHaveLength(5);
    expect(controls.filter(({ found }) => found === 0)).toEqual([]);
    // All states of the device occur, and all API functions except those in `boot`.
    expect(new Set(tallies.map(({ state }) => state)).size).toBe(8);
    expect(new Set(tallies.map(({ name }) => name)).size).toBe(measured.length + 5);
  });

  test("an allocation in one state of a bundle is detected", async () => {
    const planted = `${await builtBundle("grant")}
        picogrant.responseEnd = (function (end) {
          return function (device, id) {
            var kept = device[Property.STATE] === 3 ? [id] : id;
            return end(device, id, kept);
          };
        })(picogrant.responseEnd);`;
    const tallies = await measureRun("grant", "release", planted);
    const guilty = tallies.filter(({ isControl, found }) => !isControl && found > 0);
    expect(guilty.map(({ name, state }) => `${name} ${state}`)).toEqual(["responseEnd PENDING"]);
  });
});

test.each(["release", "ng"] as const)(
  "polls through driver and core on QuickJS, %s: no allocation, and none is early; an allocating loop is detected",
  async (which) => {
    const { allocations, control, requests, earliestMs } = await measurePolls(1000, which);
    expect([allocations, requests]).toEqual([0, 1000]);
    expect(control).toBeGreaterThanOrEqual(10);
    expect(earliestMs).toBeGreaterThanOrEqual(5000);
  },
);
