// npm run tool -- analyse-c: three static analysers over the C host, with every warning as an error: gcc's -fanalyzer,
// clang's, and cppcheck. Also checks where the portable files depart from MISRA C:2012. `-- --install` installs the
// Debian packages. It needs the output of `npm run host -- --build`.

import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { InstallError, quickjsFolder } from "../targets/workbench/engines/install.ts";
import { generatedC, hostFolder } from "../targets/workbench/host/build.ts";
import { analyserNeeds, ensurePackages } from "../targets/workbench/host/toolchain.ts";
import { carryOut, commandLine } from "../targets/workbench/script-options.ts";

const sources = fileURLToPath(new URL("../targets/host/", import.meta.url));
const capacities = [
  ...["portable", "engines", "engines/quickjs", "engines/duktape"],
  "ports/posix",
];
const generated = `${hostFolder}generated-complete`;

const flags = commandLine("analyse-c", "Runs static analysers over the host in C.")
  .option("--install", "install missing Debian packages first")
  .parse()
  .opts<{ install?: boolean }>();

function filesOf(capacity: string): string[] {
  const names = readdirSync(`${sources}${capacity}`).filter((name) => name.endsWith(".c"));
  return names.map((name) => `${sources}${capacity}/${name}`);
}

/**
 * @returns what an analyser reports about the files, "" for nothing
 */
function analyse(command: string, args: readonly string[]): string {
  const { status, stdout, stderr, error } = spawnSync(command, args, { encoding: "utf8" });
  if (error) throw new InstallError(`${command}: ${error.message}`);
  return status === 0 && !/warning:/.test(stderr) ? "" : `${stdout}${stderr}`.trim();
}

/** Rules of MISRA C:2012 that the portable files break, as cppcheck's addon finds them, with their counts. */
function brokenRules(includes: readonly string[]): Map<string, number> {
  const { stderr, error } = spawnSync(
    "cppcheck",
    ["--addon=misra", "--std=c99", "--quiet", ...includes, ...filesOf("portable")],
    { encoding: "utf8" },
  );
  if (error) throw new InstallError(`cppcheck: ${error.message}`);
  const counts = new Map<string, number>();
  for (const [, rule] of stderr.matchAll(/\[misra-c2012-([\d.]+)\]/g)) {
    counts.set(rule!, (counts.get(rule!) ?? 0) + 1);
  }
  return counts;
}

/** Deviations without a row in MISRA.md, and rows without a deviation. */
function misra(includes: readonly string[]): string[] {
  const counts = brokenRules(includes);
  const rows = readFileSync(`${sources}MISRA.md`, "utf8").matchAll(/^\| ([\d., ]+) \|/gm);
  const explained = new Set(Array.from(rows).flatMap(([, rules]) => rules!.split(", ")));
  const all = [...counts].sort(([, a], [, b]) => b - a);
  console.log(`MISRA C:2012: ${all.map(([rule, count]) => `${rule} ${count}`).join(", ")}`);
  return [
    ...all.filter(([rule]) => !explained.has(rule)).map(([rule]) => `${rule} has no row`),
    ...[...explained]
      .filter((rule) => !counts.has(rule))
      .map((rule) => `${rule} is no longer broken`),
  ];
}

await carryOut("analyse-c", async () => {
  ensurePackages(analyserNeeds, flags.install ?? false);
  if (!existsSync(generated)) throw new InstallError("run npm run host -- --build first");
  const includes = [...capacities.map((capacity) => `-I${sources}${capacity}`), `-I${generated}`];
  const compiler = ["-std=gnu11", ...includes, "-isystem", quickjsFolder()];
  const files = capacities.flatMap(filesOf);
  // The core as C comes with the other header of the device.
  const ofCore = ["-std=c99", `-I${generatedC}`, `-I${sources}portable`];
  const core = `${generatedC}/picogrant.c`;
  const single = (command: string, own: readonly string[]) =>
    [
      ...files.map((file) => analyse(command, [...compiler, ...own, file])),
      analyse(command, [...ofCore, ...own, core]),
    ].filter(Boolean);
  const complaints = {
    "gcc -fanalyzer": single("gcc", ["-O2", "-fanalyzer", "-Werror", "-c", "-o", "/dev/null"]),
    "clang --analyze": single("clang", ["--analyze", "-Xclang", "-analyzer-output=text"]),
    cppcheck: [
      analyse("cppcheck", [
        ...[
          "--quiet",
          "--std=c11",
          "--enable=warning,portability,performance",
          "--error-exitcode=1",
        ],
        ...[...includes, ...files],
      ]),
    ].filter(Boolean),
    "targets/host/MISRA.md": misra(includes),
  };
  for (const [name, output] of Object.entries(complaints)) {
    console.log(
      `${name}: ${files.length} files, ${output.length === 0 ? "clean" : output.join("\n")}`,
    );
  }
  return Object.values(complaints).every((output) => output.length === 0) ? 0 : 1;
});
