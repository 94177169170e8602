// What the strictest engines accept: a check of the built bundle's syntax tree. MicroQuickJS, JerryScript
// and Espruino cannot be installed here, so what they refuse, and what allocates or makes fractions on
// any engine, is refused by form. core/DESIGN.md has the reasons at length.

import { SourceMap, type SourceMapPayload } from "node:module";
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
  /** Line and column in the bundle, both from 1. */
  readonly line: number;
  readonly column: number;
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

/** Names that reach out of the core; any other free name is refused, too. */
const outside: Record<string, string> = {
  arguments: "arguments allocates",
  Date: "the core has no clock",
  performance: "the core has no clock",
  setTimeout: "the core has no clock",
  setInterval: "the core has no clock",
  Math: "Math.random is entropy, and the rest of Math makes fractions",
  crypto: "the core has no entropy",
  localStorage: "the core has no storage",
  sessionStorage: "the core has no storage",
  indexedDB: "the core has no storage",
  fetch: "the core has no network",
  XMLHttpRequest: "the core has no network",
  WebSocket: "the core has no network",
  require: "the core imports nothing",
  encodeURIComponent: "not in MicroQuickJS",
  Uint8Array: "memory comes from the host; MuJS has no typed arrays",
};

/** Free names that the bundle may use: its footer's, and what makes the list of functions (targets/bundle/functions.ts). */
const allowedFree = new Set(["module", "Array"]);

class Checker {
  readonly complaints: Complaint[] = [];
  readonly #code: string;

  constructor(code: string) {
    this.#code = code;
  }

  refuse(at: number, reason: string): void {
    const before = this.#code.slice(0, at);
    const line = before.split("\n").length;
    const column = at - before.lastIndexOf("\n");
    const text = this.#code.slice(at, at + 40).split("\n")[0]!;
    this.complaints.push({ reason, line, column, text });
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
        if (node.elements.some((one) => one?.type === "FunctionExpression"))
          this.refuse(node.start, "functions between brackets: njs turns numbers into strings");
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

  /** Where a function stands: not within blocks, and not within functions that run after start-up. */
  checkFunctions(program: Program): void {
    ancestor(program, {
      Function: (node, _state, ancestors) => {
        const around = ancestors.slice(0, -1) as AnyNode[];
        const outer = around.filter((parent) => /Function/.test(parent.type));
        const parent = around.at(-1)!;
        const isBody = parent.type === "BlockStatement" && /Function/.test(around.at(-2)!.type);
        if (node.type === "FunctionDeclaration" && parent.type !== "Program" && !isBody) {
          this.refuse(node.start, "function declaration in a block");
        }
        if (outer.length > 0 && !(outer.length === 1 && isCalledAtOnce(around, outer[0]!))) {
          this.refuse(node.start, "closure made after start-up");
        }
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
        this.refuse(node.start, `${node.name}: ${outside[node.name] ?? "not the core's own name"}`);
      },
    });
  }

  /** Espruino does not hoist: what runs at load time may only name functions that stand above. */
  checkLoadOrder(program: Program): void {
    const functions = new Map<string, FunctionNode>();
    simple(program, {
      FunctionDeclaration: (node) => {
        if (node.id) functions.set(node.id.name, node);
      },
    });
    const follow = (node: Node, at: number, seen: Set<Node>): void => {
      for (const { name, start } of namesOutsideFunctions(node)) {
        const target = functions.get(name);
        if (!target || seen.has(target)) continue;
        const isLoadTime = seen.size === 0;
        const place = isLoadTime ? start : at;
        if (target.start > place) {
          this.refuse(place, `${name} is used at load time but declared further down`);
        }
        // What a load-time call calls in turn runs at load time, too.
        if (isCalled(node, start)) follow(target.body, place, new Set([...seen, target]));
      }
    };
    for (const body of loadTimeBodies(program)) {
      for (const statement of body) {
        if (statement.type !== "FunctionDeclaration") follow(statement, 0, new Set());
      }
    }
  }
}

function isCalledAtOnce(around: readonly AnyNode[], outer: AnyNode): boolean {
  const parent = around[around.indexOf(outer) - 1];
  return parent?.type === "CallExpression" && parent.callee === outer;
}

/** The program's own statements, and those of the function around the bundle. */
function loadTimeBodies(program: Program): AnyNode[][] {
  const bodies: AnyNode[][] = [program.body as AnyNode[]];
  simple(program, {
    CallExpression: ({ callee }) => {
      if (callee.type === "FunctionExpression") bodies.push(callee.body.body as AnyNode[]);
    },
  });
  return bodies;
}

/** Identifiers in `root` that are not inside a function within it. */
function namesOutsideFunctions(root: Node): Identifier[] {
  const names: Identifier[] = [];
  ancestor(root, {
    Identifier: (node, _state, ancestors) => {
      const isInside = ancestors.some((parent) => parent !== root && /Function/.test(parent.type));
      if (!isInside) names.push(node);
    },
  });
  return names;
}

function isCalled(root: Node, at: number): boolean {
  let called = false;
  simple(root, {
    CallExpression: ({ callee }) => {
      if (callee.start === at && callee.type === "Identifier") called = true;
    },
  });
  return called;
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

/** One line for a complaint, with the place in the sources where the map knows it. */
export function describeComplaint(complaint: Complaint, map?: string): string {
  const { line, column, reason, text } = complaint;
  let place = `bundle ${line}:${column}`;
  if (map) {
    const entry = new SourceMap(JSON.parse(map) as SourceMapPayload).findEntry(
      line - 1,
      column - 1,
    );
    if ("originalSource" in entry) place = `${entry.originalSource}:${entry.originalLine + 1}`;
  }
  return `${place}: ${reason}: ${text}`;
}
