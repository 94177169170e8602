// Every test that runs the core's sources, in one file: a mutant costs one start, and the quick tests, which
// kill most of them, come first.

import { readdirSync } from "node:fs";

const CORE = new URL("../core/", import.meta.url);
/** A second or more each. */
const SLOW = ["properties.test.ts"];

const files = readdirSync(CORE).filter((name) => name.endsWith(".test.ts"));
for (const name of files) if (!SLOW.includes(name)) await import(new URL(name, CORE).pathname);
await import("../lives/storage-jobs.test.ts");
await import("../lives/found.test.ts");
await import("./mutants.ts");
for (const name of SLOW) await import(new URL(name, CORE).pathname);
