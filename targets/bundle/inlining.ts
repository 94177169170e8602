// Tells Closure Compiler which functions it writes where they are called, and which stay functions.
//
// By itself it counts bytes of text: a function that is called twice stays one. In RAM, which is what a board
// lacks, a function costs QuickJS some 210 bytes on 32-bit ARM and 12 more for each function that names it, while
// its bytecode lies in flash. So small functions are written where they are called.

import { type AnyNode, type FunctionDeclaration, parse } from "acorn";
import { ancestor, full } from "acorn-walk";

/**
 * A function goes to the places where it is called when the copies beyond the first one have no more nodes of
 * syntax than this. README.md has the figures for other limits.
 */
const nodesOfCopies = 100;

const loops = new Set(["ForStatement", "WhileStatement", "DoWhileStatement", "ForInStatement"]);

/** What is known of a function of the core. */
interface Known {
  readonly node: FunctionDeclaration;
  readonly nodes: number;
  calls: number;
  /** It is handed over, calls itself, or returns from within a loop. */
  stays: boolean;
  returnsFromWithin: boolean;
}

/** The functions that are declared at the top. */
function declared(program: AnyNode): Map<string, Known> {
  const functions = new Map<string, Known>();
  for (const node of (program as { body: AnyNode[] }).body) {
    if (node.type !== "FunctionDeclaration") continue;
    let nodes = 0;
    full(node.body, () => {
      nodes++;
    });
    const known = { node, nodes, calls: 0, stays: false, returnsFromWithin: false };
    functions.set(node.id!.name, known as Known);
  }
  return functions;
}

/** Whether the node is in a loop of the function that it is in. */
function isInLoop(ancestors: readonly AnyNode[]): boolean {
  const owner = ancestors.findLastIndex(({ type }) => /^Function/.test(type));
  return ancestors.slice(owner).some(({ type }) => loops.has(type));
}

/** Whether the node is in a block that goes on behind it, and whose end is not the function's. */
function isInOpenBlock(ancestors: readonly AnyNode[]): boolean {
  const owner = ancestors.findLastIndex(({ type }) => /^Function/.test(type));
  // The first block is the function's own.
  return ancestors
    .slice(owner + 2)
    .some((node) => node.type === "BlockStatement" && node.body.at(-1)?.type !== "ReturnStatement");
}

/** The function that the node is in. */
function ownerOf(ancestors: readonly AnyNode[]): string | undefined {
  const owner = ancestors.find(({ type }) => type === "FunctionDeclaration");
  return (owner as FunctionDeclaration | undefined)?.id?.name;
}

/**
 * The code with `@encourageInlining` in front of every function that is small enough, and `@noinline` in front of
 * every one that returns from within a loop, or a block that goes on: the compiler would leave it by a label, and
 * Espruino has none.
 */
export function markFunctions(code: string): string {
  const program = parse(code, { ecmaVersion: 5 }) as AnyNode;
  const functions = declared(program);
  ancestor(program, {
    Identifier(node, _state, ancestors) {
      const around = ancestors as AnyNode[];
      const known = functions.get(node.name);
      if (!known) return;
      const parent = around.at(-2);
      if (parent?.type === "CallExpression" && parent.callee === node) known.calls++;
      else known.stays = true;
      if (ownerOf(around) === node.name) known.stays = true;
    },
    ReturnStatement(_node, _state, ancestors) {
      const around = ancestors as AnyNode[];
      const known = functions.get(ownerOf(around) ?? "");
      if (known && (isInLoop(around) || isInOpenBlock(around))) known.returnsFromWithin = true;
    },
  });
  let marked = code;
  for (const known of [...functions.values()].reverse()) {
    const mark = markOf(known);
    const { start } = known.node;
    if (mark) marked = `${marked.slice(0, start)}/** ${mark} */ ${marked.slice(start)}`;
  }
  return marked;
}

function markOf({ nodes, calls, stays, returnsFromWithin }: Known): string {
  if (returnsFromWithin) return "@noinline";
  const isSmall = calls > 1 && nodes * (calls - 1) <= nodesOfCopies;
  return isSmall && !stays ? "@encourageInlining" : "";
}
