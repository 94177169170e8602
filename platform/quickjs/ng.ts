// QuickJS-ng's `os` made to do what QuickJS's does, as far as they differ where we use it (0.17).

import type { Os } from "./engine.ts";

/** How long a descriptor may wait for its turn; the engine spins meanwhile, where it is ready. */
const TURN_MS = 20;

/** QuickJS-ng's `os`, its clock in milliseconds and its read handlers all served. */
export function mendedOs(os: Os): Os {
  // Its documentation says milliseconds; they are microseconds.
  return Object.assign(fairHandlers(os), { now: () => os.now() / 1000 });
}

/**
 * `os` whose read handlers take turns in being the oldest, as long as there is more than one. The engine
 * looks, after `poll`, at as many handlers as descriptors are ready, counted from the oldest: with a
 * command line that is silent and an HTTP exchange that has an answer, only at the command line for ever.
 */
export function fairHandlers(os: Os): Os {
  const handlers = new Map<number, () => void>();
  let turning = false;

  const turn = (): void => {
    turning = handlers.size > 1;
    if (!turning) return;
    const [fd, handler] = [...handlers][0]!;
    handlers.delete(fd);
    handlers.set(fd, handler);
    os.setReadHandler(fd, null);
    os.setReadHandler(fd, handler);
    os.setTimeout(turn, TURN_MS);
  };

  const setReadHandler = (fd: number, handler: (() => void) | null): void => {
    handlers.delete(fd);
    os.setReadHandler(fd, null);
    if (handler === null) return;
    handlers.set(fd, handler);
    os.setReadHandler(fd, handler);
    if (turning || handlers.size < 2) return;
    turning = true;
    os.setTimeout(turn, TURN_MS);
  };

  return Object.assign(Object.create(os) as Os, { setReadHandler });
}
