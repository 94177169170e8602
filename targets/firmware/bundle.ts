// Makes the firmware bundle: one ES5 file that defines `picogrant`, for any engine. esbuild alone does
// it, and refuses what ES5 does not have.

import { build } from "esbuild";
import {
  builtins,
  completeFunctions,
  configProperties,
  deviceProperties,
  grantFunctions,
} from "./surface.ts";

export type Variant = "complete" | "grant";

export interface Bundle {
  readonly code: string;
  readonly map: string;
}

const coreFolder = new URL("../../core/", import.meta.url).pathname;

function entryOf(variant: Variant): { file: string; names: readonly string[] } {
  return variant === "complete"
    ? { file: "complete.ts", names: [...grantFunctions, ...completeFunctions] }
    : { file: "index.ts", names: grantFunctions };
}

/**
 * Bundles the core.
 * @param variant "grant" is the grant alone, "complete" everything
 * @param options `minify: false` for a readable bundle (instrumentation, debugging)
 */
export async function bundleCore(
  variant: Variant,
  options: { minify?: boolean; outfile?: string } = {},
): Promise<Bundle> {
  const { file, names } = entryOf(variant);
  const minify = options.minify ?? true;
  const kept = [...names, ...configProperties, ...deviceProperties, ...builtins];
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
    outfile: options.outfile ?? "picogrant.js",
    sourcemap: "external",
    sourcesContent: true,
    target: "es5",
    format: "iife",
    charset: "ascii",
    legalComments: "none",
    minify,
    // Enum members are in capitals: the build writes their numbers.
    ...(minify && { mangleProps: /^[a-z]/, reserveProps: new RegExp(`^(${kept.join("|")})$`) }),
    banner: { js: "var picogrant;" },
    footer: { js: 'typeof module=="object"&&(module.exports=picogrant);' },
    logLevel: "silent",
  });
  const output = (suffix: string): string =>
    result.outputFiles.find(({ path }) => path.endsWith(suffix))!.text;
  return { code: output(".js"), map: output(".map") };
}
