// Makes a failing sequence shorter (delta debugging), and prints it as a test.

import type { Broken } from "./oracles/oracle.ts";
import { replay, type Script } from "./sequence.ts";
import type { MakeCore } from "./subject.ts";

const ATTEMPTS_MAX = 3000;

/** What is left of the message of a failure where numbers and texts differ. */
function kindOf({ oracle, what }: Broken): string {
  return `${oracle}: ${what.replace(/ is .*|: .*|\d+/g, "")}`;
}

interface Shrunk {
  script: Script;
  broken: Broken;
}

/** The shortest script found that breaks the same rule. */
export function shrink(script: Script, broken: Broken, makeCore: MakeCore): Shrunk {
  const kind = kindOf(broken);
  let attempts = 0;
  let last = broken;
  const fails = (candidate: Script): boolean => {
    attempts++;
    const found = replay(candidate, makeCore);
    const isSame = found !== undefined && kindOf(found) === kind;
    if (isSame) last = found;
    return isSame;
  };
  let { steps } = script;
  for (let size = steps.length >> 1; size >= 1 && attempts < ATTEMPTS_MAX; size = size >> 1) {
    let isShorter = true;
    while (isShorter && attempts < ATTEMPTS_MAX) {
      isShorter = false;
      for (let at = steps.length - size; at >= 0 && attempts < ATTEMPTS_MAX; at -= size) {
        const without = [...steps.slice(0, at), ...steps.slice(at + size)];
        if (fails({ ...script, steps: without })) {
          steps = without;
          isShorter = true;
        }
      }
      if (size > 1) break;
    }
  }
  let starts = script.starts;
  const emptied = starts.map((start) => ({
    ...start,
    slots: [new Uint8Array(), new Uint8Array()],
  }));
  if (fails({ starts: emptied, steps })) starts = emptied;
  const shrunk = { starts, steps };
  // The message of the script that is printed.
  const found = replay(shrunk, makeCore);
  return { script: shrunk, broken: found ?? last };
}

/** The script as the source of a test. */
export function asTest({ script, broken }: Shrunk): string {
  const starts = script.starts.map(({ settings, slots }) => {
    const bytes = slots.map((slot) => `Buffer.from("${Buffer.from(slot).toString("hex")}", "hex")`);
    return `{ settings: ${JSON.stringify(settings)}, slots: [${bytes.join(", ")}] }`;
  });
  const steps = script.steps.map((step) => `      ${JSON.stringify(step)},`);
  return [
    `// ${broken.message.replace(/\n/g, "\n// ")}`,
    `it(${JSON.stringify(broken.oracle)}, () => {`,
    "  const script: Script = {",
    `    starts: [${starts.join(", ")}],`,
    "    steps: [",
    ...steps,
    "    ],",
    "  };",
    "  expect(replay(script, ofSources)).toBeUndefined();",
    "});",
  ].join("\n");
}
