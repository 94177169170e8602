// Makes the firmware bundle: one ES5 file that defines `picogrant`, for any engine. esbuild joins the
// files, refuses what ES5 does not have, and minifies; between, passes over the syntax tree (see the
// README) make of readable sources what an engine has least trouble with.

import { fileURLToPath } from "node:url";
import { parse } from "acorn";
import { generate } from "astring";
import { build, transform } from "esbuild";
import { SourceMapConsumer, SourceMapGenerator } from "source-map-js";
import { chainAssignments } from "./chain.ts";
import { writeConstants } from "./constants.ts";
import { loosenEquality } from "./equality.ts";
import { writeExports } from "./exports.ts";
import { dropImpossible } from "./impossible.ts";
import { inlineFunctions } from "./inline.ts";
import { declareAsParameters } from "./locals.ts";
import { shortenNames } from "./names.ts";
import { oneDevice } from "./one-device.ts";
import { rejoin } from "./rejoin.ts";
import { shareVariables } from "./sharing.ts";
import {
  builtins,
  callProperties,
  completeFunctions,
  configProperties,
  deviceProperties,
  grantFunctions,
  simulatorProperties,
} from "./surface.ts";
import { packTexts } from "./texts.ts";

export type Variant = "complete" | "grant";

export interface Bundle {
  readonly code: string;
  readonly map: string;
}

const coreFolder = fileURLToPath(new URL("../../core/", import.meta.url));

function entryOf(variant: Variant): { file: string; names: readonly string[] } {
  return variant === "complete"
    ? { file: "complete.ts", names: [...grantFunctions, ...completeFunctions] }
    : { file: "index.ts", names: grantFunctions };
}

/** How a bundle is made. */
export interface BundleOptions {
  /** False for readable names (instrumentation, debugging). */
  readonly minify?: boolean;
  /**
   * "one", what is flashed: the bundle holds the state of one device, and `create` begins it anew.
   * "many": each device is a record of its own, with all its properties in the open (simulators).
   */
  readonly devices?: "one" | "many";
  /** Name of the file, for the map. */
  readonly outfile?: string;
}

/**
 * Bundles the core.
 * @param variant "grant" is the grant alone, "complete" everything
 */
export function bundleCore(variant: Variant, options: BundleOptions = {}): Promise<Bundle> {
  const whole = { minify: true, devices: "one", outfile: "picogrant.js", ...options } as const;
  const key = JSON.stringify([variant, whole.minify, whole.devices, whole.outfile]);
  const bundle = made.get(key) ?? makeBundle(variant, whole);
  made.set(key, bundle);
  return bundle;
}

/** Each is made once in a process: it takes seconds. */
const made = new Map<string, Promise<Bundle>>();

async function makeBundle(variant: Variant, options: Required<BundleOptions>): Promise<Bundle> {
  const { file, names } = entryOf(variant);
  const { minify, devices, outfile } = options;
  const joined = await join(file, names);
  const shaped = devices === "one" ? shapeForOne(joined, variant, names) : joined;
  if (!minify) return shaped;
  const kept = [...names, ...configProperties, ...propertiesOf(variant, devices), ...builtins];
  const { code, map } = await transform(withMap(shaped), {
    sourcefile: outfile,
    sourcemap: "external",
    sourcesContent: true,
    target: "es5",
    charset: "ascii",
    legalComments: "none",
    minify: true,
    // Enum members are in capitals: their numbers are written already.
    mangleProps: /^[a-z]/,
    reserveProps: new RegExp(`^(${kept.join("|")})$`),
    logLevel: "silent",
  });
  return devices === "one" ? withShortNames({ code, map }) : { code, map };
}

/** Names that the properties of a device keep. */
export function propertiesOf(variant: Variant, devices: "one" | "many"): readonly string[] {
  return [
    ...deviceProperties,
    ...(variant === "complete" || devices === "many" ? callProperties : []),
    ...(devices === "many" ? simulatorProperties : []),
  ];
}

/** The core as one function, as it is written. */
async function join(file: string, names: readonly string[]): Promise<Bundle> {
  const result = await build({
    stdin: {
      contents:
        `import { ${names.join(", ")} } from "./${file}";\n` +
        `picogrant = { ${names.map((name) => `${name}: ${name}`).join(", ")} };`,
      resolveDir: coreFolder,
      sourcefile: "picogrant.ts",
      loader: "js",
    },
    bundle: true,
    write: false,
    outfile: "picogrant.js",
    sourcemap: "external",
    sourcesContent: true,
    target: "es5",
    format: "iife",
    charset: "ascii",
    legalComments: "none",
    banner: { js: "var picogrant;" },
    logLevel: "silent",
  });
  const output = (suffix: string): string =>
    result.outputFiles.find(({ path }) => path.endsWith(suffix))!.text;
  return { code: output(".js"), map: output(".map") };
}

/** One device's state in variables, and fewer functions. */
function shapeForOne(bundle: Bundle, variant: Variant, names: readonly string[]): Bundle {
  const tree = parse(bundle.code, { ecmaVersion: 5, locations: true });
  const exported = new Set(names);
  oneDevice(tree, new Set(propertiesOf(variant, "one")), exported);
  dropImpossible(tree);
  inlineFunctions(tree, exported);
  dropImpossible(tree);
  rejoin(tree);
  writeConstants(tree);
  chainAssignments(tree);
  loosenEquality(tree);
  packTexts(tree);
  shareVariables(tree);
  declareAsParameters(tree);
  writeExports(tree);
  const map = new SourceMapGenerator({ file: "joined.js" });
  // The printer only adds mappings to it; its types name the older package of the same interface.
  const code = generate(tree, { sourceMap: map as never });
  map.applySourceMap(new SourceMapConsumer(JSON.parse(bundle.map)), "joined.js");
  return { code, map: map.toString() };
}

function withShortNames(bundle: Bundle): Bundle {
  const { code, map } = shortenNames(bundle.code);
  const whole = SourceMapGenerator.fromSourceMap(new SourceMapConsumer(map as never));
  whole.applySourceMap(new SourceMapConsumer(JSON.parse(bundle.map)), "minified.js");
  return { code, map: whole.toString() };
}

/** The code with its map in it, which the next step then follows. */
function withMap({ code, map }: Bundle): string {
  const data = Buffer.from(map).toString("base64");
  return `${code}\n//# sourceMappingURL=data:application/json;base64,${data}`;
}
