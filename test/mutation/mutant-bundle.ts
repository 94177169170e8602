// The tests that mutants are run against, in one file, with stand-in.ts in the place of vitest.

import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { build, type Plugin } from "esbuild";

const CORE = "test/core";
const LIVES = ["test/lives/storage-jobs.test.ts", "test/lives/found.test.ts"];
/** A second or more each: they come last. */
const SLOW = [
  "test/core/create.test.ts",
  "test/core/dialects.test.ts",
  "test/core/json-scanner.test.ts",
  "test/core/wake.test.ts",
  "test/mutation/mutants.ts",
  "test/core/properties.test.ts",
];

/** Every file of tests that runs the core's sources, the quick ones first: they kill most mutants. */
export function testFiles(root: string): string[] {
  const own = readdirSync(path.join(root, CORE)).filter((name) => name.endsWith(".test.ts"));
  const quick = own.map((name) => `${CORE}/${name}`).filter((name) => !SLOW.includes(name));
  return [...quick, ...LIVES, ...SLOW];
}

/**
 * Prepares each file for the bundle: it finds what it reads (`import.meta.url`) in the folder `texts`, and its tests
 * are told under its name, so that no two are called the same.
 */
function preparing(root: string, texts: string): Plugin {
  const files = testFiles(root);
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
    },
  };
}

/**
 * Bundles the tests in the folder `root` with the core that is there, which may be a mutated one. What they read as
 * text is in the folder `texts`: the repository's own, where `root` is a copy that mutants have been put in.
 */
export async function bundleTests(root: string, texts: string, outfile: string): Promise<void> {
  const standIn = path.join(root, "test/mutation/stand-in.ts");
  const imports = testFiles(root).map((file) => `import ${JSON.stringify(`./${file}`)};`);
  await build({
    stdin: {
      contents: [...imports, `export { tests } from ${JSON.stringify(standIn)};`].join("\n"),
      resolveDir: root,
      loader: "ts",
    },
    absWorkingDir: root,
    bundle: true,
    format: "esm",
    platform: "node",
    packages: "external",
    alias: { vitest: standIn },
    plugins: [preparing(root, texts)],
    outfile,
    logLevel: "error",
  });
}
