// How the lines of a library look. Of an error that nobody catches Node prints the line where it was made, above the
// error's own words: where ours are made it is a line that a person wrote. What makes none is packed densely.

import { parse, type Token } from "acorn";
import { type Metafile, transformSync } from "esbuild";

type Inputs = Metafile["outputs"][string]["inputs"];

/** About how long dense lines are; texts and names are not cut. */
const LINE_LENGTH = 120;

/** Whether a file is the core's, which never throws, or other people's, but for a few lines. */
export function isDense(inputs: Inputs): boolean {
  let [theirs, ours] = [0, 0];
  for (const [name, { bytesInOutput }] of Object.entries(inputs)) {
    if (/^core\/|node_modules\//.test(name)) theirs += bytesInOutput;
    else ours += bytesInOutput;
  }
  return theirs > 4 * ours;
}

/** Names stay, so that a stack says where it was. */
export function dense(text: string): string {
  const how = { charset: "utf8", legalComments: "none", lineLimit: LINE_LENGTH } as const;
  return transformSync(text, { minifySyntax: true, minifyWhitespace: true, ...how }).code;
}

/** The lines as they were written, without comments and empty lines, and with tabs in front: that is a third shorter. */
export function readable(text: string): string {
  const tokens: Token[] = [];
  parse(text, { ecmaVersion: "latest", sourceType: "module", onToken: tokens });
  let [plain, at] = ["", 0];
  for (const { start, end } of tokens) {
    plain += between(text.slice(at, start)) + text.slice(start, end);
    at = end;
  }
  return `${plain}\n`;
}

/** What stands between two words of a program: blanks, ends of lines, comments. */
function between(gap: string): string {
  const line = gap.lastIndexOf("\n") + 1;
  if (line === 0) return gap.replace(/ *\/\*.*?\*\//g, "");
  const depth = /^ */.exec(gap.slice(line))![0].length / 2;
  return `\n${"\t".repeat(depth)}`;
}
