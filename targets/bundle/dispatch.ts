// Turns the functions of the compiled core into branches of one function, whose first parameter selects the branch. In
// an engine, each function takes about 200 bytes of RAM, and a branch takes none. Two groups stay separate. Functions
// that only `create` and `configError` call are freed by the engine when the host drops these two. For the most
// frequently called functions, a branch would cost comparisons and additional variables.

import remapping from "@jridgewell/remapping";
import {
  type AnyNode,
  type CallExpression,
  type Function as FunctionNode,
  type Node,
  parse,
} from "acorn";
import { full, fullAncestor } from "acorn-walk";
import MagicString from "magic-string";
import { type SourceOf, sourcesOf } from "./places.ts";
import { CALL, EXPORTS } from "./surface.ts";

/** A script and its source map as JSON. */
export interface Script {
  readonly code: string;
  readonly map: string;
}

/** The parameter that selects the branch. Other parameters and variables are `call$0`, `call$1` and so on. */
const BRANCH = `${CALL}branch`;

interface Unit {
  readonly node: FunctionNode;
  /** The parameters, a blank for each additional argument of a call, and the variables. */
  readonly locals: string[];
  readonly names: Set<Unit>;
  /** The largest number of arguments in a call of the function. */
  given: number;
  /** Whether the function is also used as a value. The value becomes the function's number. */
  isValue: boolean;
}

const isFunction = ({ type }: Node): boolean => /^Function/.test(type);

function nameOf(node: Node | null | undefined): string {
  return (node as (Node & { name?: string }) | null)?.name ?? "";
}

function unitOf(node: FunctionNode, isValue: boolean): Unit {
  const locals = new Set(node.params.map(nameOf));
  full(node.body, (inner) => {
    const { type, id } = inner as AnyNode & { id: Node };
    if (type === "VariableDeclarator") locals.add(nameOf(id));
  });
  return { node, locals: [...locals], names: new Set(), given: node.params.length, isValue };
}

class File {
  readonly units = new Map<Node, Unit>();
  /** Functions whose names are used while the file is loaded. */
  readonly namedAtLoad = new Set<Unit>();
  /** The position of the opening brace of the function that encloses the file. */
  readonly start: number;
  /** The functions that the host calls by number. */
  readonly exports: CallExpression;
  readonly #program: AnyNode;
  readonly #named = new Map<string, Unit>();
  readonly #sourceOf: SourceOf;

  constructor({ code, map }: Script) {
    this.#sourceOf = sourcesOf(code, map);
    this.#program = parse(code, { ecmaVersion: 5 }) as AnyNode;
    let start = -1;
    let exports: CallExpression | undefined;
    fullAncestor(this.#program, (found, _state, ancestors) => {
      const node = found as AnyNode;
      if (isFunction(node)) {
        const depth = ancestors.filter(isFunction).length;
        if (depth === 1) start = (node as FunctionNode).body.start;
        if (depth === 2) this.#take(node as FunctionNode, ancestors.at(-2)!);
        if (depth > 2) this.#refuse(node, "a function within");
      }
      if (node.type === "CallExpression" && nameOf(node.callee) === EXPORTS) exports = node;
    });
    if (!exports) throw new Error(`the build knows no file without ${EXPORTS}`);
    this.start = start;
    this.exports = exports;
    this.#learn();
  }

  #refuse(node: Node, why: string): never {
    const { place } = this.#sourceOf(node.start);
    throw new Error(`${place}: the build cannot make a branch of this: ${why}`);
  }

  #take(node: FunctionNode, parent: Node): void {
    const unit = unitOf(node, parent.type === "Property");
    this.units.set(node, unit);
    if (node.type === "FunctionDeclaration") this.#named.set(nameOf(node.id), unit);
    else if (node.id) this.#refuse(node, "it names itself");
  }

  walk(visit: (node: AnyNode, parent: AnyNode, unit: Unit | undefined) => void): void {
    fullAncestor(this.#program, (node, _state, ancestors) => {
      const around = ancestors.findLast((one) => one !== node && isFunction(one));
      visit(node as AnyNode, ancestors.at(-2) as AnyNode, this.units.get(around!));
    });
  }

  /** The function to which a name refers, unless the name declares that function or is in a list for the host. */
  unitNamed(node: AnyNode, parent: AnyNode, by: Unit | undefined): Unit | undefined {
    if (node.type !== "Identifier" || by?.locals.includes(node.name)) return undefined;
    const unit = this.#named.get(node.name);
    const isHanded = parent === this.exports || parent.type === "ArrayExpression";
    return isHanded || unit?.node.id === node ? undefined : unit;
  }

  /** The exported functions, by the numbers with which the host calls them. */
  exported(): (Unit | undefined)[] {
    return this.exports.arguments.map((one) => this.units.get(one) ?? this.#named.get(nameOf(one)));
  }

  sourceNameOf({ node }: Unit): string {
    return this.#sourceOf(node.start).name ?? nameOf(node.id);
  }

  /**
   * Finds which functions use each other, and with how many arguments.
   * @throws Error if a branch could behave differently from the function
   */
  #learn(): void {
    let invokedWith = 0;
    this.walk((node, parent, unit) => {
      if (unit && /^(This|With|Try|Labeled)/.test(node.type)) this.#refuse(node, node.type);
      if (nameOf(node) === "arguments") this.#refuse(node, "arguments");
      if (node.type === "CallExpression") {
        const { callee } = node;
        if (isChoice(node) || nameOf(callee) === CALL)
          invokedWith = Math.max(invokedWith, node.arguments.length);
        else if (
          unit?.locals.includes(nameOf(callee)) ||
          (callee as { computed?: boolean }).computed
        )
          this.#refuse(node, "nothing says whose function this is");
      }
      const named = this.unitNamed(node, parent, unit);
      if (!named) return;
      const isTarget = parent.type === "AssignmentExpression" && parent.left === node;
      if (isTarget || /^(Update|Unary|Member)/.test(parent.type)) {
        this.#refuse(node, `a function in ${parent.type}`);
      }
      if (isCallOf(parent, node)) named.given = Math.max(named.given, parent.arguments.length);
      else named.isValue = true;
      (unit?.names ?? this.namedAtLoad).add(named);
    });
    for (const unit of this.units.values()) {
      if (unit.isValue) unit.given = Math.max(unit.given, invokedWith);
      const { length } = unit.node.params;
      unit.locals.splice(length, 0, ...Array<string>(unit.given - length).fill(" "));
    }
  }
}

function isCallOf(parent: AnyNode, node: Node): parent is CallExpression {
  return parent.type === "CallExpression" && parent.callee === node;
}

/** Whether the call chooses one of several functions: `(a ? b : c)(...)`. */
function isChoice({ callee }: CallExpression): boolean {
  return /^(Conditional|Logical|Sequence)/.test(callee.type);
}

/** The branches by number. Exports have the same numbers in all builds. The other numbers follow. */
function branchesOf(file: File, outside: readonly string[]): (Unit | undefined)[] {
  const exported = file.exported();
  const later = new Set(file.namedAtLoad);
  for (const unit of file.units.values()) if (unit.isValue) later.add(unit);
  for (const unit of exported) if (unit) later.add(unit);
  for (const unit of later) for (const named of unit.names) later.add(named);
  const staying = outside.map((name) => {
    const found = [...file.units.values()].find((unit) => file.sourceNameOf(unit) === name);
    if (!found) throw new Error(`the build finds no function ${name} to leave separate`);
    return found;
  });
  const others = [...later].filter((unit) => {
    // A function that is stored in a table needs a number.
    return !exported.includes(unit) && (unit.isValue || !staying.includes(unit));
  });
  return [...exported, ...others];
}

/** The code before each branch from `from` to `to`: comparisons that halve the range. */
function decide(from: number, to: number, before = ""): string[] {
  if (to - from === 1) return [before];
  const half = (from + to) >> 1;
  return [...decide(from, half, `${before}if(${BRANCH}<${half})`), ...decide(half, to, "else ")];
}

/**
 * @param outside functions that stay separate, by their names in the sources
 * @throws Error if a branch might not do the same as the function
 */
export function dispatch(script: Script, outside: readonly string[]): Script {
  const { code } = script;
  const file = new File(script);
  const branches = branchesOf(file, outside);
  const inside = branches.filter((unit) => unit !== undefined);
  const text = new MagicString(code);
  file.walk((node, parent, unit) => {
    const isBranch = unit !== undefined && inside.includes(unit);
    // `var a = 1, b` becomes `a = 1, b`, because the variables are declared once for all branches.
    if (isBranch && node.type === "VariableDeclaration") {
      text.remove(node.start, node.declarations[0]!.start);
    } else if (isBranch && unit.locals.includes(nameOf(node))) {
      text.overwrite(node.start, node.end, CALL + unit.locals.indexOf(nameOf(node)));
    } else if (node.type === "CallExpression" && isChoice(node)) {
      text.overwrite(node.start, node.callee.start, `${CALL}(`);
      text.overwrite(node.callee.end, code.indexOf("(", node.callee.end) + 1, ",");
    }
    const named = file.unitNamed(node, parent, unit);
    const number = named ? branches.indexOf(named) : -1;
    if (number < 0) return;
    if (!isCallOf(parent, node)) text.overwrite(node.start, node.end, `${number}`);
    else {
      const comma = parent.arguments.length > 0 ? "," : "";
      text.overwrite(node.start, code.indexOf("(", node.end) + 1, `${CALL}(${number}${comma}`);
    }
  });
  const most = Math.max(...inside.map(({ locals }) => locals.length));
  const names = Array.from({ length: most }, (_, at) => CALL + at);
  const parameters = names.splice(0, Math.max(...inside.map(({ given }) => given)));
  let before = `{function ${CALL}(${[BRANCH, ...parameters]}){${names.length > 0 ? `var ${names};` : ""}`;
  decide(0, branches.length).forEach((decision, number) => {
    const unit = branches[number];
    before += `${decision}{`;
    if (!unit) before += "}";
    else {
      const { start, type, body } = unit.node;
      if (unit.isValue && type === "FunctionExpression") text.appendLeft(start, `${number}`);
      text.overwrite(start, body.start + 1, before);
      before = "";
    }
  });
  text.overwrite(file.start, file.start + 1, `${before}}`);
  let at = file.exports.start;
  for (const one of file.exports.arguments) {
    text.remove(at, isFunction(one) ? one.start : one.end);
    at = one.end;
  }
  text.overwrite(at, file.exports.end, "0");
  // Move the text last, because text that has been moved cannot be overwritten.
  for (const { node } of inside) text.move(node.start, node.end, file.start);
  const map = text.generateMap({ hires: true });
  const whole = remapping([JSON.parse(map.toString()), JSON.parse(script.map)], () => null);
  return { code: text.toString(), map: whole.toString() };
}
