// Puts functions that are called from one place only into that place, and tiny ones wherever they are
// called: to read, the core has many small functions; to an engine each costs some three hundred bytes.
// Which functions and where is decided here; how a call is replaced is in inline-call.ts.

import {
  type Callee,
  callOf,
  namesOf,
  replaceExpression,
  replaceStatement,
} from "./inline-call.ts";
import { bundleBody, replace, type Tree, walk } from "./syntax-tree.ts";

/** Nodes of the expression of a function that is put in everywhere. */
const TINY = 8;

/**
 * Inlines until nothing is left to be inlined, in place.
 * @param tree the bundle: function declarations in one function
 * @param exported functions that stay
 */
export function inlineFunctions(tree: Tree, exported: ReadonlySet<string>): void {
  const statements = bundleBody(tree);
  const seen = new Set(exported);
  let serial = 0;
  const fresh = (name: string): string => `${name}$${++serial}`;
  for (;;) {
    const callee = nextCallee(statements, seen);
    if (!callee) return;
    seen.add(callee.name);
    for (const caller of statements) {
      if (caller.type === "FunctionDeclaration") putInto(caller, callee, fresh);
    }
    if (usesOf(statements, callee.name).calls === 0) {
      statements.splice(statements.indexOf(callee.node), 1);
    }
  }
}

function nextCallee(statements: readonly Tree[], seen: ReadonlySet<string>): Callee | undefined {
  for (const node of statements) {
    if (node.type !== "FunctionDeclaration" || seen.has(node.id.name)) continue;
    const callee: Callee = {
      node,
      name: node.id.name,
      params: node.params.map((param: Tree) => param.name),
      body: node.body.body,
    };
    const { calls, others } = usesOf(statements, callee.name);
    if (others === 0 && (calls === 1 || (calls > 1 && isTiny(callee)))) return callee;
  }
  return undefined;
}

function isTiny({ body }: Callee): boolean {
  const [only] = body;
  if (body.length !== 1 || only?.type !== "ReturnStatement") return false;
  let nodes = 0;
  walk(only.argument, () => nodes++);
  return nodes <= TINY;
}

/** Calls of a function, and other uses of its name; a call in itself is one of those. */
function usesOf(statements: readonly Tree[], name: string): { calls: number; others: number } {
  let calls = 0;
  let others = 0;
  for (const statement of statements) {
    const isItself = statement.type === "FunctionDeclaration" && statement.id.name === name;
    walk(statement, (node, parent) => {
      if (node.type !== "Identifier" || node.name !== name) return;
      if (parent?.type === "FunctionDeclaration" && parent.id === node) return;
      if (!isItself && parent?.type === "CallExpression" && parent.callee === node) calls++;
      else others++;
    });
  }
  return { calls, others };
}

/** Replaces the calls in one function, as far as their place allows it. */
function putInto(caller: Tree, callee: Callee, fresh: (name: string) => string): void {
  if (caller === callee.node) return;
  const scope = namesOf(caller);
  replace(caller.body, (node) => {
    if (node.type === "CallExpression") {
      return node.callee.name === callee.name
        ? (replaceExpression(callee, node, scope) ?? node)
        : node;
    }
    const place = callOf(node, callee.name);
    return place ? (replaceStatement(callee, node, place, scope, fresh) ?? node) : node;
  });
}
