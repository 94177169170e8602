// A test runner for Stryker that runs the tests of a room in its own process, one after the other until one
// fails. Vitest's takes a second or more to start for each of some thousand mutants; this one nothing.

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
import { LeftBehind } from "./left-behind.ts";
import { bundleTests } from "./mutant-bundle.ts";
import { roomNamed } from "./rooms.ts";
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

/** What the bundle gives (mutant-bundle.ts). */
interface Bundle {
  readonly tests: readonly Test[];
  clearTimers(): void;
}

const STRYKERS_FACTOR = 100;

/** Stryker gives a mutant a hundred times the hits of all tests together: minutes, in the scanner. */
function hitLimitOf({ hitLimit }: MutantRunOptions): number | undefined {
  return hitLimit === undefined ? undefined : Math.ceil(hitLimit / STRYKERS_FACTOR) * 3 + 1000;
}

class InProcessRunner implements TestRunner {
  readonly #bundleFile = path.resolve(`mutants-${process.pid}.mjs`);
  readonly #namespace: Namespace;
  #loads = 0;
  #bundle: Bundle | undefined;
  readonly #leftBehind = new LeftBehind();
  readonly #limits = new TimeLimits(this.#leftBehind);
  /** Of tests that have killed a mutant the last is the first: they often kill the next. */
  readonly #ranks = new Map<string, number>();
  #kills = 0;

  constructor() {
    const holder = globalThis as unknown as Record<string, Namespace>;
    holder[INSTRUMENTER_CONSTANTS.NAMESPACE] ??= {};
    this.#namespace = holder[INSTRUMENTER_CONSTANTS.NAMESPACE]!;
  }

  capabilities(): TestRunnerCapabilities {
    return { reloadEnvironment: true };
  }

  async init(): Promise<void> {
    // Stryker has put the mutants into a copy of the repository, from where it runs.
    const { PICOGRANT_REPOSITORY: repository, PICOGRANT_ROOM: name } = process.env;
    if (!repository)
      throw new Error("npm run tool -- mutation starts this: it sets PICOGRANT_REPOSITORY");
    const { tests } = roomNamed(repository, name);
    await bundleTests(process.cwd(), repository, tests, this.#bundleFile);
  }

  async dryRun(): Promise<DryRunResult> {
    this.#namespace.activeMutant = undefined;
    await this.#load();
    const results = await this.#run(undefined, false);
    this.#namespace.currentTestId = undefined;
    this.#limits.save(new Map(results.map(({ name, timeSpentMs }) => [name, timeSpentMs])));
    const { mutantCoverage } = this.#namespace;
    return {
      status: DryRunStatus.Complete,
      tests: results,
      ...(mutantCoverage && { mutantCoverage }),
    };
  }

  async mutantRun(options: MutantRunOptions): Promise<MutantRunResult> {
    const namespace = this.#namespace;
    const hitLimit = hitLimitOf(options);
    namespace.hitLimit = hitLimit;
    namespace.hitCount = 0;
    const isStatic = options.mutantActivation === "static";
    namespace.activeMutant = isStatic ? options.activeMutant.id : undefined;
    try {
      // What is computed while the core is loaded must be computed anew, and not be left behind.
      if (isStatic || this.#isStale || this.#loads === 0) await this.#load();
      this.#isStale = isStatic;
      namespace.activeMutant = options.activeMutant.id;
      const tests = await this.#run(options.testFilter, true);
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

  #isStale = false;

  async dispose(): Promise<void> {
    rmSync(this.#bundleFile, { force: true });
  }

  async #load(): Promise<void> {
    const loaded: unknown = await import(
      `${pathToFileURL(this.#bundleFile).href}?${this.#loads++}`
    );
    this.#bundle = loaded as Bundle;
  }

  #inOrder(chosen: ReadonlySet<string> | undefined): readonly Test[] {
    const all = this.#bundle?.tests ?? [];
    const tests = chosen ? all.filter(({ name }) => chosen.has(name)) : [...all];
    const rank = ({ name }: Test): number => this.#ranks.get(name) ?? 0;
    const isLong = ({ name }: Test): number => +this.#limits.isLong(name);
    // Most mutants die in a test of a few milliseconds, and need not meet a random one of seconds.
    return tests.sort((a, b) => isLong(a) - isLong(b) || rank(a) - rank(b));
  }

  async #run(filter: readonly string[] | undefined, bails: boolean): Promise<TestResult[]> {
    const chosen = filter && new Set(filter);
    const results: TestResult[] = [];
    const tests = this.#inOrder(chosen);
    if (tests.length === 0) throw new Error("none of the tests that Stryker names is here");
    for (const test of tests) {
      const { name } = test;
      const common = { id: name, name };
      // Whose coverage it is matters to the dry run alone, and is dear to keep.
      this.#namespace.currentTestId = bails ? undefined : name;
      this.#leftBehind.begin();
      const startMs = performance.now();
      try {
        await (bails ? this.#limits.run(test) : this.#limits.runFirst(test));
        const timeSpentMs = performance.now() - startMs;
        results.push({ ...common, timeSpentMs, status: TestStatus.Success });
      } catch (error) {
        this.#bundle?.clearTimers();
        await this.#leftBehind.clear();
        if (bails && error instanceof TimeLimitReached) throw error;
        const timeSpentMs = performance.now() - startMs;
        const failureMessage = String(error);
        results.push({ ...common, timeSpentMs, status: TestStatus.Failed, failureMessage });
        if (!bails) continue;
        this.#ranks.set(name, --this.#kills);
        break;
      }
    }
    return results;
  }
}

export const strykerPlugins = [
  declareClassPlugin(PluginKind.TestRunner, "in-process", InProcessRunner),
];
