// QuickJS as WebAssembly: a context with `print` and nothing else, and the leak check of its debug
// build.

import ngVariant from "@jitl/quickjs-ng-wasmfile-release-sync";
import debugVariant from "@jitl/quickjs-wasmfile-debug-sync";
import releaseVariant from "@jitl/quickjs-wasmfile-release-sync";
import {
  newQuickJSWASMModuleFromVariant,
  type QuickJSContext,
  type QuickJSSyncVariant,
  type QuickJSWASMModule,
} from "quickjs-emscripten-core";

export const variants = { release: releaseVariant, debug: debugVariant, ng: ngVariant } as const;
export type VariantName = keyof typeof variants;

/** A fresh instance: leaks of one run cannot hide in another's heap. */
export function newModule(variant: QuickJSSyncVariant): Promise<QuickJSWASMModule> {
  return newQuickJSWASMModuleFromVariant(variant);
}

/** Defines `print` in the context. */
export function definePrint(context: QuickJSContext, lines: string[]): void {
  const print = context.newFunction("print", (text) => {
    lines.push(context.getString(text));
    return context.undefined;
  });
  context.setProp(context.global, "print", print);
  print.dispose();
}

/** Evaluates a script; an exception becomes an Error. */
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
 * Runs a script and takes everything down again. A value that is still alive then fails an assertion
 * of QuickJS (`list_empty(&rt->gc_obj_list)`), which ends the module: the leak check.
 * @param leak true leaves one object behind, to show that the check sees it
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
