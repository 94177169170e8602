// npm run host: builds the C host in four variants (release, sanitizers, keys, QuickJS), and tests them against the
// simulated service. `-- --install` installs missing Debian packages; `-- --build` stops after building; `-- --arm`
// builds for 32-bit ARM, runs a whole grant under qemu, and checks the engine's budget. `-- --port` builds another
// port. `-- --analyse`, `-- --fuzz` and `-- --prove` run static analysers, fuzzers and proofs instead.

import { spawn, spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { startCheckServer } from "../targets/command/check-server.ts";
import { integer } from "../targets/desktop/command-line.ts";
import { InstallError, quickjsFolder } from "../targets/workbench/engines/install.ts";
import {
  buildHost,
  buildPort,
  generatedC,
  hostFolder,
  type Kind,
  portFolder,
} from "../targets/workbench/host/build.ts";
import { fuzz, surfaces } from "../targets/workbench/host/fuzzers.ts";
import { proofNeeds, proofRow, proofs } from "../targets/workbench/host/proofs.ts";
import {
  analyserNeeds,
  armNeeds,
  ensurePackages,
  fuzzNeeds,
  hostNeeds,
  type Need,
  portNeeds,
} from "../targets/workbench/host/toolchain.ts";
import { carryOut, commandLine, printTable } from "../targets/workbench/script-options.ts";

const flags = commandLine(
  "host",
  "Builds the host in C as released, under sanitizers and on QuickJS, and tests them.",
)
  .option("--install", "install missing Debian packages first")
  .option("--build", "stop after building")
  .option("--arm", "cross-compile for 32-bit ARM, and test that under qemu")
  .option("--port <folder>", "build only the port in this folder, for this machine")
  .option("--check", "with --port: test its files one by one, and report each fault")
  .option("--server <address>", "for --check: another server than its own, which sees less")
  .option("--analyse", "only run static analysers over what --build has built")
  .option("--fuzz", "only fuzz the parsers of external input")
  .option("--rounds <n>", "for --fuzz: rounds of about five seconds", integer(1, 1_000_000), 12)
  .option("--prove", "only prove that the parsers have no undefined behaviour")
  .option("--only <name>", "for --fuzz and --prove: one surface, or one proof")
  .parse()
  .opts<{
    install?: boolean;
    build?: boolean;
    arm?: boolean;
    port?: string;
    check?: boolean;
    server?: string;
    analyse?: boolean;
    fuzz?: boolean;
    rounds: number;
    prove?: boolean;
    only?: string;
  }>();

const ensure = (needs: readonly Need[]) => ensurePackages(needs, flags.install ?? false);

function chosen<T extends { readonly name: string }>(all: readonly T[]): readonly T[] {
  const found = all.filter(({ name }) => flags.only === undefined || name === flags.only);
  if (found.length > 0) return found;
  const names = all.map(({ name }) => name).join(", ");
  throw new InstallError(`--only ${flags.only} is none of: ${names}`);
}

async function prove(): Promise<number> {
  ensure(proofNeeds);
  const rows = await Promise.all(chosen(proofs).map(proofRow));
  const head = ["functions", "for every input of", "alarms", "seconds"];
  printTable([head, ...rows.map(({ cells }) => cells)]);
  return rows.every(({ ok }) => ok) ? 0 : 1;
}

async function fuzzAll(): Promise<number> {
  ensure(fuzzNeeds);
  let failures = 0;
  for (const surface of chosen(surfaces)) if (!(await fuzz(surface, flags.rounds))) failures++;
  return failures === 0 ? 0 : 1;
}

const sources = fileURLToPath(new URL("../targets/host/", import.meta.url));
const folders = [...["portable", "engines"], "ports/posix"];
const generated = `${hostFolder}generated-complete`;

function filesOf(folder: string): string[] {
  const names = readdirSync(`${sources}${folder}`).filter((name) => name.endsWith(".c"));
  return names.map((name) => `${sources}${folder}/${name}`);
}

function reportOf(command: string, args: readonly string[]): string {
  const { status, stdout, stderr, error } = spawnSync(command, args, { encoding: "utf8" });
  if (error) throw new InstallError(`${command}: ${error.message}`);
  return status === 0 && !/warning:/.test(stderr) ? "" : `${stdout}${stderr}`.trim();
}

/** Counts violations of each MISRA C:2012 rule, as cppcheck's addon reports them. */
function brokenRules(files: readonly string[]): Map<string, number> {
  const checks = ["--addon=misra", "--std=c99", "--quiet"];
  const { stderr, error } = spawnSync("cppcheck", [...checks, ...files], { encoding: "utf8" });
  if (error) throw new InstallError(`cppcheck: ${error.message}`);
  const counts = new Map<string, number>();
  for (const [, rule] of stderr.matchAll(/\[misra-c2012-([\d.]+)\]/g)) {
    counts.set(rule!, (counts.get(rule!) ?? 0) + 1);
  }
  return counts;
}

function misra(section: string, files: readonly string[]): string[] {
  const counts = brokenRules(files);
  const sections = readFileSync(`${sources}MISRA.md`, "utf8").split(/^## /m);
  const text = sections.find((one) => one.startsWith(section)) ?? "";
  const rows = text.matchAll(/^\| ([\d., ]+) \|/gm);
  const explained = new Set(Array.from(rows).flatMap(([, rules]) => rules!.split(", ")));
  const all = [...counts].sort(([, a], [, b]) => b - a);
  console.log(
    `MISRA C:2012, ${section}: ${all.map(([rule, count]) => `${rule} ${count}`).join(", ")}`,
  );
  return [
    ...all.filter(([rule]) => !explained.has(rule)).map(([rule]) => `${rule} has no row`),
    ...[...explained]
      .filter((rule) => !counts.has(rule))
      .map((rule) => `${rule} is no longer broken`),
  ];
}

const SORT_CALLS = `d=$(mktemp -d); gcc "$@" -fcallgraph-info -c -o $d/c.o &&
sed -nE 's/^edge.*"(.*)" targetname: "(.*)" label.*/\\1 \\2/p' $d/c.ci | tsort >$d/order; s=$?; rm -r $d; exit $s`;

/** Runs static analysers with every warning as an error, and compares MISRA.md with the violated rules. */
function analyse(): number {
  ensure(analyserNeeds);
  if (!existsSync(generated)) throw new InstallError("run npm run host -- --build first");
  const includes = [...folders.map((folder) => `-I${sources}${folder}`), `-I${generated}`];
  const compiler = ["-std=gnu11", ...includes, "-isystem", quickjsFolder()];
  const files = folders.flatMap(filesOf);
  // The core as C has a header of its own for the device, so search the generated folder first.
  const ofCore = ["-std=c99", `-I${generatedC}`, `-I${sources}portable`];
  const core = `${generatedC}/picogrant.c`;
  const single = (command: string, own: readonly string[]) =>
    [
      ...files.map((file) => reportOf(command, [...compiler, ...own, file])),
      reportOf(command, [...ofCore, ...own, core]),
    ].filter(Boolean);
  const complaints = {
    "gcc -fanalyzer": single("gcc", ["-O2", "-fanalyzer", "-Werror", "-c", "-o", "/dev/null"]),
    "clang --analyze": single("clang", ["--analyze", "-Xclang", "-analyzer-output=text"]),
    cppcheck: [
      reportOf("cppcheck", [
        ...[
          "--quiet",
          "--std=c11",
          "--enable=warning,portability,performance",
          "--error-exitcode=1",
        ],
        ...[...includes, ...files],
      ]),
    ].filter(Boolean),
    recursion: [reportOf("sh", ["-c", SORT_CALLS, "sh", ...ofCore, core])].filter(Boolean),
    "targets/host/MISRA.md": [
      ...misra("The core", [`-I${generatedC}`, `-I${sources}portable`, core]),
      ...misra("The host", [...includes, ...filesOf("portable")]),
    ],
  };
  for (const [name, output] of Object.entries(complaints)) {
    console.log(
      `${name}: ${files.length} files, ${output.length === 0 ? "clean" : output.join("\n")}`,
    );
  }
  return Object.values(complaints).every((output) => output.length === 0) ? 0 : 1;
}

async function port(folder: string): Promise<void> {
  ensure(portNeeds);
  if (flags.check) {
    await check(path.resolve(folder));
    return;
  }
  await buildPort(path.resolve(folder));
  console.log(`host: ${path.relative(".", portFolder)}/device built`);
}

function startCheck(): Promise<{ output: string; status: number | null }> {
  const program = spawn(`${portFolder}check`, { stdio: ["inherit", "inherit", "pipe"] });
  let output = "";
  program.stderr.on("data", (text: Buffer) => {
    output += text;
    process.stderr.write(text);
  });
  return new Promise((resolve) => program.on("close", (status) => resolve({ output, status })));
}

/** Runs the check of a port's files twice, because some faults are only visible at the second start. */
async function check(folder: string): Promise<void> {
  const server = flags.server === undefined ? await startCheckServer() : undefined;
  const address = JSON.stringify(new URL(server?.url ?? flags.server!).href);
  try {
    await buildPort(folder, portFolder, "check", `CHECK_FLAGS=-DCHECK_SERVER='${address}'`);
    const first = await startCheck();
    console.error("# again: some faults only show at the second start");
    const second = await startCheck();
    const isDiscarded = second.output.includes("nothing is there of an earlier start");
    if (isDiscarded) console.error("not ok medium: what was programmed is gone at the next start");
    if (first.status === 0 && second.status === 0 && !isDiscarded) return;
    process.exitCode = 1;
    console.error(
      "host: this port fails; the lines above, if any, come out of its port_log (clock.c)",
    );
  } finally {
    await server?.close();
  }
}

async function host(): Promise<void> {
  const { arm = false } = flags;
  ensure(arm ? armNeeds : hostNeeds);
  const kinds: Kind[] = arm
    ? ["arm-grant", "arm-api", "arm"]
    : ["release", "sanitize", "keys", "quickjs"];
  for (const kind of kinds) {
    await buildHost(kind);
    console.log(`host: ${kind} built`);
  }
  if (flags.build) return;
  const args = ["vitest", "run", "--config", "test/suites.config.ts", "--project", "host"];
  const env = { ...process.env, ...(arm && { PICOGRANT_ARM: "1" }) };
  const run = spawnSync("npx", [...args, ...(arm ? ["test/host/arm"] : [])], {
    stdio: "inherit",
    env,
  });
  process.exitCode = run.status ?? 1;
}

await carryOut("host", async () => {
  if (flags.analyse) return analyse();
  if (flags.fuzz) return fuzzAll();
  if (flags.prove) return prove();
  return flags.port === undefined ? host() : port(flags.port);
});
