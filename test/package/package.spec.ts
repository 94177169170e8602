// What npm would publish, packed and used in projects that know nothing of this repository: as a module, with
// require, type-checked in both ways of finding types, bundled for the web, and as a script in an engine.

import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { describe, expect, inject, it } from "vitest";

const root = fileURLToPath(new URL("../../", import.meta.url));
const modules = join(root, "node_modules");
const project = inject("project");
const installed = join(project, "node_modules/picogrant");

const manifest = (): Record<string, unknown> =>
  JSON.parse(readFileSync(join(installed, "package.json"), "utf8")) as Record<string, unknown>;

function write(name: string, text: string): string {
  const file = join(project, name);
  writeFileSync(file, text);
  return file;
}

function run(...args: string[]): string {
  return execFileSync(process.execPath, args, { cwd: project, encoding: "utf8" });
}

/** Every entry that a program can import, without the file of package.json itself. */
function entries(): string[] {
  const names = Object.keys(manifest().exports as object).filter(
    (name) => name !== "./package.json",
  );
  return names.map((name) => `picogrant${name.slice(1)}`);
}

const modulesOnly = (): string[] =>
  entries().filter((name) => !name.startsWith("picogrant/bundle"));

describe("the package", () => {
  it("holds what it names and nothing else: no tests, no scripts, no private mark", () => {
    expect(manifest().private).toBeUndefined();
    expect(manifest().dependencies).toEqual({ tweetnacl: expect.any(String) });
    const files = readdirSync(installed, { recursive: true, encoding: "utf8" });
    expect(files.filter((file) => /^(test|scripts|node_modules|\.ci)\b/.test(file))).toEqual([]);
    for (const file of [
      "README.md",
      "LICENSE",
      "dist/picogrant.js",
      "targets/host/portable/picogrant.h",
    ])
      expect(files).toContain(file);
  });

  it("every entry can be imported, and required", () => {
    const names = modulesOnly();
    const lines = names.map((name) => `if (!Object.keys(await import("${name}")).length) throw 1;`);
    run(write("all.mjs", lines.join("\n")));
    run(write("all.cjs", names.map((name) => `require("${name}");`).join("\n")));
  });

  it.each([
    ["node16", "a.mts"],
    ["node16", "a.cts"],
    ["bundler", "a.ts"],
  ])("types: strict, moduleResolution %s, %s", (moduleResolution, file) => {
    const lines = modulesOnly().map((name, i) => `import * as n${i} from "${name}"; void n${i};`);
    write(
      file,
      `${lines.join("\n")}\nimport { type Session, signIn } from "picogrant";\n` +
        'export const session: Promise<Session> = signIn({ server: "github", clientId: "x", state: "d" });\n' +
        '// @ts-expect-error a client identifier is needed\nvoid signIn({ server: "github", state: "d" });\n',
    );
    const module = moduleResolution === "node16" ? "node16" : "esnext";
    const options = [
      "--strict",
      "--noEmit",
      "--target",
      "es2023",
      "--lib",
      "es2023,dom",
      "--types",
      "node",
    ];
    const tsc = join(modules, ".bin/tsc");
    const args = [...options, "--module", module, "--moduleResolution", moduleResolution, file];
    expect(execFileSync(tsc, args, { cwd: project, encoding: "utf8" })).toBe("");
  });

  it("five lines sign in at nothing in particular, and fail as they should", () => {
    const program = `import { signIn, SignInError } from "picogrant";
const server = { deviceAuthorization: "http://127.0.0.1:1/d", token: "http://127.0.0.1:1/t" };
const signal = AbortSignal.timeout(200);
await signIn({ server, clientId: "x", state: "state", signal }).catch((error) => {
  console.log(error instanceof SignInError, error.code);
});`;
    expect(run(write("five.mjs", program))).toBe("true aborted\n");
  });

  it("can be bundled for an engine without Node", async () => {
    const entry = write(
      "web.mjs",
      'import { Driver } from "picogrant/driver"; import * as core from "picogrant/core"; print(typeof Driver + core.State.PENDING);',
    );
    const { outputFiles } = await build({
      entryPoints: [entry],
      bundle: true,
      write: false,
      format: "iife",
      platform: "neutral",
    });
    const printed: string[] = [];
    new Function("print", outputFiles[0]!.text)((text: string) => printed.push(text));
    expect(printed).toEqual(["function3"]);
  });

  it("the bundle for firmware is a script with one global", () => {
    const script = readFileSync(join(installed, "dist/picogrant.js"), "utf8");
    const picogrant = new Function(`${script}\nreturn picogrant;`)() as Record<string, unknown>;
    expect(typeof picogrant.create).toBe("function");
    expect(script).not.toContain("sourceMappingURL");
  });
});
