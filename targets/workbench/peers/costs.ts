// Compares clients in four tables: their packages; the CPU time of a start on Node; their code on QuickJS (size, heap,
// missing globals); and code and RAM as firmware.

import { execFile, execFileSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { gzipSync } from "node:zlib";
import { type BuildOptions, build, type Metafile } from "esbuild";
import { startSimulatedService } from "../../service/simulated-service.ts";
import { measureC } from "../budgets/core-as-c.ts";
import { heapSteps } from "../budgets/heap.ts";
import { runInQuickjs, variants } from "../engines/catalogue.ts";
import { run, runBeside } from "../engines/install.ts";
import { builtBundle } from "../engines/script.ts";
import { ensurePackages, tool } from "../host/toolchain.ts";

const root = fileURLToPath(new URL("../../../", import.meta.url));
const modules = path.join(root, "node_modules");

/** The functions that a client needs for code, poll, refresh and revocation. Tree shaking removes the others. */
const used: Readonly<Record<string, string>> = {
  oauth4webapi:
    "deviceAuthorizationRequest, processDeviceAuthorizationResponse, deviceCodeGrantRequest, " +
    "processDeviceCodeResponse, refreshTokenGrantRequest, processRefreshTokenResponse, " +
    "revocationRequest, processRevocationResponse, ClientSecretPost, ResponseBodyError",
  "openid-client":
    "Configuration, initiateDeviceAuthorization, pollDeviceAuthorizationGrant, refreshTokenGrant, " +
    "tokenRevocation, ClientSecretPost",
};

interface Amount {
  readonly files: number;
  readonly bytes: number;
}

/** Counts the files of a folder, without nested packages. */
export function amountOf(folder: string): Amount {
  let [files, bytes] = [0, 0];
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    const file = path.join(entry.parentPath, entry.name);
    if (!entry.isFile() || path.relative(folder, file).split(path.sep).includes("node_modules"))
      continue;
    files++;
    bytes += statSync(file).size;
  }
  return { files, bytes };
}

function dependenciesOf(folder: string, known = new Set<string>()): Set<string> {
  const manifest = JSON.parse(readFileSync(path.join(folder, "package.json"), "utf8")) as {
    dependencies?: Record<string, string>;
  };
  for (const name of Object.keys(manifest.dependencies ?? {})) {
    if (known.has(name)) continue;
    known.add(name);
    dependenciesOf(path.join(modules, name), known);
  }
  return known;
}

/** The bytes that are loaded before any dynamic import. */
export function loadedBytes(outputs: Metafile["outputs"], entry: string): number {
  const loaded = new Set<string>();
  const load = (file: string): void => {
    if (loaded.has(file)) return;
    loaded.add(file);
    for (const { path: other, kind } of outputs[file]!.imports) {
      if (kind === "import-statement" && other in outputs) load(other);
    }
  };
  load(entry);
  return [...loaded].reduce((sum, file) => sum + outputs[file]!.bytes, 0);
}

async function bundled(names: string, from: string, options: BuildOptions) {
  const contents = `export { ${names} } from ${JSON.stringify(from)};`;
  const made = await build({
    stdin: { contents, resolveDir: root, sourcefile: "program.mjs" },
    ...{ bundle: true, minify: true, write: false, metafile: true, outdir: "out" },
    ...{ logLevel: "silent", legalComments: "none" },
    ...options,
  });
  return { outputs: made.metafile!.outputs, text: made.outputFiles![0]!.text };
}

/** @param names the imports of a program that signs in, "" if there is none */
async function packageRow(name: string, folder: string, names: string): Promise<string[]> {
  const amount = ({ files, bytes }: Amount): string =>
    `${files} files, ${Math.ceil(bytes / 1000)} KB`;
  const others = [...dependenciesOf(folder)];
  const amounts = [amountOf(folder), ...others.map((one) => amountOf(path.join(modules, one)))];
  const all = amounts.reduce((sum, { files, bytes }) => {
    return { files: sum.files + files, bytes: sum.bytes + bytes };
  });
  const entry = name === "picogrant" ? path.join(folder, "dist/index.js") : name;
  const forNode = { platform: "node", format: "esm", splitting: true } as const;
  const loaded = async (): Promise<number> =>
    loadedBytes((await bundled(names, entry, forNode)).outputs, "out/stdin.js");
  return [
    name,
    amount(amounts[0]!),
    others.join(" ") || "none",
    amount(all),
    names === "" ? "-" : `${await loaded()}`,
  ];
}

/** The table of packages: ours as `npm run tool -- package` builds them, and the others as they are installed here. */
async function packageTable(): Promise<string[][]> {
  const made = path.join(root, "dist/npm");
  const rows = [
    ["package", "own", "dependencies", "total", "a sign-in loads B"],
    await packageRow("picogrant", path.join(made, "picogrant"), "signIn"),
  ];
  for (const name of ["picogrant-tools", "picogrant-firmware"])
    rows.push(await packageRow(name, path.join(made, name), ""));
  for (const [name, names] of Object.entries(used))
    rows.push(await packageRow(name, path.join(modules, name), names));
  return rows;
}

/** The globals of Node or browsers that a script uses and QuickJS does not have. */
async function missingNames(code: string): Promise<string[]> {
  const known = new Set([...Object.getOwnPropertyNames(globalThis), "navigator", "window"]);
  const words = [...code.matchAll(/(?:globalThis\.|(?<![\w$."'/-]))([A-Za-z]\w*)(?![\w$:"'])/g)];
  const names = [...new Set(words.map(([, name]) => name!))].filter((name) => known.has(name));
  const script = names.map((name) => `if (typeof ${name} === "undefined") print("${name}");`);
  const output = await runInQuickjs(variants.release, script.join("\n"));
  return output
    .split("\n")
    .filter((name) => names.includes(name))
    .sort();
}

/** A row of the table of code on QuickJS. For the heap, empty functions stand for the missing globals. */
async function shippedRow(name: string, code: string): Promise<string[]> {
  const missing = await missingNames(code);
  const standIns = `var globalNames = ${JSON.stringify(missing)};
    for (var i = 0; i < globalNames.length; i++) globalThis[globalNames[i]] = function () {};
    if (typeof Headers === "function") Headers.prototype.set = function () {};`;
  const loads = !/Error/.test(await runInQuickjs(variants.release, code));
  const [, heap] = await heapSteps([standIns, code]);
  const gzip = gzipSync(code, { level: 9 }).length;
  const figures = [code.length, gzip, heap!].map(String);
  return [name, ...figures, loads ? "yes" : "no", missing.join(" ") || "none"];
}

async function shippedTable(): Promise<string[][]> {
  const rows = [
    ["client", "min B", "gzip B", "QuickJS heap on load B", "loads there", "names missing"],
    await shippedRow("picogrant, complete", await builtBundle("complete")),
    await shippedRow("picogrant, grant alone", await builtBundle("grant")),
  ];
  const forEngines = { platform: "browser", format: "iife", target: "es2022" } as const;
  for (const [name, names] of Object.entries(used)) {
    const { text } = await bundled(names, name, { ...forEngines, globalName: "peer" });
    rows.push(await shippedRow(name, text));
  }
  return rows;
}

const STARTS = 15;

/**
 * Node's CPU time until a client is imported, or until picogrant has signed in, without that of an empty program. The
 * least time of all starts counts, because other programs on the machine only add time.
 */
async function startTable(): Promise<string[][]> {
  const folder = path.join(root, "dist/peers");
  mkdirSync(folder, { recursive: true });
  const service = await startSimulatedService({ approve: "ada", dialect: "keycloak" });
  const own = JSON.stringify(path.join(root, "dist/npm/picogrant/dist/index.js"));
  const options = `{
    server: { deviceAuthorization: "${service.url}/device/code", token: "${service.url}/token" },
    clientId: "public-printer", scope: "openid", state: process.argv[2], onCode() {},
  }`;
  const programs = {
    nothing: "",
    picogrant: `import { signIn } from ${own};`,
    "picogrant, signed in": `import { signIn } from ${own}; await signIn(${options});`,
    oauth4webapi: 'import * as client from "oauth4webapi";',
    "openid-client": 'import * as client from "openid-client";',
  };
  const costs = new Map<string, number[]>();
  for (let start = 0; start < STARTS; start++)
    for (const [name, program] of Object.entries(programs)) {
      const file = path.join(folder, "start.mjs");
      const state = mkdtempSync(path.join(folder, "start-"));
      writeFileSync(
        file,
        `${program}\nconst { user, system } = process.cpuUsage();\nconsole.log(user + system);`,
      );
      const { stdout } = await promisify(execFile)(process.execPath, [file, state]);
      costs.set(name, [...(costs.get(name) ?? []), Number(stdout)]);
      rmSync(state, { recursive: true });
    }
  await service.close();
  const least = (name: string): number => Math.min(...costs.get(name)!);
  const [nothing = "", ...clients] = Object.keys(programs);
  const above = (name: string): string => ((least(name) - least(nothing)) / 1000).toFixed(1);
  return [["client", "CPU ms"], ...clients.map((name) => [name, above(name)])];
}

/** Code and RAM on a Cortex-M3 with -Os: of our core with 4,096 bytes of device memory, and of naive.c, a client that
 * was written in a day. naive.c is linked with the C library, and the size of an empty program is subtracted. */
async function firmwareTable(): Promise<string[][]> {
  const [jsmn, folder] = ["/usr/include/jsmn.h", path.join(root, "dist/peers")];
  const need = { package: "libjsmn-dev", isThere: () => existsSync(jsmn) };
  ensurePackages([need, tool("gcc", "gcc"), tool("curl", "curl")], false);
  mkdirSync(folder, { recursive: true });
  writeFileSync(path.join(folder, "jsmn.h"), readFileSync(jsmn));
  writeFileSync(path.join(folder, "main.c"), "int main(void) { return 0; }");
  const naive = [`-I${folder}`, path.join(root, "test/peers/naive.c")];
  const program = path.join(folder, "naive");
  run("gcc", ["-DON_DESK", ...naive, "-o", program]);
  const { url, close } = await startSimulatedService({ approve: "ada", dialect: "keycloak" });
  await runBeside(program, ["public-printer", "openid", `${url}/device/code`, `${url}/token`]);
  await close();
  const linked = (files: readonly string[]): [number, number] => {
    const of = ["-Os", "-mcpu=cortex-m3", "-mthumb", "--specs=nano.specs", "--specs=nosys.specs"];
    const own = ["post", "show", "sleep"].map((name) => `-Wl,--defsym=${name}=0`);
    const stored = files.length > 0 ? ["-Wl,-u,sign_in", "-Wl,-u,refresh"] : [];
    const all = [...of, "-ffunction-sections", "-Wl,--gc-sections", ...own, ...stored, ...files];
    run("arm-none-eabi-gcc", [...all, path.join(folder, "main.c"), "-o", `${program}.elf`]);
    const output = execFileSync("arm-none-eabi-size", [`${program}.elf`], { encoding: "utf8" });
    const [text, data, bss] = output.split("\n")[1]!.trim().split(/\s+/).map(Number);
    return [text! + data!, data! + bss!];
  };
  const [[code, ram], [noCode, noRam]] = [linked(naive), linked([])];
  const rows = [["client", "code B", "RAM B"]];
  for (const variant of ["complete", "grant"] as const) {
    const { code: own, ram: beside } = (await measureC(variant))!;
    rows.push([`picogrant.c, ${variant}`, `${own}`, `${beside + 4096}`]);
  }
  return [...rows, ["a naive client", `${code - noCode}`, `${ram - noRam}`]];
}

export const TABLES = [
  ["packages", packageTable],
  ["start", startTable],
  ["sizes", shippedTable],
  ["firmware", firmwareTable],
] as const;
