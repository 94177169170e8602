// Virtual time of a life: what is arranged happens in its order, nothing waits. Time itself never goes
// back; what a device is told of it (a wrapping counter, a late alarm) is the device's own clock.

interface Appointment {
  dueMs: number;
  order: number;
  run: (() => void) | undefined;
}

/** So many happenings at one moment mean that somebody asks for "now" for ever. */
const STORM_LIMIT = 5000;

export class Time {
  nowMs = 0;
  #order = 0;
  #appointments: Appointment[] = [];
  #stormMs = -1;
  #storm = 0;

  /** Arranges `run`; the result takes it back. */
  after(delayMs: number, run: () => void): Appointment {
    const appointment = { dueMs: this.nowMs + delayMs, order: this.#order++, run };
    this.#appointments.push(appointment);
    return appointment;
  }

  cancel(appointment: Appointment | undefined): void {
    if (!appointment) return;
    appointment.run = undefined;
    const at = this.#appointments.indexOf(appointment);
    if (at >= 0) {
      this.#appointments[at] = this.#appointments[this.#appointments.length - 1]!;
      this.#appointments.pop();
    }
  }

  /** When the next thing is due; Infinity where nothing is. */
  nextMs(): number {
    let next = Number.POSITIVE_INFINITY;
    for (const { dueMs } of this.#appointments) if (dueMs < next) next = dueMs;
    return next;
  }

  /** Takes out what comes next and lets time pass until then; undefined where nothing is arranged. */
  next(): (() => void) | undefined {
    let best: Appointment | undefined;
    for (const one of this.#appointments) {
      if (!best || one.dueMs < best.dueMs || (one.dueMs === best.dueMs && one.order < best.order)) {
        best = one;
      }
    }
    if (!best) return undefined;
    const { run } = best;
    this.cancel(best);
    if (best.dueMs > this.nowMs) this.nowMs = best.dueMs;
    if (this.nowMs !== this.#stormMs) this.#storm = 0;
    this.#stormMs = this.nowMs;
    this.#storm++;
    return run;
  }

  /** Whether the moment does not pass any more. */
  get isStorm(): boolean {
    return this.#storm > STORM_LIMIT;
  }
}

export type { Appointment };
