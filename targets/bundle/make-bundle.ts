// Makes the firmware bundle: one ES5 file that defines `picogrant`, for any engine. esbuild joins the files and removes
// the types, Closure Compiler (ADVANCED) inlines functions and numbers, dispatch.ts makes one function of the rest, and
// uglify-js shortens the code. The device stays a separate array (record.ts): a program can have several devices.

import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { type AnyNode, type Node, parse } from "acorn";
import { ancestor } from "acorn-walk";
import { build } from "esbuild";
import MagicString from "magic-string";
import uglify from "uglify-js";

import * as core from "../../core/complete.ts";
import type { Bundle } from "./bundled-core.ts";
import { checkConstants } from "./constants.ts";
import { dispatch, type Script } from "./dispatch.ts";
import { type Placed, placeProperties } from "./record.ts";
import {
  bootFunctions,
  CALL,
  configProperties,
  deviceProperties,
  EXPORTS,
  entryOf,
  exportsOf,
  functionNumbers,
  functionsOf,
  type Variant,
} from "./surface.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));
const run = promisify(execFile);

const closureFlags = [
  ...["--compilation_level", "ADVANCED", "--env", "CUSTOM", "--rewrite_polyfills", "false"],
  ...["--language_in", "ECMASCRIPT5", "--language_out", "ECMASCRIPT5"],
  // The externs alone determine the public names. The compiler must not use types for that.
  ...["--use_types_for_optimization", "false"],
  ...["--assume_function_wrapper", "true", "--charset", "US-ASCII", "--warning_level", "QUIET"],
];

/** Options of uglify-js, without syntax newer than ES5. */
const uglifyOptions = {
  compress: {
    arrows: false,
    templates: false,
    reduce_funcs: false,
    inline: 3,
    hoist_vars: true,
    pure_getters: true,
    // MuJS parses at most a hundred levels of nesting, and each comma of a sequence is a level.
    sequences: false,
  },
  output: { ascii_only: true },
};

/** The code around the functions. The file then has a single global name. */
const wrapper = ["var picogrant;(function(){", "})();"] as const;

/** Functions that stay separate (dispatch.ts). They account for most of the calls in a pending poll. */
const OUTSIDE = ["writeByte", "put", "writeEncoded", "keep"];

export async function shippedBundle(variant: Variant): Promise<Bundle> {
  checkConstants();
  const joined = await joinSources(variant, true);
  const marked = { ...joined, code: markFunctions(joined.code, OUTSIDE) };
  const compiled = await compile(marked);
  const { code, map } = shorten(dispatch(compiled, OUTSIDE));
  return { code: code + namesOf(variant), map, flashed: code };
}

/** The code after the flashed part: the functions by name, for hosts in JavaScript. A host can delete `create`, because
 * these functions call only the one function of dispatch.ts. */
function namesOf(variant: Variant): string {
  const functions = core as unknown as Record<string, { length: number }>;
  const numbered = functionsOf(variant).filter((name) => functionNumbers.includes(name));
  const members = numbered.map((name) => {
    const given = [..."abcdefg"].slice(0, functions[name]!.length).join();
    return `n.${name}=function(${given}){return p(${functionNumbers.indexOf(name)},${given})};`;
  });
  const others = "{create:picogrant[1],configError:picogrant[2],release:picogrant[3]}";
  return `picogrant=function(p,n){${members.join("")}return n}(picogrant[0],${others});\n`;
}

/** The joined files of a bundle. Functions keep their names and their assertions. */
export async function readableBundle(variant: Variant): Promise<Bundle> {
  const joined = await joinSources(variant, false);
  const code = `${wrapper[0]}${joined.code}${wrapper[1]}\n`;
  return { code, map: joined.map, flashed: code };
}

/** Whether the node is a loop, or a block that does not end with a return. */
function goesOn(node: AnyNode): boolean {
  if (node.type === "BlockStatement") return node.body.at(-1)?.type !== "ReturnStatement";
  return /^(For|While|DoWhile)/.test(node.type);
}

/** Marks functions with `@noinline`: those that stay separate, and those that return from within a loop or from a block
 * with code after it. To inline such a return, Closure Compiler would add a label, which Espruino does not support. */
export function markFunctions(code: string, staying: readonly string[] = []): string {
  const marked = new Set<Node>();
  ancestor(parse(code, { ecmaVersion: 5 }), {
    FunctionDeclaration(node) {
      if (staying.includes(node.id!.name)) marked.add(node);
    },
    ReturnStatement(_node, _state, ancestors) {
      const owner = ancestors.findLastIndex(({ type }) => type === "FunctionDeclaration");
      // The first block is the body of the function itself.
      const around = ancestors.slice(owner + 2) as AnyNode[];
      if (around.some(goesOn)) marked.add(ancestors[owner]!);
    },
  });
  const text = new MagicString(code);
  for (const { start } of marked) text.appendLeft(start, "/** @noinline */ ");
  return text.toString();
}

/** Joins the core's files into one script. Its last statement defines `picogrant`. */
async function joinSources(variant: Variant, isPlaced: boolean): Promise<Script> {
  const file = entryOf(variant);
  const names = exportsOf(variant);
  const placed = isPlaced ? placedCore(variant).sources : undefined;
  const result = await build({
    stdin: {
      contents:
        `import { ${names.join(", ")} } from "./${file}";\n` +
        (isPlaced ? numbered(names) : `picogrant = { ${names.join(", ")} };`),
      resolveDir: `${root}core`,
      sourcefile: "picogrant.ts",
      loader: "js",
    },
    absWorkingDir: root,
    outfile: "dist/picogrant.js",
    bundle: true,
    write: false,
    sourcemap: "external",
    sourcesContent: true,
    target: "es5",
    format: "esm",
    // Release builds have no assertions (core/device/assertion.ts).
    dropLabels: isPlaced ? ["ASSERT"] : [],
    plugins: [
      {
        name: "places",
        setup: (build) =>
          build.onLoad({ filter: /\/core\/.*\.ts$/ }, ({ path }) => placedSource(placed, path)),
      },
    ],
    charset: "ascii",
    legalComments: "none",
    logLevel: "silent",
  });
  const output = (suffix: string): string =>
    result.outputFiles.find(({ path }) => path.endsWith(suffix))!.text;
  const code = isPlaced ? withoutZeros(output(".js")) : output(".js");
  return { code: variant === "grant" ? withoutCalls(code) : code, map: output(".js.map") };
}

/** The code that lists the functions by number, and defines `picogrant` as an array (bundled-core.ts, `flashed`). */
function numbered(names: readonly string[]): string {
  const functions = functionNumbers.map((name) => (names.includes(name) ? name : "0"));
  return `${EXPORTS}(${functions});\npicogrant = [${[CALL, ...bootFunctions]}, release];`;
}

function absentProperties(variant: Variant): string[] {
  return variant === "grant" ? ["call"] : [];
}

function placedCore(variant: Variant): Placed {
  return placeProperties({
    config: `${root}core/tsconfig.json`,
    file: `${root}core/device/memory.ts`,
    type: "Device",
    first: deviceProperties,
    absent: absentProperties(variant),
  });
}

/** A source that includes its source map, as esbuild expects. */
function placedSource(
  sources: Placed["sources"] | undefined,
  path: string,
): { contents: string; loader: "ts" } | undefined {
  const source = sources?.get(path);
  if (!source) return undefined;
  const map = Buffer.from(source.map).toString("base64");
  const comment = `\n//# sourceMappingURL=data:application/json;base64,${map}`;
  return { contents: source.code + comment, loader: "ts" };
}

/** Removes the zeros that the functions `make...` write, because the device is an array of zeros (record.ts). */
function withoutZeros(code: string): string {
  return code.replace(/^function make[A-Z][\s\S]*?^\}/gm, (whole) =>
    whole.replace(/^ *device\[\d+\] = 0(?: \/\*.*\*\/)?;$/gm, (line) => "".padEnd(line.length)),
  );
}

/** Replaces `device.call` by null, its only value in the build of the grant alone. The compiler then removes all code
 * for calls. Columns do not change, so the map stays correct. */
export function withoutCalls(code: string): string {
  const made = "device.call = null;";
  const rest = code.replace(made, "".padEnd(made.length));
  const others = rest.match(/(?<!\bdevice)\.call\b|\.call\s*=(?!=)|\bcall:/);
  if (others) throw new Error(`the grant alone should not set or name a call: ${others[0]}`);
  return rest.replace(/\bdevice\.call\b/g, "null".padEnd("device.call".length));
}

async function compile(joined: Script): Promise<Script> {
  const folder = mkdtempSync(join(tmpdir(), "picogrant-build-"));
  const file = (name: string): string => join(folder, name);
  try {
    writeFileSync(file("joined.js"), joined.code);
    writeFileSync(file("joined.js.map"), joined.map);
    const externs = configProperties.map((name) => `Object.prototype.${name};\n`).join("");
    writeFileSync(
      file("externs.js"),
      `/** @externs */\nvar picogrant, ${CALL}, ${EXPORTS};\n${externs}`,
    );
    const files = [
      ...["--js", file("joined.js"), "--externs", file("externs.js")],
      ...["--source_map_input", `${file("joined.js")}|${file("joined.js.map")}`],
      ...["--create_source_map", file("compiled.js.map"), "--source_map_include_content"],
      ...["--output_wrapper", `${wrapper[0]}%output%${wrapper[1]}`],
      ...["--js_output_file", file("compiled.js")],
    ];
    // The compiler's command uses its native build for this system, or else Java.
    const command = join(root, "node_modules/google-closure-compiler/cli.js");
    await run(process.execPath, [command, ...closureFlags, ...files]);
    const read = (name: string): string => readFileSync(file(name), "utf8");
    return { code: read("compiled.js"), map: withRealSources(read("compiled.js.map"), joined.map) };
  } catch (error) {
    const { stderr, message } = error as { stderr?: string; message: string };
    throw new Error(`Closure Compiler could not compile the core: ${stderr || message}`);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Combines both maps, so that positions in the bundle lead to the sources. */
function withRealSources(map: string, joinedMap: string): string {
  const whole = JSON.parse(map) as { sources: string[]; sourcesContent: (string | null)[] };
  const joined = JSON.parse(joinedMap) as { sources: string[]; sourcesContent: string[] };
  const places = whole.sources.map((source) =>
    joined.sources.findIndex((name) => source.endsWith(name.replace(/^(\.\.\/)+/, "/"))),
  );
  whole.sources = places.map((at, index) => joined.sources[at] ?? whole.sources[index]!);
  whole.sourcesContent = places.map((at) => joined.sourcesContent[at] ?? null);
  return JSON.stringify(whole);
}

function shorten({ code, map }: Script): Script {
  const result = uglify.minify(code, {
    ...uglifyOptions,
    sourceMap: { content: map, includeSources: true },
  });
  if (result.error) throw result.error;
  return { code: `${result.code}\n`, map: result.map };
}
