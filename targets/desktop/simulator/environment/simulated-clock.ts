// The clock of the simulation, in whole milliseconds. It follows real time at any speed, and can pause, step and jump.
// It stops during exchanges with the simulated service, so that a slow computer does not change the result.

import type { Timers } from "../../../../platform/contracts.ts";
import { type RealTime, systemTime } from "../../../../platform/node/timers.ts";

interface Appointment {
  dueMs: number;
  order: number;
  run: () => void;
}

const WRAP_MS = 2 ** 32;
const WAIT_MS_MAX = 2 ** 31 - 1;
/** The maximum number of timers in one turn of the event loop. After these, keys and requests have a turn. */
const BREATH = 64;

export class SimulatedClock {
  readonly #real: RealTime;
  #logicalMs = 0;
  #realAnchorMs: number;
  #speed: number;
  #paused: boolean;
  #holds = 0;
  #driving = 0;
  #order = 0;
  #appointments: Appointment[] = [];
  #takeBack: () => void = () => {};
  #released: (() => void)[] = [];
  #jumpToMs: number | undefined;
  #jumpEnds = false;

  /** `speed`: simulated seconds per real second, above 0. `paused`: only `advance`, `jump` and `step` move time. */
  constructor(options: { speed?: number; paused?: boolean; real?: RealTime } = {}) {
    this.#real = options.real ?? systemTime;
    this.#speed = checkedSpeed(options.speed ?? 1);
    this.#paused = options.paused ?? false;
    this.#realAnchorMs = this.#real.nowMs();
  }

  /** Milliseconds since the start. */
  nowMs(): number {
    if (this.#stands) return this.#logicalMs;
    const reached = Math.floor(this.#reachedMs());
    const next = this.#appointments[0];
    // Time stops at the due time of the next timer until that timer has run.
    return next === undefined ? reached : Math.max(this.#logicalMs, Math.min(reached, next.dueMs));
  }

  get speed(): number {
    return this.#speed;
  }

  set speed(speed: number) {
    this.#settle();
    this.#speed = checkedSpeed(speed);
    this.#arm();
  }

  get paused(): boolean {
    return this.#paused;
  }

  set paused(paused: boolean) {
    this.#settle();
    this.#paused = paused;
    this.#arm();
  }

  /** Calls `run` once, after `afterMs` milliseconds. Returns a function that cancels this. */
  after(afterMs: number, run: () => void): () => void {
    const appointment = { dueMs: this.nowMs() + Math.ceil(afterMs), order: this.#order++, run };
    this.#appointments.push(appointment);
    this.#appointments.sort((a, b) => a.dueMs - b.dueMs || a.order - b.order);
    this.#arm();
    return () => {
      const at = this.#appointments.indexOf(appointment);
      if (at < 0) return;
      this.#appointments.splice(at, 1);
      this.#arm();
    };
  }

  timers(): Timers {
    let takeBack = (): void => {};
    return {
      now: () => this.nowMs() % WRAP_MS,
      alarm: (afterMs, ring) => {
        takeBack();
        takeBack = this.after(afterMs, ring);
      },
      cancel: () => takeBack(),
    };
  }

  /** Stops the clock until the returned function is called. */
  hold(): () => void {
    this.#settle();
    this.#holds++;
    this.#arm();
    let held = true;
    return () => {
      if (!held) return;
      held = false;
      this.#settle();
      this.#holds--;
      if (this.#holds === 0) for (const wake of this.#released.splice(0)) wake();
      this.#arm();
    };
  }

  nextInMs(): number | undefined {
    const next = this.#appointments[0];
    return next && Math.max(0, next.dueMs - this.nowMs());
  }

  /** Lets `ms` milliseconds pass, or ends early when `until` returns true. Each timer runs at its own moment. */
  async advance(ms: number, until: () => boolean = () => false): Promise<void> {
    this.#settle();
    this.#driving++;
    try {
      const targetMs = this.#logicalMs + ms;
      for (let count = 1; ; count++) {
        if (this.#holds > 0) await this.#release();
        else if (count % BREATH === 0) await breath();
        // Call `until` only after all timers of the same moment have run.
        if (!this.#isOverdue && until()) return;
        const next = this.#appointments[0];
        if (next === undefined || next.dueMs > targetMs) break;
        if (this.#holds === 0) this.#happen(next);
      }
      this.#logicalMs = Math.max(this.#logicalMs, targetMs);
    } finally {
      this.#realAnchorMs = this.#real.nowMs();
      this.#driving--;
      this.#arm();
    }
  }

  /** Like `advance`, but the user sees the remaining time (`jumpLeftMs`) and can end the jump. */
  async jump(ms: number, until: () => boolean = () => false): Promise<void> {
    this.#jumpToMs = this.nowMs() + ms;
    this.#jumpEnds = false;
    try {
      await this.advance(ms, () => this.#jumpEnds || until());
    } finally {
      this.#jumpToMs = undefined;
    }
  }

  get jumpLeftMs(): number {
    return this.#jumpToMs === undefined ? 0 : Math.max(1, this.#jumpToMs - this.nowMs());
  }

  endJump(): void {
    this.#jumpEnds = true;
  }

  /** Advances to the next timer, and runs all timers of that moment. */
  async step(): Promise<void> {
    const inMs = this.nextInMs();
    if (inMs === undefined) return;
    await this.advance(inMs);
  }

  /** Removes all timers, so that the process can end. */
  close(): void {
    this.#appointments = [];
    this.#paused = true;
    this.#arm();
  }

  get #stands(): boolean {
    return this.#paused || this.#holds > 0 || this.#driving > 0;
  }

  get #isOverdue(): boolean {
    const next = this.#appointments[0];
    return next !== undefined && next.dueMs <= (this.#stands ? this.#logicalMs : this.#reachedMs());
  }

  #reachedMs(): number {
    return this.#logicalMs + (this.#real.nowMs() - this.#realAnchorMs) * this.#speed;
  }

  /** Adds the time that has passed at the previous speed. */
  #settle(): void {
    this.#logicalMs = this.nowMs();
    this.#realAnchorMs = this.#real.nowMs();
  }

  #happen(appointment: Appointment): void {
    this.#appointments.splice(this.#appointments.indexOf(appointment), 1);
    this.#logicalMs = Math.max(this.#logicalMs, appointment.dueMs);
    appointment.run();
  }

  #arm(): void {
    this.#takeBack();
    this.#takeBack = () => {};
    const next = this.#appointments[0];
    if (this.#stands || next === undefined) return;
    const waitMs = Math.max(0, (next.dueMs - this.#reachedMs()) / this.#speed);
    this.#takeBack = this.#real.wait(Math.min(Math.ceil(waitMs), WAIT_MS_MAX), () => this.#ring());
  }

  #ring(): void {
    const targetMs = Math.floor(this.#reachedMs());
    this.#driving++;
    let complete = false;
    try {
      for (let count = 0; count < BREATH && !complete && !this.#paused && !this.#holds; count++) {
        const next = this.#appointments[0];
        complete = next === undefined || next.dueMs > targetMs;
        if (next !== undefined && !complete) this.#happen(next);
      }
    } finally {
      // The target is not reached if timers are left, or if one of them has paused or stopped the clock.
      if (complete) this.#logicalMs = Math.max(this.#logicalMs, targetMs);
      this.#realAnchorMs = this.#real.nowMs();
      this.#driving--;
      this.#arm();
    }
  }

  #release(): Promise<void> {
    return new Promise((resolve) => {
      this.#released.push(resolve);
    });
  }
}

function breath(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}

function checkedSpeed(speed: number): number {
  if (!(speed > 0) || !Number.isFinite(speed)) {
    throw new RangeError(`clock: a speed of ${speed} is not above 0`);
  }
  return speed;
}
