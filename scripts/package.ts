// npm run tool -- package: makes of the sources what npm publishes: dist/esm and dist/cjs, each with its types, the
// command in
// dist/command and the simulated service in dist/service. Runs by itself before `npm pack`. The bundles for firmware in
// dist are those of `npm run build`.

import { execFileSync } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { commandLine } from "../targets/workbench/script-options.ts";
import { bundleModules, bundleOne, type Inputs } from "./package/bundle-entries.ts";
import { identities, notices } from "./package/licences.ts";

const root = fileURLToPath(new URL("../", import.meta.url));

/** The modules that package.json's `exports` names; what they import comes along. */
const entries = [
  "core/complete.ts",
  "core/index.ts",
  "platform/conformance.ts",
  "platform/driver.ts",
  "platform/fake/index.ts",
  "platform/node/conformance-server.ts",
  "platform/node/index.ts",
  "platform/node/sign-in.ts",
  "platform/sealed-storage.ts",
  "platform/servers/index.ts",
];

type Kind = "esm" | "cjs";

/** The compiler's settings for one kind, beside those of tsconfig.json. */
function settingsOf(kind: Kind, outDir: string, files: readonly string[]): object {
  return {
    extends: join(root, "tsconfig.json"),
    compilerOptions: {
      noEmit: false,
      declaration: true,
      rewriteRelativeImportExtensions: true,
      resolveJsonModule: true,
      rootDir: root,
      outDir,
      typeRoots: [join(root, "node_modules/@types")],
      ...(kind === "cjs" && { module: "commonjs", verbatimModuleSyntax: false }),
    },
    include: [],
    files: files.map((file) => join(root, file)),
  };
}

/** The one package of other people's that the modules use and nobody has to install: it goes along. */
const VENDORED = "qrcode-generator";

/** Makes a folder of dist/; the old one stays until the new one is complete. */
async function replaceFolder<T>(name: string, fill: (folder: string) => Promise<T>): Promise<T> {
  const dist = join(root, "dist");
  mkdirSync(dist, { recursive: true });
  const draft = mkdtempSync(join(dist, "package-"));
  try {
    const folder = join(draft, name);
    const result = await fill(folder);
    rmSync(join(dist, name), { recursive: true, force: true });
    renameSync(folder, join(dist, name));
    return result;
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
}

/** Has the compiler make modules and types. */
function compile(kind: Kind, folder: string, files: readonly string[]): void {
  mkdirSync(folder, { recursive: true });
  const project = join(dirname(folder), "tsconfig.json");
  writeFileSync(project, JSON.stringify(settingsOf(kind, folder, files)));
  execFileSync(join(root, "node_modules/.bin/tsc"), ["-p", project], { stdio: "inherit" });
  rmSync(project);
}

/** Makes dist/esm or dist/cjs. */
function makeModules(kind: Kind): Promise<Inputs> {
  return replaceFolder(kind, async (folder) => {
    compile(kind, folder, entries);
    writeFileSync(join(folder, "package.json"), JSON.stringify({ type: typeOf(kind) }));
    console.log(`dist/${kind}: ${finish(kind, folder)} modules`);
    const format = kind === "esm" ? "esm" : "cjs";
    return await bundleOne(VENDORED, join(folder, "vendor", `${VENDORED}.js`), format);
  });
}

/** Makes dist/command, what `picogrant` runs. */
function makeCommand(): Promise<Inputs> {
  return replaceFolder("command", async (folder) => {
    const inputs = await bundleModules("targets/command/main.ts", folder);
    console.log(`dist/command: ${inputs.length} modules in one program`);
    return inputs;
  });
}

const SERVICE = "targets/service/simulated-service";

/** Makes dist/service: the simulated service in one file of each kind, and its types. */
function makeService(): Promise<Inputs> {
  return replaceFolder("service", async (folder) => {
    const types = join(dirname(folder), "types");
    compile("esm", types, [`${SERVICE}.ts`]);
    finish("esm", types);
    copyTypes(join(types, `${SERVICE}.d.ts`), types, join(folder, "types"));
    cpSync(join(folder, "types"), join(folder, "types-cjs"), { recursive: true });
    writeFileSync(join(folder, "types/package.json"), JSON.stringify({ type: "module" }));
    writeFileSync(join(folder, "types-cjs/package.json"), JSON.stringify({ type: "commonjs" }));
    await bundleOne(`${SERVICE}.ts`, join(folder, "index.cjs"), "cjs");
    const inputs = await bundleOne(`${SERVICE}.ts`, join(folder, "index.mjs"), "esm");
    console.log(`dist/service: ${inputs.length} modules in one file`);
    return inputs;
  });
}

/** Copies a declaration and those that it imports. @throws Error where one needs a package to be installed */
function copyTypes(file: string, from: string, to: string): void {
  const target = join(to, relative(from, file));
  if (existsSync(target)) return;
  mkdirSync(dirname(target), { recursive: true });
  cpSync(file, target);
  for (const [, name] of readFileSync(file, "utf8").matchAll(
    /(?:from|import\() ?["']([^"']+)["']/g,
  )) {
    if (name!.startsWith("node:")) continue;
    if (!name!.startsWith(".")) throw new Error(`${file} needs the types of ${name}`);
    copyTypes(join(dirname(file), name!.replace(/\.js$/, ".d.ts")), from, to);
  }
}

function typeOf(kind: Kind): string {
  return kind === "esm" ? "module" : "commonjs";
}

/** What the compiler leaves undone: endings in declarations, and JSON, which a module of Node cannot import. */
function finish(kind: Kind, folder: string): number {
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" });
  for (const name of files) {
    const file = join(folder, name);
    if (name.endsWith(".json") && name !== "package.json" && kind === "esm") {
      writeFileSync(`${file}.js`, `export default ${readFileSync(file, "utf8").trim()};\n`);
    } else if (name.endsWith(".d.ts") || name.endsWith(".js")) {
      const text = readFileSync(file, "utf8");
      const ended = name.endsWith(".d.ts")
        ? text.replace(/(["']\.[^"']*)\.ts(["'])/g, "$1.js$2")
        : text;
      const vendor = relative(dirname(file), join(folder, "vendor", `${VENDORED}.js`));
      const own = ended.replaceAll(`"${VENDORED}"`, `"${vendor}"`);
      const whole = kind === "esm" ? own.replace(/(["']\.[^"']*\.json)(["'])/g, "$1.js$2") : own;
      if (whole !== text) writeFileSync(file, whole);
    }
  }
  return files.filter((name) => name.endsWith(".js")).length;
}

commandLine("package", "Makes what npm publishes: modules, command and service in dist/.").parse();
const inputs = [
  ...(await makeModules("esm")),
  ...(await makeModules("cjs")),
  ...(await makeCommand()),
  ...(await makeService()),
];
writeFileSync(join(root, "dist/THIRD-PARTY-LICENSES.txt"), notices(inputs));
// For the list of materials of a release.
writeFileSync(join(root, "dist/bundled-packages.json"), `${JSON.stringify(identities(inputs))}\n`);
