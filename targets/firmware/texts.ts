// The core's texts, packed: member names, error codes and display texts say the same words again and
// again. What was said already is said again by a tab and a reference to it, which `create` follows in the
// device's memory (core/loop/create.ts, placeLiterals): nothing has to be unpacked before.

import { parse } from "acorn";
import { bundleBody, type Tree, walk } from "./syntax-tree.ts";

/** Texts shorter than this are left where they are. */
const LENGTH_MIN = 40;

// A reference: how many bytes and how far back, as two digits that are printable characters.
const MARK = "\t";
const DIGIT_ZERO = 35;
const BASE = 92;
const SIZE_MIN = 5;
const SIZES = 8;
const DISTANCE_MAX = Math.floor((BASE * BASE - 1) / SIZES);

/** Bytes of a text in the source of a program. */
function cost(text: string): number {
  return JSON.stringify(text).length - 2;
}

function reference(size: number, distance: number): string {
  const value = distance * SIZES + size - SIZE_MIN;
  const digits = [Math.floor(value / BASE), value % BASE];
  return MARK + digits.map((digit) => String.fromCharCode(DIGIT_ZERO + digit)).join("");
}

/** How a text goes on best from one of its places: as it is, or by a reference. */
interface Step {
  readonly written: string;
  readonly size: number;
  /** Of everything from here on. */
  readonly cost: number;
}

/** The cheapest reference for `text[at..at + size)`; `memory` ends with what was placed before it. */
function referenceTo(words: string, memory: string): string | undefined {
  let best: string | undefined;
  const earliest = Math.max(0, memory.length - DISTANCE_MAX);
  for (let from = earliest; from < memory.length; from++) {
    // It may reach into what it places itself.
    if (!(memory + words).startsWith(words, from)) continue;
    const found = reference(words.length, memory.length - from);
    if (best === undefined || cost(found) < cost(best)) best = found;
  }
  return best;
}

/**
 * Packs lines that are placed one text after the other.
 * @throws where a text has a tab already
 */
export function pack(texts: readonly string[]): string[] {
  let memory = "";
  return texts.map((text) => {
    if (text.includes(MARK))
      throw new Error("a text of the core has a tab, which marks references");
    const packed = packOne(text, memory);
    memory += text.replaceAll("\n", "");
    return packed;
  });
}

function packOne(text: string, earlier: string): string {
  const steps: Step[] = [];
  const end: Step = { written: "", size: 0, cost: 0 };
  for (let at = text.length - 1; at >= 0; at--) {
    const goingOn = (written: string, size: number): Step => {
      return { written, size, cost: cost(written) + (steps[at + size] ?? end).cost };
    };
    let best = goingOn(text[at]!, 1);
    const memory = earlier + text.slice(0, at).replaceAll("\n", "");
    for (let size = SIZE_MIN; size < SIZE_MIN + SIZES; size++) {
      const words = text.slice(at, at + size);
      if (words.length < size || words.includes("\n")) break;
      const found = referenceTo(words, memory);
      if (found === undefined) break;
      const tried = goingOn(found, words.length);
      if (tried.cost < best.cost) best = tried;
    }
    steps[at] = best;
  }
  let packed = "";
  for (let at = 0; at < text.length; at += steps[at]!.size) packed += steps[at]!.written;
  return packed;
}

/** A text that is written out, also in parts; undefined for anything else. */
function textOf(node: Tree): string | undefined {
  if (node.type === "Literal" && typeof node.value === "string") return node.value;
  if (node.type !== "BinaryExpression" || node.operator !== "+") return undefined;
  const left = textOf(node.left);
  const right = textOf(node.right);
  return left === undefined || right === undefined ? undefined : left + right;
}

/**
 * Packs the long texts of the one function that has any, in place: they are placed in the order in which they
 * stand there.
 * @throws where two functions have some: texts belong to the start
 */
export function packTexts(tree: Tree): void {
  const isLong = (node: Tree): boolean => (textOf(node)?.length ?? 0) >= LENGTH_MIN;
  const holders = bundleBody(tree).filter((statement) => {
    let found = false;
    walk(statement, (node) => {
      found ||= isLong(node);
    });
    return found;
  });
  if (holders.length !== 1) throw new Error(`${holders.length} functions have long texts, not one`);
  const texts: string[] = [];
  const places: Tree[] = [];
  // Parents first: a text in parts is one text.
  const gather = (node: Tree): void => {
    for (const key in node) {
      const child = node[key];
      if (typeof child !== "object" || child === null || key === "loc") continue;
      if (child.type && isLong(child)) {
        texts.push(textOf(child)!);
        node[key] = { type: "Literal", start: child.start, end: child.end, loc: child.loc };
        places.push(node[key]);
      } else gather(child);
    }
  };
  gather(holders[0]!.body);
  pack(texts).forEach((packed, index) => {
    const literal = parse(JSON.stringify(packed), { ecmaVersion: 5 }) as Tree;
    Object.assign(places[index]!, { value: packed, raw: literal.body[0].expression.raw });
  });
}
