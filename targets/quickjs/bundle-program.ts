// Bundles the device program for a stock qjs into one file: a classic script that can also be loaded as a module.

import { fileURLToPath } from "node:url";
import { type BuildOptions, build, type Plugin } from "esbuild";

const folder = fileURLToPath(new URL("./", import.meta.url));

/** Removes Node's crypto, which tweetnacl loads for random numbers. Here, random numbers come from an adapter. */
export const withoutCrypto: Plugin = {
  name: "without-crypto",
  setup({ onLoad, onResolve }) {
    onResolve({ filter: /^crypto$/ }, () => ({ path: "crypto", namespace: "absent" }));
    onLoad({ filter: /.*/, namespace: "absent" }, () => ({ contents: "module.exports = {};" }));
  },
};

export const programOptions = {
  bundle: true,
  minify: true,
  platform: "neutral",
  mainFields: ["module", "main"],
  target: "es2020",
  format: "iife",
  // Release builds have no assertions (core/device/assertion.ts).
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
