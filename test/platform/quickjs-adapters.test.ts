// Tests the adapters of stock QuickJS on a system without resources. These adapters start processes for HTTP and
// `sync`. Their display is a text file, which may disappear or become read-only.

import { describe, expect, it } from "vitest";
import { displayOf } from "../../platform/quickjs/displays.ts";
import type { Os } from "../../platform/quickjs/engine.ts";
import { Child } from "../../platform/quickjs/process.ts";

/** Counts open file descriptors. The call with the number `failing` fails. */
class PoorSystem {
  readonly open = new Set<number>();
  calls = 0;
  failing = -1;
  /** The result of waitpid for a child process that has ended. */
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

function start(system: PoorSystem, exit = (_code: number) => {}) {
  return new Child(system.os, ["curl"], new Uint8Array(3), { exit });
}

describe("a child process", () => {
  it("that cannot be started does not leak a file descriptor", () => {
    const whole = new PoorSystem();
    start(whole);
    expect(whole.calls).toBe(4);
    // The program has closed all ends except the read ends of the child's two pipes.
    expect(whole.open.size).toBe(2);
    for (let failing = 0; failing < whole.calls; failing++) {
      const system = new PoorSystem();
      system.failing = failing;
      expect(() => start(system), `call ${failing}`).toThrow(/no (pipe|process)/);
      expect([...system.open], `call ${failing}`).toEqual([]);
    }
  });

  it.each<[string, [number, number], number]>([
    ["as it said", [7, 127 << 8], 127],
    ["by a signal", [7, 9], -1],
    ["with an unknown status", [-10, 0], -1],
  ])("that ended %s is reported, and its output is closed", (_, ended, expected) => {
    const system = new PoorSystem();
    system.ended = ended;
    const codes: number[] = [];
    start(system, (code) => codes.push(code));
    // One pipe of the child ends after the other: its error output and its output.
    for (let pipes = 2; pipes > 0; pipes--) system.onReadable!();
    expect(codes).toEqual([expected]);
    expect([...system.open]).toEqual([]);
  });
});

const cells = (letter: string): number[] => Array<number>(80).fill(letter.charCodeAt(0));

it.each([
  ["its folder is gone", -2],
  ["its file system is read-only", -30],
])("contracts.ts: if %s, the display shows the next frame again", (_, error) => {
  let fault = 0;
  let text = "";
  const open = new Set<number>();
  const os = {
    ...{ O_WRONLY: 1, O_CREAT: 64, O_TRUNC: 512, S_IFMT: 0o170000, S_IFREG: 0o100000 },
    S_IFIFO: 0o010000,
    stat: () => [null, 2],
    open: () => {
      if (fault < 0) return fault;
      text = "";
      open.add(3 + open.size);
      return 2 + open.size;
    },
    write: (_fd: number, buffer: ArrayBuffer, offset: number, length: number) => {
      text += Buffer.from(buffer, offset, length).toString("latin1");
      return length;
    },
    close: (fd: number) => (open.delete(fd) ? 0 : -9),
  } as unknown as Os;
  const display = displayOf(os, { kind: "text", path: "/run/frame" });
  const held = open.size;
  display.show(cells("a"), 0);
  expect(text).toContain("aaaa");
  fault = error;
  display.show(cells("b"), 0);
  expect(text).toContain("aaaa");
  fault = 0;
  display.show(cells("c"), 0);
  expect(text).toContain("cccc");
  expect(open.size).toBe(held);
});
