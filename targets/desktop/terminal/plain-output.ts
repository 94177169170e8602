// Output for pipes, logs and terminals without a cursor: each changed frame as text, with the time at
// which it changed, and a line for everything else that happens.

import { type PrintedSlip, slipLines } from "../simulator/device/paper.ts";
import { qrLines } from "../simulator/device/qr-code.ts";
import type { Simulation } from "../simulator/simulation.ts";

/** Prints frames as they change. Returns what ends it. */
export function printFrames(simulation: Simulation, write: (text: string) => void): () => void {
  let drawn = "";
  let printed = 0;
  return simulation.onChange(() => {
    const { display, paper } = simulation;
    if (paper.count !== printed) {
      printed = paper.count;
      write(slipText(paper.slips.at(-1)!));
    }
    const frame = frameText(display.lines);
    if (frame === drawn || !display.lit) return;
    drawn = frame;
    write(`${timeText(simulation.clock.nowMs())}\n${frame}`);
  });
}

/** A frame with its border, as lines that each end with a newline. */
export function frameText(lines: readonly string[]): string {
  const edge = `+${"-".repeat(lines[0]?.length ?? 0)}+`;
  return [edge, ...lines.map((line) => `|${line}|`), edge, ""].join("\n");
}

/** A slip of paper as it comes out, with its QR code in characters. */
function slipText(slip: PrintedSlip): string {
  const lines = [...slipLines(slip), ...qrLines(slip.modules)];
  const all = [...lines, ...slip.footing];
  const width = Math.max(...all.map((line) => line.length));
  return `${["", ...all, ""].map((line) => `  :${line.padEnd(width)}:`).join("\n")}\n`;
}

/** Time since the world began: 0:07, 31:05, 2:00:00. */
export function timeText(ms: number): string {
  const seconds = Math.floor(ms / 1000);
  const two = (value: number): string => String(value).padStart(2, "0");
  const [h, m, s] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60];
  return h > 0 ? `${h}:${two(m)}:${two(s)}` : `${m}:${two(s)}`;
}
