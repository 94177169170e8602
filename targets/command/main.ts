#!/usr/bin/env node
// The command `picogrant`: finds the subcommand and runs it. A subcommand is loaded only when it is run.

import type { Command } from "commander";
import { commandLine, version } from "../desktop/command-line.ts";
import { EXIT_CODES, outcomeBy, outputLost } from "./exit-codes.ts";
import { completionOf, type NamedPart, runPart } from "./option-parser.ts";

const PARTS: readonly NamedPart[] = [
  {
    name: "login",
    summary: "sign in at any authorization server, and store the tokens",
    load: async () => (await import("./login/login.ts")).part,
  },
  {
    name: "status",
    summary: "show who is signed in, at which server, with which scope and until when",
    load: async () => (await import("./login/stored-session.ts")).status,
  },
  {
    name: "accounts",
    summary: "list the accounts that are signed in (login --account NAME)",
    load: async () => (await import("./login/stored-session.ts")).accounts,
  },
  {
    name: "token",
    summary: "print a valid access token, for scripts",
    load: async () => (await import("./login/stored-session.ts")).token,
  },
  {
    name: "logout",
    summary: "revoke the tokens and delete them",
    load: async () => (await import("./login/stored-session.ts")).logout,
  },
  {
    name: "key",
    summary: "create a key for DPoP and private_key_jwt, and print its public JWK",
    load: async () => (await import("./key.ts")).key,
  },
  {
    name: "git-credential",
    summary: "give git the access token (credential.helper)",
    load: async () => (await import("./login/stored-session.ts")).gitCredential,
  },
  {
    name: "simulate",
    summary: "a device, its network, its user and its service in one simulation",
    load: async () => {
      const { optionsOf, simulatorLine } = await import("../desktop/options.ts");
      const { run } = await import("../desktop/run.ts");
      return {
        line: () => simulatorLine("picogrant simulate"),
        act: (line) => run(optionsOf(line)),
      };
    },
  },
  {
    name: "service",
    summary: "a simulated authorization server, to test clients with",
    load: async () => {
      const { runService, serviceLine } = await import("../service/command.ts");
      const name = "picogrant service";
      return { line: () => serviceLine(name), act: (line) => runService(line, name) };
    },
  },
  {
    name: "conform",
    summary: "test your own device or adapters",
    load: async () => (await import("./conform.ts")).conform,
  },
  {
    name: "check-server",
    summary: "the test server for the check of a port in C",
    load: async () => (await import("./check-server.ts")).checkServer,
  },
  {
    name: "configure",
    summary: "write a server's metadata into a device.json or a device's settings page",
    load: async () => (await import("./configure.ts")).configure,
  },
  {
    name: "sizing",
    summary: "the memory that a server's tokens need on a device",
    load: async () => (await import("./sizing.ts")).sizing,
  },
  {
    name: "completion",
    summary: "print what bash, zsh or fish complete this command with",
    load: async () => completionOf(PARTS, valuesOf),
  },
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

/** Accepts `auth login`, as gh does. `help login` becomes `login --help`, and an unknown name after `help` is an error. */
function wordsOf([first = "", ...rest]: readonly string[]): string[] {
  if (first === "help") return rest.length > 0 ? wordsOf([...rest, "--help"]) : ["--help"];
  if (first === "auth") return rest.length > 0 ? wordsOf(rest) : ["--help"];
  const name = ALIASES[first] ?? first;
  const isKnown = name.startsWith("-") || PARTS.some((part) => part.name === name);
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
  for (const part of PARTS) {
    const { name, summary } = part;
    command
      .command(name)
      .usage("[options]")
      .description(summary)
      .helpOption(false)
      .argument("[options...]")
      .allowUnknownOption()
      .passThroughOptions()
      .action((argv: string[]) => run(part, argv));
  }
  return command;
}

async function run({ name, load }: NamedPart, argv: readonly string[]): Promise<void> {
  await orEnding(`picogrant ${name}`, argv, async () => {
    // Not process.exit, which would discard output that is still in a pipe.
    process.exitCode = await runPart(await load(), argv);
  });
}

/** Runs work. Prints an error as one line for users and, with --json, as an object for programs. */
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
