// Shared by all command lines: usage errors, files and values in options, the version.
import { readFileSync } from "node:fs";
import { InvalidArgumentError } from "commander";

/** A usage error, in one line: what is wrong, where, what to do. The program ends with exit code 2. */
export class UsageError extends Error {
  constructor(message: string) {
    super(message.replace(/\s*\n\s*/g, " ").trim());
    this.name = "UsageError";
  }
}

export function readText(file: string, what: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? "unknown error";
    throw new UsageError(`cannot read the ${what} ${file} (${code}); check the path`);
  }
}

export function readPair(
  text: string,
  before: Record<string, string> = {},
): Record<string, string> {
  const [, name, value] = /^([A-Za-z0-9_.-]{1,64})=(.*)$/.exec(text) ?? [];
  if (name === undefined) throw new InvalidArgumentError("It is a name, =, and a value.");
  return { ...before, [name]: value! };
}

export function integer(min: number, max = 2 ** 32 - 1): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (!/^\d{1,10}$/.test(text) || value < min || value > max) {
      throw new InvalidArgumentError(`It is an integer from ${min} to ${max}.`);
    }
    return value;
  };
}

/** 0 lets the system choose. */
export const readPort = integer(0, 65_535);

export function version(): string {
  const file = new URL("../../package.json", import.meta.url);
  return (JSON.parse(readFileSync(file, "utf8")) as { version: string }).version;
}
