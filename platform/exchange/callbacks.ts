// Calls adapters and callbacks of the program. They may throw, or return a promise that rejects later.

import type { Bytes, Entropy } from "../contracts.ts";

/** @param broken receives the error that `call` throws or rejects with, now or later */
export function guarded(call: () => unknown, broken: (error: unknown) => void): void {
  try {
    const result = call();
    if (isThenable(result)) result.then(undefined, broken);
  } catch (error) {
    broken(error);
  }
}

/** Called when an adapter, a callback or a filter has failed. @param giveUp ends the failed operation; call it next */
export type FaultHandler = (error: unknown, giveUp: () => void) => void;

/** Starts an operation that reports its result by a callback. @param failure the result if the operation throws or rejects */
export function operate<Result>(
  act: (done: (result: Result) => void) => unknown,
  failure: Result,
  done: (result: Result) => void,
  fault: FaultHandler,
): void {
  let isOpen = true;
  // Only the first report counts.
  const once = (result: Result): void => {
    if (!isOpen) return;
    isOpen = false;
    done(result);
  };
  guarded(
    () => act(once),
    (error) => fault(error, () => once(failure)),
  );
}

/** Whether an entropy source has filled `into[from..to)`. Only the result `true` counts; a promise does not. */
export function isFilled(
  entropy: Entropy,
  into: Bytes,
  from: number,
  to: number,
  broken: (error: unknown) => void = nothing,
): boolean {
  let result: unknown;
  guarded(() => (result = entropy.fill(into, from, to)), broken);
  return result === true;
}

export function nothing(): void {}

/** Returns the code or name of an error. Its message is left out, because it may contain secrets. */
export function faultName(error: unknown): string {
  const { code, name } = (error ?? {}) as { readonly code?: unknown; readonly name?: unknown };
  const known = [code, name].find((word) => /^[A-Za-z0-9_]{1,60}$/.test(String(word ?? "")));
  return `${known ?? "unknown reason"}`;
}

export function isThenable(value: unknown): value is PromiseLike<unknown> {
  return (
    typeof value === "object" &&
    value !== null &&
    typeof (value as PromiseLike<unknown>).then === "function"
  );
}

/** Collects the errors of adapters and callbacks, in order. */
export class Faults {
  readonly #held: unknown[] = [];
  readonly #onError: ((error: unknown) => void) | undefined;

  /** @param onError receives the errors; undefined: the errors are thrown */
  constructor(onError: ((error: unknown) => void) | undefined) {
    this.#onError = onError;
  }

  get count(): number {
    return this.#held.length;
  }

  hold(error: unknown): void {
    this.#held.push(error);
  }

  report(): void {
    if (this.#onError === undefined) return;
    for (let left = this.#held.length; left > 0; left--) {
      const error = this.#held.shift();
      try {
        this.#onError(error);
      } catch {
        // If `onError` itself throws, throw the original error.
        this.#held.push(error);
      }
    }
  }

  throwFirst(): void {
    if (this.#held.length > 0) throw this.#held.shift();
  }
}
