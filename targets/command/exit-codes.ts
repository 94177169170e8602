// The exit codes, the exit code of each error, and the handling of signals.

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

/** The exit codes that shells report for these signals. */
export const SIGNALS = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 } as const;

export const EXIT_CODES: readonly (readonly [code: number, what: string])[] = [
  [Exit.DONE, "done"],
  [Exit.FAILED, "failed"],
  [Exit.USAGE, "the command line, a file that it names, or the state directory is invalid"],
  [Exit.SIGN_IN_FIRST, "nobody is signed in: run picogrant login first"],
  [
    Exit.NOT_STORED,
    "the state directory cannot be written: the command could not renew, store or erase tokens",
  ],
  [SIGNALS.SIGHUP, "interrupted because its terminal was closed (SIGHUP)"],
  [SIGNALS.SIGINT, "interrupted with Ctrl-C (SIGINT)"],
  [Exit.PIPE, "interrupted because its output is no longer read"],
  [SIGNALS.SIGTERM, "interrupted by SIGTERM"],
];

export class Failure extends Error {
  override readonly name = "Failure";
}

class Interrupted extends SignInError {
  readonly exitCode: number;

  constructor(exitCode: number, message = "given up") {
    super("aborted", "nobody", message);
    this.exitCode = exitCode;
  }
}

/** Error codes for --json by class name, except SignInError. `instanceof` fails if a class is in several bundles. */
const CODES: Readonly<Record<string, string>> = {
  UsageError: "wrong_option",
  ConfigError: "wrong_option",
  StepError: "wrong_option",
  StateDirectoryError: "state_unusable",
  Failure: "failed",
};

/** Options of `signIn` in messages of the library, and the options of the command that replace them. */
const OPTIONS = [
  ["as http.ca", "with --certificates"],
  ["allowHttp", "--allow-http"],
  [/^account must/g, "--account must"],
  ["http.agent, HTTPS_PROXY", "HTTPS_PROXY"],
] as const;

const EXITS: Readonly<Record<string, number>> = {
  wrong_option: Exit.USAGE,
  state_unusable: Exit.USAGE,
  not_signed_in: Exit.SIGN_IN_FIRST,
  not_saved: Exit.NOT_STORED,
  not_erased: Exit.NOT_STORED,
};

/** Gives an error of the file system a message of one line. Returns other errors unchanged. */
function inWords(error: unknown): unknown {
  const { path, syscall } = error as NodeJS.ErrnoException;
  if (syscall === "uv_cwd") return new Failure("the working directory is gone; change to another");
  // The error of a write names no file. It is one of the state directory, or of the simulator's files.
  const place = path ?? (isMediumFault(error) ? "the state" : undefined);
  if (place === undefined || syscall === undefined) return error;
  const message = `${place}: ${reasonOf(error)}`;
  return isMediumFault(error)
    ? new SignInError("not_saved", "user", `${message}; free space there, or make it writable`)
    : new Failure(`${message}; choose another path`);
}

/** The message of an error, its event for --json, and its exit code. Throws an error that is a bug of this program. */
export function outcomeBy(thrown: unknown): { exitCode: number; event: object; message: string } {
  const error = inWords(thrown);
  if (!(error instanceof Error)) throw error;
  const line = error.message.replace(/\s*\n\s*/g, " ").trim();
  const isOurs = error instanceof SignInError;
  // Only a SignInError may name options of `signIn`. Other errors name the command's options or members of device.json.
  const replaced = isOurs ? OPTIONS : [];
  const message = printable(replaced.reduce((text, [from, to]) => text.replaceAll(from, to), line));
  const code = isOurs ? error.code : CODES[error.name];
  if (code === undefined) throw error;
  const exitCode = error instanceof Interrupted ? error.exitCode : (EXITS[code] ?? Exit.FAILED);
  const remedy = isOurs ? error.remedy : code === "failed" ? "nobody" : "user";
  return { exitCode, event: { event: "error", code, remedy, message }, message };
}

/** Aborts the work of `interruptibly`; undefined while no such work runs. */
let giveUp: ((reason: Interrupted) => void) | undefined;

/** Runs `work`. A signal, a failed output or `work` itself can abort it. @throws the reason, or the error of `work` */
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
    for (const [signal, listener] of listeners) process.off(signal, listener);
  }
}

let isLost = false;

/** Handles a failed write to standard output or error: aborts the work of `interruptibly`, or else ends the program. */
export function outputLost({ code }: NodeJS.ErrnoException): void {
  if (isLost) return;
  isLost = true;
  const isPipe = code === "EPIPE";
  const exitCode = isPipe ? Exit.PIPE : Exit.FAILED;
  const message = isPipe ? "its output is no longer read" : `cannot write its output (${code})`;
  if (giveUp !== undefined) {
    giveUp(new Interrupted(exitCode, message));
    return;
  }
  if (!isPipe) process.stderr.write(`picogrant: ${message}\n`);
  process.exit(exitCode);
}
