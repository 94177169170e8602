// Timers on Node, with nothing of picogrant's: the monotonic clock, and setTimeout for the alarm.

const WRAP = 2 ** 32;

export function makeTimers() {
  let timeout;
  const timers = {
    now: () => Math.floor(performance.now()) % WRAP,

    alarm(afterMs, ring) {
      timers.cancel();
      const began = performance.now();
      // The event loop may wake a little early by the other clock; then it sleeps on.
      const wake = () => {
        const leftMs = afterMs - (performance.now() - began);
        if (leftMs > 0) timeout = setTimeout(wake, Math.ceil(leftMs));
        else ring();
      };
      timeout = setTimeout(wake, afterMs + 1);
    },

    cancel: () => clearTimeout(timeout),
  };
  return timers;
}
