// The tests that mutants are run against, in one file, with stand-in.ts in the place of vitest.

import { readFileSync } from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { build, type Plugin } from "esbuild";

/** A module that is loaded when it is used, and what Stryker makes of its name: a bundler does not find it then. */
const MUTATED_IMPORT =
  /\bimport\((stryMutAct_\w+\("\d+"\)) \? "" : \((stryCov_\w+\("\d+"\)), ("[^"]+")\)\)/g;
const FOUND_IMPORT = '($1 ? Promise.reject(new Error("no such module")) : ($2, import($3)))';

/**
 * Prepares each file for the bundle: it finds what it reads (`import.meta.url`) in the folder `texts`, and its tests
 * are told under its name, so that no two are called the same.
 */
function preparing(root: string, texts: string, files: readonly string[]): Plugin {
  const prepared = (file: string): string => {
    const name = path.relative(root, file).split(path.sep).join("/");
    const address = JSON.stringify(pathToFileURL(path.join(texts, name)).href);
    const text = readFileSync(file, "utf8").replaceAll("import.meta.url", address);
    if (!files.includes(name)) return text;
    return `import { beginFile } from "vitest"; beginFile(${JSON.stringify(name)}); ${text}`;
  };
  return {
    name: "prepare tests",
    setup(bundler) {
      bundler.onLoad({ filter: /[\\/]test[\\/].*\.ts$/ }, ({ path: file }) => ({
        loader: "ts",
        contents: prepared(file),
      }));
      // Behind the tests, whose rooms are called as those of the sources.
      bundler.onLoad({ filter: /[\\/]platform[\\/].*\.ts$/ }, ({ path: file }) => ({
        loader: "ts",
        contents: readFileSync(file, "utf8").replace(MUTATED_IMPORT, FOUND_IMPORT),
      }));
    },
  };
}

/**
 * Bundles the files of tests in the folder `root` with the sources that are there, which may be mutated ones. What they
 * read as text is in the folder `texts`: the repository's own, where `root` is a copy that mutants have been put in.
 */
export async function bundleTests(
  root: string,
  texts: string,
  files: readonly string[],
  outfile: string,
): Promise<void> {
  const standIn = path.join(root, "test/mutation/stand-in.ts");
  const timers = path.join(root, "test/mutation/timers.ts");
  const imports = files.map((file) => `import ${JSON.stringify(`./${file}`)};`);
  await build({
    stdin: {
      contents: [
        ...imports,
        `export { tests } from ${JSON.stringify(standIn)};`,
        `export { clearTimers } from ${JSON.stringify(timers)};`,
      ].join("\n"),
      resolveDir: root,
      loader: "ts",
    },
    absWorkingDir: root,
    bundle: true,
    format: "esm",
    platform: "node",
    packages: "external",
    alias: { vitest: standIn },
    inject: [timers],
    plugins: [preparing(root, texts, files)],
    outfile,
    logLevel: "error",
  });
}
