// The core's texts, packed: member names, error codes and display texts say the same words again and
// again. Every phrase that pays becomes one character that occurs nowhere else; `create` puts the phrases
// back, once, before the texts go into the device's memory.

import { parse } from "acorn";
import { bundleBody, type Tree, walk } from "./syntax-tree.ts";

/** Texts shorter than this are left where they are. */
const LENGTH_MIN = 40;
const PHRASE_MAX = 64;

/** What unpacking gives back: the packed texts, and the characters to undo, the last packed first. */
interface Packed {
  readonly text: string;
  readonly marks: string;
}

/** Bytes of a text in the source of a program. */
function cost(text: string): number {
  return JSON.stringify(text).length - 2;
}

/** The phrase whose packing saves most. */
function bestPhrase(text: string): string | undefined {
  let best: { phrase: string; gain: number } | undefined;
  const seen = new Set<string>();
  for (let length = 2; length <= PHRASE_MAX; length++) {
    for (let at = 0; at + length <= text.length; at++) {
      const phrase = text.slice(at, at + length);
      if (seen.has(phrase)) continue;
      seen.add(phrase);
      const times = text.split(phrase).length - 1;
      // A mark for each, one in front of the phrase, one in the list of marks.
      const gain = (times - 1) * cost(phrase) - times - 2;
      if (gain > (best?.gain ?? 0)) best = { phrase, gain };
    }
  }
  return best?.phrase;
}

/** Printable characters that need no escape and are not in the text. */
function unused(text: string): string[] {
  const all = Array.from({ length: 94 }, (_, at) => String.fromCharCode(33 + at));
  return all.filter((each) => !/["\\]/.test(each) && !text.includes(each));
}

/**
 * Packs a text.
 * @param free characters that may be used as marks
 */
export function pack(text: string, free: readonly string[]): Packed {
  let packed = text;
  let marks = "";
  for (const mark of free) {
    const phrase = bestPhrase(packed);
    if (phrase === undefined) break;
    packed = packed.split(phrase).join(mark) + mark + phrase;
    marks += mark;
  }
  return { text: packed, marks };
}

/** A text that is written out, also in parts; undefined for anything else. */
function textOf(node: Tree): string | undefined {
  if (node.type === "Literal" && typeof node.value === "string") return node.value;
  if (node.type !== "BinaryExpression" || node.operator !== "+") return undefined;
  const left = textOf(node.left);
  const right = textOf(node.right);
  return left === undefined || right === undefined ? undefined : left + right;
}

/** The statements that put the phrases back; `$texts` is then the list of the texts. */
function unpacking({ text, marks }: Packed, separator: string): Tree[] {
  const program = `function unpack() {
    var $texts = ${JSON.stringify(text)};
    for (var $mark = ${marks.length}; $mark-- > 0; ) {
      var $parts = $texts.split(${JSON.stringify(marks)}.charAt($mark));
      $texts = $parts.join($parts.pop());
    }
    $texts = $texts.split(${JSON.stringify(separator)});
  }`;
  const [declaration] = (parse(program, { ecmaVersion: 5 }) as Tree).body;
  return declaration.body.body;
}

/**
 * Packs the long texts of the one function that has any, in place.
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
  const [holder] = holders as [Tree];
  const texts: string[] = [];
  const list = (node: Tree): Tree => {
    texts.push(textOf(node)!);
    const source = `$texts[${texts.length - 1}]`;
    return (parse(source, { ecmaVersion: 5 }) as Tree).body[0].expression;
  };
  // Parents first: a text in parts is one text.
  const change = (node: Tree): void => {
    for (const key in node) {
      const child = node[key];
      if (typeof child !== "object" || child === null || key === "loc") continue;
      if (child.type && isLong(child)) node[key] = list(child);
      else change(child);
    }
  };
  change(holder.body);
  const [separator, ...free] = unused(texts.join(""));
  const packed = pack(texts.join(separator), free);
  holder.body.body.unshift(...unpacking(packed, separator!));
}
