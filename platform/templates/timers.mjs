// Timers: a clock that only goes forward, and one alarm. Write this one first: the other suites wait with it.
//
// On a microcontroller: a 32-bit tick counter that goes on while the core sleeps, and a compare interrupt that
// sets a flag. The loop sees the flag and rings; nothing rings from within an interrupt.

export function makeTimers() {
  return {
    /**
     * Milliseconds since any fixed moment: an integer 0..4294967295 that never goes back, and after the
     * last number goes on with 0. It should go on while the device sleeps, since a code's lifetime does.
     */
    now() {
      throw new Error("timers.now is not written yet");
    },

    /**
     * Rings once, `afterMs` (0..134217727) milliseconds from now or later. Never earlier, and never before this
     * call has returned. A second call takes the place of the first.
     */
    alarm(afterMs, ring) {
      throw new Error("timers.alarm is not written yet");
    },

    /** Takes the alarm back: it does not ring. Harmless where none is set. */
    cancel() {},
  };
}
