// Lives in the ordinary test run: a few thousand from fresh seeds, the seeds that once failed, and every
// power cut of three sequences. More of them: npm run tool -- lives.

import { beforeAll, describe, expect, it } from "vitest";
import { integersAreChecked } from "../engines/checked-core.ts";
import { freshSeed } from "../seeds.ts";
import { describe as reportOf, runCampaign, unusedFaults } from "./campaign.ts";
import { coreOf, type LivesCore } from "./core-of.ts";
import { allCuts, type Cut, cutOnce, SEQUENCES } from "./exhaustive.ts";
import { runLife } from "./life.ts";
import { readableBundle, shippedBundle } from "./load-core.ts";
import { namesSecret } from "./records.ts";
import regressions from "./regression-seeds.json" with { type: "json" };
import { shrink } from "./shrink.ts";
import { Violation } from "./violation.ts";

const LIVES = 2000;
const SHIPPED_LIVES = 300;
const LIVES_MS_MAX = 900_000;

let core: LivesCore;

beforeAll(async () => {
  core = coreOf(await readableBundle());
});

describe("whole lives", () => {
  it(
    `every invariant holds in ${LIVES} lives from fresh seeds`,
    () => {
      const firstSeed = freshSeed();
      const campaign = runCampaign({ core, firstSeed, lives: LIVES });
      console.info(`lives: seeds from ${firstSeed}`);
      const stories = campaign.failures.map(
        (failure) =>
          `seed ${failure.seed}: ${failure.violation!.invariant}: ${failure.violation!.what}; ` +
          `replay: npm run tool -- lives --seed ${failure.seed} --only ${shrink(failure, core).join()}`,
      );
      expect(stories).toEqual([]);
      expect(unusedFaults(campaign.strikes)).toEqual([]);
      expect(reportOf(campaign, 1).join("\n")).toContain("states: 8 of 8");
    },
    LIVES_MS_MAX,
  );

  it("the shipped bundle, minified, holds them too", async () => {
    const firstSeed = freshSeed();
    console.info(`lives of the shipped bundle: seeds from ${firstSeed}`);
    const shipped = coreOf(await shippedBundle());
    const { failures } = runCampaign({ core: shipped, firstSeed, lives: SHIPPED_LIVES });
    expect(failures).toEqual([]);
  });

  it.each(regressions)("seed $seed: $why", ({ seed }) => {
    expect(runLife(seed, { core, coverage: new Map(), further: false }).violation).toBeUndefined();
  });

  it("a seed tells the same story twice", () => {
    const story = (): string[] => {
      const lines: string[] = [];
      runLife(4711, { core, coverage: new Map(), log: (line) => lines.push(line) });
      return lines;
    };
    const first = story();
    expect(first.length).toBeGreaterThan(20);
    expect(story()).toEqual(first);
  });
});

describe("power cuts at every place", () => {
  it.each(SEQUENCES.flatMap((sequence) => [0, 1].map((sealed) => ({ sequence, sealed }))))(
    "$sequence, sealed $sealed: before every driver step and at every byte of every storage operation",
    ({ sequence, sealed }) => {
      const cuts = allCuts(core, sequence, 1, sealed);
      // The fewest are a refresh's, whose record goes to a slot that was empty: nothing is erased there.
      expect(cuts.length).toBeGreaterThan(75);
      const broken: { cut: Cut; what: string }[] = [];
      for (const cut of cuts) {
        try {
          cutOnce(core, sequence, cut, 1, sealed);
        } catch (error) {
          if (!(error instanceof Violation)) throw error;
          broken.push({ cut, what: error.message });
        }
      }
      expect(broken).toEqual([]);
    },
  );
});

// Of the core it says nothing, whatever that is made of.
describe.skipIf(integersAreChecked)("the simulation itself", () => {
  it("takes four bytes of a sealed record that chance has made for no token", () => {
    const bytes = (text: string): Uint8Array => Buffer.from(text, "latin1");
    expect(namesSecret(bytes("\u00f0\u00dbv\u00cdpga.\u00bf\u0011\u00fd \u00f8^,"))).toBe(false);
    for (const kind of "dra") expect(namesSecret(bytes(`\u00f0pg${kind}./#&%+aB9`))).toBe(true);
  });
});
