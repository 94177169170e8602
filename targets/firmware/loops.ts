// Tells Closure Compiler which functions stay functions. It would put a function that returns from within
// a loop into the one place where it is called, and end the loop there by a label: Espruino has none.

import { type AnyNode, type FunctionDeclaration, parse } from "acorn";
import { ancestor } from "acorn-walk";

const loops = new Set(["ForStatement", "WhileStatement", "DoWhileStatement", "ForInStatement"]);

/** The code with `@noinline` in front of every function that returns from within a loop. */
export function keepLoopsInFunctions(code: string): string {
  const functions = new Set<FunctionDeclaration>();
  ancestor(parse(code, { ecmaVersion: 5 }), {
    ReturnStatement(_node, _state, ancestors) {
      const around = ancestors as AnyNode[];
      const at = around.findLastIndex(({ type }) => /^Function/.test(type));
      const isInLoop = around.slice(at).some(({ type }) => loops.has(type));
      const owner = around[at];
      if (isInLoop && owner?.type === "FunctionDeclaration") functions.add(owner as never);
    },
  });
  let marked = code;
  for (const { start } of [...functions].sort((a, b) => b.start - a.start)) {
    marked = `${marked.slice(0, start)}/** @noinline */ ${marked.slice(start)}`;
  }
  return marked;
}
