// What a test leaves behind: faults that nobody listens to, and sockets and servers that nobody closes. A fault is the
// test's own, and none of it may meet the next mutant.

import { Server, Socket } from "node:net";

/** Node's own list; there is no other way to what others have opened. */
const opened = (): unknown[] =>
  (process as unknown as { _getActiveHandles(): unknown[] })._getActiveHandles();

/** Faults and handles that have been left are given up for lost so many turns later. */
const TURNS = 3;

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

export class LeftBehind {
  #usual = new Set<unknown>();
  #onFault: ((error: unknown) => void) | undefined;

  constructor() {
    const hear = (error: unknown): void => this.#onFault?.(error);
    process.on("unhandledRejection", hear);
    process.on("uncaughtException", hear);
  }

  /** Before a test. */
  begin(): void {
    this.#usual = new Set(opened());
  }

  /** As `result`, or rejects with a fault that is thrown where nobody hears it, until a turn behind its end. */
  async faultsOf(result: Promise<unknown>): Promise<void> {
    const fault = new Promise<never>((_, reject) => {
      this.#onFault = reject;
    });
    try {
      await Promise.race([result.then(turn), fault]);
    } finally {
      this.#onFault = undefined;
    }
  }

  /** Behind a test that has failed, or never ended: closes what it has opened, and lets go of what comes of that. */
  async clear(): Promise<void> {
    for (const handle of opened()) {
      if (this.#usual.has(handle)) continue;
      if (handle instanceof Socket) handle.destroy();
      if (handle instanceof Server) handle.close();
    }
    for (let i = 0; i < TURNS; i++) await turn();
  }
}
