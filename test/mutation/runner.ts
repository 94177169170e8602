// A test runner for Stryker that runs the core's tests in its own process, one after the other until one
// fails. Vitest's takes a second or more to start for each of some three thousand mutants; this one nothing.

import { rmSync } from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { INSTRUMENTER_CONSTANTS, type MutantCoverage } from "@stryker-mutator/api/core";
import { declareClassPlugin, PluginKind } from "@stryker-mutator/api/plugin";
import {
  type DryRunResult,
  DryRunStatus,
  determineHitLimitReached,
  type MutantRunOptions,
  type MutantRunResult,
  type TestResult,
  type TestRunner,
  type TestRunnerCapabilities,
  TestStatus,
  toMutantRunResult,
} from "@stryker-mutator/api/test-runner";
import { bundleTests } from "./mutant-bundle.ts";
import type { Test } from "./stand-in.ts";
import { TimeLimitReached, TimeLimits } from "./time-limit.ts";

/** What the mutated code and whoever runs it know of each other. */
interface Namespace {
  activeMutant?: string | undefined;
  currentTestId?: string | undefined;
  mutantCoverage?: MutantCoverage;
  hitCount?: number | undefined;
  hitLimit?: number | undefined;
}

const STRYKERS_FACTOR = 100;

/** Stryker gives a mutant a hundred times the hits of all tests together: minutes, in the scanner. */
function hitLimitOf({ hitLimit }: MutantRunOptions): number | undefined {
  return hitLimit === undefined ? undefined : Math.ceil(hitLimit / STRYKERS_FACTOR) * 3 + 1000;
}

class InProcessRunner implements TestRunner {
  private readonly bundle = path.resolve(`mutants-${process.pid}.mjs`);
  private readonly namespace: Namespace;
  private tests: readonly Test[] = [];
  private loads = 0;
  private readonly limits = new TimeLimits();
  /** Of tests that have killed a mutant the last is the first: they often kill the next. */
  private readonly ranks = new Map<string, number>();
  private kills = 0;

  constructor() {
    const holder = globalThis as unknown as Record<string, Namespace>;
    holder[INSTRUMENTER_CONSTANTS.NAMESPACE] ??= {};
    this.namespace = holder[INSTRUMENTER_CONSTANTS.NAMESPACE]!;
  }

  capabilities(): TestRunnerCapabilities {
    return { reloadEnvironment: true };
  }

  async init(): Promise<void> {
    // Stryker has put the mutants into a copy of the repository, from where it runs.
    const { PICOGRANT_REPOSITORY: repository } = process.env;
    if (!repository)
      throw new Error("npm run tool -- mutation starts this: it sets PICOGRANT_REPOSITORY");
    await bundleTests(process.cwd(), repository, this.bundle);
  }

  async dryRun(): Promise<DryRunResult> {
    this.namespace.activeMutant = undefined;
    await this.load();
    const results = await this.run(undefined, false);
    this.namespace.currentTestId = undefined;
    this.limits.save(new Map(results.map(({ name, timeSpentMs }) => [name, timeSpentMs])));
    const { mutantCoverage } = this.namespace;
    return {
      status: DryRunStatus.Complete,
      tests: results,
      ...(mutantCoverage && { mutantCoverage }),
    };
  }

  async mutantRun(options: MutantRunOptions): Promise<MutantRunResult> {
    const { namespace } = this;
    const hitLimit = hitLimitOf(options);
    namespace.hitLimit = hitLimit;
    namespace.hitCount = 0;
    const isStatic = options.mutantActivation === "static";
    namespace.activeMutant = isStatic ? options.activeMutant.id : undefined;
    try {
      // What is computed while the core is loaded must be computed anew, and not be left behind.
      if (isStatic || this.isStale || this.loads === 0) await this.load();
      this.isStale = isStatic;
      namespace.activeMutant = options.activeMutant.id;
      const tests = await this.run(options.testFilter, true);
      const limit = determineHitLimitReached(namespace.hitCount, hitLimit);
      return toMutantRunResult(limit ?? { status: DryRunStatus.Complete, tests });
    } catch (error) {
      if (error instanceof TimeLimitReached) {
        return toMutantRunResult({ status: DryRunStatus.Timeout, reason: error.message });
      }
      if (!isStatic) throw error;
      // The mutant does not even load.
      const name = "loading";
      const failure = { id: name, name, timeSpentMs: 0, failureMessage: String(error) };
      const tests = [{ ...failure, status: TestStatus.Failed as const }];
      return toMutantRunResult({ status: DryRunStatus.Complete, tests });
    }
  }

  private isStale = false;

  async dispose(): Promise<void> {
    rmSync(this.bundle, { force: true });
  }

  private async load(): Promise<void> {
    const loaded: unknown = await import(`${pathToFileURL(this.bundle).href}?${this.loads++}`);
    this.tests = (loaded as { tests: readonly Test[] }).tests;
  }

  private inOrder(chosen: ReadonlySet<string> | undefined): readonly Test[] {
    const tests = chosen ? this.tests.filter(({ name }) => chosen.has(name)) : [...this.tests];
    const rank = ({ name }: Test): number => this.ranks.get(name) ?? 0;
    const isLong = ({ name }: Test): number => +this.limits.isLong(name);
    // Most mutants die in a test of a few milliseconds, and need not meet a random one of seconds.
    return tests.sort((a, b) => isLong(a) - isLong(b) || rank(a) - rank(b));
  }

  private async run(filter: readonly string[] | undefined, bails: boolean): Promise<TestResult[]> {
    const chosen = filter && new Set(filter);
    const results: TestResult[] = [];
    if (chosen && !this.tests.some(({ name }) => chosen.has(name))) {
      throw new Error("none of the tests that Stryker names is here");
    }
    for (const test of this.inOrder(chosen)) {
      const { name } = test;
      const common = { id: name, name };
      // Whose coverage it is matters to the dry run alone, and is dear to keep.
      this.namespace.currentTestId = bails ? undefined : name;
      const startMs = performance.now();
      try {
        // The first run, which counts what is covered, is much slower than all others.
        await (bails ? this.limits.run(test) : test.run());
        const timeSpentMs = performance.now() - startMs;
        results.push({ ...common, timeSpentMs, status: TestStatus.Success });
      } catch (error) {
        if (error instanceof TimeLimitReached) throw error;
        const timeSpentMs = performance.now() - startMs;
        const failureMessage = String(error);
        results.push({ ...common, timeSpentMs, status: TestStatus.Failed, failureMessage });
        if (!bails) continue;
        this.ranks.set(name, --this.kills);
        break;
      }
    }
    return results;
  }
}

export const strykerPlugins = [
  declareClassPlugin(PluginKind.TestRunner, "in-process", InProcessRunner),
];
