// Counters in the bundle, so that a fuzzer sees which paths an input took: one at the head of every
// function, branch and loop body. Knows nothing of what is fuzzed.

import { type AnyNode, parse } from "acorn";
import { full } from "acorn-walk";

interface Counters {
  /** The bundle with counters; it expects `__hits` in its scope. */
  code: string;
  count: number;
}

/** Puts a counter at every place where paths part. */
export function instrument(code: string): Counters {
  const inserts: { at: number; text: string }[] = [];
  let count = 0;
  const hit = (): string => `__hits[${count++}]++`;
  const statement = (node: AnyNode | null | undefined): void => {
    if (!node) return;
    if (node.type === "BlockStatement") inserts.push({ at: node.start + 1, text: `${hit()};` });
    else {
      inserts.push({ at: node.start, text: `{${hit()};` }, { at: node.end, text: "}" });
    }
  };
  const expression = (node: AnyNode): void => {
    inserts.push({ at: node.start, text: `(${hit()},` }, { at: node.end, text: ")" });
  };
  full(parse(code, { ecmaVersion: 5 }), (any) => {
    const node = any as AnyNode;
    if (node.type === "FunctionDeclaration") statement(node.body);
    else if (node.type === "IfStatement") {
      statement(node.consequent);
      if (node.alternate) statement(node.alternate);
    } else if (node.type === "WhileStatement" || node.type === "ForStatement") statement(node.body);
    else if (node.type === "ConditionalExpression") {
      expression(node.consequent);
      expression(node.alternate);
    } else if (node.type === "LogicalExpression") expression(node.right);
    else if (node.type === "SwitchCase" && node.consequent[0]) {
      inserts.push({ at: node.consequent[0].start, text: `${hit()};` });
    }
  });
  return { code: weave(code, inserts), count };
}

/** Closing texts go before opening ones at the same place; inner ones before outer. */
function weave(code: string, inserts: readonly { at: number; text: string }[]): string {
  const isClosing = (text: string): boolean => text === "}" || text === ")";
  const ordered = inserts
    .map((insert, order) => ({ ...insert, order }))
    .sort((a, b) => {
      if (a.at !== b.at) return a.at - b.at;
      if (isClosing(a.text) !== isClosing(b.text)) return isClosing(a.text) ? -1 : 1;
      // The walk comes to inner nodes first: theirs close first and open last.
      return isClosing(a.text) ? a.order - b.order : b.order - a.order;
    });
  let woven = "";
  let from = 0;
  for (const { at, text } of ordered) {
    woven += code.slice(from, at) + text;
    from = at;
  }
  return woven + code.slice(from);
}
