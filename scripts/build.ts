// npm run build: writes the firmware bundle, its map and its types to dist/, and prints the sizes.

import { mkdirSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { bundleCore, type Variant } from "../targets/firmware/bundle.ts";
import { declarations } from "../targets/firmware/declarations.ts";
import { bundleProgram, type Program } from "../targets/quickjs/bundle.ts";

import { commandLine } from "./command-line.ts";

const dist = fileURLToPath(new URL("../dist/", import.meta.url));

async function write(variant: Variant, name: string): Promise<string> {
  const { code, map } = await bundleCore(variant, { outfile: `${name}.js` });
  writeFileSync(`${dist}${name}.js`, `${code}//# sourceMappingURL=${name}.js.map\n`);
  writeFileSync(`${dist}${name}.js.map`, map);
  writeFileSync(`${dist}${name}.d.ts`, declarations(variant));
  const gzip = gzipSync(code, { level: 9 }).length;
  return (
    `dist/${name}.js`.padEnd(26) +
    `${code.length} B min`.padStart(14) +
    `${gzip} B gzip`.padStart(15)
  );
}

async function writeProgram(program: Program, name: string): Promise<string> {
  const code = await bundleProgram(program);
  writeFileSync(`${dist}${name}`, code);
  const gzip = gzipSync(code, { level: 9 }).length;
  return (
    `dist/${name}`.padEnd(26) + `${code.length} B min`.padStart(14) + `${gzip} B gzip`.padStart(15)
  );
}

commandLine(
  "build",
  "Writes the bundle, its maps and types to dist/, and prints the sizes.",
).parse();
mkdirSync(dist, { recursive: true });
console.log(await write("complete", "picogrant"));
console.log(await write("grant", "picogrant-grant"));
console.log(await writeProgram("main", "picogrant.qjs.js"));
console.log(await writeProgram("loader", "picogrant-loader.qjs.js"));
