// Gives everything in the bundle its short name. A minifier keeps the names of variables apart from those of
// the whole bundle everywhere; here a parameter may have any name that its own function has no other use for,
// and more of the bundle's names are of one letter.

import { parse } from "acorn";
import MagicString, { type SourceMap } from "magic-string";
import { bundleBody, type Tree, walk } from "./syntax-tree.ts";

const LETTERS = "etnrioascludfpmhgvybwkxqjzETNRIOASCLUDFPMHGVYBWKXQJZ_$";
/** Letters for parameters only: the same in every function packs better. */
const PARAMETERS = 4;
const KEYWORDS = new Set(["do", "if", "in"]);

/** How often names of the bundle are used in a node. */
function countNames(node: Tree, known: ReadonlySet<string>): Map<string, number> {
  const counts = new Map<string, number>();
  walk(node, (each) => {
    if (each.type !== "Identifier" || !known.has(each.name)) return;
    counts.set(each.name, (counts.get(each.name) ?? 0) + 1);
  });
  return counts;
}

function declaredNames(statements: readonly Tree[]): Set<string> {
  const names = new Set<string>();
  for (const statement of statements) {
    if (statement.type === "FunctionDeclaration") names.add(statement.id.name);
    if (statement.type !== "VariableDeclaration") continue;
    for (const { id } of statement.declarations) names.add(id.name);
  }
  return names;
}

/** Names of one letter, then of two. */
function* shortNames(from = 0): Generator<string> {
  yield* LETTERS.slice(from);
  for (const first of LETTERS) {
    for (const second of LETTERS) {
      const name = `${first}${second}`;
      if (!KEYWORDS.has(name)) yield name;
    }
  }
}

/** The functions in a statement: itself, or those that it hands over. */
function functionsOf(statement: Tree): Tree[] {
  const functions: Tree[] = [];
  walk(statement, (each) => {
    const isFunction = /^Function/.test(each.type);
    if (isFunction) functions.push(each);
    return !isFunction;
  });
  return functions;
}

/** The bundle's own names: the last letters go to the most used, so that parameters find the first ones free. */
function globalNames(statements: readonly Tree[], known: ReadonlySet<string>): Map<string, string> {
  const program = { type: "Program", body: statements } as unknown as Tree;
  const counts = countNames(program, known);
  const sorted = [...known].sort((a, b) => (counts.get(b) ?? 0) - (counts.get(a) ?? 0));
  const names: string[] = [];
  for (const name of shortNames(PARAMETERS)) {
    if (names.push(name) === sorted.length) break;
  }
  const letters = names.filter((name) => name.length === 1).reverse();
  const all = [...letters, ...names.slice(letters.length)];
  return new Map(sorted.map((name, index) => [name, all[index]!]));
}

/** Names for a function's parameters: none that it uses for something of the bundle. */
function parameterNames(declaration: Tree, globals: ReadonlyMap<string, string>): string[] {
  const params = (declaration.params as Tree[]).map(({ name }) => name as string);
  const outer = new Set([...globals.keys()].filter((name) => !params.includes(name)));
  const used = [...countNames(declaration, outer).keys()];
  const taken = new Set(used.map((name) => globals.get(name)));
  const free: string[] = [];
  const names = shortNames();
  while (free.length < params.length) {
    const name = names.next().value as string;
    if (!taken.has(name)) free.push(name);
  }
  return free;
}

/**
 * The minified bundle with shorter names, and the map from it to the one that came in. All variables of a
 * function have to be its parameters.
 * @throws where a function declares something of its own
 */
export function shortenNames(code: string): { code: string; map: SourceMap } {
  const program = parse(code, { ecmaVersion: 5 }) as Tree;
  const statements = bundleBody(program);
  const known = declaredNames(statements);
  const globals = globalNames(statements, known);
  const text = new MagicString(code);
  const rename = (
    node: Tree,
    names: ReadonlyMap<string, string>,
    without?: ReadonlySet<Tree>,
  ): void =>
    walk(node, (each) => {
      if (without?.has(each)) return false;
      const name = each.type === "Identifier" ? names.get(each.name) : undefined;
      if (name !== undefined) text.update(each.start, each.end, name);
      return true;
    });
  const renameFunction = (each: Tree): void => {
    walk(each.body, ({ type }) => {
      if (/^(Variable|Function)Declaration$/.test(type)) throw new Error(`${type} in a function`);
    });
    const params = (each.params as Tree[]).map(({ name }) => name as string);
    const own = parameterNames(each, globals);
    const names = new Map(globals);
    params.forEach((param, index) => {
      names.set(param, own[index]!);
    });
    rename(each, names);
  };
  for (const statement of statements) {
    const functions = functionsOf(statement);
    functions.forEach(renameFunction);
    if (functions[0] !== statement) rename(statement, globals, new Set(functions));
  }
  return {
    code: text.toString(),
    map: text.generateMap({ source: "minified.js", hires: "boundary" }),
  };
}
