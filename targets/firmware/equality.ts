// `==` for `===`: the compiler has made sure that both sides are of one type, which is when the two mean
// the same, and the shorter one is written some hundred and fifty times.

import { type Tree, walk } from "./syntax-tree.ts";

const LOOSE: Readonly<Record<string, string>> = { "===": "==", "!==": "!=" };

/** Changes every comparison, in place. */
export function loosenEquality(tree: Tree): void {
  walk(tree, (node) => {
    if (node.type === "BinaryExpression") node.operator = LOOSE[node.operator] ?? node.operator;
  });
}
