// Puts the conformance script together: the numbers of the border, the built bundle unchanged, what replays calls
// (test/engines/replay.js), and the calls. One file that needs nothing of an engine but `print`.

import { execFile } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import * as core from "../../../core/complete.ts";
import { bundleCore, type Variant } from "../../bundle/bundled-core.ts";
import { kept, keyOf } from "../../bundle/kept.ts";
import { nameOf } from "../../bundle/surface.ts";

const dist = fileURLToPath(new URL("../../../dist/", import.meta.url));
const folder = fileURLToPath(new URL("../../../test/engines/", import.meta.url));

/** Enums of the border that the script names. */
const enums = {
  Authorization: core.Authorization,
  ClientAuthentication: core.ClientAuthentication,
  Command: core.Command,
  Endpoint: core.Endpoint,
  CallState: core.CallState,
  ErrorCode: core.ErrorCode,
  ErrorKind: core.ErrorKind,
  Field: core.Field,
  OfferError: core.OfferError,
  Region: core.Region,
  State: core.State,
};

/**
 * `var Command={NONE:0,...};` for each enum: the bundle itself holds numbers only.
 * @param isPlaced true: the bundle's device is an array; false: it has the names of the sources
 */
export function borderNumbers(isPlaced = true): string {
  const properties = Object.entries(core.Property).map(([key, name], place) =>
    isPlaced ? `${key}:${place}` : `${key}:"${name}"`,
  );
  return `var Property={${properties.join(",")}};\n${enumsText()}`;
}

function enumsText(): string {
  return Object.entries(enums)
    .map(([name, members]) => {
      const numbers = Object.entries(members).filter(([, value]) => typeof value === "number");
      return `var ${name}={${numbers.map(([key, value]) => `${key}:${value}`).join(",")}};\n`;
    })
    .join("");
}

/** What replays calls, and the calls: sequences of the core's model, kept as long as core and model stay the same. */
export async function conformanceParts(variant: Variant): Promise<string> {
  const key = keyOf(`conformance ${variant}`, ["core", "test/model", "test/engines"]);
  const calls = await kept(key, async () => {
    const program = ["--import", "tsx", `${folder}recorded.ts`, variant];
    const { stdout } = await promisify(execFile)(process.execPath, program, { maxBuffer: 1 << 26 });
    return stdout;
  });
  return `${readFileSync(`${folder}replay.js`, "utf8")}\n${calls}`;
}

/**
 * The whole script.
 * @param bundle code that defines `picogrant`
 * @param plainMemory true: memory is a plain array even where the engine has typed arrays
 * @param isPlaced as in borderNumbers
 */
export async function conformanceScript(
  variant: Variant,
  bundle: string,
  plainMemory = false,
  isPlaced = true,
): Promise<string> {
  const parts = await conformanceParts(variant);
  return `${bundle}\nvar plainMemory=${plainMemory ? 1 : 0};\n${borderNumbers(isPlaced)}${parts}`;
}

/**
 * The very file of dist/ that `npm run build` writes, which ships. Where it is not there, or is not of today's
 * sources, it is written first.
 */
export async function builtBundle(variant: Variant): Promise<string> {
  const { code } = await bundleCore(variant);
  const file = `${dist}${nameOf(variant)}.js`;
  if (!existsSync(file) || readFileSync(file, "utf8") !== code) {
    mkdirSync(dist, { recursive: true });
    // Another process may read it while it is written: it gets its name when it is complete.
    const draft = `${file}.${process.pid}`;
    writeFileSync(draft, code);
    renameSync(draft, file);
  }
  return readFileSync(file, "utf8");
}

// Reads what the conformance script prints (TAP) and judges it.

interface Verdict {
  readonly passed: number;
  readonly failed: number;
  /** Names of what failed, each with the notes behind it; or why there is no result at all. */
  readonly failures: readonly string[];
}

/** @param output everything that the engine printed, on both its channels */
export function readTap(output: string): Verdict {
  let passed = 0;
  const failures: string[] = [];
  let plan = -1;
  const strange: string[] = [];
  for (const line of output.split(/\r?\n/)) {
    if (line.startsWith("ok ")) passed++;
    else if (line.startsWith("not ok ")) failures.push(line.replace(/^not ok \d+ - /, ""));
    else if (line.startsWith("#   ") || /^# (got|expected) /.test(line)) {
      failures[failures.length - 1] += `\n    ${line}`;
    } else if (line.startsWith("1..")) plan = Number(line.slice(3));
    else if (line !== "" && !line.startsWith("#")) strange.push(line);
  }
  const failed = failures.length;
  if (plan !== passed + failed) {
    failures.push(
      plan < 0
        ? `the script did not come to its end: ${strange.slice(-3).join(" / ") || "no output"}`
        : `${plan} were planned, ${passed + failed} ran`,
    );
  }
  return { passed, failed: failures.length, failures };
}
