// Random bytes from the kernel, time and the alarm under QuickJS. The engine's clock may stop while the system sleeps.

import type { Entropy, Timers } from "../contracts.ts";
import { timePassed } from "../driver/elapsed-time.ts";
import type { Os } from "./engine.ts";

const CHUNK_BYTES = 4096;

export const quickJsEntropy = (os: Os): Entropy => ({
  fill(into, from, to) {
    const fd = os.open("/dev/urandom", os.O_RDONLY);
    if (fd < 0) return false;
    const chunk = new Uint8Array(Math.max(1, Math.min(CHUNK_BYTES, to - from)));
    let at = from;
    while (at < to) {
      const count = os.read(fd, chunk.buffer, 0, Math.min(chunk.length, to - at));
      if (count <= 0) break;
      for (let i = 0; i < count; i++) into[at++] = chunk[i]!;
    }
    chunk.fill(0);
    os.close(fd);
    return at === to;
  },
});

export function quickJsTimers(os: Os): Timers {
  const nowMs = timePassed(() => os.now(), Date.now);
  let timer: object | undefined;
  const cancel = (): void => {
    if (timer !== undefined) os.clearTimeout(timer);
    timer = undefined;
  };
  return {
    now: () => Math.floor(nowMs()) % 4_294_967_296,
    alarm(afterMs, ring) {
      cancel();
      // The engine truncates fractions of a millisecond: never early.
      timer = os.setTimeout(() => {
        timer = undefined;
        ring();
      }, afterMs + 1);
    },
    cancel,
  };
}
