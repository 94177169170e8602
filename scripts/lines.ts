// npm run lines: prints, for each layer, the numbers of code lines and of files beside their ceilings. The exit code is
// 1 if a layer exceeds a ceiling, or is more than a twentieth below it: then lower the ceiling. `npm run check`
// includes this command. Ceilings are never raised.

import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { commandLine } from "../targets/workbench/script-options.ts";

/** The ceilings of lines of code and of all files. "beside" is everything outside the layers. */
const CEILINGS: Readonly<Record<string, readonly [lines: number, files: number]>> = {
  core: [7_150, 53],
  platform: [13_300, 102],
  targets: [39_300, 309],
  scripts: [1_500, 16],
  test: [43_000, 260],
  beside: [100, 15],
};

commandLine("lines", "Prints lines of code and files of each layer beside their ceilings.").parse();

const root = fileURLToPath(new URL("..", import.meta.url));
const CODE = /\.(ts|mjs|js|c|h|css|py|ld|scenario)$|(^|\/)Makefile$|^\.ci\/run$/;
const NOT_OURS = /(^|\/)(node_modules|dist|\.state|tokens|\.git)$|\.log$/;

function filesBelow(folder: string): string[] {
  const entries = readdirSync(path.join(root, folder), { withFileTypes: true });
  return entries.flatMap((entry) => {
    const name = path.posix.join(folder, entry.name);
    if (NOT_OURS.test(name)) return [];
    return entry.isDirectory() ? filesBelow(name) : [name];
  });
}

const counted = new Map(Object.keys(CEILINGS).map((layer) => [layer, { lines: 0, files: 0 }]));
for (const file of filesBelow("")) {
  const layer = file.slice(0, Math.max(0, file.indexOf("/")));
  const count = counted.get(layer) ?? counted.get("beside")!;
  count.files += 1;
  if (CODE.test(file))
    count.lines += readFileSync(path.join(root, file), "utf8").split("\n").length - 1;
}

const row = (...cells: (string | number)[]) =>
  console.log(cells.map((cell, at) => String(cell).padStart(at === 0 ? 8 : 9)).join(" "));
row("", "lines", "at most", "files", "at most");
for (const [layer, { lines, files }] of counted) {
  const [linesMax, filesMax] = CEILINGS[layer]!;
  row(layer, lines, linesMax, files, filesMax);
  if (lines > linesMax || files > filesMax) {
    console.error(`lines: ${layer} is above its ceiling: remove something (CONTRIBUTING.md)`);
    process.exitCode = 1;
  }
  if (lines * 1.05 < linesMax || files * 1.05 < filesMax) {
    console.error(
      `lines: ${layer} is more than a twentieth below its ceiling: lower it (scripts/lines.ts)`,
    );
    process.exitCode = 1;
  }
}
const sum = (key: "lines" | "files") =>
  [...counted.values()].reduce((all, one) => all + one[key], 0);
row("all", sum("lines"), "", sum("files"));
