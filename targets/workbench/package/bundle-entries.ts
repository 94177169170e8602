// Bundles the command and the libraries of the packages for Node. Files that a module reads at run time with `new
// URL("name", import.meta.url)` are included under their paths in the repository.

import { execFileSync } from "node:child_process";
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
import { wrapped } from "../../desktop/command-line.ts";
import { withoutCrypto } from "../../quickjs/bundle-program.ts";

const root = fileURLToPath(new URL("../../../", import.meta.url));

/** Defines `require` in ES modules, so that CommonJS packages can load Node's own modules. */
const BANNER =
  'import { createRequire as picograntRequire } from "node:module";' +
  "const require = picograntRequire(import.meta.url);";

const common = {
  bundle: true,
  platform: "node",
  target: "node20",
  legalComments: "none",
  charset: "utf8",
  // Release builds have no assertions (core/device/assertion.ts).
  dropLabels: ["ASSERT"],
  // The compact variant has half of the bytes. To encrypt and decrypt 20 KB, it needs 8 ms instead of 3.
  alias: { tweetnacl: "tweetnacl/nacl.js" },
  metafile: true,
  logLevel: "warning",
  absWorkingDir: root,
} as const satisfies BuildOptions;

/** The modules in a bundle, relative to the repository. */
export type Inputs = readonly string[];

/** Bundles `entry` as ES modules into `folder`, in parts, so that each subcommand loads only what it needs. */
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

/** Bundles the entries of a library as ES modules with common parts. Other bundlers can process them. */
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
    plugins: Object.values(entries).includes(NODE_SIGN_IN) ? [together] : [],
    // tweetnacl tests whether `require` exists. For this test, other bundlers would add a substitute to every program.
    define: { require: "undefined" },
  });
  for (const [name, { inputs }] of Object.entries(metafile.outputs)) {
    const text = withoutBareImports(readFileSync(join(root, name), "utf8"));
    const isDense = consistsOf(DENSE, inputs);
    const whole = isDense ? dense(text, consistsOf(NAMELESS, inputs)) : readable(text);
    writeFileSync(join(root, name), whole);
  }
  return Object.keys(metafile.inputs);
}

/** The modules that every sign-in loads, first those for any platform, then those for Node. */
const SIGN_IN = ["platform/session/session.ts", "platform/session/resolve-server.ts"];
const NODE_SIGN_IN = "platform/node/sign-in.ts";

/** Bundles all modules of a sign-in into one file, because each file costs time to load. esbuild joins the modules that
 * the same entries reach. So each entry, and each module that is loaded later, imports all modules of a sign-in. */
const together: Plugin = {
  name: "together",
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /\.ts$/ }, ({ path, kind, resolveDir }) => {
      const isFirst = kind === "entry-point" || kind === "dynamic-import";
      const file = relative(root, join(resolveDir, path));
      if (!isFirst || file.startsWith("core/")) return undefined;
      return { path: file, namespace: "first" };
    });
    onLoad({ filter: /.*/, namespace: "first" }, ({ path }) => {
      const more = path.startsWith("platform/node/") ? [...SIGN_IN, NODE_SIGN_IN] : SIGN_IN;
      const lines = more.map((file) => `import ${JSON.stringify(`./${file}`)};`);
      const own = `export * from ${JSON.stringify(`./${path}`)};`;
      return { contents: [own, ...lines].join("\n"), resolveDir: root };
    });
  },
};

/** Bundles the entries as CommonJS. One file contains all code, so that `instanceof` works for errors of other entries.
 * Each entry evaluates its part on demand. */
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

/** Removes imports without names, because the modules of the libraries have no side effects. */
function withoutBareImports(text: string): string {
  return text.replace(/^import "\.\/[\w-]+\.js";\n/gm, "");
}

/** The manual page of the bundled command: its help, and then the help of each subcommand. */
export function manualOf(program: string, version: string): string {
  const helpOf = (words: readonly string[]): string =>
    execFileSync(process.execPath, [program, ...words, "--help"], { encoding: "utf8" });
  const section = (title: string, text: string): string => {
    const escaped = wrapped(text, 80).replaceAll("\\", "\\e").replaceAll("-", "\\-");
    return `.SH ${title}\n.nf\n.in 0\n${escaped.replace(/^(?=[.'])/gm, "\\&")}.fi\n`;
  };
  const help = helpOf([]);
  const commands = [...help.matchAll(/^ {2}([a-z-]+) \[options\.\.\.\]/gm)].map(
    ([, name]) => name!,
  );
  return [
    `.TH PICOGRANT 1 "" "picogrant ${version}"\n.SH NAME\npicogrant \\- sign in without a keyboard\n`,
    section("SYNOPSIS", help),
    ...commands.map((name) => section(`"picogrant ${name}"`, helpOf([name]))),
  ].join("");
}

/** Collects the files that modules read at run time, and changes their URLs to the folder of the bundle. */
function ownFiles(assets: Set<string>): Plugin {
  return {
    name: "own-files",
    setup({ onLoad }) {
      onLoad({ filter: /\.ts$/ }, ({ path }) => {
        const text = readFileSync(path, "utf8");
        if (!text.includes("import.meta.url")) return undefined;
        const name = relative(root, path);
        if (/new URL\(`[^`]*`, import\.meta\.url\)/.test(text)) {
          throw new Error(
            `${name}: the path of a file that it reads is computed; write it as a literal`,
          );
        }
        for (const [, file] of text.matchAll(/new URL\("([^"]+)", import\.meta\.url\)/g)) {
          // Do not bundle folders: modules use their URLs only to compare names.
          if (!/^\.\.\/.*\/$|^\.\.\/$/.test(file!)) assets.add(join(dirname(name), file!));
        }
        const place = `new URL(${JSON.stringify(name)}, import.meta.url).href`;
        return { contents: text.replaceAll("import.meta.url", place), loader: "ts" };
      });
    },
  };
}

/** Replaces esbuild, with which the sources build a page's script, by code that reads the script from the package. */
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
    // This package.json also marks the files as ES modules.
    const { version } = JSON.parse(readFileSync(from, "utf8")) as { version: string };
    mkdirSync(folder, { recursive: true });
    writeFileSync(
      to,
      `${JSON.stringify({ name: "picogrant-command", version, type: "module" })}\n`,
    );
  } else if (!existsSync(from)) {
    throw new Error(`${name} is read at run time and does not exist`);
  } else if (statSync(from).isDirectory()) {
    for (const file of readdirSync(from)
      .filter((one) => !one.endsWith(".ts"))
      .sort()) {
      cpSync(join(from, file), join(to, file), { recursive: true });
    }
  } else if (name.endsWith(".ts")) {
    const options = { bundle: true, write: false, format: "esm", target: "es2022" } as const;
    const { outputFiles } = buildSync({ entryPoints: [from], absWorkingDir: root, ...options });
    mkdirSync(dirname(to), { recursive: true });
    writeFileSync(to.replace(/\.ts$/, ".js"), outputFiles[0]!.text);
  } else {
    cpSync(from, to, { recursive: true });
  }
}

// Formats the code of a library. For an uncaught error, Node prints the source line that created it. So lines that
// create errors stay readable, and the rest is minified.

type InputsOfLines = Metafile["outputs"][string]["inputs"];

/** Approximate length of minified lines. Strings and names are not split. */
const LINE_LENGTH = 120;

const DENSE =
  /^core\/|node_modules\/|^platform\/(conformance|testing|servers)\/|qr-code|\/keys\.ts$/;
/** Modules whose function names help nobody in a stack trace: the core, which does not throw, and other packages. */
const NAMELESS = /^core\/|node_modules\//;

function consistsOf(wanted: RegExp, inputs: InputsOfLines): boolean {
  let [theirs, ours] = [0, 0];
  for (const [name, { bytesInOutput }] of Object.entries(inputs)) {
    if (wanted.test(name)) theirs += bytesInOutput;
    else ours += bytesInOutput;
  }
  return theirs > 4 * ours;
}

/** An enum in the output of esbuild. It gets a comment that allows bundlers to drop unused enums. */
const ENUM = /=(?=\(([\w$]+)=>\(\1\[)/g;

function dense(text: string, minifyIdentifiers: boolean): string {
  const how = { charset: "utf8", legalComments: "none", lineLimit: LINE_LENGTH } as const;
  const { code } = transformSync(text, {
    ...{ minifySyntax: true, minifyWhitespace: true, minifyIdentifiers },
    ...how,
  });
  return code.replace(ENUM, "=/* @__PURE__ */");
}

/** Keeps the lines of the code and indents them with tabs. Removes comments and empty lines. */
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

function between(gap: string): string {
  const line = gap.lastIndexOf("\n") + 1;
  if (line === 0) return gap.replace(/ *\/\*.*?\*\//g, "");
  const depth = /^ */.exec(gap.slice(line))![0].length / 2;
  return `\n${"\t".repeat(depth)}`;
}
