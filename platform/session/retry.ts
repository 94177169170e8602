// Retries a server that cannot be reached before there is a device.

import type { Timers } from "../contracts.ts";
import { guarded } from "../exchange/callbacks.ts";
import { MetadataError } from "../servers/server-error.ts";
import type { SignInHandlers } from "./sign-in.ts";
import { CallbackError, metadataErrorOf, unlessAborted } from "./sign-in-error.ts";

/** Receives reports, and ends the wait. */
export type RetryHandlers = Pick<SignInHandlers, "onTrouble" | "signal">;

const TIMEOUT_MIN_MS = 2000;
const TIMEOUT_MAX_MS = 64_000;

/** A first start without a network waits like any other: it reports the problem and retries. */
export async function withRetries<Result>(
  act: () => Promise<Result>,
  { timers }: { readonly timers: Timers },
  retryHandlers: RetryHandlers | undefined,
): Promise<Result> {
  if (retryHandlers === undefined) return await act();
  const { onTrouble, signal } = retryHandlers;
  for (let waitMs = TIMEOUT_MIN_MS; ; waitMs = Math.min(2 * waitMs, TIMEOUT_MAX_MS)) {
    try {
      return await unlessAborted(signal, act);
    } catch (error) {
      if (!(error instanceof MetadataError) || !error.isTransient) throw error;
      const trouble = metadataErrorOf(error, waitMs / 1000);
      // A rejected certificate stays rejected until somebody fixes it.
      if (trouble.remedy === "developer" || trouble.remedy === "administrator") throw error;
      let thrown: CallbackError | undefined;
      // Nobody waits for its result.
      guarded(
        () => onTrouble?.(trouble),
        (cause) => {
          thrown = new CallbackError("onTrouble has thrown", { cause });
        },
      );
      await Promise.resolve();
      if (thrown) throw thrown;
      const wait = () => new Promise<void>((resolve) => void timers.alarm(waitMs, resolve));
      await unlessAborted(signal, wait);
      if (thrown) throw thrown;
    }
  }
}
