// What the strictest engines accept: a check of the built bundle's syntax tree. MicroQuickJS, JerryScript
// and Espruino cannot be installed here, so what they refuse, and what allocates or makes fractions on
// any engine, is refused by form. core/DESIGN.md has the reasons at length.

import {
  type AnyNode,
  type CallExpression,
  type Function as FunctionNode,
  type Identifier,
  type Node,
  type Program,
  parse,
} from "acorn";
import { ancestor, full, simple } from "acorn-walk";

interface Complaint {
  readonly reason: string;
  /** Where in the code. */
  readonly at: number;
  readonly text: string;
}

/** By node type: left out of MicroQuickJS or Espruino. What is newer than ES5 the parser refuses. */
const refusedTypes: Record<string, string> = {
  LabeledStatement: "label: not in Espruino",
  WithStatement: "with",
  DebuggerStatement: "debugger",
  ForInStatement: "for-in allocates",
};

const refusedOperators: Record<string, string> = {
  "/": "a division makes fractions, which engines keep on the heap",
  "/=": "a division makes fractions, which engines keep on the heap",
  ">>>": ">>> of a negative number leaves the small integers",
  ">>>=": ">>> of a negative number leaves the small integers",
};

/** Methods that Duktape, MuJS or MicroQuickJS lack, by name. */
const refusedMethods = new Set(
  (
    "fill slice copyWithin subarray assign freeze entries values includes startsWith endsWith repeat " +
    "padStart padEnd trimStart trimEnd codePointAt normalize replaceAll matchAll find findIndex " +
    "findLast flat flatMap from fromCodePoint imul trunc sign clz32 fround"
  ).split(" "),
);

/** Free names that the bundle may use: its footer's. All others reach out of the core, or are missing somewhere. */
const allowedFree = new Set(["module"]);

class Checker {
  readonly complaints: Complaint[] = [];
  readonly #code: string;

  constructor(code: string) {
    this.#code = code;
  }

  refuse(at: number, reason: string): void {
    const text = this.#code.slice(at, at + 40).split("\n")[0]!;
    this.complaints.push({ reason, at, text });
  }

  /** Everything that one node alone tells. */
  checkNode(node: AnyNode): void {
    const reason = refusedTypes[node.type];
    if (reason) this.refuse(node.start, reason);
    switch (node.type) {
      case "Literal":
        this.#checkLiteral(node.start, node);
        break;
      case "Property":
        if (node.kind !== "init") this.refuse(node.start, "getter or setter");
        break;
      case "ArrayExpression":
        if (node.elements.includes(null)) this.refuse(node.start, "array with a hole");
        break;
      case "BinaryExpression":
      case "LogicalExpression":
      case "AssignmentExpression":
        if (refusedOperators[node.operator]) {
          this.refuse(node.start, refusedOperators[node.operator]!);
        }
        break;
      case "CallExpression":
        this.#checkMethod(node);
        break;
      default:
    }
  }

  #checkLiteral(at: number, literal: { value?: unknown; regex?: unknown }) {
    if (literal.regex) this.refuse(at, "regular expression");
    if (typeof literal.value !== "number") return;
    if (!Number.isInteger(literal.value)) this.refuse(at, "a fraction is kept on the heap");
    else if (literal.value > 2 ** 27) this.refuse(at, "number above 2^27");
  }

  #checkMethod(call: CallExpression): void {
    const { callee } = call;
    if (callee.type !== "MemberExpression" || callee.property.type !== "Identifier") return;
    if (!callee.computed && refusedMethods.has(callee.property.name)) {
      this.refuse(callee.property.start, `${callee.property.name}: some engines lack it`);
    }
  }

  /** Where a function is declared: not within blocks. One within another the build refuses by itself (dispatch.ts). */
  checkFunctions(program: Program): void {
    ancestor(program, {
      FunctionDeclaration: (node, _state, ancestors) => {
        const [parent, around] = [ancestors.at(-2)!, ancestors.at(-3)];
        const isBody = parent.type === "BlockStatement" && /Function/.test(around!.type);
        if (parent.type === "Program" || isBody) return;
        this.refuse(node.start, "function declaration in a block");
      },
    });
  }

  /** Names that nothing in the bundle declares. */
  checkNames(program: Program): void {
    const declared = new Set<string>();
    const declare = (name: Node | null | undefined): void => {
      if (name?.type === "Identifier") declared.add((name as Identifier).name);
    };
    full(program, (found) => {
      const node = found as AnyNode;
      if (node.type === "VariableDeclarator" || /Function/.test(node.type)) {
        declare((node as { id?: Node }).id);
        for (const parameter of (node as Partial<FunctionNode>).params ?? []) declare(parameter);
      } else if (node.type === "CatchClause") declare(node.param);
    });
    simple(program, {
      Identifier: (node) => {
        if (declared.has(node.name) || allowedFree.has(node.name)) return;
        this.refuse(node.start, `${node.name}: not the core's own name`);
      },
    });
  }

  /** Espruino does not hoist: what runs at load time may only name functions that stand above. */
  checkLoadOrder(program: Program): void {
    for (const { name, at } of usedTooEarly(program)) {
      this.refuse(at, `${name} is used at load time but declared further down`);
    }
  }
}

/** Bodies that run while a script is loaded: the script itself, and those of functions that are called on the spot. */
function bodiesAtLoad(program: Program): AnyNode[][] {
  // What is exported counts as what it is.
  const ownBody = program.body.map((node) => {
    return node.type === "ExportNamedDeclaration" ? (node.declaration ?? node) : node;
  });
  const bodies: AnyNode[][] = [ownBody];
  simple(program, {
    CallExpression: ({ callee }) => {
      if (callee.type === "FunctionExpression") bodies.push(callee.body.body);
    },
  });
  return bodies;
}

/**
 * Functions that a statement (from `at` on) reaches while a script is loaded, and that are declared only behind it; what a
 * function that is reached names is reached as well.
 */
export function usedTooEarly(program: Program): { name: string; at: number }[] {
  return bodiesAtLoad(program).flatMap((body) => {
    const declared = new Map<string, AnyNode>();
    for (const node of body) {
      if (node.type === "FunctionDeclaration") declared.set(node.id!.name, node);
    }
    const early: { name: string; at: number }[] = [];
    for (const statement of body) {
      if (statement.type === "FunctionDeclaration") continue;
      // Grows while it is walked.
      const reached = new Set(namesIn(statement));
      for (const name of reached) {
        const node = declared.get(name);
        if (!node) continue;
        if (node.start > statement.start) early.push({ name, at: statement.start });
        for (const inner of namesIn(node)) reached.add(inner);
      }
    }
    return early;
  });
}

/** Names that a node mentions. */
function namesIn(node: AnyNode): string[] {
  const names: string[] = [];
  full(node, (inner) => {
    if (inner.type === "Identifier") names.push((inner as Identifier).name);
  });
  return names;
}

/** Checks a bundle. @returns what is wrong with it, empty where nothing is. */
export function checkSubset(code: string): Complaint[] {
  const checker = new Checker(code);
  let program: Program;
  try {
    program = parse(code, { ecmaVersion: 5 });
  } catch (error) {
    const { pos, message } = error as SyntaxError & { pos: number };
    checker.refuse(pos, `newer than ES5: ${message}`);
    return checker.complaints;
  }
  full(program, (node) => checker.checkNode(node as AnyNode));
  checker.checkFunctions(program);
  checker.checkNames(program);
  checker.checkLoadOrder(program);
  // White space is what a way over a serial line or through an editor leaves alone.
  const beyond = code.search(/[^\t\n\x20-\x7e]/);
  if (beyond >= 0) checker.refuse(beyond, "control character, or beyond ASCII");
  return checker.complaints;
}
