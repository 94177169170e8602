// Makes a function's variables further parameters, which nobody passes: without `var` between them,
// statements become expressions that the minifier joins. Arguments that a host has too many do no harm: the
// compiler refuses a variable that is read before it is set.

import { assignment, bundleBody, expression, replace, type Tree } from "./syntax-tree.ts";

/** Declares every variable as a parameter, in place. */
export function declareAsParameters(tree: Tree): void {
  for (const statement of bundleBody(tree)) {
    if (statement.type === "FunctionDeclaration") declare(statement);
  }
}

/** `x = x`: what is left of a value that was handed on. */
function isIdle({ type, operator, left, right }: Tree): boolean {
  const isPlain = type === "AssignmentExpression" && operator === "=" && left.type === "Identifier";
  return isPlain && left.name === right.name;
}

function declare(declaration: Tree): void {
  const params = declaration.params as Tree[];
  const known = new Set(params.map(({ name }) => name as string));
  const values = (variables: Tree): Tree[] => {
    const set: Tree[] = [];
    for (const { id, init } of variables.declarations as Tree[]) {
      if (!known.has(id.name)) params.push(id);
      known.add(id.name);
      if (init && init.name !== id.name) set.push(assignment(id, init));
    }
    return set;
  };
  replace(declaration.body, (node) => {
    if (node.type === "VariableDeclaration") return values(node).map(expression);
    if (node.type === "ExpressionStatement" && isIdle(node.expression)) return [];
    if (node.type !== "ForStatement" || node.init?.type !== "VariableDeclaration") return node;
    const expressions = values(node.init);
    const all = { type: "SequenceExpression", expressions };
    const init = expressions.length > 1 ? all : (expressions[0] ?? null);
    return { ...node, init } as Tree;
  });
}
