// Makes the firmware bundle: one ES5 file that defines `picogrant`, for any engine. Three tools that
// others keep do the work: esbuild joins the files and takes the types out, Closure Compiler (ADVANCED)
// puts functions and numbers where they are used, uglify-js writes it short. The device stays a record, so
// one load of the file drives several.

import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { build } from "esbuild";
import uglify from "uglify-js";

import type { Bundle } from "./bundled-core.ts";
import { checkConstants } from "./constants.ts";
import { gatherFunctions } from "./functions.ts";
import { markFunctions } from "./inlining.ts";
import { type Placed, placeProperties } from "./record.ts";
import { deviceProperties, entryOf, exportsOf, publicNames, type Variant } from "./surface.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));
const run = promisify(execFile);

/** The flags of Closure Compiler that say what is built; files and maps are added where it is called. */
const closureFlags = [
  ...["--compilation_level", "ADVANCED", "--env", "CUSTOM", "--rewrite_polyfills", "false"],
  ...["--language_in", "ECMASCRIPT5", "--language_out", "ECMASCRIPT5"],
  // Names are public by the list of externs alone, never by what the compiler makes of types.
  ...["--use_types_for_optimization", "false"],
  ...["--assume_function_wrapper", "true", "--charset", "US-ASCII", "--warning_level", "QUIET"],
];

/** Options of uglify-js: nothing that ES5 lacks, and no function written into another that calls it. */
const uglifyOptions = {
  compress: {
    arrows: false,
    templates: false,
    reduce_funcs: false,
    inline: 3,
    hoist_vars: true,
    pure_getters: true,
    // MuJS reads a hundred levels, and each comma of a sequence is one.
    sequences: false,
  },
  output: { ascii_only: true },
};

/** What stands around the functions, so that the file defines one name and no more. */
const wrapper = ["var picogrant;(function(){", "})();"] as const;

/** What ships. */
export async function shippedBundle(variant: Variant): Promise<Bundle> {
  checkConstants();
  const joined = await joinSources(variant, true);
  const marked = { ...joined, code: markFunctions(joined.code) };
  return gatherFunctions(shorten(await compile(marked, publicNames(variant))));
}

/** The same functions, only joined, with their own names and their assertions. */
export async function readableBundle(variant: Variant): Promise<Bundle> {
  const joined = await joinSources(variant, false);
  return { ...joined, code: `${wrapper[0]}${joined.code}${wrapper[1]}\n` };
}

/** The core's files as one script of functions, with the object of the public ones at its end. */
async function joinSources(variant: Variant, isPlaced: boolean): Promise<Bundle> {
  const file = entryOf(variant);
  const names = exportsOf(variant);
  const placed = isPlaced ? placedCore(variant).sources : undefined;
  const result = await build({
    stdin: {
      contents:
        `import { ${names.join(", ")} } from "./${file}";\n` +
        `picogrant = { ${names.map((name) => `${name}: ${name}`).join(", ")} };`,
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
    // What ships has no assertions (core/device/assertion.ts).
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
  const code = flattenEnums(output(".js"));
  return { code: variant === "grant" ? withoutCalls(code) : code, map: output(".js.map") };
}

/** The grant alone makes no calls. */
function absentProperties(variant: Variant): string[] {
  return variant === "grant" ? ["call"] : [];
}

/** What stands where in the device, by the properties that are absent: it takes the compiler a second. */
const places = new Map<string, Placed>();

function placedCore(variant: Variant): Placed {
  const absent = absentProperties(variant);
  const made =
    places.get(absent.join()) ??
    placeProperties({
      config: `${root}core/tsconfig.json`,
      file: `${root}core/device/memory.ts`,
      type: "Device",
      first: deviceProperties,
      absent,
    });
  places.set(absent.join(), made);
  return made;
}

/** A source with its map in it, as esbuild takes it. */
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

/**
 * esbuild writes an enum's numbers where they are used, but makes an object of an enum whose members name
 * those of another file, and quotes its members' names, which Closure Compiler takes for other names than the
 * unquoted ones. Such an enum becomes plain assignments here, line by line; names by numbers, which the
 * core has no use for, go. @throws Error where a quoted name is left
 */
export function flattenEnums(code: string): string {
  const flat = code.replace(
    /^var (\w+) = (?:\/\* @__PURE__ \*\/ )?\(?function\((\w+)\) \{\n([\s\S]*?)\n {2}return \2;\n\}\)?\(\1 \|\| \{\}\);$/gm,
    (_all, name: string, inner: string, body: string) => {
      const member = new RegExp(`^ {2}${inner}\\[${inner}\\["(\\w+)"\\] = (.*)\\] = "\\1";$`, "gm");
      const lines = body.replace(member, `${name}.$1 = $2;`).replaceAll(`${inner}.`, `${name}.`);
      return `var ${name} = {};\n${lines}\n\n`;
    },
  );
  const quoted = /\w+\[\s*"\w+"\s*\]/.exec(flat);
  if (quoted) throw new Error(`the build knows no properties with quoted names: ${quoted[0]}`);
  return flat;
}

/**
 * The grant alone makes no calls: nothing in it sets `device.call`, which `create` makes null. Said here, it
 * lets the compiler leave out whatever a call would need. Columns stay, for the map.
 */
export function withoutCalls(code: string): string {
  const made = "device.call = null;";
  const rest = code.replace(made, "".padEnd(made.length));
  const others = rest.match(/(?<!\bdevice)\.call\b|\.call\s*=(?!=)|\bcall:/);
  if (others) throw new Error(`the grant alone should not set or name a call: ${others[0]}`);
  return rest.replace(/\bdevice\.call\b/g, "null".padEnd("device.call".length));
}

/** Closure Compiler. */
async function compile(joined: Bundle, names: readonly string[]): Promise<Bundle> {
  const folder = mkdtempSync(join(tmpdir(), "picogrant-build-"));
  const file = (name: string): string => join(folder, name);
  try {
    writeFileSync(file("joined.js"), joined.code);
    writeFileSync(file("joined.js.map"), joined.map);
    const externs = names.map((name) => `Object.prototype.${name};\n`).join("");
    writeFileSync(file("externs.js"), `/** @externs */\nvar picogrant;\n${externs}`);
    const files = [
      ...["--js", file("joined.js"), "--externs", file("externs.js")],
      ...["--source_map_input", `${file("joined.js")}|${file("joined.js.map")}`],
      ...["--create_source_map", file("compiled.js.map"), "--source_map_include_content"],
      ...["--output_wrapper", `${wrapper[0]}%output%${wrapper[1]}`],
      ...["--js_output_file", file("compiled.js")],
    ];
    // Its command takes the native build that npm installed for this system, or Java's.
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

/** The map with the names and texts that its sources have in the map of the joined file. */
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

/** uglify-js. */
function shorten({ code, map }: Bundle): Bundle {
  const result = uglify.minify(code, {
    ...uglifyOptions,
    sourceMap: { content: map, includeSources: true },
  });
  if (result.error) throw result.error;
  return { code: `${result.code}\n`, map: result.map };
}
