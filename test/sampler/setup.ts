// Runs in the test process before each test file. Activates a mutant, and records which mutants the file reaches.

import { appendFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, expect, inject } from "vitest";

declare module "vitest" {
  export interface ProvidedContext {
    mutant: number;
    notes: string;
  }
}

/** The mutants that a test file reaches, and its duration. */
export interface Note {
  readonly file: string;
  readonly met: readonly number[];
  readonly ms: number;
}

const active = inject("mutant");
const notes = inject("notes");
const began = performance.now();
const met = new Set<number>();
const shared = globalThis as { picograntMutants?: object; picograntLoading?: Set<number> };
// Code at the top level of modules runs once in a process, so its mutants count for all test files of the process.
shared.picograntLoading ??= new Set();
const inLoading = shared.picograntLoading;
shared.picograntMutants = {
  is(number: number): boolean {
    met.add(number);
    return number === active;
  },
};
writeFileSync(path.join(notes, "pid"), `${process.pid}`);

beforeAll(() => {
  for (const number of met) inLoading.add(number);
});

afterAll(() => {
  const file = expect.getState().testPath!;
  const note: Note = { file, met: [...met, ...inLoading], ms: performance.now() - began };
  appendFileSync(path.join(notes, "files"), `${JSON.stringify(note)}\n`);
});
