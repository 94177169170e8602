// One chain for what is set to the same number in a row: `a = 0; b = 0;` becomes `a = b = 0;`.

import { assignment, expression, replace, type Tree } from "./syntax-tree.ts";

function isLiteral(node: Tree): boolean {
  if (node.type === "UnaryExpression") return node.operator === "-" && isLiteral(node.argument);
  return node.type === "Literal" && typeof node.value !== "string";
}

/** Whether it can be assigned to in any order: finding it changes nothing and depends on nothing. */
function isFixed(target: Tree): boolean {
  if (target.type === "Identifier") return true;
  const { object, property, computed } = target;
  return object.type === "Identifier" && (!computed || property.type === "Literal");
}

interface Chain {
  readonly targets: Tree[];
  readonly value: Tree;
}

/** The statement's targets and the number that they are set to. */
function chainOf(statement: Tree): Chain | undefined {
  const targets: Tree[] = [];
  let value = statement.type === "ExpressionStatement" ? (statement.expression as Tree) : undefined;
  while (value?.type === "AssignmentExpression" && value.operator === "=") {
    targets.push(value.left);
    value = value.right;
  }
  const isChain = value && targets.length > 0 && isLiteral(value) && targets.every(isFixed);
  return isChain ? { targets, value: value! } : undefined;
}

function textOf(value: Tree): string {
  return value.type === "UnaryExpression" ? `-${textOf(value.argument)}` : String(value.value);
}

function isSame(a: Tree, b: Tree): boolean {
  if (a.type === "Identifier") return a.name === b.name;
  const { object, property } = a;
  return (
    object.name === b.object?.name &&
    property.name === b.property.name &&
    property.value === b.property.value
  );
}

function isIn(run: ReadonlyMap<string, Chain>, target: Tree): boolean {
  return [...run.values()].some(({ targets }) => targets.some((each) => isSame(target, each)));
}

function chained({ targets, value }: Chain): Tree {
  return expression(targets.reduceRight((right, left) => assignment(left, right), value));
}

/** The statements with one chain for each number of a run. */
function joined(statements: readonly Tree[]): Tree[] {
  const done: Tree[] = [];
  const run = new Map<string, Chain>();
  const finish = (): void => {
    done.push(...[...run.values()].map(chained));
    run.clear();
  };
  for (const statement of statements) {
    const chain = chainOf(statement);
    if (!chain) {
      finish();
      done.push(statement);
      continue;
    }
    // What is set twice keeps its order.
    if (chain.targets.some((target) => isIn(run, target))) finish();
    const same = run.get(textOf(chain.value));
    if (same) same.targets.push(...chain.targets);
    else run.set(textOf(chain.value), chain);
  }
  finish();
  return done;
}

/** Makes the chains, in place. */
export function chainAssignments(tree: Tree): void {
  replace(tree, (node) => {
    if (node.type === "BlockStatement") node.body = joined(node.body);
    return node;
  });
}
