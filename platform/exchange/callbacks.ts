// Calls of what is not ours: adapters, and what a program has handed over. Each may throw, or give a promise that is
// rejected later.

import type { Bytes, Entropy } from "../contracts.ts";

/** Calls it. @param broken hears what it throws, or, now or later, rejects with */
export function guarded(call: () => unknown, broken: (error: unknown) => void): void {
  try {
    const result = call();
    if (isThenable(result)) result.then(undefined, broken);
  } catch (error) {
    broken(error);
  }
}

/**
 * Calls an operation that reports by a callback, which counts once. An operation that throws, or rejects, has failed.
 * @param act is given the callback
 * @param failure what is reported then
 * @param fault hears of what was thrown, and what is to be called next
 */
export function operate<Result>(
  act: (done: (result: Result) => void) => unknown,
  failure: Result,
  done: (result: Result) => void,
  fault: (error: unknown, giveUp: () => void) => void,
): void {
  let isOpen = true;
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

/** Whether a source of random bytes has filled `into[from..to)`. Nothing but true will do: a promise is none. */
export function isFilled(
  entropy: Entropy,
  into: Bytes,
  from: number,
  to: number,
  broken: (error: unknown) => void = nothing,
): boolean {
  let result: unknown;
  guarded(() => {
    result = entropy.fill(into, from, to);
    return result;
  }, broken);
  return result === true;
}

export function nothing(): void {}

/** What has been thrown, by its code or name alone: a message may have in it what was to be kept. */
export function faultName(error: unknown): string {
  const { code, name } = (error ?? {}) as { readonly code?: unknown; readonly name?: unknown };
  const known = [code, name].find((word) => /^[A-Za-z0-9_]{1,60}$/.test(String(word ?? "")));
  return `${known ?? "unknown reason"}`;
}

/** Whether it is a promise of any kind. */
export function isThenable(value: unknown): value is PromiseLike<unknown> {
  return (
    typeof value === "object" &&
    value !== null &&
    typeof (value as PromiseLike<unknown>).then === "function"
  );
}

/** The faults of others, in their order. */
export class Faults {
  readonly #held: unknown[] = [];
  readonly #onError: ((error: unknown) => void) | undefined;

  /** @param onError who wants to hear of them; undefined: they are thrown */
  constructor(onError: ((error: unknown) => void) | undefined) {
    this.#onError = onError;
  }

  /** How many wait to be thrown. */
  get count(): number {
    return this.#held.length;
  }

  hold(error: unknown): void {
    this.#held.push(error);
  }

  /** Hands them to whoever wants to hear of them. */
  report(): void {
    if (this.#onError === undefined) return;
    for (let left = this.#held.length; left > 0; left--) {
      const error = this.#held.shift();
      try {
        this.#onError(error);
      } catch {
        // Whoever was to hear of it has failed as well: what it was about is thrown.
        this.#held.push(error);
      }
    }
  }

  /** @throws the first of them */
  throwFirst(): void {
    if (this.#held.length > 0) throw this.#held.shift();
  }
}
