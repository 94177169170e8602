// npm run tool -- hot-paths: the core's hot paths beside what one would write instead, in the same run, on V8 and on
// QuickJS. Times depend on the machine; the ratios are what to look at. Nothing is judged by them.

import vm from "node:vm";
import { guest } from "../targets/workbench/budgets/guest.ts";
import {
  definePrint,
  evaluate,
  newModule,
  variants,
} from "../targets/workbench/engines/quickjs-wasm.ts";
import { borderNumbers, builtBundle } from "../targets/workbench/engines/script.ts";
import { printTable } from "../targets/workbench/print-table.ts";
import { commandLine } from "../targets/workbench/script-options.ts";

async function script(): Promise<string> {
  const parts = [
    await builtBundle("complete"),
    borderNumbers(),
    guest("config", "polls", "hot-paths"),
  ];
  return parts.join("\n");
}

function onV8(code: string): string[] {
  const lines: string[] = [];
  const print = (text: string) => lines.push(text);
  // A function around it: global names of a vm context are slow to look up.
  const whole = `(function () {${code}\n})();`;
  vm.runInNewContext(whole, { print, now: () => performance.now(), URLSearchParams, counter: [0] });
  return lines;
}

async function onQuickjs(code: string): Promise<string[]> {
  const module = await newModule(variants.release);
  const context = module.newContext();
  const lines: string[] = [];
  definePrint(context, lines);
  const now = context.newFunction("now", () => context.newNumber(performance.now()));
  context.setProp(context.global, "now", now);
  now.dispose();
  evaluate(context, code, "bench.js");
  context.dispose();
  return lines;
}

function rowsOf(engine: string, lines: readonly string[]): string[][] {
  return lines
    .filter((line) => line.startsWith("bench|"))
    .map((line) => {
      const [, name, ours, otherName, others] = line.split("|") as string[];
      const ratio = Number(others) / Number(ours);
      const figure = (value: string) => Number(value).toFixed(Number(value) < 100 ? 1 : 0);
      return [engine, name!, figure(ours!), otherName!, figure(others!), ratio.toFixed(2)];
    });
}

commandLine("hot-paths", "The hot paths of the core beside what one would write instead.").parse();
const code = await script();
printTable([
  ["engine", "what", "picogrant ns", "alternative", "its ns", "alternative / picogrant"],
  ...rowsOf("V8", onV8(code)),
  ...rowsOf("QuickJS", await onQuickjs(code)),
]);
