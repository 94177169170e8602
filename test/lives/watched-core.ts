// The core with every access to its memory checked: a typed array swallows what is outside of it and cuts what is
// no byte, which on a plain array or in C would be something else. The bundle's text is rewritten so that each
// `list[index]` asks first; everything else in it stays as it is.

import { type AnyNode, type MemberExpression, type Node, parse } from "acorn";
import { Violation } from "./violation.ts";

/** What only a typed array has; a memory on another engine has a length and its bytes. */
const OF_TYPED_ARRAYS = new Set([
  ...Object.getOwnPropertyNames(Object.getPrototypeOf(Uint8Array.prototype)),
  ...Object.getOwnPropertyNames(Uint8Array.prototype),
]);
/** Names that other objects have too. */
for (const name of ["length", "constructor", "toString", "values"]) OF_TYPED_ARRAYS.delete(name);

type List = { [index: number]: number; readonly length: number };

/** Checks the accesses to one memory. */
export class Watch {
  memory: ArrayLike<number> | undefined;

  readonly read = (list: List, index: number): number => {
    if (list === this.memory) mustBeInside(list, index, "read");
    return list[index]!;
  };

  readonly write = (list: List, index: number, value: number): number => {
    if (list === this.memory) {
      mustBeInside(list, index, "write");
      if ((value & 255) !== value) {
        throw new Violation("arena", `the value ${String(value)} was written as a byte`);
      }
    }
    list[index] = value;
    return value;
  };

  readonly change = (list: List, index: number, next: (value: number) => number): number =>
    this.write(list, index, next(this.read(list, index)));

  /** The value before is what `list[index]++` is worth; the core throws it away. */
  readonly step = (list: List, index: number, step: number): number => {
    const before = this.read(list, index);
    this.write(list, index, before + step);
    return before;
  };
}

function mustBeInside(memory: List, index: number, what: string): void {
  if (index >>> 0 !== index || index >= memory.length) {
    throw new Violation("arena", `${what} at ${String(index)} of ${memory.length}`);
  }
}

/** Evaluates a rewritten bundle. */
export function evaluateWatched(code: string, watch: Watch): unknown {
  return new Function("watch", `${rewritten(code)}\nreturn picogrant;`)(watch);
}

/** The bundle's text with `watch.read(list, index)` for `list[index]`, and the like where it is written. */
export function rewritten(code: string): string {
  return textOf(parse(code, { ecmaVersion: "latest" }), code);
}

function textOf(node: Node, code: string): string {
  const any = node as AnyNode;
  switch (any.type) {
    case "MemberExpression":
      if (any.computed) return `watch.read(${place(any, code)})`;
      mustBePlain(any);
      break;
    case "AssignmentExpression": {
      if (!isElement(any.left)) break;
      const at = place(any.left, code);
      const value = textOf(any.right, code);
      if (any.operator === "=") return `watch.write(${at}, ${value})`;
      return `watch.change(${at}, (value) => value ${any.operator.slice(0, -1)} (${value}))`;
    }
    case "UpdateExpression": {
      if (!isElement(any.argument)) break;
      const by = any.operator === "++" ? "+ 1" : "- 1";
      const at = place(any.argument, code);
      if (any.prefix) return `watch.change(${at}, (value) => value ${by})`;
      return `watch.step(${at}, ${by})`;
    }
    default:
  }
  return aroundChildren(node, code);
}

/** List and index, as arguments. */
function place({ object, property }: MemberExpression, code: string): string {
  return `(${textOf(object, code)}), (${textOf(property, code)})`;
}

function isElement(node: Node): node is MemberExpression {
  return node.type === "MemberExpression" && (node as MemberExpression).computed;
}

function mustBePlain({ property }: MemberExpression): void {
  if (property.type === "Identifier" && OF_TYPED_ARRAYS.has(property.name)) {
    throw new Error(`the core asks for .${property.name}, which a plain memory may not have`);
  }
}

/** The text as it is, with that of each child in its place. */
function aroundChildren(node: Node, code: string): string {
  const children = Object.values(node).flat().filter(isNode);
  children.sort((one, other) => one.start - other.start);
  let text = "";
  let at = node.start;
  for (const child of children) {
    // `{ name }` has one node for the name and for its value.
    if (child.start < at) continue;
    text += code.slice(at, child.start) + textOf(child, code);
    at = child.end;
  }
  return text + code.slice(at, node.end);
}

function isNode(value: unknown): value is Node {
  return typeof value === "object" && value !== null && "start" in value && "type" in value;
}
