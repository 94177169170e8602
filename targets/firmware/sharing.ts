// Lets the variables of a function share: one whose last use comes before another's first stands for both.
// Inlining leaves many that live for a line or two, and an engine makes room for every one of them.
//
// A variable is never read before it is set (the compiler sees to it), so that between its first use and its
// last it is its own, and around a loop as well if the loop may carry it on.

import { bundleBody, type Tree, walk } from "./syntax-tree.ts";

const LOOP = /^(For|While|DoWhile)Statement$/;

/** The places, counted as they are run, in which a variable is somebody's. */
interface Life {
  readonly name: string;
  readonly uses: number[];
  /** Whether it is set in its first use, the loops' variables for each turn anew. */
  isSetFirst: boolean;
  from: number;
  to: number;
}

interface Loop {
  /** Of the whole loop, and of what is done in each turn. */
  readonly from: number;
  readonly to: number;
  readonly bodyFrom: number;
  readonly bodyTo: number;
}

class Counter {
  readonly lives = new Map<string, Life>();
  readonly loops: Loop[] = [];
  private place = 0;

  constructor(names: Iterable<string>) {
    for (const name of names) {
      this.lives.set(name, { name, uses: [], isSetFirst: false, from: 0, to: 0 });
    }
  }

  count(node: Tree | null | undefined): void {
    if (!node) return;
    if (LOOP.test(node.type)) this.countLoop(node);
    else if (node.type === "AssignmentExpression")
      this.countWrite(node.left, node.right, node.operator === "=");
    else if (node.type === "VariableDeclarator") {
      if (node.init) this.countWrite(node.id, node.init, true);
    } else if (node.type === "Identifier") this.use(node.name, false);
    else this.countParts(node);
  }

  /** The value is there before the variable is written. */
  private countWrite(left: Tree, right: Tree, isWhole: boolean): void {
    if (left.type !== "Identifier" || !isWhole) this.count(left);
    this.count(right);
    if (left.type === "Identifier") this.use(left.name, isWhole);
  }

  private countParts(node: Tree): void {
    for (const key in node) {
      const value = node[key];
      if (typeof value !== "object" || value === null || key === "loc") continue;
      const isName =
        (key === "property" && !node.computed) || (key === "key" && node.type === "Property");
      if (isName) continue;
      if (Array.isArray(value)) for (const child of value) this.count(child as Tree);
      else if ("type" in value) this.count(value as Tree);
    }
  }

  private countLoop(node: Tree): void {
    const from = this.place++;
    this.count(node.init);
    this.count(node.test);
    const bodyFrom = this.place++;
    this.count(node.body);
    const bodyTo = this.place++;
    this.count(node.update);
    this.loops.push({ from, to: this.place++, bodyFrom, bodyTo });
  }

  private use(name: string, isSet: boolean): void {
    const life = this.lives.get(name);
    if (!life) return;
    if (life.uses.length === 0) life.isSetFirst = isSet;
    life.uses.push(this.place++);
  }

  /** From the first use to the last, and all of a loop that may carry the value on. */
  livesOf(): Life[] {
    const lives = [...this.lives.values()].filter(({ uses }) => uses.length > 0);
    for (const life of lives) {
      life.from = life.uses[0]!;
      life.to = life.uses.at(-1)!;
      for (const loop of this.loops) {
        const inside = life.uses.filter((place) => place > loop.from && place < loop.to);
        if (inside.length === 0) continue;
        const isOfTheTurn =
          life.isSetFirst &&
          life.uses.every((place) => place > loop.bodyFrom && place < loop.bodyTo);
        if (isOfTheTurn) continue;
        life.from = Math.min(life.from, loop.from);
        life.to = Math.max(life.to, loop.to);
      }
    }
    return lives.sort((a, b) => a.from - b.from);
  }
}

/** Shares the variables of every function, in place. */
export function shareVariables(tree: Tree): void {
  for (const statement of bundleBody(tree)) {
    if (statement.type === "FunctionDeclaration") share(statement);
  }
}

function share(declaration: Tree): void {
  const params = (declaration.params as Tree[]).map(({ name }) => name as string);
  const declared = new Set<string>();
  walk(declaration.body, (node) => {
    if (node.type === "VariableDeclarator" && !params.includes(node.id.name))
      declared.add(node.id.name);
  });
  const counter = new Counter([...params, ...declared]);
  counter.count(declaration.body);
  const names = new Map<string, string>();
  /** Where each variable that stands for others is free again. */
  const free = new Map<string, number>();
  const lives = counter.livesOf();
  for (const { name, to } of lives) if (params.includes(name)) free.set(name, to);
  for (const { name, from, to } of lives) {
    if (!declared.has(name)) continue;
    // The one that was free last: a value that is only handed on stays where it is.
    const candidates = [...free].filter(([, until]) => until < from).sort(([, a], [, b]) => b - a);
    const [shared] = candidates[0] ?? [name];
    free.set(shared, to);
    if (shared !== name) names.set(name, shared);
  }
  walk(declaration.body, (node) => {
    const name = node.type === "Identifier" ? names.get(node.name) : undefined;
    if (name !== undefined) node.name = name;
  });
}
