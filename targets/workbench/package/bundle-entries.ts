// Bundles programs of ours for Node, so that nothing has to be installed beside them. Files that a module
// reads at run time, by `new URL("name", import.meta.url)`, go along under their paths in the repository.

import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { parse, type Token } from "acorn";
import {
  type BuildOptions,
  build,
  buildSync,
  type Metafile,
  type Plugin,
  transformSync,
} from "esbuild";
import { withoutCrypto } from "../../quickjs/bundle-program.ts";

const root = fileURLToPath(new URL("../../../", import.meta.url));

/** CommonJS packages within a module: they ask for Node's own modules by `require`. */
const BANNER =
  'import { createRequire as picograntRequire } from "node:module";' +
  "const require = picograntRequire(import.meta.url);";

const common = {
  bundle: true,
  platform: "node",
  target: "node20",
  legalComments: "none",
  charset: "utf8",
  // What ships has no assertions (core/device/assertion.ts).
  dropLabels: ["ASSERT"],
  // Its shorter form of the same: 8 ms and not 3 to write and read 20 KB, for half the bytes.
  alias: { tweetnacl: "tweetnacl/nacl.js" },
  metafile: true,
  logLevel: "warning",
  absWorkingDir: root,
} as const satisfies BuildOptions;

/** What came into a bundle: paths of modules, relative to the repository. */
export type Inputs = readonly string[];

/** Bundles `entry` as modules into `folder`, split so that each part of the command loads only what it needs. */
export async function bundleModules(entry: string, folder: string): Promise<Inputs> {
  const assets = new Set<string>();
  const { metafile } = await build({
    ...common,
    entryPoints: { main: entry },
    outdir: folder,
    format: "esm",
    splitting: true,
    chunkNames: "[name]-[hash]",
    banner: { js: BANNER },
    minify: true,
    plugins: [ownFiles(assets), madeBeforehand],
  });
  for (const asset of [...assets].sort()) copyAsset(asset, folder);
  return Object.keys(metafile.inputs);
}

/**
 * Bundles the entries of a library as modules that share what is common to them. No program has to install anything
 * beside them, and a bundler finds nothing in them that it cannot follow.
 */
export async function bundleEntries(
  entries: Readonly<Record<string, string>>,
  folder: string,
): Promise<Inputs> {
  const { metafile } = await build({
    ...common,
    entryPoints: { ...entries },
    outdir: folder,
    format: "esm",
    splitting: true,
    chunkNames: "[name]-[hash]",
    plugins: [withoutCrypto],
  });
  for (const [name, { inputs }] of Object.entries(metafile.outputs)) {
    const text = withoutBareImports(readFileSync(join(root, name), "utf8"));
    writeFileSync(join(root, name), isDense(inputs) ? dense(text) : readable(text));
  }
  return Object.keys(metafile.inputs);
}

/**
 * The same for CommonJS: one file with all of it, of which each entry makes and takes its part when it is asked for. So
 * what several of them have is there once: an error that one throws is of the class that another has.
 */
export async function bundleRequired(
  entries: Readonly<Record<string, string>>,
  folder: string,
): Promise<void> {
  const parts = Object.entries(entries).map(
    ([name, file]) => `exports[${JSON.stringify(name)}] = () => require("./${file}");`,
  );
  await build({
    ...common,
    stdin: { contents: parts.join("\n"), resolveDir: root },
    outfile: join(folder, "common.cjs"),
    format: "cjs",
    minify: true,
    lineLimit: LINE_LENGTH,
    plugins: [withoutCrypto],
  });
  for (const name of Object.keys(entries)) {
    const part = `module.exports = require("./common.cjs")[${JSON.stringify(name)}]();\n`;
    writeFileSync(join(folder, `${name}.cjs`), part);
  }
}

/** No module of a library does anything when it is loaded: what imports one for that alone need not. */
function withoutBareImports(text: string): string {
  return text.replace(/^import "\.\/[\w-]+\.js";\n/gm, "");
}

/** Notes which files modules read beside themselves, and has them looked for under the bundle's folder. */
function ownFiles(assets: Set<string>): Plugin {
  return {
    name: "own-files",
    setup({ onLoad }) {
      onLoad({ filter: /\.ts$/ }, ({ path }) => {
        const text = readFileSync(path, "utf8");
        if (!text.includes("import.meta.url")) return undefined;
        const name = relative(root, path);
        if (/new URL\(`[^`]*`, import\.meta\.url\)/.test(text)) {
          throw new Error(`${name}: the path of a file it reads is put together; write it out`);
        }
        for (const [, file] of text.matchAll(/new URL\("([^"]+)", import\.meta\.url\)/g)) {
          // A folder elsewhere is a name to compare with: nothing is read there.
          if (!/^\.\.\/.*\/$|^\.\.\/$/.test(file!)) assets.add(join(dirname(name), file!));
        }
        const place = `new URL(${JSON.stringify(name)}, import.meta.url).href`;
        return { contents: text.replaceAll("import.meta.url", place), loader: "ts" };
      });
    },
  };
}

/** What asks esbuild for a page's script at run time gets the one that was bundled with the package. */
const madeBeforehand: Plugin = {
  name: "made-beforehand",
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^esbuild$/ }, () => ({ path: "esbuild", namespace: "beforehand" }));
    onLoad({ filter: /.*/, namespace: "beforehand" }, () => ({
      resolveDir: root,
      contents: `import { readFileSync } from "node:fs";
export function buildSync({ entryPoints: [entry] }) {
  return { outputFiles: [{ text: readFileSync(entry.replace(/\\.ts$/, ".js"), "utf8") }] };
}
export async function build(options) { return buildSync(options); }`,
    }));
  },
};

function copyAsset(name: string, folder: string): void {
  const from = join(root, name);
  const to = join(folder, name);
  if (name === "package.json") {
    // Which version this is, and that the files beside it are modules.
    const { version } = JSON.parse(readFileSync(from, "utf8")) as { version: string };
    mkdirSync(folder, { recursive: true });
    writeFileSync(
      to,
      `${JSON.stringify({ name: "picogrant-command", version, type: "module" })}\n`,
    );
  } else if (!existsSync(from)) {
    throw new Error(`${name} is read at run time and is not there`);
  } else if (statSync(from).isDirectory()) {
    for (const file of readdirSync(from)
      .filter((one) => !one.endsWith(".ts"))
      .sort()) {
      cpSync(join(from, file), join(to, file), { recursive: true });
    }
  } else if (name.endsWith(".ts")) {
    // A page's script.
    const options = { bundle: true, write: false, format: "esm", target: "es2022" } as const;
    const { outputFiles } = buildSync({ entryPoints: [from], absWorkingDir: root, ...options });
    mkdirSync(dirname(to), { recursive: true });
    writeFileSync(to.replace(/\.ts$/, ".js"), outputFiles[0]!.text);
  } else {
    cpSync(from, to, { recursive: true });
  }
}

// How the lines of a library look. Of an error that nobody catches Node prints the line where it was made, above the
// error's own words: where ours are made it is a line that a person wrote. What makes none is packed densely.

type InputsOfLines = Metafile["outputs"][string]["inputs"];

/** About how long dense lines are; texts and names are not cut. */
const LINE_LENGTH = 120;

const DENSE = /^core\/|node_modules\/|^platform\/(conformance|fake|servers)\/|qr-code/;

/** Whether a file is the core's, which never throws, other people's, or data and tests of adapters, but for a few lines. */
function isDense(inputs: InputsOfLines): boolean {
  let [theirs, ours] = [0, 0];
  for (const [name, { bytesInOutput }] of Object.entries(inputs)) {
    if (DENSE.test(name)) theirs += bytesInOutput;
    else ours += bytesInOutput;
  }
  return theirs > 4 * ours;
}

/** Names stay, so that a stack says where it was. */
function dense(text: string): string {
  const how = { charset: "utf8", legalComments: "none", lineLimit: LINE_LENGTH } as const;
  return transformSync(text, { minifySyntax: true, minifyWhitespace: true, ...how }).code;
}

/** The lines as they were written, without comments and empty lines, and with tabs in front: that is a third shorter. */
function readable(text: string): string {
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
