// What the passes over the bundle's syntax tree share: walking it, changing it in place, copying parts.

import type { Node } from "acorn";

/** A node of an ES5 tree, with whatever its type has. */
// biome-ignore lint/suspicious/noExplicitAny: a tree of forty node types, looked at by name
export type Tree = Node & Record<string, any>;

function isNode(value: unknown): value is Tree {
  return typeof value === "object" && value !== null && "type" in value;
}

/**
 * Where in a node others can be; the plain names of properties are left out, they stand for no variable.
 * The passes come by millions of times: hence no list is made of the rest.
 */
function isPart(node: Tree, key: string): boolean {
  const value = node[key];
  if (typeof value !== "object" || value === null || key === "loc") return false;
  if (key === "property") return node.type !== "MemberExpression" || node.computed;
  return key !== "key" || node.type !== "Property";
}

/** Calls `visit` for every node, parents first; `false` leaves out what is below. */
export function walk(
  node: Tree,
  visit: (node: Tree, parent?: Tree) => unknown,
  parent?: Tree,
): void {
  if (visit(node, parent) === false) return;
  for (const key in node) {
    if (!isPart(node, key)) continue;
    const value = node[key];
    if (Array.isArray(value)) {
      for (const child of value.slice()) if (isNode(child)) walk(child, visit, node);
    } else if (isNode(value)) walk(value, visit, node);
  }
}

/**
 * Replaces nodes, children first.
 * @param change returns what stands for a node: itself, another, or several statements
 */
export function replace(node: Tree, change: (node: Tree) => Tree | Tree[]): Tree | Tree[] {
  for (const key in node) {
    if (!isPart(node, key)) continue;
    const value = node[key];
    if (Array.isArray(value)) {
      node[key] = value.flatMap((child) => (isNode(child) ? replace(child, change) : child));
    } else if (node.type === "ForStatement" && value?.type === "VariableDeclaration") {
      // Not a statement: nothing else can stand there.
      for (const declarator of value.declarations) replace(declarator, change);
    } else if (isNode(value)) {
      const changed = replace(value, change);
      node[key] = Array.isArray(changed) ? block(changed) : changed;
    }
  }
  return change(node);
}

/** A deep copy; positions in the source stay. */
export function copy<T>(value: T): T {
  return structuredClone(value);
}

export function identifier(name: string): Tree {
  return { type: "Identifier", name, start: 0, end: 0 } as Tree;
}

export function block(body: Tree[]): Tree {
  return { type: "BlockStatement", body, start: 0, end: 0 } as unknown as Tree;
}

export function expression(value: Tree): Tree {
  return { type: "ExpressionStatement", expression: value, start: 0, end: 0 } as unknown as Tree;
}

export function assignment(left: Tree, right: Tree): Tree {
  return {
    type: "AssignmentExpression",
    operator: "=",
    left,
    right,
    start: 0,
    end: 0,
  } as unknown as Tree;
}

export function variable(name: string, init: Tree | null): Tree {
  return {
    type: "VariableDeclaration",
    kind: "var",
    declarations: [{ type: "VariableDeclarator", id: identifier(name), init, start: 0, end: 0 }],
    start: 0,
    end: 0,
  } as unknown as Tree;
}

/** The statements of the one function that a bundle consists of. */
export function bundleBody(tree: Tree): Tree[] {
  let found: Tree[] | undefined;
  walk(tree, (node) => {
    if (node.type !== "FunctionExpression") return;
    found ??= node.body.body as Tree[];
    return false;
  });
  if (!found) throw new Error("the bundle is no function that is called at once");
  return found;
}
