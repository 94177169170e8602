// Mutation testing, room by room (rooms.ts): Stryker makes the mutants, test/mutation runs the tests. In the core only
// the file whose turn it is has mutants in it, so that all others run at full speed (with --together all of
// the named ones have, and the tests are tried out once for all of them). Reports stay in dist, and there
// stryker.log says how far it is.
// What survives has to be explained (test/mutation/survivors.ts), and what is explained has to survive.

import { spawnSync } from "node:child_process";
import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { InvalidArgumentError } from "commander";
import { commandLine } from "../../targets/workbench/script-options.ts";
import { filesOf, type Room, roomsOf } from "./rooms.ts";
import { SURVIVORS } from "./survivors.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const reports = path.join(root, "dist/mutation");
/** How far Stryker is, for whoever waits. */
const logFile = path.join(reports, "stryker.log");
const SCORE_MIN = 95;
/** Until Stryker kills a process whose tests never end: their own limits come first, mostly (time-limit.ts). */
const PLATFORM_LIMITS = { timeoutMS: 20_000, timeoutFactor: 2 };

interface Place {
  line: number;
  column: number;
}

interface Mutant {
  status: string;
  replacement?: string;
  location: { start: Place; end: Place };
}

/** A mutant, as survivors.ts tells of it. */
interface Told {
  file: string;
  /** From 1. */
  number: number;
  line: string;
  /** `what stands there => what the mutant has instead`, the first line of each. */
  mutant: string;
  isCovered: boolean;
}

interface Report {
  files: Record<string, { source: string; mutants: Mutant[] }>;
}

interface Row {
  file: string;
  killed: number;
  /** Given up for their time, or for how often they came by: whether a test would have failed is not known. */
  timedOut: Told[];
  survived: Told[];
}

function reportOf(file: string): string {
  return path.join(reports, "reports", file.replace(/\.ts$/, ".json"));
}

/** The mutants that a file's report tells of; undefined without one, or where the file has changed since. */
function mutantsOf(file: string): Mutant[] | undefined {
  if (!existsSync(reportOf(file))) return undefined;
  const report = JSON.parse(readFileSync(reportOf(file), "utf8")) as Report;
  const found = report.files[file];
  const source = readFileSync(path.join(root, file), "utf8");
  return found?.source === source ? found.mutants : undefined;
}

const hasSurvived = ({ status }: Mutant): boolean => /^(?:Survived|NoCoverage)$/.test(status);

/** Stryker's name for the places of a file in which mutants survived: its lines begin with 1, its columns with 0. */
function survivorsIn(file: string, mutants: readonly Mutant[]): string[] {
  return mutants.filter(hasSurvived).map(({ location: { start, end } }) => {
    return `${file}:${start.line}:${start.column - 1}-${end.line}:${end.column - 1}`;
  });
}

/** Those of an earlier run, in whose place stand those of a later one that are the same. */
function renewed(earlier: readonly Mutant[], later: readonly Mutant[]): Mutant[] {
  const keyOf = ({ location, replacement }: Mutant): string =>
    JSON.stringify([location, replacement]);
  const known = new Map(later.map((mutant) => [keyOf(mutant), mutant]));
  return earlier.map((mutant) => known.get(keyOf(mutant)) ?? mutant);
}

/**
 * Runs the mutants of these files of a room, or those alone that survived in earlier runs of them; their reports are
 * written anew. False: Stryker could not.
 */
function mutate(room: Room, files: readonly string[], { workers, again }: Options): boolean {
  const earlier = new Map(files.map((file) => [file, again ? mutantsOf(file) : undefined]));
  const places = files.flatMap((file) => {
    const mutants = earlier.get(file);
    return mutants === undefined ? [file] : survivorsIn(file, mutants);
  });
  if (places.length === 0) return true;
  mkdirSync(reports, { recursive: true });
  const shared = readFileSync(path.join(root, "test/mutation/stryker.config.json"), "utf8");
  const reportFile = path.join(reports, "report.json");
  const config = {
    ...(JSON.parse(shared) as object),
    mutate: places,
    concurrency: workers,
    ...(room.name !== "core" && PLATFORM_LIMITS),
    jsonReporter: { fileName: reportFile },
  };
  const configFile = path.join(reports, "stryker.config.json");
  writeFileSync(configFile, JSON.stringify(config));
  rmSync(reportFile, { force: true });
  const stryker = path.join(root, "node_modules/@stryker-mutator/core/bin/stryker.js");
  const log = openSync(logFile, "w");
  const { status } = spawnSync(process.execPath, [stryker, "run", configFile], {
    cwd: root,
    stdio: ["ignore", log, log],
    env: {
      ...process.env,
      // The runner is TypeScript, in each of Stryker's processes.
      NODE_OPTIONS: "--import tsx",
      PICOGRANT_REPOSITORY: root,
      PICOGRANT_ROOM: room.name,
      // The core's random tests are as long as in the gate, or with PICOGRANT_ALL=0 as in `npm test`, which is quicker;
      // and every mutant meets the same ones.
      PICOGRANT_ALL: process.env.PICOGRANT_ALL ?? (room.name === "core" ? "1" : "0"),
      PICOGRANT_SEED: "1",
      // Processes that tests start have no mutants in them: the fewer the quicker.
      PICOGRANT_KILLS: "2",
    },
  });
  closeSync(log);
  if (status !== 0) {
    for (const file of files) rmSync(reportOf(file), { force: true });
    const said = readFileSync(logFile, "utf8");
    process.stderr.write(`${files.join(", ")}: Stryker failed\n${said}`);
    return false;
  }
  // There is none where nothing could be mutated; nor does one name a file with nothing in it to mutate.
  const report: Report = existsSync(reportFile)
    ? (JSON.parse(readFileSync(reportFile, "utf8")) as Report)
    : { files: {} };
  for (const file of files) {
    const source = readFileSync(path.join(root, file), "utf8");
    const measured = report.files[file]?.mutants ?? [];
    const before = earlier.get(file);
    const mutants = before === undefined ? measured : renewed(before, measured);
    const own: Report = { files: { [file]: { source, mutants } } };
    mkdirSync(path.dirname(reportOf(file)), { recursive: true });
    writeFileSync(reportOf(file), JSON.stringify(own));
  }
  return true;
}

/** What the file's report says; undefined without one, or where the file has changed since. */
function readRow(file: string): Row | undefined {
  const mutants = mutantsOf(file);
  if (mutants === undefined) return undefined;
  const source = readFileSync(path.join(root, file), "utf8");
  const told = (mutant: Mutant): Told => mutantIn(file, source, mutant);
  return {
    file,
    killed: mutants.filter(({ status }) => status === "Killed").length,
    timedOut: mutants.filter(({ status }) => status === "Timeout").map(told),
    survived: mutants.filter(hasSurvived).map(told),
  };
}

function mutantIn(file: string, source: string, mutant: Mutant): Told {
  const { start, end } = mutant.location;
  const line = source.split("\n")[start.line - 1]!;
  const until = start.line === end.line ? end.column - 1 : line.length;
  const was = line.slice(start.column - 1, until);
  const [is] = (mutant.replacement ?? "").split("\n");
  const isCovered = mutant.status === "Survived";
  return { file, number: start.line, line: line.trim(), mutant: `${was} => ${is}`, isCovered };
}

/** The places in survivors.ts that explain the survivor. */
function explanationsOf({ file, line, mutant }: Told): string[] {
  return SURVIVORS.filter((known) => known.file === file && known.line === line)
    .filter((known) => known.mutants.includes(mutant))
    .map((known) => `${known.file}: ${known.line}: ${mutant}`);
}

function caughtIn({ killed, timedOut }: Row): number {
  return killed + timedOut.length;
}

function scoreOf(rows: readonly Row[]): number {
  const caught = rows.reduce((sum, row) => sum + caughtIn(row), 0);
  const all = rows.reduce((sum, { survived }) => sum + survived.length, caught);
  return all === 0 ? 100 : (100 * caught) / all;
}

function describe(row: Row): string {
  const { file, killed, timedOut, survived } = row;
  const name = file.padEnd(40);
  if (caughtIn(row) + survived.length === 0) return `${name} nothing to mutate in it`;
  const explained = survived.filter((survivor) => explanationsOf(survivor).length > 0).length;
  const counts = `${killed} killed, ${timedOut.length} timed out, ${survived.length} survived`;
  return `${name} ${scoreOf([row]).toFixed(1).padStart(5)} %  ${counts} (${explained} explained)`;
}

/** What the reports of a room come to. */
function sumOf(rows: readonly Row[]): (room: Room) => string {
  return (room) => {
    const files = filesOf(root, room);
    const measured = rows.filter(({ file }) => files.includes(file));
    const caught = measured.reduce((sum, row) => sum + caughtIn(row), 0);
    const left = measured.flatMap(({ survived }) => survived);
    const explained = left.filter((survivor) => explanationsOf(survivor).length > 0).length;
    return (
      `${room.name}: ${measured.length} of ${files.length} files, ` +
      `${caught} of ${caught + left.length} caught, ${scoreOf(measured).toFixed(1)} %, ` +
      `${explained} of ${left.length} survivors explained`
    );
  };
}

/** A survivor, for whoever writes the next test. */
function tell(survivor: Told): string {
  const { file, number, line, mutant, isCovered } = survivor;
  const known = explanationsOf(survivor).length > 0 ? " (explained)" : "";
  const covered = isCovered ? "" : " (no test comes here)";
  return `${file}:${number}${covered}${known}\n    ${line}\n    ${mutant}`;
}

/** What is wrong with the survivors: without an explanation, or explained although they are none. */
function complaints(rows: readonly Row[], isWhole: boolean): string[] {
  const survived = rows.flatMap((row) => row.survived);
  const unexplained = survived
    .filter((survivor) => explanationsOf(survivor).length === 0)
    .map((survivor) => `neither killed nor explained: ${tell(survivor)}`);
  if (!isWhole) return unexplained;
  // Another machine gives up other mutants: one that is explained may be among them.
  const timedOut = rows.flatMap((row) => row.timedOut);
  const used = new Set([...survived, ...timedOut].flatMap(explanationsOf));
  const needless = SURVIVORS.flatMap(({ file, line, mutants }) =>
    mutants.map((mutant) => `${file}: ${line}: ${mutant}`),
  ).filter((explanation) => !used.has(explanation));
  return [
    ...unexplained,
    ...needless.map((explanation) => `explained, but killed: ${explanation}`),
  ];
}

function workers(text: string): number {
  const count = Number(text);
  if (count !== 1 && count !== 2) throw new InvalidArgumentError("It is 1 or 2.");
  return count;
}

interface Options {
  workers: number;
  together?: boolean;
  again?: boolean;
  sum?: boolean;
  list?: boolean;
}

/** The files of the room among those that are meant: by their names, or by a folder's. Without names all are. */
function chosenIn(room: Room, names: readonly string[]): string[] {
  const isMeant = (file: string): boolean =>
    names.some((name) => file === name || file.startsWith(`${name.replace(/\/$/, "")}/`));
  return filesOf(root, room).filter((file) => names.length === 0 || isMeant(file));
}

/** @returns whether Stryker could run all of them */
function run(names: readonly string[], options: Options): boolean {
  let hasRun = true;
  for (const room of roomsOf(root)) {
    const files = chosenIn(room, names);
    if (files.length === 0) continue;
    const isTogether = options.together ?? room.isTogether;
    for (const group of isTogether ? [files] : files.map((file) => [file])) {
      hasRun = mutate(room, group, options) && hasRun;
      const measured = group.map(readRow).filter((row) => row !== undefined);
      for (const row of measured) process.stdout.write(`${describe(row)}\n`);
    }
  }
  return hasRun;
}

function main(names: string[], options: Options): void {
  const all = roomsOf(root).flatMap((room) => filesOf(root, room));
  const unknown = names.find((name) => roomsOf(root).every((room) => !chosenIn(room, [name])[0]));
  if (unknown) program.error(`error: ${unknown} is not mutated; name a file such as ${all[0]}`);
  const hasRun = options.sum === true || run(names, options);
  const rows = all.map(readRow).filter((row) => row !== undefined);
  const print = (line: string): void => void process.stdout.write(`${line}\n`);
  if (options.list) for (const { survived } of rows) survived.map(tell).forEach(print);
  if (options.sum) [...rows.map(describe), ...roomsOf(root).map(sumOf(rows))].forEach(print);
  const missing = all.filter((file) => !rows.some((row) => row.file === file));
  if (missing.length > 0 && names.length === 0)
    print(`not measured, or changed since: ${missing.join(", ")}`);
  const wrong = complaints(rows, missing.length === 0);
  wrong.forEach(print);
  const sum = (count: (row: Row) => number) => rows.reduce((total, row) => total + count(row), 0);
  const caught = sum(caughtIn);
  const survived = sum((row) => row.survived.length);
  print(
    `${rows.length} of ${all.length} files: ${scoreOf(rows).toFixed(2)} %, ` +
      `${caught} of ${caught + survived} mutants caught`,
  );
  if (!hasRun || wrong.length > 0 || scoreOf(rows) < SCORE_MIN) process.exitCode = 1;
}

const program = commandLine(
  "mutation",
  `Mutation testing of core and platform; fails below ${SCORE_MIN} %, and where a survivor is not explained.`,
)
  .argument(
    "[files...]",
    "files or folders, such as platform/driver.ts (default: all that are mutated)",
  )
  .option("--workers <count>", "processes at a time", workers, 2)
  .option(
    "--together",
    "all files of the core in one go: quicker where they are small and not busy",
  )
  .option("--again", "only what survived in the last run, where a file is what it was then")
  .option("--sum", "only sum the reports of earlier runs up")
  .option("--list", "list the surviving mutants");
program.action(main);
program.parse();
