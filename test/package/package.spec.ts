// Uses the packed npm packages in a project outside this repository.

import { execFileSync, spawnSync } from "node:child_process";
import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import path, { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type BuildOptions, build, type Format } from "esbuild";
import { describe, expect, inject, it } from "vitest";
import { MANIFESTS } from "../../targets/workbench/package-contents.ts";
import { amountOf, loadedBytes } from "../../targets/workbench/peers/costs.ts";
import { bundlersFolder, isInstalled } from "../../targets/workbench/runtimes.ts";
import { expectGenerated } from "../generated.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));
const modules = join(root, "node_modules");
const project = inject("project");
const names = Object.keys(MANIFESTS);
const folderOf = (name: string): string => join(project, "node_modules", name);

interface Manifest {
  readonly exports: Readonly<Record<string, unknown>>;
  readonly dependencies?: object;
  readonly devDependencies?: object;
  readonly scripts?: object;
  readonly sideEffects?: boolean;
}

const manifestOf = (name: string): Manifest =>
  JSON.parse(readFileSync(join(folderOf(name), "package.json"), "utf8")) as Manifest;

function filesOf(name: string): string[] {
  const files = readdirSync(folderOf(name), { recursive: true, encoding: "utf8" });
  return files.filter((file) => statSync(join(folderOf(name), file)).isFile());
}

function write(name: string, text: string): string {
  const file = join(project, name);
  writeFileSync(file, text);
  return file;
}

function run(...args: string[]): string {
  return execFileSync(process.execPath, args, { cwd: project, encoding: "utf8", stdio: "pipe" });
}

it("the C library: each build system's manifest names existing sources, and they compile", () => {
  const at = folderOf("picogrant-firmware");
  const read = (name: string): string => readFileSync(join(at, name), "utf8");
  const compile = (...args: string[]) =>
    execFileSync("gcc", [...args, `-I${at}/src`, "-fsyntax-only"], { stdio: "pipe" });
  for (const name of ["CMakeLists.txt", "zephyr/CMakeLists.txt"]) {
    const [source] = /[^\s(]+\.c\b/.exec(read(name))!;
    compile("-std=c99", "-DPICOGRANT_BUILD=1", join(at, path.dirname(name), source));
  }
  expect(JSON.parse(read("library.json"))).toMatchObject({ build: { srcDir: "src" } });
  const required = /^(?:name|version|author|maintainer|sentence|paragraph|category)=./gm;
  expect(read("library.properties").match(required)).toHaveLength(7);
  const arduino = `#include <stdint.h>
struct { void begin(long); void write(const uint8_t *, int); void println(); } Serial;
unsigned long millis(); void delay(unsigned long); long random(long);\n`;
  const sketch = write("sketch.cpp", arduino + read("examples/Core/Core.ino"));
  compile("-std=c++11", "-Wall", "-Werror", sketch);
});

const entries = names.flatMap((name) =>
  Object.keys(manifestOf(name).exports)
    .filter((entry) => !/\.json$|\*/.test(entry))
    .map((entry) => name + entry.slice(1)),
);

describe.each(names)("%s", (name) => {
  it("has none of the core's assertions, because published code continues if it can", () => {
    const programs = filesOf(name).filter((file) => /\.[cm]?js$/.test(file));
    expect(programs.length).toBeGreaterThan(0);
    const texts = programs.map((file) => readFileSync(join(folderOf(name), file), "utf8"));
    expect(programs.filter((_, index) => texts[index]!.includes("the core is at fault"))).toEqual(
      [],
    );
  });

  it("has no dependencies and no install scripts", () => {
    const { dependencies, devDependencies, scripts, sideEffects } = manifestOf(name);
    expect([dependencies, devDependencies, scripts]).toEqual([undefined, undefined, undefined]);
    expect(sideEffects).toBe(false);
  });

  it("contains no tests, no scripts, and each file once", () => {
    const files = filesOf(name);
    expect(files.filter((file) => /^(test|scripts|node_modules|\.ci)\b/.test(file))).toEqual([]);
    for (const file of ["README.md", "LICENSE", "package.json"]) expect(files).toContain(file);
    const seen = new Map<string, string>();
    for (const file of files.filter((one) => /\.(js|cjs|mjs|d\.ts|d\.cts)$/.test(one))) {
      const text = readFileSync(join(folderOf(name), file), "utf8");
      if (text.length > 2000) expect([file, seen.get(text)]).toEqual([file, undefined]);
      seen.set(text, file);
    }
  });
});

it.each([
  [
    "SignInError",
    'import { signIn } from "picogrant"; await signIn({ server: "", clientId: "" });',
  ],
  ["SignInError", 'const { signIn } = require("picogrant"); signIn({ server: "github" });'],
  [
    "SignInError",
    `import { signIn } from "picogrant"; const server = "http://127.0.0.1:1/.well-known/x"; const state = "uncaught";
    await signIn({ server, clientId: "x", state, onCode() {} });`,
  ],
  [
    "Error",
    `import { startSimulatedService } from "picogrant-tools/service";
    await startSimulatedService({ options: { interval: "soon" } });`,
  ],
])("an uncaught %s: Node prints one readable statement of picogrant above it", (name, text) => {
  const kind = text.includes("require(") ? "commonjs" : "module";
  const args = [`--input-type=${kind}`, "--eval", text];
  const { status, stderr } = spawnSync(process.execPath, args, {
    cwd: project,
    encoding: "utf8",
  });
  expect(status).toBe(1);
  // Classes in CommonJS have short names, and Node prints the error's own name beside them.
  const [above, below] = stderr.split(RegExp(`\\n(?:[\\w$]+ \\[)?${name}\\]?: `));
  expect(below).toBeDefined();
  const [place, line, ...marks] = above!.trimEnd().split("\n");
  if (kind === "commonjs") {
    // For the common file, Node prints a position and a short line, but not the statement.
    expect(place).toMatch(/common\.cjs:\d+$/);
    expect(line!.length).toBeLessThan(300);
    return;
  }
  expect(place).toMatch(/^file:\/\/\/.*\.js:\d+$/);
  expect(line).toMatch(/^\t+(?:if \(.*\) )?(?:return|throw) .{1,180};$/);
  expect(marks.join("")).toMatch(/^\s*\^+$/);
});

describe("entries", () => {
  it("can be imported and required, with all names", () => {
    for (const one of ["", "/api", "/grant"]) expect(entries).toContain(`picogrant-firmware${one}`);
    const report = (how: string): string =>
      entries
        .map((one) => `if (Object.keys(${how}("${one}")).length < 1) throw new Error("${one}");`)
        .join("\n");
    expect(run(write("all.mjs", report("await import")))).toBe("");
    expect(run(write("all.cjs", report("require")))).toBe("");
    const named =
      'import { create } from "picogrant-firmware"; import { create as other } from "picogrant/core";' +
      "console.log(typeof create, typeof other);";
    expect(run(write("named.mjs", named))).toBe("function function\n");
  });

  it.for<[compiler: string, module: string, resolution: string, file: string, types: string]>([
    ["typescript", "node16", "node16", "a.mts", "node"],
    ["typescript", "node16", "node16", "a.cts", "node"],
    ["typescript", "nodenext", "nodenext", "a.mts", "node"],
    ["typescript", "nodenext", "nodenext", "a.cts", "node"],
    ["typescript", "esnext", "bundler", "a.ts", "node"],
    ["typescript", "commonjs", "node10", "a.ts", "node"],
    ["typescript", "nodenext", "nodenext", "a.mts", "none"],
    ["typescript-5.4", "nodenext", "nodenext", "a.mts", "node"],
    ["typescript-5.4", "nodenext", "nodenext", "a.mts", "none"],
    ["typescript-7", "nodenext", "nodenext", "a.mts", "node"],
    ["typescript-7", "nodenext", "nodenext", "a.mts", "none"],
  ])("%s, strict: module %s, moduleResolution %s, %s, types of Node: %s", (row, { skip }) => {
    const [compiler, module, moduleResolution, file, types] = row;
    const isOther = compiler !== "typescript";
    skip(isOther && process.env.CI !== "true" && !isInstalled(), "npm run engines -- --runtimes");
    const isOld = moduleResolution === "node10";
    // CommonJS lacks the adapter tests (conformance). The resolution node10 does not find the firmware entries.
    const known = entries
      .filter((name) => !file.endsWith(".cts") || !name.startsWith("picogrant/conformance"))
      .filter((name) => !isOld || !name.startsWith("picogrant-firmware"));
    const lines = known.map((name, i) => `import * as n${i} from "${name}"; void n${i};`);
    write(
      file,
      `${lines.join("\n")}\nimport { type Session, signIn } from "picogrant";\n` +
        'export const session: Promise<Session> = signIn({ server: "github", clientId: "x", state: "d" });\n' +
        '// @ts-expect-error a client identifier is needed\nvoid signIn({ server: "github", state: "d" });\n',
    );
    const options = ["--strict", "--noEmit", "--target", "es2022", "--lib", "es2023,dom"];
    const ambient = types === "node" ? ["--types", "node"] : ["--typeRoots", "nowhere"];
    const how = [...ambient, "--module", module, "--moduleResolution", moduleResolution];
    if (isOld) how.push("--ignoreDeprecations", "6.0");
    const tsc = join(isOther ? join(bundlersFolder, "node_modules") : modules, compiler, "bin/tsc");
    const output = execFileSync(tsc, [...options, ...how, file], {
      cwd: project,
      encoding: "utf8",
    });
    expect(output).toBe("");
  });
});

const FIVE_LINES = `import { signIn, SignInError } from "picogrant";
const server = { deviceAuthorization: "http://127.0.0.1:1/d", token: "http://127.0.0.1:1/t" };
const signal = AbortSignal.timeout(200);
const deviceKey = Uint8Array.from({ length: 32 }, (_, i) => i);
const onCode = () => {};
signIn({ server, clientId: "x", state: "state", deviceKey, signal, onCode }).catch((error) => {
  console.log(error instanceof SignInError, error.code);
});`;

it("in CommonJS, all entries share the same classes", () => {
  const text = `const { signIn, SignInError } = require("picogrant");
    const { StateDirectoryError } = require("picogrant/node");
    signIn({ server: "github", clientId: "x", state: __filename, onCode() {} }).catch((error) => {
      console.log(error instanceof SignInError, error.cause instanceof StateDirectoryError, error.code);
    });`;
  expect(run(write("classes.cjs", text))).toBe("true true state_unusable\n");
});

describe("a program that signs in", () => {
  const bundle = (options: BuildOptions) =>
    build({
      bundle: true,
      platform: "node",
      minify: true,
      logLevel: "silent",
      metafile: true,
      ...options,
    });

  it("reports that there is no server", () => {
    expect(run(write("five.mjs", FIVE_LINES))).toBe("true aborted\n");
  });

  it.each<[Format, string]>([
    ["cjs", ".cjs"],
    ["esm", ".mjs"],
  ])("runs when it is bundled by esbuild as %s", async (format, outcome) => {
    const outfile = join(project, `bundled${outcome}`);
    const entry = write("five.mjs", FIVE_LINES);
    const { warnings } = await bundle({ entryPoints: [entry], outfile, format });
    expect(warnings).toEqual([]);
    expect(run(outfile)).toBe("true aborted\n");
  });

  it("loads less than 90 KB minified; QR codes, sealing and known servers are loaded when needed", async () => {
    const entry = write("five.mjs", FIVE_LINES);
    const outdir = join(project, "split");
    const made = await bundle({ entryPoints: [entry], outdir, format: "esm", splitting: true });
    const outputs = made.metafile!.outputs;
    const first = Object.keys(outputs).find((file) => file.endsWith("five.js"))!;
    const bytes = loadedBytes(outputs, first);
    console.log(`import { signIn }: ${bytes} B minified`);
    expect(bytes).toBeLessThan(90_000);
  });

  it("has no bare import", async () => {
    const entry = write("bare.mjs", 'import "picogrant";\n');
    const { outputFiles } = await bundle({ entryPoints: [entry], write: false });
    expect(outputFiles![0]!.text.trim()).toBe("");
  });

  it("takes at most 800 KB and 90 files, without dependencies", () => {
    const { files, bytes } = amountOf(folderOf("picogrant"));
    console.log(`picogrant: ${files} files, ${bytes} B`);
    expect(bytes).toBeLessThan(800_000);
    expect(files).toBeLessThanOrEqual(90);
    const guide = readFileSync(new URL("../../targets/docs/node.md", import.meta.url), "utf8");
    expect(guide).toContain("of at most 800,000 bytes");
  });
});

describe("firmware", () => {
  it("an engine without Node can use the driver and the core", async () => {
    const program =
      'import { Driver } from "picogrant/driver"; import * as core from "picogrant/core"; ' +
      "print(typeof Driver + core.State.PENDING);";
    const entry = write("web.mjs", program);
    const options = { bundle: true, write: false, format: "iife", platform: "neutral" } as const;
    const { outputFiles } = await build({ entryPoints: [entry], ...options });
    const printed: string[] = [];
    new Function("print", outputFiles[0]!.text)((text: string) => printed.push(text));
    expect(printed).toEqual(["function3"]);
  });

  it("the bundle is a script with one global", () => {
    const script = readFileSync(join(folderOf("picogrant-firmware"), "dist/picogrant.js"), "utf8");
    const picogrant = new Function(`${script}\nreturn picogrant;`)() as Record<string, unknown>;
    expect(typeof picogrant.create).toBe("function");
    expect(script).not.toContain("sourceMappingURL");
    expect(filesOf("picogrant-firmware")).toContain("targets/host/portable/picogrant.h");
  });
});

const installed = path.join(inject("project"), "node_modules");

function withoutComments(text: string): string {
  return text
    .replace(/\/\*[\s\S]*?\*\//g, "")
    .replace(/^\s*\/\/.*$/gm, "")
    .replace(/[ \t]+$/gm, "")
    .replace(/\n{2,}/g, "\n")
    .trim();
}

it("the public types match the report (npm run generate updates it)", () => {
  const files = ["picogrant", "picogrant-tools"].flatMap((name) =>
    readdirSync(path.join(installed, name, "dist")).map((file) => `${name}/dist/${file}`),
  );
  const types = files.filter((file) => file.endsWith(".d.cts")).sort();
  const parts = types.map((file) => {
    const text = readFileSync(path.join(installed, file), "utf8");
    return `=== ${file}\n${withoutComments(text)}\n`;
  });
  expectGenerated("test/package/public-types.txt", parts.join("\n"));
});
