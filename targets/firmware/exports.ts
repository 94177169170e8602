// Hands the functions over that only a host calls where they are written: they need no name of their own, which
// leaves the short ones to others.

import { bundleBody, type Tree, walk } from "./syntax-tree.ts";

/** Gives over `picogrant`, and writes the functions that nothing else calls into it; in place. */
export function writeExports(tree: Tree): void {
  returnGlobal(tree);
  const statements = bundleBody(tree);
  const properties = statements.at(-1)!.argument.properties as Tree[];
  const uses = new Map<string, number>();
  for (const statement of statements) {
    walk(statement, ({ type, name }) => {
      if (type === "Identifier") uses.set(name, (uses.get(name) ?? 0) + 1);
    });
  }
  const functions = new Map<string, Tree>();
  for (const statement of statements) {
    if (statement.type === "FunctionDeclaration") functions.set(statement.id.name, statement);
  }
  const moved = new Set<Tree>();
  for (const property of properties) {
    const { name } = property.value as { name: string };
    const declaration = functions.get(name);
    // Once where it is declared, once here.
    if (!declaration || uses.get(name) !== 2) continue;
    property.value = { ...declaration, type: "FunctionExpression", id: null };
    moved.add(declaration);
  }
  statements.splice(0, statements.length, ...statements.filter((each) => !moved.has(each)));
}

/** `var x; (function () { ... x = ...; })();` as `var x = (function () { ... return ...; })();` */
function returnGlobal(tree: Tree): void {
  const statements = bundleBody(tree);
  const { start, end, loc, right } = statements.at(-1)!.expression as Tree;
  const back = { type: "ReturnStatement", start, end, loc, argument: right };
  statements[statements.length - 1] = back as unknown as Tree;
  const [declared, call] = tree.body.slice(-2) as Tree[];
  declared!.declarations[0].init = call!.expression;
  tree.body = tree.body.slice(0, -1);
}
