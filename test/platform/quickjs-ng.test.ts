// What QuickJS-ng 0.17 does otherwise than QuickJS is mended. It looks at too few read handlers after `poll`:
// each one whose descriptor is ready gets its turn all the same.

import { describe, expect, it } from "vitest";
import type { Os } from "../../platform/quickjs/engine.ts";
import { fairHandlers, mendedOs } from "../../platform/quickjs/ng.ts";

/** The engine's loop: timers by number of rounds, and its way of looking at handlers. */
class Engine {
  readonly ready = new Set<number>();
  readonly handlers = new Map<number, () => void>();
  timers: (() => void)[] = [];

  readonly os = {
    setReadHandler: (fd: number, handler: (() => void) | null) => {
      if (handler === null) this.handlers.delete(fd);
      // A handler that is there already keeps its place.
      else this.handlers.set(fd, handler);
    },
    setTimeout: (handler: () => void) => this.timers.push(handler),
    getpid: () => 7,
  } as unknown as Os;

  /** One `poll`: as many handlers are looked at as descriptors are ready, the first ready one is called. */
  poll(): void {
    const waiting = [...this.handlers].filter(([fd]) => this.ready.has(fd));
    const looked = [...this.handlers].slice(0, waiting.length);
    looked.find(([fd]) => this.ready.has(fd))?.[1]();
  }

  ring(): void {
    const due = this.timers;
    this.timers = [];
    for (const handler of due) handler();
  }
}

describe("ng.ts", () => {
  it("the engine alone starves the second of two, which is the fault", () => {
    const engine = new Engine();
    let calls = 0;
    engine.os.setReadHandler(0, () => undefined);
    engine.os.setReadHandler(4, () => calls++);
    engine.ready.add(4);
    for (let round = 0; round < 100; round++) engine.poll();
    expect(calls).toBe(0);
  });

  it.each([[[4]], [[0]], [[5]], [[0, 5]], [[4, 5]], [[0, 4, 5]]])(
    "descriptors %j ready among three: each is served within as many turns",
    (ready) => {
      const engine = new Engine();
      const os = fairHandlers(engine.os);
      const served = new Set<number>();
      for (const fd of [0, 4, 5]) os.setReadHandler(fd, () => served.add(fd));
      for (const fd of ready) engine.ready.add(fd);
      for (let turns = 0; turns < 3; turns++) {
        engine.poll();
        engine.ring();
      }
      expect([...served].sort()).toEqual(ready);
    },
  );

  it("one handler alone wakes nobody up, and a removed one is never called", () => {
    const engine = new Engine();
    const os = fairHandlers(engine.os);
    let calls = 0;
    os.setReadHandler(0, () => calls++);
    expect(engine.timers).toHaveLength(0);
    os.setReadHandler(4, () => undefined);
    expect(engine.timers).toHaveLength(1);
    os.setReadHandler(0, null);
    engine.ring();
    engine.ready.add(0).add(4);
    engine.poll();
    expect([calls, engine.timers.length, engine.handlers.size]).toEqual([0, 0, 1]);
  });

  it("the clock's microseconds become milliseconds", () => {
    expect(mendedOs({ now: () => 2_500 } as Os).now()).toBe(2.5);
  });

  it("a handler that replaces another is the one that is called", () => {
    const engine = new Engine();
    const os = fairHandlers(engine.os);
    const calls: string[] = [];
    os.setReadHandler(4, () => calls.push("first"));
    os.setReadHandler(4, () => calls.push("second"));
    engine.ready.add(4);
    engine.poll();
    expect(calls).toEqual(["second"]);
    expect(os.getpid()).toBe(7);
  });
});
