// Writes values in the place of names that never stand for anything else: texts that are used once, and
// what a build without calls never sets. The minifier then drops what cannot happen.

import { bundleBody, replace, type Tree, walk } from "./syntax-tree.ts";

interface Uses {
  reads: number;
  /** What is assigned; undefined: something that is only known when it runs. */
  values: (Tree | undefined)[];
}

/** A literal, a sign before one, or texts joined. */
function isLiteral(node: Tree | null | undefined): boolean {
  if (!node) return false;
  if (node.type === "UnaryExpression") return isLiteral(node.argument);
  if (node.type === "BinaryExpression") return isLiteral(node.left) && isLiteral(node.right);
  return node.type === "Literal";
}

function hasText(node: Tree): boolean {
  if (node.type === "BinaryExpression") return hasText(node.left) || hasText(node.right);
  return typeof node.value === "string";
}

/** How each variable of the bundle's one function is used. Locals of other names do not matter. */
function usesOf(statements: readonly Tree[]): Map<string, Uses> {
  const uses = new Map<string, Uses>();
  for (const statement of statements) {
    if (statement.type !== "VariableDeclaration") continue;
    for (const { id } of statement.declarations) {
      uses.set(id.name, { reads: 0, values: [] });
    }
  }
  countUses(statements, uses);
  return uses;
}

/** Adds what the statements do with the variables. */
function countUses(statements: readonly Tree[], uses: Map<string, Uses>): void {
  const assigned = (name: string, value: Tree | undefined): void => {
    uses.get(name)?.values.push(value);
  };
  for (const statement of statements) {
    walk(statement, (node, parent) => {
      if (node.type === "VariableDeclarator" && node.init) {
        assigned(node.id.name, node.init);
      } else if (node.type === "AssignmentExpression" && node.left.type === "Identifier") {
        // Of a chain, the last one is the value.
        let value: Tree = node.right;
        while (value.type === "AssignmentExpression") value = value.right;
        assigned(node.left.name, node.operator === "=" ? value : undefined);
      } else if (node.type === "UpdateExpression" && node.argument.type === "Identifier") {
        assigned(node.argument.name, undefined);
      } else if (node.type === "Identifier" && uses.has(node.name)) {
        const isTarget =
          (parent?.type === "AssignmentExpression" && parent.left === node) ||
          (parent?.type === "VariableDeclarator" && parent.id === node);
        if (!isTarget) uses.get(node.name)!.reads++;
      }
    });
  }
}

/**
 * How a function's own variables are used that are set where they are declared and were parameters before their
 * function was put here: their names are no property's.
 */
function localUses(statement: Tree): Map<string, Uses> {
  const declared: Tree[] = [];
  walk(statement, (node) => {
    if (node.type === "VariableDeclarator" && node.init && /\$\d+$/.test(node.id.name)) {
      declared.push(node);
    }
  });
  const uses = new Map<string, Uses>();
  for (const { id } of declared) uses.set(id.name, { reads: 0, values: [] });
  countUses([statement], uses);
  return uses;
}

/** Writes the values and removes the variables, in place. */
export function writeConstants(tree: Tree): void {
  const statements = bundleBody(tree);
  writeValues(tree, usesOf(statements));
  for (const statement of statements) {
    if (statement.type === "FunctionDeclaration") writeValues(statement, localUses(statement));
  }
}

function writeValues(tree: Tree, uses: Map<string, Uses>): void {
  const constants = new Map<string, Tree>();
  const unread = new Set<string>();
  for (const [name, { reads, values }] of uses) {
    const [value] = values;
    const isText = value !== undefined && hasText(value);
    const isOne = values.every((each) => each && isLiteral(each) && each.raw === value?.raw);
    if (reads === 0) unread.add(name);
    else if (
      (values.length === 1 || (isOne && value?.raw)) &&
      isLiteral(value) &&
      (reads === 1 || !isText)
    ) {
      constants.set(name, value!);
    }
  }
  const isGone = (name: string): boolean => constants.has(name) || unread.has(name);
  replace(tree, (node) => {
    if (node.type === "VariableDeclaration" && node.declarations.length === 1) {
      const { id, init } = node.declarations[0];
      return isGone(id.name) && (!init || isLiteral(init)) ? [] : node;
    }
    return node;
  });
  replace(tree, (node) => {
    if (node.type === "AssignmentExpression" && node.left.type === "Identifier") {
      return isGone(node.left.name) ? node.right : node;
    }
    return node;
  });
  replace(tree, (node) => {
    const value = node.type === "Identifier" ? constants.get(node.name) : undefined;
    return value ? structuredClone(value) : node;
  });
}
