// One call replaced by what it calls. Only shapes that keep their meaning without a proof are taken;
// for every other the answer is undefined, and the call stays.

import {
  assignment,
  block,
  copy,
  expression,
  identifier,
  replace,
  type Tree,
  variable,
  walk,
} from "./syntax-tree.ts";

/** A function that is to be put in. */
export interface Callee {
  readonly node: Tree;
  readonly name: string;
  readonly params: readonly string[];
  readonly body: readonly Tree[];
}

/** The names of a function: parameters and variables, and which of them are assigned to. */
export interface Names {
  readonly own: ReadonlySet<string>;
  readonly assigned: ReadonlySet<string>;
}

/** Where in a statement the call is: what becomes of its value. */
interface Place {
  readonly call: Tree;
  /** "return" it, "drop" it, or keep it in the target; "test": the statement branches on it. */
  readonly value: "return" | "drop" | "keep" | "test";
  readonly target?: Tree;
}

export function namesOf(node: Tree): Names {
  const own = new Set<string>((node.params as Tree[]).map((param) => param.name));
  const assigned = new Set<string>();
  walk(node.body, (each) => {
    if (each.type === "VariableDeclarator") own.add(each.id.name);
    if (each.type === "AssignmentExpression" && each.left.type === "Identifier") {
      assigned.add(each.left.name);
    }
    if (each.type === "UpdateExpression" && each.argument.type === "Identifier") {
      assigned.add(each.argument.name);
    }
  });
  return { own, assigned };
}

function contains(node: Tree, types: readonly string[]): boolean {
  let found = false;
  walk(node, (each) => {
    if (types.includes(each.type)) found = true;
  });
  return found;
}

const EFFECTS = ["CallExpression", "AssignmentExpression", "UpdateExpression"];

/**
 * Whether an argument may stand wherever the parameter stood. A variable of the caller may: what is put
 * in has names of its own, and the result is assigned last.
 */
function isConstant(node: Tree, scope: Names): boolean {
  if (node.type === "Literal") return true;
  if (node.type === "UnaryExpression") return node.argument.type === "Literal";
  return node.type === "Identifier" && scope.own.has(node.name);
}

/** The expression that a function consists of. */
function onlyExpression({ body }: Callee): Tree | undefined {
  const [only] = body;
  if (body.length !== 1 || !only) return undefined;
  if (only.type === "ReturnStatement") return only.argument ?? undefined;
  return only.type === "ExpressionStatement" ? only.expression : undefined;
}

/** `f(a)` becomes the expression that f consists of. */
export function replaceExpression(callee: Callee, call: Tree, scope: Names): Tree | undefined {
  const value = onlyExpression(callee);
  if (!value) return undefined;
  const { assigned } = namesOf(callee.node);
  for (const [i, param] of callee.params.entries()) {
    const argument = call.arguments[i] as Tree;
    if (!assigned.has(param) && isConstant(argument, scope)) continue;
    // Or one that is used once, where neither it nor anything around it changes anything.
    if (callee.params.length > 1 || timesUsed(value, param) !== 1) return undefined;
    if (contains(argument, EFFECTS) || contains(value, EFFECTS)) return undefined;
  }
  const values = new Map(callee.params.map((param, i) => [param, call.arguments[i] as Tree]));
  return substitute(expression(copy(value)), values).expression;
}

function timesUsed(node: Tree, name: string): number {
  let times = 0;
  walk(node, (each) => {
    if (each.type === "Identifier" && each.name === name) times++;
  });
  return times;
}

function substitute(holder: Tree, values: ReadonlyMap<string, Tree>): Tree {
  replace(holder, (each) => {
    const value = each.type === "Identifier" ? values.get(each.name) : undefined;
    return value ? copy(value) : each;
  });
  return holder;
}

/** A variable, or a property of one. */
function isPlain(node: Tree): boolean {
  if (node.type === "MemberExpression") return !node.computed && node.object.type === "Identifier";
  return node.type === "Identifier";
}

/** The place of the call in a statement that consists of it, returns it, keeps it or tests it. */
export function callOf(statement: Tree, name: string): Place | undefined {
  const isCall = (node: Tree | null | undefined): boolean =>
    node?.type === "CallExpression" && node.callee.name === name;
  if (statement.type === "ReturnStatement" && isCall(statement.argument)) {
    return { call: statement.argument, value: "return" };
  }
  if (statement.type === "VariableDeclaration" && statement.declarations.length === 1) {
    const { id, init } = statement.declarations[0];
    return isCall(init) ? { call: init, value: "keep", target: id } : undefined;
  }
  if (statement.type === "ExpressionStatement") {
    const { type, operator, left, right } = statement.expression;
    if (isCall(statement.expression)) return { call: statement.expression, value: "drop" };
    const isAssignment = type === "AssignmentExpression" && operator === "=";
    if (!isAssignment || !isCall(right) || !isPlain(left)) return undefined;
    return { call: right, value: "keep", target: left };
  }
  if (statement.type === "IfStatement") {
    const { test } = statement;
    const inner = test.type === "UnaryExpression" && test.operator === "!" ? test.argument : test;
    if (isCall(inner)) return { call: inner, value: "test" };
  }
  return undefined;
}

/** A statement with a call becomes the statements of the function. */
export function replaceStatement(
  callee: Callee,
  statement: Tree,
  place: Place,
  scope: Names,
  fresh: (name: string) => string,
): Tree[] | undefined {
  const kept = place.value === "test" ? identifier(fresh(callee.name)) : place.target;
  const names = namesOf(callee.node);
  const renamed = new Map<string, Tree>();
  const before: Tree[] = [];
  for (const [i, param] of callee.params.entries()) {
    const argument = place.call.arguments[i] as Tree;
    if (!names.assigned.has(param) && isConstant(argument, scope)) renamed.set(param, argument);
    else {
      const name = fresh(param);
      renamed.set(param, identifier(name));
      before.push(variable(name, argument));
    }
  }
  for (const local of names.own) {
    if (!renamed.has(local)) renamed.set(local, identifier(fresh(local)));
  }
  const body = bodyFor(place, kept, substitute(block(copy(callee.body) as Tree[]), renamed).body);
  if (!body) return undefined;
  const result = [...before, ...body];
  if (statement.type === "VariableDeclaration" || place.value === "test") {
    result.unshift(variable(kept!.name, null));
  }
  if (place.value === "test") result.push(testing(statement, place.call, kept!.name));
  return result;
}

/** The same branches, on the kept value. */
function testing(statement: Tree, call: Tree, name: string): Tree {
  if (statement.test === call) statement.test = identifier(name);
  else statement.test.argument = identifier(name);
  return statement;
}

function bodyFor(place: Place, kept: Tree | undefined, body: Tree[]): Tree[] | undefined {
  if (place.value === "return") return endsInReturn(body) ? body : undefined;
  if (kept === undefined) return withoutReturns(body, undefined);
  return withoutReturns(body, (value) => expression(assignment(copy(kept), value)));
}

function listOf(node: Tree | null | undefined): Tree[] {
  if (!node) return [];
  return node.type === "BlockStatement" ? node.body : [node];
}

function endsInReturn(body: readonly Tree[]): boolean {
  const last = body[body.length - 1];
  if (last?.type === "ReturnStatement") return true;
  if (last?.type !== "IfStatement" || !last.alternate) return false;
  return endsInReturn(listOf(last.consequent)) && endsInReturn(listOf(last.alternate));
}

/**
 * The same statements without returns: what stood behind one comes into an else. A returned value goes
 * where `keep` puts it. Undefined where a return stands inside a loop, or a path returns no value.
 */
function withoutReturns(
  body: readonly Tree[],
  keep: ((value: Tree) => Tree) | undefined,
): Tree[] | undefined {
  const first = body.findIndex((statement) => contains(statement, ["ReturnStatement"]));
  if (first < 0) return keep ? undefined : [...body];
  const before = body.slice(0, first);
  const statement = body[first]!;
  if (statement.type === "ReturnStatement") {
    const value = statement.argument as Tree | null;
    if (!value) return keep ? undefined : before;
    if (keep) return [...before, keep(value)];
    return contains(value, EFFECTS) ? [...before, expression(value)] : before;
  }
  if (statement.type !== "IfStatement") return undefined;
  const rest = body.slice(first + 1);
  const thenReturns = endsInReturn(listOf(statement.consequent));
  const elseReturns = endsInReturn(listOf(statement.alternate));
  // What follows is put in once: behind the branch that goes on.
  if (rest.length > 0 && !thenReturns && !elseReturns) return undefined;
  const then = withoutReturns(
    [...listOf(statement.consequent), ...(thenReturns ? [] : rest)],
    keep,
  );
  const otherwise = withoutReturns(
    [...listOf(statement.alternate), ...(thenReturns ? rest : [])],
    keep,
  );
  if (!then || !otherwise) return undefined;
  statement.consequent = block(then);
  statement.alternate = otherwise.length > 0 ? block(otherwise) : null;
  return [...before, statement];
}
