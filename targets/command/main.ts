#!/usr/bin/env node
// The command `picogrant`: finds the part that is asked for and runs it. A part is loaded only when it is run.

import { Command } from "commander";
import { version } from "../desktop/command-line.ts";
import { exitCodeOf } from "./option-parser.ts";

/** A part: reads its own options, and gives the exit code. */
interface Part {
  readonly name: string;
  readonly summary: string;
  load(): Promise<(argv: readonly string[]) => Promise<number>>;
}

const PARTS: readonly Part[] = [
  {
    name: "login",
    summary: "sign in at any authorization server, and keep the tokens",
    load: async () => (await import("./login/login.ts")).login,
  },
  {
    name: "token",
    summary: "print an access token that is good now, for scripts",
    load: async () => (await import("./login/kept-session.ts")).token,
  },
  {
    name: "logout",
    summary: "revoke the tokens and forget them",
    load: async () => (await import("./login/kept-session.ts")).logout,
  },
  {
    name: "simulate",
    summary: "a device, its network, its user and its service in one simulated world",
    load: async () => {
      const { readOptions } = await import("../desktop/options.ts");
      const { run } = await import("../desktop/run.ts");
      return (argv) => run(readOptions(argv, "picogrant simulate"));
    },
  },
  {
    name: "service",
    summary: "a simulated authorization server, to test clients with",
    load: async () => (await import("./service.ts")).service,
  },
  {
    name: "conform",
    summary: "say what is wrong with a device, or with adapters, of your own",
    load: async () => (await import("./conform.ts")).conform,
  },
  {
    name: "check-server",
    summary: "the server that tries a port of the host in C",
    load: async () => (await import("./check-server.ts")).checkServer,
  },
  {
    name: "configure",
    summary: "write what a server says of itself into a device.json, or a device's settings page",
    load: async () => (await import("./configure.ts")).configure,
  },
  {
    name: "sizing",
    summary: "the memory that a server's tokens need on a device",
    load: async () => (await import("./sizing.ts")).sizing,
  },
];

const HELP = `
picogrant COMMAND --help tells more about each.

Exit codes: 0 done; 1 it came to nothing; 2 something about the command line or a file that it names
is wrong; 130 given up with Ctrl-C.`;

function program(): Command {
  const command = new Command("picogrant")
    .description("The sign-in runtime for devices without a keyboard (RFC 8628), on your computer.")
    .version(version())
    .helpCommand(false)
    .enablePositionalOptions()
    .addHelpText("after", HELP)
    .configureOutput({
      outputError: (text, write) => write(text.replace(/^error: /, "picogrant: ")),
    })
    .exitOverride((error) => process.exit(error.exitCode === 0 ? 0 : 2));
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
  command
    .command("help")
    .argument("[command]")
    .description("the same as COMMAND --help")
    .helpOption(false)
    .action(async (name: string | undefined) => {
      const part = PARTS.find((known) => known.name === name);
      if (name !== undefined && part === undefined) command.error(`unknown command '${name}'`);
      if (part === undefined) command.help();
      else await run(part, ["--help"]);
    });
  return command;
}

async function run(part: Part, argv: readonly string[]): Promise<void> {
  try {
    const act = await part.load();
    // Not process.exit: what is still in a pipe would be cut off.
    process.exitCode = await act(argv);
  } catch (error) {
    process.exitCode = exitCodeOf(error);
    process.stderr.write(`picogrant ${part.name}: ${(error as Error).message}\n`);
  }
}

/** The reader of a pipe has gone, as with `| head -1`: nobody is left to write to. */
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code === "EPIPE") process.exit(0);
  throw error;
});

if (process.argv.length <= 2) program().help({ error: true });
else await program().parseAsync();
