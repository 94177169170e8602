// What `picogrant login` writes into a terminal while it waits.

import { expect, it } from "vitest";
import { waitingText } from "../../targets/command/login/login.ts";
import { asClock, CountdownLine } from "../../targets/command/terminal.ts";

function drawn(columns: number): string {
  let written = "";
  const write = (text: string): boolean => {
    written += text;
    return true;
  };
  const stream = { isTTY: true, columns, write } as unknown as NodeJS.WriteStream;
  new CountdownLine(stream, 1795, waitingText).stop();
  // Without the control sequences that take the old line away.
  return written.replaceAll("\r\x1b[K", "");
}

it("the time that is left is seen in a terminal of any width", () => {
  for (const columns of [80, 40, 24, 16, 10]) {
    const line = drawn(columns);
    expect(line).toMatch(/^29:5\d/);
    // A line that fills the last column would be broken there, and stay.
    expect(line.length).toBeLessThan(columns);
  }
  expect(asClock(1795)).toBe("29:55");
});

it("where there is room it says what to do", () => {
  expect(drawn(80)).toMatch(/^29:5\d left to allow it, Ctrl-C gives up$/);
});
