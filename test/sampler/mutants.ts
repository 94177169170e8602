// Makes mutants of a source: small changes of its text. The compiled source contains all mutants, of which at most one is
// active.

import { parseAst } from "vitest/node";

export interface Mutant {
  readonly file: string;
  readonly start: number;
  readonly end: number;
  /** The replacement; undefined removes the body. */
  readonly text: string | undefined;
}

interface Node {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [member: string]: unknown;
}

const OPERATORS: Readonly<Record<string, readonly string[]>> = {
  "+": ["-"],
  "-": ["+"],
  "*": ["/"],
  "/": ["*"],
  "%": ["*"],
  "<": ["<=", ">="],
  "<=": ["<", ">"],
  ">": [">=", "<="],
  ">=": [">", "<"],
  "===": ["!=="],
  "!==": ["==="],
  "&": ["|"],
  "|": ["&"],
  "<<": [">>"],
  ">>": ["<<"],
  "&&": ["||"],
  "||": ["&&"],
  "??": ["&&"],
  "+=": ["-="],
  "-=": ["+="],
};

/** The condition of a loop is never replaced by true. An endless loop would only time out. */
const CONDITIONS: Readonly<Record<string, readonly string[]>> = {
  IfStatement: ["true", "false"],
  ConditionalExpression: ["true", "false"],
  WhileStatement: ["false"],
  ForStatement: ["false"],
};

/** Types, enums and imports are not changed: they do not run, or only before a mutant is active. */
const UNTOUCHED = /^(?:TS(?!AsExpression|NonNull|Satisfies)|Import|ExportAll)/;

const isNode = (value: unknown): value is Node => typeof (value as Node | null)?.type === "string";

export function mutantsOf(file: string, source: string): Mutant[] {
  const found: Mutant[] = [];
  const add = ({ start, end }: Node, text: string | undefined): void => {
    found.push({ file, start, end, text });
  };
  const textOf = ({ start, end }: Node): string => source.slice(start, end);

  function change(node: Node): void {
    const { left, right, test, argument, body, expression } = node as { [member: string]: Node };
    const { operator = "", value } = node as { operator?: string; value?: unknown };
    for (const text of (test && CONDITIONS[node.type]) ?? []) add(test!, text);
    for (const other of (right && OPERATORS[operator]) ?? []) {
      add(node, `(${textOf(left!)}) ${other} (${textOf(right!)})`);
    }
    switch (node.type) {
      case "UnaryExpression":
        if (/[!~-]/.test(operator)) add(node, textOf(argument!));
        break;
      case "UpdateExpression":
        add(node, textOf(node).replace(operator, operator === "++" ? "--" : "++"));
        break;
      case "Literal":
        if (typeof value === "boolean") add(node, `${!value}`);
        if (typeof value === "number") add(node, `${value + 1}`);
        if (typeof value === "string") add(node, value === "" ? '"mutant"' : '""');
        break;
      case "TemplateLiteral":
        add(node, '""');
        break;
      case "ArrayExpression":
        if ((node.elements as unknown[]).length > 0) add(node, "[]");
        break;
      case "ExpressionStatement":
        if (/^(?:Call|Assignment|Update|Await)/.test(expression!.type))
          add(expression!, "undefined");
        break;
      case "ArrowFunctionExpression":
      case "FunctionExpression":
      case "FunctionDeclaration":
        if (body) add(body, body.type === "BlockStatement" ? undefined : "undefined");
    }
  }

  function visit(node: Node, parent?: Node): void {
    if (UNTOUCHED.test(node.type) || typeof node.directive === "string") return;
    // The published code contains no assertions, so assertions are not changed.
    if (node.type === "LabeledStatement" && (node.label as Node).name === "ASSERT") return;
    // A constructor keeps its body, because it may need its super call.
    if (parent?.kind !== "constructor") change(node);
    for (const [name, value] of Object.entries(node)) {
      if (name === "quasi" || name === "source" || (name === "key" && !node.computed)) continue;
      for (const child of Array.isArray(value) ? value : [value]) {
        if (isNode(child)) visit(child, node);
      }
    }
  }

  visit(parseAst(source, { lang: "ts" }) as unknown as Node);
  return found;
}

/** Describes a mutant in one line: its position, the original text and the replacement. */
export function reported({ file, start, end, text = "nothing" }: Mutant, source: string): string {
  const short = (long: string): string => long.replace(/\s+/g, " ").slice(0, 70);
  const line = source.slice(0, start).split("\n").length;
  return `${file}:${line}: ${short(source.slice(start, end))} => ${short(text)}`;
}

/** The source with these mutants. At run time, a number selects one mutant. Mutants may be nested. */
export function withMutants(
  source: string,
  mutants: readonly (readonly [number, Mutant])[],
): string {
  const outerFirst = [...mutants].sort(([, a], [, b]) => a.start - b.start || b.end - a.end);
  const pieces: (readonly [at: number, piece: string])[] = [];
  for (const [number, { start, end, text }] of outerFirst) {
    const isOn = `globalThis.picograntMutants.is(${number})`;
    if (text === undefined) pieces.push([start + 1, `if (${isOn}) return;`]);
    else pieces.push([start, `(${isOn} ? (${text}) : (`], [end, "))"]);
  }
  let at = source.length;
  let rest = "";
  // At the same position, the first mutant stays first.
  for (const [place, piece] of pieces.sort(([a], [b]) => a - b).reverse()) {
    rest = piece + source.slice(place, at) + rest;
    at = place;
  }
  return source.slice(0, at) + rest;
}
