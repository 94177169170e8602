// Puts together again what inlining took apart, and says in the fewest words what the sources say in the
// clearest: branches that set one variable, a variable and its first value, a choice among numbers.

import { assignment, block, expression, replace, type Tree, variable } from "./syntax-tree.ts";

/** The one statement in a branch. */
function only(branch: Tree | null): Tree | undefined {
  if (branch?.type !== "BlockStatement") return branch ?? undefined;
  return branch.body.length === 1 ? branch.body[0] : undefined;
}

/** `x = value` of a branch that does nothing else. */
function assignedIn(branch: Tree | null): Tree | undefined {
  const statement = only(branch);
  const value = statement?.type === "ExpressionStatement" ? statement.expression : undefined;
  const isPlain = value?.type === "AssignmentExpression" && value.operator === "=";
  return isPlain && value.left.type === "Identifier" ? value : undefined;
}

/** `if (t) x = a; else x = b;` as `x = t ? a : b;` */
function joinedBranches(node: Tree): Tree {
  const consequent = assignedIn(node.consequent);
  const alternate = assignedIn(node.alternate);
  if (!consequent || consequent.left.name !== alternate?.left.name) return node;
  const choice = {
    ...node,
    type: "ConditionalExpression",
    consequent: consequent.right,
    alternate: alternate!.right,
  } as Tree;
  return expression(assignment(consequent.left, choice));
}

/** `var x; x = a;` as `var x = a;` */
function joinedVariables(statements: readonly Tree[]): Tree[] {
  const joined: Tree[] = [];
  for (const statement of statements) {
    const value = assignedIn(statement);
    const last = joined.at(-1);
    const declared = last?.type === "VariableDeclaration" ? last.declarations[0] : undefined;
    const isFirst = declared && !declared.init && declared.id.name === value?.left.name;
    if (isFirst) joined[joined.length - 1] = variable(declared.id.name, value!.right);
    else joined.push(statement);
  }
  return joined;
}

interface Choice {
  readonly tests: Tree[];
  body: Tree[];
}

/** The cases of a switch of which each ends by itself; undefined where one goes on into the next. */
function choicesOf(cases: readonly Tree[]): Choice[] | undefined {
  const choices: Choice[] = [{ tests: [], body: [] }];
  for (const [at, { test, consequent }] of cases.entries()) {
    if (!test && at < cases.length - 1) return undefined;
    const choice = choices.at(-1)!;
    if (test) choice.tests.push(test);
    // What falls through into the default is the default.
    else choice.tests.length = 0;
    if (consequent.length === 0 && at < cases.length - 1) continue;
    const last = consequent.at(-1);
    const ends = /^(Break|Return)Statement$/.test(last?.type) || at === cases.length - 1;
    if (!ends) return undefined;
    choice.body = last?.type === "BreakStatement" ? consequent.slice(0, -1) : consequent;
    choices.push({ tests: [], body: [] });
  }
  return choices.slice(0, -1);
}

function hasBreak(node: Tree): boolean {
  if (node.type === "BreakStatement") return true;
  if (/^(For|While|Do|Switch|Function)/.test(node.type)) return false;
  return ["body", "consequent", "alternate"]
    .flatMap((key) => node[key] ?? [])
    .some((child) => hasBreak(child as Tree));
}

function binary(type: string, operator: string, left: Tree, right: Tree): Tree {
  return { type, operator, left, right, start: 0, end: 0 } as unknown as Tree;
}

/** `switch (x) { case 1: ...; break; ... }` as a chain of branches, which the minifier can shorten. */
function branchesOf(node: Tree): Tree {
  if (node.discriminant.type !== "Identifier") return node;
  const choices = choicesOf(node.cases);
  if (!choices || choices.some(({ body }) => body.some(hasBreak))) return node;
  return (
    choices.reduceRight<Tree | undefined>((alternate, { tests, body }) => {
      if (tests.length === 0) return body.length > 0 ? block(body) : undefined;
      const test = tests
        .map((each) => binary("BinaryExpression", "===", node.discriminant as Tree, each))
        .reduce((left, right) => binary("LogicalExpression", "||", left, right));
      const consequent = block(body);
      return { ...node, type: "IfStatement", test, consequent, alternate } as unknown as Tree;
    }, undefined) ?? block([])
  );
}

/** Joins what belongs together, in place. */
export function rejoin(tree: Tree): void {
  replace(tree, (node) => {
    if (node.type === "IfStatement") return joinedBranches(node);
    if (node.type === "SwitchStatement") return branchesOf(node);
    if (node.type === "SwitchCase") node.consequent = joinedVariables(node.consequent);
    if (node.type === "BlockStatement") node.body = joinedVariables(node.body);
    return node;
  });
}
