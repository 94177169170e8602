// Set up with PICOGRANT_INVERTED (npm run tool -- expectations): each test that guards a row of COVERAGE runs once as it
// is, and then once for each of its expectations with that one inverted. It has to fail each time: an expectation whose
// failure nobody hears of guards nothing. A test's further runs are the runner's retries, so that all hooks are its own.

import { appendFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import fc from "fast-check";
import { afterEach, beforeEach, chai, expect, type TestContext } from "vitest";
import { referencesOf } from "./references.ts";
import { namesSection, standardSections } from "./standards.ts";

/** What is said of a test, a line of JSON each. */
export interface Verdict {
  readonly name: string;
  readonly file: string;
  /** Fails as it is. */
  readonly isRed: boolean;
  /** Places of expectations that were run, each with its matcher. */
  readonly sites: readonly string[];
  /** Those that may be inverted without a failure. */
  readonly unheard: readonly string[];
}

interface Trial {
  isRed: boolean;
  readonly sites: string[];
  readonly unheard: string[];
  /** Index of the site that is inverted; -1 while notes are taken. */
  at: number;
  isOver: boolean;
  /** Expectations of this run that have no place: those of promises. */
  placeless: number;
}

const report = process.env.PICOGRANT_INVERTED!;
const self = fileURLToPath(import.meta.url);
const trials = new WeakMap<object, Trial>();
const shared = globalThis as { inverted?: { trial: Trial | undefined } };

function guards(name: string): boolean {
  return (
    referencesOf(name).rows.length > 0 || standardSections.some((one) => namesSection(name, one))
  );
}

function siteOf(matcher: string, trial: Trial): string {
  const lines = new Error().stack!.split("\n");
  const place = lines.find((line) => line.includes("/test/") && !line.includes(self));
  if (!place) return `${matcher} ${++trial.placeless}`;
  return `${matcher} ${place.slice(place.indexOf("/test/") + 1).replace(/\)$/, "")}`;
}

/** In the place of every matcher, once in a process. */
function watchMatchers(now: { trial: Trial | undefined }): void {
  const known = globalThis as unknown as Record<symbol, { matchers: Record<string, unknown> }>;
  const { matchers } = known[Symbol.for("$$jest-matchers-object")]!;
  chai.use(({ Assertion }, { flag }) => {
    for (const name of Object.keys(matchers).filter((one) => one !== "withTest")) {
      Assertion.overwriteMethod(name, (matcher: (...args: unknown[]) => unknown) => {
        return function (this: Chai.AssertionStatic, ...args: unknown[]) {
          const { trial } = now;
          if (trial) {
            const site = siteOf(name, trial);
            if (trial.at < 0 && !trial.sites.includes(site)) trial.sites.push(site);
            if (trial.sites[trial.at] === site) flag(this, "negate", !flag(this, "negate"));
          }
          return matcher.apply(this, args);
        };
      });
    }
  });
}

if (!shared.inverted) {
  shared.inverted = { trial: undefined };
  watchMatchers(shared.inverted);
}
const now = shared.inverted;
// Nobody wants the smallest case here.
fc.configureGlobal({ ...fc.readConfigureGlobal(), endOnFailure: true });

function say(task: TestContext["task"], name: string, trial: Trial): void {
  const { isRed, sites, unheard } = trial;
  const verdict: Verdict = { name, file: task.file.name, isRed, sites, unheard };
  appendFileSync(report, `${JSON.stringify(verdict)}\n`);
  trial.isOver = true;
}

beforeEach((context) => {
  const trial = trials.get(context.task) ?? {
    isRed: false,
    sites: [],
    unheard: [],
    at: -1,
    isOver: !guards(expect.getState().currentTestName ?? ""),
    placeless: 0,
  };
  trials.set(context.task, trial);
  trial.placeless = 0;
  if (trial.isOver) context.skip();
  now.trial = trial;
});

afterEach(({ task }) => {
  const { trial } = now;
  now.trial = undefined;
  if (!trial || trial.isOver) return;
  const isRed = task.result?.state === "fail";
  if (trial.at < 0) trial.isRed = isRed;
  else if (!isRed) trial.unheard.push(trial.sites[trial.at]!);
  trial.at++;
  if (trial.isRed || trial.at === trial.sites.length) {
    say(task, expect.getState().currentTestName!, trial);
  } else if (!isRed) throw new Error("once more, with an expectation inverted");
});
