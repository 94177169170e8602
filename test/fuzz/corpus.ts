// The kept inputs: one file per target, a list of base64 strings, so that a review can see what was added.

import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { LivesCore } from "../lives/core-of.ts";
import { readableBundle } from "../lives/load-core.ts";
import { instrument } from "./instrument.ts";
import type { Target } from "./targets.ts";

function fileOf(name: string): string {
  return fileURLToPath(new URL(`corpus/${name}.json`, import.meta.url));
}

/** Seeds and kept inputs of a target. */
export function corpusOf(target: Target): Uint8Array[] {
  const kept = existsSync(fileOf(target.name))
    ? (JSON.parse(readFileSync(fileOf(target.name), "utf8")) as string[])
    : [];
  return [
    ...target.seeds.map((seed) => Buffer.from(seed, "latin1")),
    ...kept.map((line) => Buffer.from(line, "base64")),
  ];
}

/** Adds inputs to the kept ones. */
export function keep(target: Target, inputs: readonly Uint8Array[]): void {
  const kept = corpusOf(target).slice(target.seeds.length);
  const lines = [...kept, ...inputs].map((input) => Buffer.from(input).toString("base64"));
  writeFileSync(fileOf(target.name), `${JSON.stringify(lines, null, 2)}\n`);
}

/** The core with counters at every parting of ways; of another bundle where one is given. */
export async function countingCore(
  bundle?: string,
): Promise<{ core: LivesCore; hits: Uint32Array }> {
  const { code, count } = instrument(bundle ?? (await readableBundle()));
  const hits = new Uint32Array(count);
  const core = new Function("__hits", `${code}\nreturn picogrant;`)(hits) as LivesCore;
  return { core, hits };
}
