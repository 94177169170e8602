// Runs subcommands with their options, writes commands for messages, and completes commands in shells.

import { Argument, Command } from "commander";
import table from "../../platform/configuration/settings.json";
import { commandLine } from "../desktop/command-line.ts";
import { Exit } from "./exit-codes.ts";

export interface Part {
  /** Adds the options. `argv` is for a subcommand with several sets of options. */
  line(line: Command, argv: readonly string[]): Command | Promise<Command>;
  /** Returns the exit code. */
  act(line: Command): Promise<number>;
}

/** Parses the options and runs the action. Returns the exit code. @throws UsageError */
export async function runPart(
  { line, act }: Part,
  argv: readonly string[],
  name = "",
  description = "",
): Promise<number> {
  const whole = await line(commandLine(name, description), argv);
  return await act(whole.parse(argv, { from: "user" }));
}

/** Values by option (`json`) or setting (`clientId`). An object stands for several options, each with NAME=VALUE. */
export type OptionValues = Readonly<Record<string, unknown>>;

export function commandText(name: string, options: OptionValues): string {
  const words = Object.entries(options).flatMap(([option, value]) => wordsOf(option, value));
  // With npx, the program is not in the shell's PATH.
  const { npm_lifecycle_event: event, npm_lifecycle_script: script } = process.env;
  const program = event === "npx" && script === "picogrant" ? "npx picogrant" : "picogrant";
  return [program, name, ...words.map(quoted)].join(" ");
}

function wordsOf(name: string, value: unknown): string[] {
  const flag = table.settings.find((one) => one.name === name)?.flag?.name;
  const option = `--${flag ?? name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
  if (value === undefined || value === false) return [];
  if (value === true) return [option];
  if (typeof value !== "object") return [option, `${value}`];
  return Object.entries(value ?? {}).flatMap(([key, text]) => [option, `${key}=${text}`]);
}

function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}

/** `load` is called to run the subcommand or to list its options. */
export type NamedPart = readonly [name: string, summary: string, load: () => Promise<Part>];

const HELP = `
In ~/.bashrc:                     source <(picogrant completion bash)
In ~/.zshrc, behind compinit:     source <(picogrant completion zsh)
In ~/.config/fish/config.fish:    picogrant completion fish | source`;

const SCRIPTS: Readonly<Record<string, string>> = {
  bash: `_picogrant() {
  local IFS=$'\\n'
  COMPREPLY=($(picogrant completion words -- "\${COMP_WORDS[@]:1:COMP_CWORD}"))
}
complete -o default -F _picogrant picogrant
`,
  zsh: `_picogrant() {
  local found=("\${(@f)$(picogrant completion words -- "\${(@)words[2,CURRENT]}")}")
  if [[ -n $found ]]; then compadd -- $found; else _files; fi
}
compdef _picogrant picogrant
`,
  fish: `complete -c picogrant -f -a '(picogrant completion words -- (commandline -opc)[2..] (commandline -ct); or __fish_complete_path (commandline -ct))'
`,
};

/** `values` returns the possible values of an option, such as `--server`. */
export function completionOf(
  parts: readonly NamedPart[],
  values: (option: string) => Promise<readonly string[]>,
): Part {
  const lineOf = async (required: string | undefined): Promise<Command> => {
    const part = await parts.find(([name]) => name === required)?.[2]();
    return (await part?.line(commandLine("", ""), [])) ?? new Command();
  };
  const names = parts.map(([name]) => name);

  /** Returns no candidates if the shell should complete file names. */
  const candidates = async (words: readonly string[]): Promise<readonly string[]> => {
    if (words.length <= 1) return [...names, "help"];
    if (words[0] === "help") return names;
    const { options, registeredArguments } = await lineOf(words[0]);
    const before = words.at(-2);
    const option = options.find(({ long, short }) => before === long || before === short);
    if (option?.required) return option.argChoices ?? (await values(option.long!));
    const choices = registeredArguments.flatMap(({ argChoices = [] }) => argChoices);
    return [...choices, ...options.map(({ long }) => long!), "--help"];
  };

  return {
    line: (line) =>
      line
        .addArgument(new Argument("<shell>").choices([...Object.keys(SCRIPTS), "words"]))
        .argument("[word...]", "words: the command line to complete")
        .addHelpText("after", HELP),
    act: async ({ args: [shell = "", ...words] }) => {
      if (shell === "words") {
        const found = (await candidates(words)).filter((word) => word.startsWith(words.at(-1)!));
        if (found.length === 0) return Exit.FAILED;
        process.stdout.write(`${found.join("\n")}\n`);
      } else process.stdout.write(SCRIPTS[shell]!);
      return Exit.DONE;
    },
  };
}
