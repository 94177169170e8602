// The display that is a text file, under stock QuickJS: its place goes away, or becomes read-only, while it is shown.

import { expect, it } from "vitest";
import { displayOf } from "../../platform/quickjs/displays.ts";
import type { Os } from "../../platform/quickjs/engine.ts";

const cells = (letter: string): number[] => Array<number>(80).fill(letter.charCodeAt(0));

it.each([
  ["its folder is gone", -2],
  ["its file system is read-only", -30],
])(
  "contracts.ts: a display does not throw where %s, and shows the next frame again",
  (_, error) => {
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
  },
);
