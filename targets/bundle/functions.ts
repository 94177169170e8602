// The functions that call each other stand in one array. As variables each of them costs QuickJS a cell, and a
// reference to that cell in every function that names it; an array is one cell for all of them.
//
// What nothing but `create` calls stays as it is: once the host has given `create` back, the engine frees it too.

import remapping from "@jridgewell/remapping";
import {
  type AnyNode,
  type FunctionDeclaration,
  type Function as FunctionNode,
  type Node,
  parse,
} from "acorn";
import { ancestor, full } from "acorn-walk";
import MagicString from "magic-string";

/** The array's name, which stands for nothing else in the file. */
const list = "fn";

/** A script and its source map, as JSON. */
export interface Script {
  readonly code: string;
  readonly map: string;
}

/** Somewhere a function is named, and by which part of the file. */
interface Use {
  readonly name: string;
  readonly node: Node;
  /** The name of the function that names it, "create", or "" for whatever runs when the file is loaded. */
  readonly by: string;
}

/** @throws Error where it cannot be sure that a function does the same as an element of an array */
export function gatherFunctions(script: Script): Script {
  if (/\bfn\b/.test(script.code)) throw new Error(`the file has a ${list} already`);
  const wrapper = wrapperOf(script.code);
  const declared = new Map<string, FunctionDeclaration>();
  for (const node of wrapper.body.type === "BlockStatement" ? wrapper.body.body : []) {
    if (node.type === "FunctionDeclaration") declared.set(node.id.name, node);
  }
  for (const node of declared.values()) refuseStrange(node);
  const uses = usesOf(wrapper, declared);
  const gathered = neededLater(declared, uses);
  const text = new MagicString(script.code);
  // The list is written in front of the wrapper's brace, which then ends the list. It is made by a call: njs 0.7 turns
  // the numbers 0, 1, 2 ... of the whole file into strings where functions stand between brackets.
  const brace = wrapper.body.start;
  text.appendLeft(brace, `{var ${list}=Array(`);
  gathered.forEach((name, index) => {
    const { start, end, id } = declared.get(name)!;
    text.overwrite(start, id.end, index === 0 ? "function" : ",function");
    text.move(start, end, brace);
  });
  text.overwrite(brace, brace + 1, ");");
  for (const { name, node } of uses) {
    if (gathered.includes(name))
      text.overwrite(node.start, node.end, `${list}[${gathered.indexOf(name)}]`);
  }
  const map = text.generateMap({ hires: true });
  const whole = remapping([JSON.parse(map.toString()), JSON.parse(script.map)], () => null);
  return { code: text.toString(), map: whole.toString() };
}

/** The function that stands around everything in the file. */
function wrapperOf(code: string): FunctionNode {
  let found: FunctionNode | undefined;
  ancestor(parse(code, { ecmaVersion: 5 }), {
    FunctionExpression(node, _state, ancestors) {
      const isOutermost = ancestors.filter(({ type }) => /^Function/.test(type)).length === 1;
      if (isOutermost) found ??= node;
    },
  });
  if (!found) throw new Error("the build knows no file without a function around it");
  return found;
}

/** As an element a function would have another `this`; a function within it could hide names. */
function refuseStrange(declared: FunctionDeclaration): void {
  full(declared.body, (node) => {
    const isArguments =
      node.type === "Identifier" && (node as AnyNode & { name: string }).name === "arguments";
    if (isArguments || /^(Function|This|With|Catch)/.test(node.type)) {
      throw new Error(`the build cannot put ${declared.id.name} into an array: ${node.type}`);
    }
  });
}

/** What a function declares for itself, under names that may be those of other functions outside. */
function localsOf(node: FunctionNode): Set<string> {
  const locals = new Set(node.params.map((parameter) => nameOf(parameter)));
  full(node.body, (inner) => {
    if (inner.type === "VariableDeclarator")
      locals.add(nameOf((inner as AnyNode & { id: Node }).id));
  });
  return locals;
}

function nameOf(node: Node): string {
  return (node as Node & { name?: string }).name ?? "";
}

/** Wherever a declared function is named. */
function usesOf(wrapper: FunctionNode, declared: ReadonlyMap<string, FunctionDeclaration>): Use[] {
  const uses: Use[] = [];
  const locals = new Map<Node, Set<string>>();
  const note = (node: Node, ancestors: readonly AnyNode[]): void => {
    const name = nameOf(node);
    if (!declared.has(name) || declared.get(name)!.id === node) return;
    const inner = ancestors.find(
      (outer) => /^Function/.test(outer.type) && outer !== wrapper,
    ) as FunctionNode;
    if (inner && !locals.has(inner)) locals.set(inner, localsOf(inner));
    if (inner && locals.get(inner)!.has(name)) return;
    const parent = ancestors.at(-2)!;
    if (
      /^(Assignment|Update)/.test(parent.type) &&
      !(parent.type === "AssignmentExpression" && parent.right === node)
    ) {
      throw new Error(`the build cannot put ${name} into an array: it is assigned to`);
    }
    const property = ancestors.find((outer) => outer.type === "Property");
    const isCreate = property?.type === "Property" && nameOf(property.key) === "create";
    const by = inner?.type === "FunctionDeclaration" ? inner.id!.name : isCreate ? "create" : "";
    uses.push({ name, node, by });
  };
  ancestor(wrapper.body, {
    Identifier: (node, _state, ancestors) => note(node, ancestors),
    VariablePattern: (node: Node, _state: unknown, ancestors: AnyNode[]) => note(node, ancestors),
  } as Parameters<typeof ancestor>[1]);
  return uses;
}

/** The functions that something else than `create` comes to, those that are named most first: small numbers are short. */
function neededLater(declared: ReadonlyMap<string, unknown>, uses: readonly Use[]): string[] {
  const needed = new Set<string>([""]);
  // Grows while it is walked.
  for (const by of needed) {
    for (const use of uses) if (use.by === by) needed.add(use.name);
  }
  const timesNamed = (name: string): number => uses.filter((use) => use.name === name).length;
  return [...declared.keys()]
    .filter((name) => needed.has(name))
    .sort((a, b) => timesNamed(b) - timesNamed(a));
}
