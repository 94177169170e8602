// Rewrites code so that it checks every arithmetic result and array index at run time. A result must be an integer
// within [-2^27, 2^27-1], but not negative zero. An index must be within its array, and a byte within 0..255. No engine
// that can be installed here reports numbers outside these ranges.

import {
  type AnyNode,
  type AssignmentExpression,
  type MemberExpression,
  type Node,
  parse,
} from "acorn";
import { fullAncestor } from "acorn-walk";
import MagicString from "magic-string";
import { type SourceOf, sourcesOf } from "../../targets/bundle/places.ts";

/** The functions that rewritten code calls. Each script or module must contain them once. */
export const integerChecks = `
var __low = -134217728, __high = 134217727;
var __Bytes = typeof Uint8Array === "function" ? Uint8Array : null;
function __fail(what, value, place) {
  throw new RangeError(place + ": " + what + ": " + value);
}
/* Checks an arithmetic result. Strings are joined only while the script loads. */
function __number(value, place) {
  if (typeof value === "string") return value;
  if (value < __low || value > __high) __fail("outside 27 bits", value, place);
  if (value !== (value | 0)) __fail("no integer", value, place);
  if (value === 0 && 1 / value < 0) __fail("negative zero", "-0", place);
  return value;
}
/* Checks both values of x++ or x--, and returns the old one. */
function __step(value, step, place) {
  __number(value, place);
  __number(value + step, place);
  return value;
}
function __isList(object) {
  return typeof object === "object" && object !== null && typeof object.length === "number";
}
/* Checks an index. Objects that are no lists (enums) have names as keys. */
function __index(object, index, place) {
  if (!__isList(object)) return index;
  if (index !== (index | 0)) __fail("no index", index, place);
  if (index < 0 || index >= object.length) __fail("outside of " + object.length, index, place);
  return index;
}
function __read(object, index, place) {
  var value = object[__index(object, index, place)];
  if (__isList(object)) __number(value, place);
  return value;
}
/* Checks a value that is put into a list. */
function __put(object, value, place) {
  if (!__isList(object)) return value;
  __number(value, place);
  if ((value < 0 || value > 255) && __Bytes && object instanceof __Bytes) {
    __fail("no byte", value, place);
  }
  return value;
}
`;

const arithmetic = new Set(["+", "-", "*", "/", "%", "**", "<<", ">>", ">>>", "&", "|", "^"]);

class Rewriter {
  readonly text: MagicString;
  readonly #code: string;
  readonly #sourceOf: SourceOf;

  constructor(code: string, sourceOf: SourceOf) {
    this.#code = code;
    this.#sourceOf = sourceOf;
    this.text = new MagicString(code);
  }

  #place(node: Node): string {
    return JSON.stringify(this.#sourceOf(node.start).place);
  }

  /** Puts `name(<node>, more, place)` around a node. */
  #wrap(node: Node, name: string, more = ""): void {
    this.text.prependRight(node.start, `${name}(`);
    this.text.appendLeft(node.end, `${more}, ${this.#place(node)})`);
  }

  /** The source of a list expression. The rewritten code evaluates it twice, so it must be plain names. */
  #nameOf(object: AnyNode): string {
    let inner: AnyNode = object;
    while (inner.type === "MemberExpression" && !inner.computed) inner = inner.object as AnyNode;
    if (inner.type !== "Identifier") {
      throw new Error(
        `${this.#sourceOf(object.start).place}: assign this list to a variable first`,
      );
    }
    return this.#code.slice(object.start, object.end);
  }

  target(member: MemberExpression): void {
    const list = this.#nameOf(member.object as AnyNode);
    this.text.prependRight(member.property.start, `__index(${list}, `);
    this.text.appendLeft(member.property.end, `, ${this.#place(member)})`);
  }

  /** Replaces `list[index]` as a value by `__read(list, index, place)`. */
  #read(member: MemberExpression): void {
    this.text.prependRight(member.start, "__read(");
    this.text.overwrite(member.object.end, member.property.start, ", ");
    this.text.overwrite(member.property.end, member.end, `, ${this.#place(member)})`);
  }

  assignment(node: AssignmentExpression): void {
    const { left, right, operator } = node;
    if (left.type === "MemberExpression" && left.computed) {
      this.target(left);
      if (operator === "=") {
        const list = this.#nameOf(left.object as AnyNode);
        this.text.prependRight(right.start, `__put(${list}, `);
        this.text.appendLeft(right.end, `, ${this.#place(right)})`);
      }
    }
    if (operator !== "=") this.#wrap(node, "__number");
  }

  visit(node: AnyNode, parent: AnyNode | undefined): void {
    switch (node.type) {
      case "BinaryExpression":
        if (arithmetic.has(node.operator)) this.#wrap(node, "__number");
        break;
      case "UnaryExpression":
        if (/^[-+~]$/.test(node.operator)) this.#wrap(node, "__number");
        break;
      case "UpdateExpression":
        if (node.argument.type === "MemberExpression" && node.argument.computed) {
          this.target(node.argument);
        }
        if (node.prefix) this.#wrap(node, "__number");
        else this.#wrap(node, "__step", node.operator === "++" ? ", 1" : ", -1");
        break;
      case "AssignmentExpression":
        this.assignment(node);
        break;
      case "MemberExpression":
        if (node.computed && !isTarget(node, parent)) this.#read(node);
        break;
      default:
    }
  }
}

function isTarget(node: MemberExpression, parent: AnyNode | undefined): boolean {
  return (
    (parent?.type === "AssignmentExpression" && parent.left === node) ||
    (parent?.type === "UpdateExpression" && parent.argument === node)
  );
}

/**
 * Rewrites a script or a module, without adding `integerChecks`.
 * @param sourceOf returns the source position for a failure message
 */
export function checkIntegers(
  code: string,
  sourceType: "script" | "module",
  sourceOf: SourceOf,
): MagicString {
  const rewriter = new Rewriter(code, sourceOf);
  const program = parse(code, { ecmaVersion: "latest", sourceType });
  // Visits children before their parents, so that outer insertions enclose inner ones.
  fullAncestor(program, (node, _state, ancestors) => {
    rewriter.visit(node as AnyNode, ancestors.at(-2) as AnyNode | undefined);
  });
  return rewriter.text;
}

/** The readable bundle (code and map from the build), rewritten to check every number. */
export function checkedBundle(bundle: { code: string; map: string }): string {
  const places = sourcesOf(bundle.code, bundle.map);
  const checked = checkIntegers(bundle.code, "script", places).toString();
  // Wrap everything in a function, because global lookups are slow in some contexts.
  return `var picogrant = (function () {\n${integerChecks}\n${checked}\nreturn picogrant;\n})();\n`;
}
