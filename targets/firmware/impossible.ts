// Takes out what cannot happen in a build: what hangs on a part that is not in it (the calls of a grant
// alone), and questions whose answer no assignment in the bundle can change.

import { bundleBody, replace, type Tree, walk } from "./syntax-tree.ts";

type Value = number | boolean | null;

/** Every value that each variable of the bundle ever has, where all of them are written out. */
function valuesOf(tree: Tree): Map<string, Set<Value>> {
  const values = new Map<string, Set<Value>>();
  const open = new Set<string>();
  for (const statement of bundleBody(tree)) {
    if (statement.type !== "VariableDeclaration") continue;
    for (const { id } of statement.declarations) values.set(id.name, new Set());
  }
  const add = (name: string, value: Tree): void => {
    const literal = literalOf(value);
    if (literal === undefined) open.add(name);
    else values.get(name)?.add(literal);
  };
  walk(tree, (node) => {
    if (node.type === "VariableDeclarator" && node.init) add(node.id.name, node.init);
    if (node.type === "UpdateExpression") open.add(node.argument.name);
    if (node.type !== "AssignmentExpression" || node.left.type !== "Identifier") return;
    // Of a chain, the last one is the value.
    let value: Tree = node.right;
    while (value.type === "AssignmentExpression") value = value.right;
    if (node.operator === "=") add(node.left.name, value);
    else open.add(node.left.name);
  });
  for (const [name, { size }] of values) if (open.has(name) || size === 0) values.delete(name);
  return values;
}

function literalOf(node: Tree | null | undefined): Value | undefined {
  if (node?.type !== "Literal" || typeof node.value === "string") return undefined;
  return node.value as Value;
}

function literal(value: boolean): Tree {
  return { type: "Literal", value, raw: String(value), start: 0, end: 0 } as unknown as Tree;
}

/** The one answer that `name operator number` has for every value, if there is one. */
function answerOf(node: Tree, values: ReadonlyMap<string, Set<Value>>): boolean | undefined {
  const known = values.get(node.left.name);
  const other = literalOf(node.right);
  if (!known || typeof other !== "number" || !/^[!=]==$/.test(node.operator)) return undefined;
  const isEqual = known.has(other);
  if (isEqual && known.size > 1) return undefined;
  return isEqual === (node.operator === "===");
}

/** Whether the statement looks into a part that is not there: it is never come to. */
function looksIntoNothing(node: Tree): boolean {
  let found = false;
  walk(node, (each) => {
    if (each.type === "MemberExpression" && literalOf(each.object) === null) found = true;
    // What stands behind a condition is for the condition to decide.
    return !/^(If|Switch|For|While)|Function/.test(each.type);
  });
  return found;
}

/** A branch whose condition is a literal, decided; a list of statements up to what is never come to. */
function decided(node: Tree): Tree | Tree[] {
  if (node.type === "IfStatement" || node.type === "ConditionalExpression") {
    const test = literalOf(node.test);
    if (test === undefined) return node;
    return (test ? node.consequent : node.alternate) ?? [];
  }
  if (node.type === "LogicalExpression") {
    const left = literalOf(node.left);
    if (left === undefined) return node;
    return (node.operator === "&&") === !left ? node.left : node.right;
  }
  if (node.type === "UnaryExpression" && node.operator === "!") {
    const value = literalOf(node.argument);
    return value === undefined ? node : literal(!value);
  }
  for (const list of ["body", "consequent"]) {
    if (!Array.isArray(node[list])) continue;
    const end = (node[list] as Tree[]).findIndex(looksIntoNothing);
    if (end >= 0) (node[list] as Tree[]).splice(end);
  }
  return node;
}

/** Variables of functions that stand for one literal: the literal in their places. */
function writeLocals(tree: Tree): boolean {
  let changed = false;
  for (const node of bundleBody(tree)) {
    if (node.type !== "FunctionDeclaration") continue;
    const assigned = new Map<string, (Tree | undefined)[]>();
    const add = (name: string, value: Tree | undefined): void => {
      assigned.set(name, [...(assigned.get(name) ?? []), value]);
    };
    for (const param of node.params) add(param.name, undefined);
    walk(node.body, (each) => {
      if (each.type === "VariableDeclarator" && each.init) add(each.id.name, each.init);
      if (each.type === "UpdateExpression") add(each.argument.name, undefined);
      if (each.type === "AssignmentExpression") add(each.left.name, undefined);
    });
    const isNothing = (name: string): boolean => {
      const values = assigned.get(name);
      return values?.length === 1 && literalOf(values[0]) === null;
    };
    replace(node.body, (each) => {
      if (each.type === "VariableDeclaration" && isNothing(each.declarations[0].id.name)) {
        changed = true;
        return [];
      }
      if (each.type !== "Identifier" || !isNothing(each.name)) return each;
      return { type: "Literal", value: null, raw: "null", start: 0, end: 0 } as unknown as Tree;
    });
  }
  return changed;
}

/** Takes out the functions that nothing in the bundle names any more. */
function dropUnnamed(tree: Tree): boolean {
  const statements = bundleBody(tree);
  const named = new Set<string>();
  for (const statement of statements) {
    const own = statement.type === "FunctionDeclaration" ? statement.id.name : undefined;
    walk(statement, (node) => {
      if (node.type === "Identifier" && node.name !== own) named.add(node.name);
    });
  }
  const left = statements.filter(
    ({ type, id }) => type !== "FunctionDeclaration" || named.has(id.name),
  );
  return statements.splice(0, statements.length, ...left).length > left.length;
}

/** Takes out what cannot happen, in place, until nothing is left of it. */
export function dropImpossible(tree: Tree): void {
  for (let changed = true; changed; ) {
    changed = writeLocals(tree) || dropUnnamed(tree);
    const values = valuesOf(tree);
    replace(tree, (node) => {
      if (node.type === "Identifier") {
        const known = values.get(node.name);
        if (known?.size !== 1 || !known.has(null)) return node;
        changed = true;
        return { type: "Literal", value: null, raw: "null", start: 0, end: 0 } as unknown as Tree;
      }
      if (node.type === "AssignmentExpression" && node.left.type === "Literal") return node.right;
      if (node.type === "VariableDeclaration" && node.declarations[0].id.type === "Literal") {
        return [];
      }
      const answer = node.type === "BinaryExpression" ? answerOf(node, values) : undefined;
      if (answer !== undefined) {
        changed = true;
        return literal(answer);
      }
      const now = decided(node);
      if (now !== node) changed = true;
      return now;
    });
  }
}
