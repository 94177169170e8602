// Determines which tests detect a mutant. A test detects it if it fails with the mutant and passes without it.

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { BaseSequencer, createVitest, type TestSpecification, type Vitest } from "vitest/node";
import { timeout } from "../timeouts.ts";
import { type Mutant, withMutants } from "./mutants.ts";
import type { Note } from "./setup.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));

/**
 * A test is aborted after this many times the duration of the longest file without a mutant, plus EXTRA_MS. The run of
 * all files is aborted after this many times their total duration, plus EXTRA_MS.
 */
const FACTOR = 5;
const EXTRA_MS: Limits = { test: 30_000, files: 60_000 };
const NONE = -1;

type Limits = Readonly<Record<"test" | "files", number>>;

export interface Failure {
  readonly file: string;
  readonly test: string;
  readonly why: string;
}

class AsGiven extends BaseSequencer {
  override sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return Promise.resolve(files);
  }
}

export class Trials {
  readonly #notes = mkdtempSync(path.join(tmpdir(), "picogrant-sample-"));

  /** @param vitest loads sources with all mutants in them */
  constructor(readonly vitest: Vitest) {}

  /** Starts vitest with all mutants in the sources. Random tests are short, and have the same seed for each mutant. */
  static async of(mutants: readonly Mutant[], seed: number): Promise<Trials> {
    delete process.env.CI;
    process.env.PICOGRANT_SEED ??= `${seed}`;
    process.env.PICOGRANT_ALL = "0";
    // Passes the changed sources to tests that bundle sources themselves.
    const sources = Object.fromEntries(
      [...new Set(mutants.map(({ file }) => file))].map((file) => {
        const own = [...mutants.entries()].filter(([, mutant]) => mutant.file === file);
        const whole = path.join(root, file);
        return [whole, withMutants(readFileSync(whole, "utf8"), own)];
      }),
    );
    const folder = mkdtempSync(path.join(tmpdir(), "picogrant-sources-"));
    process.env.PICOGRANT_SOURCES = path.join(folder, "sources.json");
    writeFileSync(process.env.PICOGRANT_SOURCES, JSON.stringify(sources));
    const compile = {
      name: "picogrant-mutants",
      enforce: "pre" as const,
      transform(source: string, id: string) {
        const own = [...mutants.entries()].filter(([, { file }]) => id === path.join(root, file));
        return own.length === 0 ? null : { code: withMutants(source, own), map: null };
      },
    };
    const options = {
      root,
      config: false as const,
      watch: false,
      reporters: [{}],
      include: ["test/**/*.test.ts"],
      globalSetup: ["test/programs-folder.ts"],
      setupFiles: ["test/seeds.ts", "test/sampler/setup.ts"],
      isolate: false,
      maxWorkers: 1,
      sequence: { sequencer: AsGiven },
      ...timeout,
    };
    return new Trials(
      await createVitest("test", options, { plugins: [compile], logLevel: "silent" }),
    );
  }

  /** For each of these files, the mutants that it reaches. Omits files that fail without a mutant. */
  async notesOf(files: readonly string[]): Promise<Note[]> {
    const failures = await this.#run(files, NONE);
    for (const { file, why } of failures) console.error(`${file} fails without a mutant: ${why}`);
    const lines = readFileSync(path.join(this.#notes, "files"), "utf8").trim().split("\n");
    return lines
      .map((line) => JSON.parse(line) as Note)
      .map((note) => ({ ...note, file: path.relative(root, note.file) }))
      .filter((note) => failures.every(({ file }) => file !== note.file));
  }

  async caughtBy(mutant: number, notes: readonly Note[]): Promise<Failure | undefined> {
    const near = notes.filter(({ met }) => met.includes(mutant));
    // Start with the files that reach few mutants, because they are the most specific ones.
    near.sort((a, b) => a.met.length - b.met.length);
    const limits = {
      test: EXTRA_MS.test + FACTOR * Math.max(0, ...near.map(({ ms }) => ms)),
      files: near.reduce((sum, { ms }) => sum + FACTOR * ms, EXTRA_MS.files),
    };
    for (let left = near.map(({ file }) => file); left.length > 0; ) {
      const [failure] = await this.#run(left, mutant, limits);
      // A timeout may be caused by a slow machine, so run the file again without the mutant.
      if (!failure || !/too long|timed out/i.test(failure.why)) return failure;
      const [without] = await this.#run([failure.file], NONE, limits);
      if (!without) return failure;
      left = left.slice(left.indexOf(failure.file) + 1);
    }
    return undefined;
  }

  /** @param limits for a test and for the whole run, in ms. If given, the run ends at the first failure */
  async #run(files: readonly string[], mutant: number, limits?: Limits): Promise<Failure[]> {
    const vitest = this.vitest;
    const project = vitest.getRootProject();
    rmSync(path.join(this.#notes, "files"), { force: true });
    vitest.state.filesMap.clear();
    vitest.provide("mutant", mutant);
    vitest.provide("notes", this.#notes);
    project.config.bail = limits === undefined ? 0 : 1;
    project.config.testTimeout = limits?.test ?? timeout.testTimeout;
    let isTooLong = false;
    const end = (): void => {
      isTooLong = true;
      process.kill(Number(readFileSync(path.join(this.#notes, "pid"), "utf8")), "SIGKILL");
    };
    const timer = limits && setTimeout(end, limits.files);
    const required = files.map((file) => project.createSpecification(path.join(root, file)));
    const { testModules, unhandledErrors } = await vitest.runTestSpecifications(required);
    clearTimeout(timer);
    if (isTooLong) return [{ file: files.at(-1)!, test: "", why: "too long" }];
    const failures = testModules.flatMap((module) => {
      const [test] = module.children.allTests("failed");
      const [error] = test?.result().errors ?? module.errors();
      const file = module.relativeModuleId;
      return error ? [{ file, test: test?.name ?? "", why: error.message }] : [];
    });
    if (failures.length > 0 || unhandledErrors.length === 0) return failures;
    return [{ file: files.at(-1)!, test: "", why: `unhandled: ${String(unhandledErrors[0])}` }];
  }

  async close(): Promise<void> {
    await this.vitest.close();
    rmSync(this.#notes, { recursive: true, force: true });
    rmSync(path.dirname(process.env.PICOGRANT_SOURCES!), { recursive: true, force: true });
  }
}
