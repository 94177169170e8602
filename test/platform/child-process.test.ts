// The processes that stock QuickJS starts for HTTP and `sync`, on a system that runs out of something.

import { describe, expect, it } from "vitest";
import type { Os } from "../../platform/quickjs/engine.ts";
import { Child } from "../../platform/quickjs/process.ts";

/** Counts the file descriptors that are open; each call that can fail does so when its number is up. */
class PoorSystem {
  readonly open = new Set<number>();
  calls = 0;
  failing = -1;
  /** What waitpid says of a child that has ended. */
  ended: [pid: number, status: number] = [7, 0];
  onReadable: (() => void) | null = null;
  #next = 3;

  readonly os = {
    O_RDWR: 2,
    pipe: () => (this.#fails() ? null : ([this.#descriptor(), this.#descriptor()] as const)),
    open: () => (this.#fails() ? -24 : this.#descriptor()),
    exec: () => (this.#fails() ? -1 : 7),
    close: (fd: number) => (this.open.delete(fd) ? 0 : -9),
    write: (_fd: number, _buffer: ArrayBuffer, _offset: number, length: number) => length,
    read: () => 0,
    waitpid: () => this.ended,
    setReadHandler: (_fd: number, handler: (() => void) | null) => {
      this.onReadable = handler;
    },
  } as unknown as Os;

  #fails(): boolean {
    return this.calls++ === this.failing;
  }

  #descriptor(): number {
    this.open.add(this.#next);
    return this.#next++;
  }
}

function start(system: PoorSystem, inputs: readonly Uint8Array[], exit = (_code: number) => {}) {
  return new Child(system.os, ["curl"], inputs, { exit });
}

describe("a child process", () => {
  it.each([
    ["one input", 1],
    ["two inputs", 2],
  ])("that cannot be started with %s leaves no descriptor open", (_, count) => {
    const inputs = Array.from({ length: count }, () => new Uint8Array(3));
    const whole = new PoorSystem();
    start(whole, inputs);
    expect(whole.calls).toBe(4);
    // The end of its output that we read, and nothing else.
    expect(whole.open.size).toBe(1);
    for (let failing = 0; failing < whole.calls; failing++) {
      const system = new PoorSystem();
      system.failing = failing;
      expect(() => start(system, inputs), `call ${failing}`).toThrow(/no (pipe|process|\/dev)/);
      expect([...system.open], `call ${failing}`).toEqual([]);
    }
  });

  it.each<[string, [number, number], number]>([
    ["as it said", [7, 127 << 8], 127],
    ["by a signal", [7, 9], -1],
    ["which the system cannot tell", [-10, 0], -1],
  ])("that ended %s is reported so, and its output is closed", (_, ended, expected) => {
    const system = new PoorSystem();
    system.ended = ended;
    const codes: number[] = [];
    start(system, [], (code) => codes.push(code));
    system.onReadable!();
    expect(codes).toEqual([expected]);
    expect([...system.open]).toEqual([]);
  });
});
