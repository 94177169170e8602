// The runtimes, bundlers and test tools with which the packages are tested. `npm ci` does not install them, because
// they are large. `npm run engines -- --runtimes` installs them into dist/runtimes.

import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { run } from "./engines/install.ts";

const folder = fileURLToPath(new URL("../../dist/runtimes/", import.meta.url));

const system = `${process.platform}-${process.arch}`;
const deno = process.platform === "linux" ? `${system}-glibc` : system;
const bun = system.replace("win32", "windows").replace("arm64", "aarch64");

/** The oldest supported version, and one of each later release line with an even number. */
const NODES = ["20.19.0", "22.23.3", "24.9.0", "26.9.0"] as const;
const nodePackage = process.platform === "darwin" ? `node-bin-${system}` : `node-${system}`;

/** Packages for npm, by the name in dist/runtimes/node_modules. */
const PACKAGES: Readonly<Record<string, string>> = {
  ...Object.fromEntries(NODES.map((version) => [`node-${version}`, `${nodePackage}@${version}`])),
  deno: `@deno/${deno}@2.9.6`,
  bun: `@oven/bun-${bun}@1.4.5`,
  webpack: "webpack@5.112.2",
  rollup: "rollup@4.68.7",
  "@rollup/plugin-node-resolve": "@rollup/plugin-node-resolve@16.0.3",
  jest: "jest@30.5.2",
  "jest-environment-jsdom": "jest-environment-jsdom@30.5.2",
  msw: "msw@2.15.0",
  nock: "nock@14.0.17",
  "typescript-5.4": "typescript@5.4.5",
  "typescript-7": "typescript@7.0.2",
};

const placeOf = (name: string): string => join(folder, "node_modules", name);

interface Runtime {
  readonly name: string;
  /** The program, and its arguments before a file name. */
  readonly command: readonly [program: string, ...words: string[]];
}

export const bunProgram = join(placeOf("bun"), "bin/bun");

export const runtimes: readonly Runtime[] = [
  ...NODES.map((version) => {
    const program = join(placeOf(`node-${version}`), "bin/node");
    return { name: `Node ${version}`, command: [program] as const };
  }),
  {
    name: "Deno",
    command: [join(placeOf("deno"), "deno"), "run", "--quiet", "--allow-all", "--no-lock"],
  },
  { name: "Bun", command: [bunProgram, "run"] },
];

/** The folder from which programs resolve webpack, rollup and test tools. */
export const bundlersFolder = folder;

export function isInstalled(): boolean {
  return Object.entries(PACKAGES).every(([name, required]) => {
    const manifest = join(placeOf(name), "package.json");
    if (!existsSync(manifest)) return false;
    const { version } = JSON.parse(readFileSync(manifest, "utf8")) as { version: string };
    return required.endsWith(`@${version.replace(/^v/, "")}`);
  });
}

/** Installs all PACKAGES, a gigabyte when unpacked. @throws InstallError with npm's error */
export function installRuntimes(): void {
  mkdirSync(folder, { recursive: true });
  const dependencies = Object.fromEntries(
    Object.entries(PACKAGES).map(([name, required]) => [
      name,
      required.startsWith(`${name}@`) ? required.slice(name.length + 1) : `npm:${required}`,
    ]),
  );
  writeFileSync(join(folder, "package.json"), JSON.stringify({ private: true, dependencies }));
  run("npm", ["install", "--ignore-scripts", "--no-audit", "--no-fund", "--silent"], folder);
}
