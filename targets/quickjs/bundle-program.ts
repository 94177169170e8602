// Makes the device program for a stock qjs: one file, a classic script that may be loaded as a module too.

import { fileURLToPath } from "node:url";
import { type BuildOptions, build, type Plugin } from "esbuild";

const folder = fileURLToPath(new URL("./", import.meta.url));

/** tweetnacl loads Node's crypto for its random numbers. They are not used here: entropy is an adapter. */
export const withoutCrypto: Plugin = {
  name: "without-crypto",
  setup({ onLoad, onResolve }) {
    onResolve({ filter: /^crypto$/ }, () => ({ path: "crypto", namespace: "absent" }));
    onLoad({ filter: /.*/, namespace: "absent" }, () => ({ contents: "module.exports = {};" }));
  },
};

/** How a program for qjs is bundled; its `std` and `os` come from `qjs --std`. */
export const programOptions = {
  bundle: true,
  minify: true,
  platform: "neutral",
  mainFields: ["module", "main"],
  target: "es2020",
  format: "iife",
  // What ships has no assertions (core/device/assertion.ts).
  dropLabels: ["ASSERT"],
  charset: "ascii",
  legalComments: "none",
  plugins: [withoutCrypto],
  logLevel: "silent",
} as const satisfies BuildOptions;

export async function bundleProgram(): Promise<string> {
  const entryPoints = [`${folder}main.ts`];
  const result = await build({ ...programOptions, entryPoints, write: false });
  return result.outputFiles[0]!.text;
}
