// A JSON parser (RFC 8259) that also reads incomplete documents: members before the cut may matter. It returns numbers
// as text, and leaves invalid UTF-8 in strings unchanged (SPEC.md, "The loop").

import { utf8 } from "../bytes.ts";

/** A value. "word" stands for true, false and null, whose value never matters. */
export type Value =
  | { kind: "text"; text: string }
  | { kind: "list"; items: Value[] }
  | { kind: "object"; members: Member[] }
  | { kind: "word" };

export interface Member {
  name: string;
  value: Value | undefined;
}

export interface Document {
  isComplete: boolean;
  root: Value | undefined;
}

const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const WORD = /true|false|null/y;
const SPACE = /[ \t\n\r]*/y;
// biome-ignore lint/suspicious/noControlCharactersInRegex: RFC 8259 §7 forbids them in strings.
const STRING = /"((?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*)"/y;
const DEPTH_MAX = 24;

/** Thrown where a document ends too early, is invalid or is too deep. No Error, because stack traces are slow. */
class CutOff {}

class Reader {
  at = 0;

  constructor(readonly text: string) {}

  document(): Document {
    const holder: { root: Value | undefined } = { root: undefined };
    try {
      this.#value(1, (value) => {
        holder.root = value;
      });
      this.#match(SPACE);
      return { isComplete: this.at === this.text.length, root: holder.root };
    } catch (error) {
      if (error instanceof CutOff) return { isComplete: false, root: holder.root };
      throw error;
    }
  }

  #match(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.at;
    const found = pattern.exec(this.text);
    if (!found) return undefined;
    this.at += found[0].length;
    return found[1] ?? found[0];
  }

  #expect(character: string): void {
    this.#match(SPACE);
    if (this.text[this.at] !== character) throw new CutOff();
    this.at++;
  }

  #isNext(character: string): boolean {
    this.#match(SPACE);
    return this.text[this.at] === character;
  }

  /** Parses a value. Passes objects and lists to `take` when they begin, so that an incomplete one is not lost. */
  #value(depth: number, take: (value: Value) => void): void {
    this.#match(SPACE);
    const first = this.text[this.at];
    if (first === "{" || first === "[") {
      if (depth > DEPTH_MAX) throw new CutOff();
      this.at++;
      if (first === "{") this.#object(depth, take);
      else this.#list(depth, take);
      return;
    }
    if (first === '"') {
      take({ kind: "text", text: this.#string() });
      return;
    }
    const number = this.#match(NUMBER);
    if (number !== undefined) take({ kind: "text", text: number });
    else if (this.#match(WORD) !== undefined) take({ kind: "word" });
    else throw new CutOff();
  }

  #string(): string {
    const inside = this.#match(STRING);
    if (inside === undefined) throw new CutOff();
    // Two adjacent escapes may form a surrogate pair.
    return inside.replace(/(?:\\u[0-9a-fA-F]{4})+|\\./g, (escaped) =>
      utf8(JSON.parse(`"${escaped}"`) as string),
    );
  }

  #object(depth: number, take: (value: Value) => void): void {
    const members: Member[] = [];
    take({ kind: "object", members });
    if (this.#isNext("}")) {
      this.at++;
      return;
    }
    for (;;) {
      if (!this.#isNext('"')) throw new CutOff();
      const member: Member = { name: this.#string(), value: undefined };
      members.push(member);
      this.#expect(":");
      this.#value(depth + 1, (value) => {
        member.value = value;
      });
      if (this.#isNext("}")) break;
      this.#expect(",");
    }
    this.at++;
  }

  #list(depth: number, take: (value: Value) => void): void {
    const items: Value[] = [];
    take({ kind: "list", items });
    if (this.#isNext("]")) {
      this.at++;
      return;
    }
    for (;;) {
      this.#value(depth + 1, (value) => items.push(value));
      if (this.#isNext("]")) break;
      this.#expect(",");
    }
    this.at++;
  }
}

export function readJson(text: string): Document {
  return new Reader(text).document();
}

/** Reads a response. Like the core, skips a byte order mark or its parts: bytes from 187 on, among the first three. */
export function readResponse(body: string): Document {
  const marked = /^[ \t\n\r\xbb-\xff]{1,3}/.exec(body)?.[0] ?? "";
  return readJson(marked.replace(/[\xbb-\xff]/g, "") + body.slice(marked.length));
}

export function textOf(value: Value | undefined): string | undefined {
  return value?.kind === "text" ? value.text : undefined;
}

/** Returns the members of the outermost object. Names with the same alias are one name, and its last member wins. */
export function membersOf(
  document: Document,
  aliases: Readonly<Record<string, string>> = {},
): Map<string, string | undefined> {
  const found = new Map<string, string | undefined>();
  if (document.root?.kind !== "object") return found;
  for (const { name, value } of document.root.members) {
    found.set(aliases[name] ?? name, textOf(value));
  }
  return found;
}

export function membersWithin(document: Document, depth: number): Member[] {
  const found: Member[] = [];
  const visit = (value: Value | undefined, level: number): void => {
    if (level > depth) return;
    if (value?.kind === "list") for (const item of value.items) visit(item, level + 1);
    else if (value?.kind === "object") {
      for (const member of value.members) {
        found.push(member);
        visit(member.value, level + 1);
      }
    }
  };
  visit(document.root, 1);
  return found;
}
