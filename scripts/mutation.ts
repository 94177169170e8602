// Mutation testing of the core, file by file: Stryker makes the mutants, test/mutation runs the tests. Only
// the file whose turn it is has mutants in it, so that all others run at full speed. Reports stay in dist.

import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { Command, InvalidArgumentError } from "commander";
import { survivorsKnown } from "../test/mutation/survivors.ts";

const root = new URL("..", import.meta.url).pathname;
const reports = path.join(root, "dist/mutation");
const SCORE_MIN = 85;

interface Mutant {
  status: string;
  mutatorName: string;
  replacement?: string;
  location: { start: { line: number } };
}

interface Report {
  files: Record<string, { source: string; mutants: Mutant[] }>;
}

interface Row {
  file: string;
  killed: number;
  timeout: number;
  survived: Mutant[];
  source: string;
}

function coreFiles(): string[] {
  return readdirSync(path.join(root, "core"))
    .filter((name) => name.endsWith(".ts"))
    .map((name) => `core/${name}`);
}

function reportOf(file: string): string {
  return path.join(reports, `${path.basename(file, ".ts")}.json`);
}

/** Runs the mutants of one file; its report is written anew. False: Stryker could not. */
function mutate(file: string, workers: number): boolean {
  mkdirSync(reports, { recursive: true });
  const shared = readFileSync(path.join(root, "test/mutation/stryker.config.json"), "utf8");
  const config = {
    ...(JSON.parse(shared) as object),
    mutate: [file],
    concurrency: workers,
    jsonReporter: { fileName: reportOf(file) },
  };
  const configFile = path.join(reports, "stryker.config.json");
  writeFileSync(configFile, JSON.stringify(config));
  const stryker = path.join(root, "node_modules/@stryker-mutator/core/bin/stryker.js");
  const { status, stdout, stderr } = spawnSync(process.execPath, [stryker, "run", configFile], {
    cwd: root,
    encoding: "utf8",
    // The runner is TypeScript, in each of Stryker's processes.
    env: { ...process.env, NODE_OPTIONS: "--import tsx" },
  });
  if (status !== 0) process.stderr.write(`${file}: Stryker failed\n${stdout}${stderr}`);
  return status === 0;
}

/** What the file's report says; undefined without one, or where the file has changed since. */
function readRow(file: string): Row | undefined {
  if (!existsSync(reportOf(file))) return undefined;
  const report = JSON.parse(readFileSync(reportOf(file), "utf8")) as Report;
  const found = report.files[file];
  const source = readFileSync(path.join(root, file), "utf8");
  if (found?.source !== source) return undefined;
  const count = (status: string): number =>
    found.mutants.filter((mutant) => mutant.status === status).length;
  const survived = found.mutants.filter(({ status }) => /Survived|NoCoverage/.test(status));
  return { file, killed: count("Killed"), timeout: count("Timeout"), survived, source };
}

function scoreOf(rows: readonly Row[]): number {
  const caught = rows.reduce((sum, { killed, timeout }) => sum + killed + timeout, 0);
  const all = rows.reduce((sum, { survived }) => sum + survived.length, caught);
  return all === 0 ? 100 : (100 * caught) / all;
}

function describe(row: Row): string {
  const { file, killed, timeout, survived } = row;
  const counts = `${killed} killed, ${timeout} timed out, ${survived.length} survived`;
  return `${file.padEnd(32)} ${scoreOf([row]).toFixed(1).padStart(5)} %  ${counts}`;
}

/** The survivors with their line, for whoever writes the next test. */
function listSurvivors({ file, survived, source }: Row): string[] {
  const lines = source.split("\n");
  return survived.map(({ status, mutatorName, replacement = "", location: { start } }) => {
    const line = lines[start.line - 1]!.trim();
    const known = survivorsKnown(file, line) ? " (explained)" : "";
    return `${file}:${start.line} ${status} ${mutatorName}${known}\n    ${line}\n    -> ${replacement.split("\n")[0]}`;
  });
}

function workers(text: string): number {
  const count = Number(text);
  if (count !== 1 && count !== 2) throw new InvalidArgumentError("1 or 2 is needed");
  return count;
}

function main(files: string[], options: { workers: number; sum?: boolean; list?: boolean }): void {
  const all = coreFiles();
  const unknown = files.find((file) => !all.includes(file));
  if (unknown) program.error(`${unknown}: no file of the core; name one such as ${all[0]}`);
  let isWhole = true;
  if (!options.sum) {
    for (const file of files.length > 0 ? files : all) {
      isWhole = mutate(file, options.workers) && isWhole;
      const row = readRow(file);
      if (row) process.stdout.write(`${describe(row)}\n`);
    }
  }
  const rows = all.map(readRow).filter((row) => row !== undefined);
  const print = (line: string): void => void process.stdout.write(`${line}\n`);
  if (options.list) for (const row of rows) listSurvivors(row).forEach(print);
  if (options.sum) for (const row of rows) print(describe(row));
  const missing = all.filter((file) => !rows.some((row) => row.file === file));
  if (missing.length > 0) print(`not measured, or changed since: ${missing.join(", ")}`);
  print(`${rows.length} of ${all.length} files: ${scoreOf(rows).toFixed(2)} %`);
  if (!isWhole || scoreOf(rows) < SCORE_MIN) process.exitCode = 1;
}

const program = new Command("mutation")
  .description(`Mutation testing of the core; fails below ${SCORE_MIN} %.`)
  .argument("[files...]", "files of the core, such as core/errand.ts (default: all)")
  .option("--workers <count>", "processes at a time", workers, 2)
  .option("--sum", "only sum the reports of earlier runs up")
  .option("--list", "list the surviving mutants");
program.action(main);
program.parse();
