// In the process of tests, ahead of each file of them: which mutant is switched on, and which ones the file comes by.

import { appendFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, expect, inject } from "vitest";

declare module "vitest" {
  export interface ProvidedContext {
    /** The number of the mutant that is switched on; -1: none. */
    mutant: number;
    /** Where what is known of the process and of the files is put down. */
    notes: string;
  }
}

/** What is put down of a file: the mutants that it comes by, and how long it takes. */
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
// What modules come by while they are loaded they come by once, for all files of the process.
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
