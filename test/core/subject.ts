// Which core test/core runs on: the sources, or with PICOGRANT_CORE=path a built bundle such as
// dist/picogrant-grant.js. On the smaller ones, tests that call what they do not have are skipped, and no others.

import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { TestRunner } from "vitest";
import * as sources from "../../core/complete.ts";
import { named } from "../../platform/named-core.ts";
import { completeFunctions } from "../../targets/bundle/surface.ts";
import type { Core } from "../model/subject.ts";

const path = process.env.PICOGRANT_CORE;
const bundle = path ? readFileSync(resolve(path), "utf8") : undefined;

/** Ends the test that calls a function which the bundle does not have: it is about the complete build. */
function skipping(name: string): () => never {
  return () => {
    const test = TestRunner.getCurrentTest();
    if (!test) throw new Error(`${name} is called outside of a test`);
    return test.context.skip(`${name} is not in this build`);
  };
}

/** The functions of a bundle. Those of the complete build that it lacks skip the test. */
function load(code: string): Core {
  const core = new Function(`${code}\nreturn picogrant;`)() as Record<string, unknown>;
  const all = named(core);
  for (const name of completeFunctions) all[name] ??= skipping(name);
  return all as unknown as Core;
}

/** Whether the core is its sources: a bundle shows only those properties that a host may read. */
export const isSources: boolean = bundle === undefined;

/** A core for one device. */
export function makeCore(): Core {
  return bundle === undefined ? sources : load(bundle);
}
