// How each part of the command reads its options: one style of help, mistakes in one line with exit code 2, and what a
// shell completes.

import { Argument, type Command } from "commander";
import { commandLine as lineOf } from "../desktop/command-line.ts";
import { Exit } from "./exit-codes.ts";

/** A part of the command: its options, from which help and completion are made, and what it does with them. */
export interface Part {
  /** Made anew for each use. @param argv what stands behind its name, for a part with more than one set of options */
  line(argv: readonly string[]): Command | Promise<Command>;
  /** @param line has been parsed @returns the exit code */
  act(line: Command): Promise<number>;
}

/** Reads the options, and does what they say. @returns the exit code @throws what was wrong with them, or came of it */
export async function runPart({ line, act }: Part, argv: readonly string[]): Promise<number> {
  return await act((await line(argv)).parse(argv, { from: "user" }));
}

/** The command line of `picogrant NAME`, to be given its options and parsed. @throws UsageError where it is parsed */
export function commandLine(name: string, description: string): Command {
  return lineOf(`picogrant ${name}`, description);
}

// Commands in messages: exactly as a shell takes them, with the options of this run.

/** Options by their names in programs: `clientId` is `--client-id`, and an object repeats its option with NAME=VALUE. */
export type OptionValues = Readonly<Record<string, unknown>>;

/** `picogrant NAME` with options. */
export function commandText(name: string, options: OptionValues): string {
  const words = Object.entries(options).flatMap(([option, value]) => wordsOf(option, value));
  // npx runs programs that no shell finds.
  const { npm_lifecycle_event: event, npm_lifecycle_script: script } = process.env;
  const program = event === "npx" && script === "picogrant" ? "npx picogrant" : "picogrant";
  return [program, name, ...words.map(quoted)].join(" ");
}

function wordsOf(name: string, value: unknown): string[] {
  const option = `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
  if (value === undefined || value === false) return [];
  if (value === true) return [option];
  if (typeof value !== "object") return [option, `${value}`];
  return Object.entries(value ?? {}).flatMap(([key, text]) => [option, `${key}=${text}`]);
}

/** As POSIX shells read it. */
function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}

// `picogrant completion`: made of the options that --help is made of.

/** A part is loaded only when it is run, or asked for its options. */
export interface NamedPart {
  readonly name: string;
  readonly summary: string;
  load(): Promise<Part>;
}

const HELP = `
In ~/.bashrc:   source <(picogrant completion bash)
In ~/.zshrc:    source <(picogrant completion zsh)`;

/** zsh reads scripts for bash. */
export const ZSH =
  "autoload -U +X compinit && compinit\nautoload -U +X bashcompinit && bashcompinit\n";

export function completionOf(parts: readonly NamedPart[]): Part {
  return {
    line: () =>
      commandLine("completion", "Prints what a shell completes this command with.")
        .addArgument(new Argument("<shell>").choices(["bash", "zsh"]))
        .addHelpText("after", HELP),
    act: async (line) => {
      const cases = await Promise.all(parts.map(casesOf));
      const names = [...parts.map(({ name }) => name), "help"].join(" ");
      const script = `_picogrant() {
  local words=""
  case "\${COMP_WORDS[1]} \${COMP_WORDS[COMP_CWORD-1]}" in
${cases.flat().join("\n")}
  esac
  if [ "$COMP_CWORD" = 1 ]; then words="${names}"; fi
  COMPREPLY=($(compgen -W "$words" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _picogrant picogrant
`;
      process.stdout.write(line.args[0] === "zsh" ? ZSH + script : script);
      return Exit.DONE;
    },
  };
}

/** Of one part: behind an option its choices or a file, elsewhere the options. */
async function casesOf({ name, load }: NamedPart): Promise<string[]> {
  const { options, registeredArguments }: Command = await (await load()).line([]);
  const withValue = options.filter(({ required, optional }) => required || optional);
  const behind = withValue.map(({ long, argChoices = [] }) => {
    return `    "${name} ${long}") words="${argChoices.join(" ")}" ;;`;
  });
  const choices = registeredArguments.flatMap(({ argChoices = [] }) => argChoices);
  const words = [...choices, ...options.map(({ long }) => long), "--help"].join(" ");
  return [...behind, `    "${name} "*) words="${words}" ;;`];
}
