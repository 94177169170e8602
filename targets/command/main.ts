#!/usr/bin/env node
// The command `picogrant`: finds the subcommand and runs it. Each subcommand is loaded on demand.

import type { Command } from "commander";
import { commandLine, version } from "../desktop/command-line.ts";
import { EXIT_CODES, outcomeBy, outputLost } from "./exit-codes.ts";
import { completionOf, type NamedPart, type Part, runPart } from "./option-parser.ts";

const stored =
  (name: "status" | "accounts" | "token" | "logout" | "gitCredential") => async (): Promise<Part> =>
    (await import("./login/stored-session.ts"))[name];

const PARTS: readonly NamedPart[] = [
  [
    "login",
    "sign in at any authorization server, and store the tokens",
    async () => (await import("./login/login.ts")).login,
  ],
  ["status", "show who is signed in, at which server, and until when", stored("status")],
  ["accounts", "list the accounts that are signed in (login --account NAME)", stored("accounts")],
  ["token", "print a valid access token, for scripts", stored("token")],
  ["logout", "revoke the tokens and delete them", stored("logout")],
  [
    "key",
    "create a key for DPoP and private_key_jwt, and print its public JWK",
    async () => (await import("./key.ts")).key,
  ],
  ["git-credential", "give git the access token (credential.helper)", stored("gitCredential")],
  [
    "simulate",
    "a device, its network, its user and its service in one simulation",
    async () => {
      const { optionsOf, simulatorLine } = await import("../desktop/options.ts");
      const { run } = await import("../desktop/run.ts");
      return {
        line: () => simulatorLine("picogrant simulate"),
        act: (line) => run(optionsOf(line)),
      };
    },
  ],
  [
    "service",
    "a simulated authorization server, to test clients with",
    async () => {
      const { runService, serviceLine } = await import("../service/command.ts");
      const name = "picogrant service";
      return { line: () => serviceLine(name), act: (line) => runService(line, name) };
    },
  ],
  ["conform", "test a device, or adapters", async () => (await import("./conform.ts")).conform],
  [
    "check-server",
    "the test server for the check of a port in C",
    async () => (await import("./check-server.ts")).checkServer,
  ],
  [
    "configure",
    "write a server's metadata into a device.json or a device's settings page",
    async () => (await import("./configure.ts")).configure,
  ],
  [
    "sizing",
    "the memory that a server's tokens need on a device",
    async () => (await import("./sizing.ts")).sizing,
  ],
  [
    "completion",
    "print what bash, zsh or fish complete this command with",
    async () => completionOf(PARTS, valuesOf),
  ],
];

async function valuesOf(option: string): Promise<readonly string[]> {
  if (option === "--account") return (await import("./login/open.ts")).accountsStored();
  if (option !== "--server") return [];
  return (await import("../../platform/servers/index.ts")).SERVERS.map(({ name }) => name);
}

const HELP = `
picogrant COMMAND --help tells more about each.

Exit codes:
${EXIT_CODES.map(([code, what]) => `  ${`${code}`.padEnd(5)}${what}`).join("\n")}`;

const ALIASES: Readonly<Record<string, string>> = {
  "-v": "--version",
  version: "--version",
  whoami: "status",
  signin: "login",
  signout: "logout",
};

/** Accepts `auth login`, as gh does, and converts `help login` to `login --help`. */
function wordsOf([first = "", ...rest]: readonly string[]): string[] {
  if (first === "help") return rest.length > 0 ? wordsOf([...rest, "--help"]) : ["--help"];
  if (first === "auth") return rest.length > 0 ? wordsOf(rest) : ["--help"];
  const name = ALIASES[first] ?? first;
  const isKnown = name.startsWith("-") || PARTS.some(([part]) => part === name);
  return isKnown ? [name, ...rest] : [name];
}

function program(): Command {
  const command = commandLine(
    "picogrant",
    "The sign-in runtime for devices without a keyboard (RFC 8628), on your computer.",
  )
    .version(version())
    .helpCommand(false)
    .enablePositionalOptions()
    .addHelpText("after", HELP);
  for (const [name, summary, load] of PARTS) {
    const run = async (argv: string[]): Promise<void> => {
      // process.exit would discard output that is still in a pipe.
      process.exitCode = await runPart(await load(), argv, `picogrant ${name}`, summary);
    };
    command
      .command(name)
      .usage("[options]")
      .description(summary)
      .helpOption(false)
      .argument("[options...]")
      .allowUnknownOption()
      .passThroughOptions()
      .action((argv: string[]) => orEnding(`picogrant ${name}`, argv, () => run(argv)));
  }
  return command;
}

/** Prints an error in one line for users and, with --json, as an object for programs. */
async function orEnding(
  name: string,
  argv: readonly string[],
  act: () => Promise<void>,
): Promise<void> {
  try {
    await act();
  } catch (error) {
    const { exitCode, event, message } = outcomeBy(error);
    if (argv.includes("--json")) process.stdout.write(`${JSON.stringify(event)}\n`);
    process.exitCode = exitCode;
    process.stderr.write(`${name}: ${message}\n`);
  }
}

for (const stream of [process.stdout, process.stderr]) stream.on("error", outputLost);

if (process.argv.length <= 2) program().help({ error: true });
await orEnding("picogrant", [], async () => {
  await program().parseAsync(wordsOf(process.argv.slice(2)), { from: "user" });
});
