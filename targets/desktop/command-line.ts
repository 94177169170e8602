// Shared by the programs: command lines, errors for the user, reading files, opening the browser.
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { Command, InvalidArgumentError, Option } from "commander";
import table from "../../platform/configuration/settings.json";

/** A usage error in one line: the problem, the option or file, and what to do. */
export class UsageError extends Error {
  constructor(message: string) {
    super(message.replace(/\s*\n\s*/g, " ").trim());
    this.name = "UsageError";
  }
}

/** Creates a command line without options. For invalid arguments, it calls `fail` with a message of one line. */
export function commandLine(
  usage: string,
  description: string,
  fail: (problem: string) => never = (problem) => {
    throw new UsageError(problem);
  },
): Command {
  return new Command(usage)
    .description(description)
    .allowExcessArguments(false)
    .configureOutput({
      outputError: () => {},
      writeOut: (text) => process.stdout.write(wrapped(text, process.stdout.columns)),
    })
    .exitOverride(({ code, exitCode, message }) => {
      // Report a failed write now, because process.exit would end the program before its `error` event.
      if (process.stdout.errored) process.stdout.emit("error", process.stdout.errored);
      // If the subcommand is missing, commander has printed the help to standard error.
      if (exitCode === 0 || code === "commander.help") process.exit(exitCode === 0 ? 0 : 2);
      const isUnknown =
        /^commander\.(unknown|excess|missing)/.test(code) && !message.includes("mean");
      const line = message.replace(/^error: /, "").replace(/\s*\n\s*/g, " ");
      fail(isUnknown ? `${line.replace(/\.$/, "")}; see ${usage} --help` : line);
    });
}

/** Wraps lines at spaces. The rest of a line is indented like its start, or, for an option, like its description. */
export function wrapped(text: string, columns = Number.POSITIVE_INFINITY): string {
  const wrap = (line: string, indent: number): string => {
    const at = line.lastIndexOf(" ", columns);
    if (line.length <= columns || at <= indent) return line;
    const rest = " ".repeat(indent) + line.slice(at).trimStart();
    return `${line.slice(0, at).trimEnd()}\n${wrap(rest, indent)}`;
  };
  const wrapLine = (line: string): string => {
    const [term = ""] = /^ +\S.*? {2,}(?=\S)/.exec(line) ?? /^ */.exec(line)!;
    if (line.length <= columns || term.length <= columns / 2) return wrap(line, term.length);
    return `${term.trimEnd()}\n${wrap(" ".repeat(6) + line.slice(term.length), 6)}`;
  };
  return text.split("\n").map(wrapLine).join("\n");
}

export function markdownTable(rows: readonly (readonly string[])[]): string {
  const lines = rows.map((row) => `| ${row.join(" | ")} |`);
  lines.splice(1, 0, `|${" --- |".repeat(rows[0]!.length)}`);
  return `${lines.join("\n")}\n`;
}

/** Ends the program after a failed write: with 141, as after SIGPIPE, if the reader has ended; otherwise with 1. */
export function endUnread({ code }: NodeJS.ErrnoException): never {
  if (code !== "EPIPE") process.stderr.write(`cannot write the output (${code})\n`);
  process.exit(code === "EPIPE" ? 141 : 1);
}

/** Classes of errors that are printed for the user. Names are compared, because each bundle has its own classes. */
const FOR_THE_USER = ["UsageError", "StateDirectoryError", "StepError", "InstallError"];

/** Runs `work`, which returns the exit code (undefined: 0). Prints errors for the user in one line, exit code 2. */
export async function runProgram(name: string, work: () => unknown): Promise<void> {
  process.stdout.off("error", endUnread).on("error", endUnread);
  try {
    const code = await work();
    // Do not call process.exit, which would truncate output to a pipe.
    if (typeof code === "number") process.exitCode = code;
  } catch (error) {
    if (!(error instanceof Error) || !FOR_THE_USER.includes(error.name)) throw error;
    process.stderr.write(`${name}: ${error.message}\n`);
    process.exitCode = 2;
  }
}

export function readText(file: string, what: string): string {
  return readBytes(file, what).toString();
}

export function readBytes(file: string, what: string): Buffer {
  try {
    return readFileSync(file);
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? "unknown error";
    throw new UsageError(`cannot read the ${what} ${file} (${code}); check the path`);
  }
}

export function readCertificates(file: string): string {
  const pem = readText(file, "certificates");
  if (/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/.test(pem)) return pem;
  throw new UsageError(`${file}: holds no certificate in PEM; give the authority's`);
}

function readPair(text: string, before: Record<string, string> = {}): Record<string, string> {
  const [, name, value] = /^([A-Za-z0-9_.-]{1,64})=(.*)$/.exec(text) ?? [];
  if (name === undefined) throw new InvalidArgumentError("It is a name, =, and a value.");
  return { ...before, [name]: value! };
}

/** The command line option for a setting of platform/configuration/settings.json. */
export function settingOption(setting: string): Option {
  const { flag, sentence, value, signIn } = table.settings.find(({ name }) => name === setting)!;
  const { name, of = "", sentence: text = sentence } = flag!;
  const described = text.replace(/^./, (letter) => letter.toLowerCase()).replace(/\.$/, "");
  const option = new Option(`--${name}${of && ` <${of}>`}`, described);
  const choices = signIn?.enum ?? value?.enum;
  if (choices) option.choices(choices);
  if (!of.includes("=")) return option;
  // The name of the setting is the plural: each --token-parameter adds a member to `tokenParameters`.
  option.attributeName = () => setting;
  return option.argParser(readPair);
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

export const readPort = integer(0, 65_535);

export function version(): string {
  const file = new URL("../../package.json", import.meta.url);
  return (JSON.parse(readFileSync(file, "utf8")) as { version: string }).version;
}

/** Opens only http and https addresses, because `url` may come from a server. */
export function openBrowser(url: string): void {
  if (!/^https?:\/\//i.test(url)) return;
  const commands: Partial<Record<NodeJS.Platform, [string, string[]]>> = {
    darwin: ["open", [url]],
    win32: ["rundll32", ["url.dll,FileProtocolHandler", url]],
  };
  const [command, args] = commands[process.platform] ?? ["xdg-open", [url]];
  const child = spawn(command, args, { stdio: "ignore", detached: true });
  // If no browser opens, the user can copy the address from the screen.
  child.on("error", () => {});
  child.unref();
}
