// Builds the conformance script: the numbers of the core API, the unchanged bundle, the code that replays calls
// (test/engines/replay.js), and the calls. It is one file that needs only the function `print` from an engine.

import { execFile } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import * as core from "../../../core/complete.ts";
import { keyOf, stored } from "../../bundle/build-cache.ts";
import { bundleCore, type Variant } from "../../bundle/bundled-core.ts";
import { nameOf } from "../../bundle/surface.ts";

const dist = fileURLToPath(new URL("../../../dist/", import.meta.url));
const folder = fileURLToPath(new URL("../../../test/engines/", import.meta.url));

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
 * The code `var Command={NONE:0,...};` for each enum. The calls use the names, which the bundle does not contain.
 * @param isPlaced true: the device of the bundle is an array; false: it has the names of the sources
 */
export function apiNumbers(isPlaced = true): string {
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

/** The code that replays calls, and the calls, which the core's model generates. */
export async function conformanceParts(variant: Variant): Promise<string> {
  const key = keyOf(`conformance ${variant}`, ["core", "test/model", "test/engines"]);
  const calls = await stored(key, async () => {
    const program = ["--import", "tsx", `${folder}recorded.ts`, variant];
    const { stdout } = await promisify(execFile)(process.execPath, program, { maxBuffer: 1 << 26 });
    return stdout;
  });
  return `${readFileSync(`${folder}replay.js`, "utf8")}\n${calls}`;
}

/**
 * @param bundle code that defines `picogrant`
 * @param plainMemory true: memory is a plain array even where the engine has typed arrays
 * @param isPlaced as for `apiNumbers`
 */
export async function conformanceScript(
  variant: Variant,
  bundle: string,
  plainMemory = false,
  isPlaced = true,
): Promise<string> {
  const parts = await conformanceParts(variant);
  return `${bundle}\nvar plainMemory=${plainMemory ? 1 : 0};\n${apiNumbers(isPlaced)}${parts}`;
}

/** The text of the file in dist/ that `npm run build` writes. A missing or outdated file is written first. */
export async function builtBundle(variant: Variant): Promise<string> {
  const { code } = await bundleCore(variant);
  const file = `${dist}${nameOf(variant)}.js`;
  if (!existsSync(file) || readFileSync(file, "utf8") !== code) {
    mkdirSync(dist, { recursive: true });
    // Write another file and rename it when it is complete, because another process may read the bundle at any time.
    const draft = `${file}.${process.pid}`;
    writeFileSync(draft, code);
    renameSync(draft, file);
  }
  return readFileSync(file, "utf8");
}

interface Verdict {
  readonly passed: number;
  readonly failed: number;
  /** Names of the failed cases, each with its notes; or the reason why there is no result. */
  readonly failures: readonly string[];
}

/** Reads the result of the conformance script (TAP). @param output everything on stdout and stderr */
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
        ? `the script did not finish: ${strange.slice(-3).join(" / ") || "no output"}`
        : `${plan} were planned, ${passed + failed} ran`,
    );
  }
  return { passed, failed: failures.length, failures };
}
