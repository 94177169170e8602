// How the command ends: one table of exit codes, which error has which, and what asks it from outside to end.

import { isMediumFault, reasonOf } from "../../platform/node/files.ts";
import { SignInError } from "../../platform/session/sign-in-error.ts";
import { printable } from "../../platform/text/text.ts";

export const Exit = {
  DONE: 0,
  FAILED: 1,
  USAGE: 2,
  SIGN_IN_FIRST: 4,
  NOT_STORED: 5,
  PIPE: 141,
} as const;

/** As shells say it of a program that a signal has ended. */
export const SIGNALS = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 } as const;

export const EXIT_CODES: readonly (readonly [code: number, what: string])[] = [
  [Exit.DONE, "done"],
  [Exit.FAILED, "it came to nothing"],
  [Exit.USAGE, "something about the command line, or a file that it names, is wrong"],
  [Exit.SIGN_IN_FIRST, "nobody is signed in: picogrant login comes first"],
  [
    Exit.NOT_STORED,
    "the state directory cannot be written: tokens are not renewed, lost or left there",
  ],
  [SIGNALS.SIGHUP, "given up, since its terminal has gone (SIGHUP)"],
  [SIGNALS.SIGINT, "given up with Ctrl-C (SIGINT)"],
  [Exit.PIPE, "given up, since nobody reads its output any more"],
  [SIGNALS.SIGTERM, "given up, as it was told to end (SIGTERM)"],
];

/** It came to nothing, and not by a mistake on the command line. Its message is one line. */
export class Failure extends Error {
  constructor(message: string) {
    super(message.replace(/\s*\n\s*/g, " ").trim());
    this.name = "Failure";
  }
}

class Interrupted extends SignInError {
  readonly exitCode: number;

  constructor(exitCode: number, message = "given up") {
    super("aborted", "nobody", message);
    this.exitCode = exitCode;
  }
}

/** What other errors are called in JSON, by their names: some of them are defined in more than one bundle. */
const CODES: Readonly<Record<string, string>> = {
  UsageError: "wrong_option",
  ConfigError: "wrong_option",
  ServerError: "wrong_option",
  StepError: "wrong_option",
  StateDirectoryError: "state_unusable",
  Failure: "failed",
};

/** Members of `signIn`'s options, and what this command has in their place. */
const OPTIONS = [
  ["as http.ca", "with --certificates"],
  ["allowHttp", "--allow-http"],
  ["http.agent, HTTPS_PROXY", "HTTPS_PROXY"],
] as const;

const EXITS: Readonly<Record<string, number>> = {
  wrong_option: Exit.USAGE,
  state_unusable: Exit.USAGE,
  not_signed_in: Exit.SIGN_IN_FIRST,
  not_saved: Exit.NOT_STORED,
  not_erased: Exit.NOT_STORED,
};

/** An error of the file system that nobody has put into words before: one line, and no stack trace. */
function inWords(error: unknown): unknown {
  const { path, syscall } = error as NodeJS.ErrnoException;
  if (path === undefined || syscall === undefined) return error;
  const message = `${path}: ${reasonOf(error)}`;
  return isMediumFault(error)
    ? new SignInError("not_saved", "user", `${message}; free space there, or make it writable`)
    : new Failure(`${message}; choose another path`);
}

/**
 * What the command says of an error, as the event of --json, and its exit code.
 * @throws the error itself where it is a fault of this program, for its stack to be seen
 */
export function outcomeBy(thrown: unknown): { exitCode: number; event: object; message: string } {
  const error = inWords(thrown);
  if (!(error instanceof Error)) throw error;
  const message = printable(
    OPTIONS.reduce((text, [member, option]) => text.replace(member, option), error.message),
  );
  const isOurs = error instanceof SignInError;
  const code = isOurs ? error.code : CODES[error.name];
  if (code === undefined) throw error;
  const exitCode = error instanceof Interrupted ? error.exitCode : (EXITS[code] ?? Exit.FAILED);
  const remedy = isOurs ? error.remedy : code === "failed" ? "nobody" : "user";
  return { exitCode, event: { event: "error", code, remedy, message }, message };
}

/** Who is to give up, if anybody waits for something; else the program just ends. */
let giveUp: ((reason: Interrupted) => void) | undefined;

/**
 * Does what may wait for long. A signal, or output that goes nowhere, has it give up in order.
 * @param work is given what it gives up by: it may be aborted from within as well, with the error that is to be told
 * @throws the reason for which it was given up
 */
export async function interruptibly<T>(work: (end: AbortController) => Promise<T>): Promise<T> {
  const end = new AbortController();
  giveUp = (reason) => end.abort(reason);
  const listeners = Object.entries(SIGNALS).map(([signal, exitCode]) => {
    const listener = (): void => end.abort(new Interrupted(exitCode));
    process.once(signal, listener);
    return [signal, listener] as const;
  });
  try {
    const result = await work(end);
    end.signal.throwIfAborted();
    return result;
  } catch (error) {
    const isGivenUp = error instanceof SignInError && error.code === "aborted";
    throw isGivenUp && end.signal.aborted ? end.signal.reason : error;
  } finally {
    giveUp = undefined;
    // From here on signals end it as they do any program.
    for (const [signal, listener] of listeners) process.off(signal, listener);
  }
}

let isLost = false;

/** Standard output, or what is said to the person, cannot be written. */
export function outputLost({ code }: NodeJS.ErrnoException): void {
  if (isLost) return;
  isLost = true;
  const isPipe = code === "EPIPE";
  const exitCode = isPipe ? Exit.PIPE : Exit.FAILED;
  const message = isPipe ? "nobody reads its output any more" : `cannot write its output (${code})`;
  if (giveUp !== undefined) {
    giveUp(new Interrupted(exitCode, message));
    return;
  }
  if (!isPipe) process.stderr.write(`picogrant: ${message}\n`);
  process.exit(exitCode);
}
