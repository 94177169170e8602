// The rules of the Timers contract. They contain only lower bounds, because an alarm may be late but never early.

import type { Timers } from "../contracts.ts";
import { type Environment, eventually, must, type Subject, suite } from "./case.ts";

/** An adapter under test with its environment; each case creates one. */
export interface TimersSubject extends Subject {
  timers: Timers;
  environment: Environment;
}

const WRAP_MS = 2 ** 32;
const LONGEST_MS = 134_217_727;

/** Cases for a timers adapter; they take about half a second of its time. */
export const timersConformance = suite<TimersSubject>("timers", {
  "now is an integer 0..2^32-1 that never goes back": async ({ timers, environment }) => {
    let last = timers.now();
    for (let i = 0; i < 200; i++) {
      if (i % 20 === 0) await environment.wait(1);
      const now = timers.now();
      must(Number.isInteger(now) && now >= 0 && now < WRAP_MS, `now is ${now}`);
      must(since(now, last) < WRAP_MS / 2, `now went back from ${last} to ${now}`);
      last = now;
    }
  },

  "now goes on": async ({ timers, environment }) => {
    const before = timers.now();
    await environment.wait(40);
    // A wait may end a little early by the adapter's clock.
    must(since(timers.now(), before) >= 20, "after 40 ms now had gone on by less than 20");
  },

  "an alarm rings once, never early": async ({ timers, environment }) => {
    for (const afterMs of [1, 2, 7, 30]) {
      const from = timers.now();
      const rang: number[] = [];
      timers.alarm(afterMs, () => rang.push(since(timers.now(), from)));
      await eventually(environment, () => rang.length > 0, `alarm(${afterMs})`);
      must(rang[0]! >= afterMs, `alarm(${afterMs}) rang after ${rang[0]} ms`);
      await environment.wait(2 * afterMs + 5);
      must(rang.length === 1, `alarm(${afterMs}) rang ${rang.length} times`);
    }
  },

  "alarm(0) rings, but not before the call returns": async ({ timers, environment }) => {
    const rang: boolean[] = [];
    let hasReturned = false;
    timers.alarm(0, () => rang.push(hasReturned));
    hasReturned = true;
    await eventually(environment, () => rang.length > 0, "alarm(0)");
    must(rang[0]!, "it rang before the call returned");
  },

  "a second alarm replaces the first, whichever is sooner": async ({ timers, environment }) => {
    for (const first of [5, 30]) {
      const rang: string[] = [];
      timers.alarm(first, () => rang.push("first"));
      timers.alarm(35 - first, () => rang.push("second"));
      await environment.wait(60);
      await eventually(environment, () => rang.length > 0, "the second alarm");
      must(rang.join() === "second", `alarms ${first} and ${35 - first} ms: rang ${rang.join()}`);
    }
  },

  "cancel takes the alarm back and is harmless without one": async ({ timers, environment }) => {
    timers.cancel();
    let rang = 0;
    timers.alarm(5, () => rang++);
    timers.cancel();
    timers.cancel();
    await environment.wait(40);
    must(rang === 0, "a cancelled alarm rang");
    timers.alarm(1, () => rang++);
    await eventually(environment, () => rang === 1, "an alarm after a cancel");
  },

  "the longest alarm (134217727 ms) does not ring at once": async ({ timers, environment }) => {
    let rang = 0;
    timers.alarm(LONGEST_MS, () => rang++);
    await environment.wait(40);
    must(rang === 0, "it rang within 40 ms");
    timers.cancel();
  },

  "within a ring, an alarm may be set, and cancel is harmless": async ({ timers, environment }) => {
    let rang = 0;
    const ring = (): void => {
      rang++;
      timers.cancel();
      if (rang < 5) timers.alarm(1, ring);
    };
    timers.alarm(1, ring);
    await eventually(environment, () => rang === 5, "the fifth of five alarms");
    await environment.wait(10);
    must(rang === 5, `five alarms rang ${rang} times`);
    timers.alarm(1, ring);
    await eventually(environment, () => rang === 6, "the alarm after them");
  },
});

function since(now: number, earlier: number): number {
  return (now - earlier + WRAP_MS) % WRAP_MS;
}
