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
import {
  assignment,
  bundleBody,
  copy,
  expression,
  replace,
  type Tree,
  variable,
  walk,
} from "./syntax-tree.ts";

/** Nodes of a function that is put in everywhere, and of one that is called from two places. */
const TINY = 12;
const SMALL = 20;

/**
 * Inlines until nothing is left to be inlined, in place.
 * @param tree the bundle: function declarations in one function
 * @param exported functions that stay
 */
export function inlineFunctions(tree: Tree, exported: ReadonlySet<string>): void {
  const statements = bundleBody(tree);
  for (const statement of statements) replace(statement, branched);
  const seen = new Set(exported);
  let serial = 0;
  const fresh = (name: string): string => `${name}$${++serial}`;
  for (;;) {
    const name = nextCallee(statements, seen);
    if (name === undefined) return;
    seen.add(name);
    // On a copy: where a call must stay, so does the function, and nothing is gained.
    const tried = copy(statements);
    if (putEverywhere(tried, name, fresh)) statements.splice(0, statements.length, ...tried);
  }
}

/** Branches instead of `?:`, in which calls can be replaced; the minifier makes `?:` of them again. */
function branched(node: Tree): Tree | Tree[] {
  const { start, end, loc } = node;
  const keep = (test: Tree, consequent: Tree, alternate: Tree): Tree => {
    return { type: "IfStatement", start, end, loc, test, consequent, alternate } as unknown as Tree;
  };
  if (node.type === "ReturnStatement" && node.argument?.type === "ConditionalExpression") {
    const { test, consequent, alternate } = node.argument;
    const back = (argument: Tree) => branched({ ...node, argument } as Tree) as Tree;
    return keep(test, back(consequent), back(alternate));
  }
  if (node.type === "VariableDeclaration" && node.declarations.length === 1) {
    const { id, init } = node.declarations[0];
    if (init?.type !== "ConditionalExpression") return node;
    const to = (value: Tree) => expression(assignment(copy(id), value));
    return [variable(id.name, null), keep(init.test, to(init.consequent), to(init.alternate))];
  }
  return node;
}

/** Whether all calls could be replaced; the function is then removed. */
function putEverywhere(statements: Tree[], name: string, fresh: (name: string) => string): boolean {
  const at = statements.findIndex((node) => isFunction(node, name));
  const node = statements[at]!;
  const params = (node.params as Tree[]).map((param) => param.name as string);
  const callee: Callee = { node, name, params, body: node.body.body };
  for (const caller of statements) {
    if (caller.type === "FunctionDeclaration") putInto(caller, callee, fresh);
  }
  if ((usesIn(statements).get(name)?.calls ?? 0) > 0) return false;
  statements.splice(at, 1);
  return true;
}

function isFunction(node: Tree, name: string): boolean {
  return node.type === "FunctionDeclaration" && node.id.name === name;
}

function nextCallee(statements: readonly Tree[], seen: ReadonlySet<string>): string | undefined {
  const uses = usesIn(statements);
  for (const node of statements) {
    if (node.type !== "FunctionDeclaration" || seen.has(node.id.name)) continue;
    const { calls, others } = uses.get(node.id.name) ?? { calls: 0, others: 0 };
    if (others > 0 || calls === 0) continue;
    const most = calls === 1 ? Number.MAX_SAFE_INTEGER : calls === 2 ? SMALL : TINY;
    if (sizeOf(node.body) <= most) return node.id.name;
  }
  return undefined;
}

function sizeOf(body: Tree): number {
  let nodes = 0;
  walk(body, () => nodes++);
  return nodes;
}

/** Calls of a function, and other uses of its name; a call in itself is one of those. */
interface Uses {
  calls: number;
  others: number;
}

/** The uses of every name, counted in one walk: there are hundreds of functions to choose from. */
function usesIn(statements: readonly Tree[]): Map<string, Uses> {
  const found = new Map<string, Uses>();
  for (const statement of statements) {
    const own = statement.type === "FunctionDeclaration" ? statement.id.name : undefined;
    walk(statement, (node, parent) => {
      if (node.type !== "Identifier") return;
      if (parent?.type === "FunctionDeclaration" && parent.id === node) return;
      const uses = found.get(node.name) ?? { calls: 0, others: 0 };
      found.set(node.name, uses);
      const isCall = parent?.type === "CallExpression" && parent.callee === node;
      if (isCall && node.name !== own) uses.calls++;
      else uses.others++;
    });
  }
  return found;
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
