// The engines for tests. install.ts fetches those that `npm ci` does not install.

import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import vm from "node:vm";
import ngVariant from "@jitl/quickjs-ng-wasmfile-release-sync";
import debugVariant from "@jitl/quickjs-wasmfile-debug-sync";
import releaseVariant from "@jitl/quickjs-wasmfile-release-sync";
import {
  newQuickJSWASMModuleFromVariant,
  type QuickJSContext,
  type QuickJSSyncVariant,
  type QuickJSWASMModule,
} from "quickjs-emscripten-core";
import { enginesFolder, findFile } from "./install.ts";

export const variants = { release: releaseVariant, debug: debugVariant, ng: ngVariant } as const;
type VariantName = keyof typeof variants;

/** Each run has its own module, so that a leak is reported in the run that causes it. */
export function newModule(variant: QuickJSSyncVariant): Promise<QuickJSWASMModule> {
  return newQuickJSWASMModuleFromVariant(variant);
}

export function definePrint(context: QuickJSContext, lines: string[]): void {
  const print = context.newFunction("print", (text) => {
    lines.push(context.getString(text));
    return context.undefined;
  });
  context.setProp(context.global, "print", print);
  print.dispose();
}

export function evaluate(context: QuickJSContext, script: string, name: string): void {
  const result = context.evalCode(script, name);
  if (result.error) {
    const error = context.dump(result.error) as { name?: string; message?: string };
    result.error.dispose();
    throw new Error(`${name}: ${error.name}: ${error.message}`);
  }
  result.value.dispose();
}

/**
 * Runs a script and frees everything. If a value is still alive then, an assertion of QuickJS
 * (`list_empty(&rt->gc_obj_list)`) ends the module.
 * @param leak leaves one object alive, to show that this leak check works
 */
export async function runInQuickjs(
  variant: QuickJSSyncVariant,
  script: string,
  leak = false,
): Promise<string> {
  const module = await newModule(variant);
  const runtime = module.newRuntime();
  const context = runtime.newContext();
  const lines: string[] = [];
  definePrint(context, lines);
  try {
    evaluate(context, script, "conformance.js");
  } catch (error) {
    lines.push(String(error));
  }
  if (leak) context.newObject();
  context.dispose();
  runtime.dispose();
  return lines.join("\n");
}

export interface Engine {
  readonly name: string;
  readonly source: string;
  readonly memory: "both" | "typed" | "plain";
  /** Whether to run only the complete bundle, because a run takes minutes. */
  readonly isSlow?: boolean;
  /** Returns undefined if the engine is not installed. */
  version(): string | undefined;
  /** Runs a script. Resolves with everything that it prints, including errors. */
  run(script: string): Promise<string>;
}

function npmVersion(name: string): string {
  const path = new URL(`../../../node_modules/${name}/package.json`, import.meta.url);
  return (JSON.parse(readFileSync(path, "utf8")) as { version: string }).version;
}

const v8: Engine = {
  name: "V8",
  source: "Node",
  memory: "both",
  version: () => process.versions.v8,
  run: async (script) => {
    const lines: string[] = [];
    try {
      vm.runInNewContext(script, { print: (text: string) => lines.push(text) });
    } catch (error) {
      lines.push(String(error));
    }
    return lines.join("\n");
  },
};

function wasm(name: string, packageName: string, variant: VariantName): Engine {
  return {
    name,
    source: "npm",
    memory: variant === "debug" ? "typed" : "both",
    isSlow: variant === "debug",
    version: () => npmVersion(packageName),
    run: async (script) => {
      try {
        return await runInQuickjs(variants[variant], script);
      } catch (error) {
        return `freeing the engine: ${String(error).split("\n")[0]}`;
      }
    },
  };
}

function native(
  name: string,
  folder: string,
  command: string,
  version: string,
  memory: Engine["memory"] = "both",
): Engine {
  const home = enginesFolder + folder;
  return {
    name,
    source: folder === "hermes" || folder === "xs" ? "npm" : "Debian",
    memory,
    version: () => (findFile(home, `/${command}`) ? version : undefined),
    run: async (script) => runCommand(findFile(home, `/${command}`)!, home, script),
  };
}

export function runCommand(command: string, home: string, script: string): string {
  const folder = mkdtempSync(join(tmpdir(), "picogrant-engine-"));
  const file = join(folder, "script.js");
  writeFileSync(file, script);
  const library = findFile(home, "libduktape.so.207") ?? "";
  try {
    return execFileSync(command, [file], {
      encoding: "utf8",
      stdio: "pipe",
      env: { ...process.env, LD_LIBRARY_PATH: dirname(library) },
      timeout: 120_000,
      maxBuffer: 1 << 26,
    });
  } catch (error) {
    const { stdout, stderr, message } = error as {
      stdout: string;
      stderr: string;
      message: string;
    };
    return `${stdout ?? ""}\n${stderr || message}`;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

export const engines: readonly Engine[] = [
  v8,
  wasm("QuickJS (wasm)", "@jitl/quickjs-wasmfile-release-sync", "release"),
  wasm("QuickJS (wasm, debug: leak checks)", "@jitl/quickjs-wasmfile-debug-sync", "debug"),
  wasm("QuickJS-ng (wasm)", "@jitl/quickjs-ng-wasmfile-release-sync", "ng"),
  native("Duktape", "duktape", "duk", "2.7.0"),
  native("MuJS", "mujs", "mujs", "1.3.2", "plain"),
  native("XS", "xs", "xs-host", "13.3.0"),
  native("Hermes", "hermes", "hermes", "0.12.0"),
];
