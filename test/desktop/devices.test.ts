// The QR codes on the printer's slip and the console have the modules of the code for verification_uri_complete.
import { stripVTControlCharacters } from "node:util";
import { describe, expect, test } from "vitest";
import { virtualEnvironment } from "../../targets/desktop/scenarios/play.ts";
import {
  type Modules,
  qrLines,
  qrModules,
} from "../../targets/desktop/simulator/device/display.ts";
import type { Simulation } from "../../targets/desktop/simulator/simulation.ts";
import { perform } from "../../targets/desktop/simulator/steps.ts";
import { Viewer } from "../../targets/desktop/simulator/view.ts";
import { colourless, layOut } from "../../targets/desktop/terminal/layout.ts";

function read(
  [width, height]: readonly [number, number],
  isDark: (x: number, y: number) => boolean,
  quietMin = 4,
): Modules {
  const at = Array.from({ length: width * height }, (_, i) => [i % width, Math.floor(i / width)]);
  const dark = at.filter(([x, y]) => isDark(x!, y!));
  const [left, top] = [0, 1].map((axis) => Math.min(...dark.map((place) => place[axis]!)));
  const [right, bottom] = [0, 1].map((axis) => Math.max(...dark.map((place) => place[axis]!)));
  // The finder pattern in the corner is seven modules wide.
  let run = left!;
  while (isDark(run, top!)) run++;
  const scale = (run - left!) / 7;
  const quiet = [left!, top!, width - 1 - right!, height - 1 - bottom!].map((gap) => gap / scale);
  expect(Math.min(...quiet)).toBeGreaterThanOrEqual(quietMin);
  const size = (right! + 1 - left!) / scale;
  const modules = Array.from({ length: size }, (_, one) => Math.floor((one + 0.5) * scale));
  return modules.map((y) => modules.map((x) => isDark(left! + x, top! + y)));
}

function readLines(lines: readonly string[], scale = 4): Modules {
  const isDark = (x: number, y: number): boolean => {
    const module = Math.floor(y / scale);
    const character = lines[module >> 1]?.[Math.floor(x / scale)] ?? " ";
    return character === "█" || character === (module % 2 === 0 ? "▀" : "▄");
  };
  return read([scale * lines[0]!.length, scale * 2 * lines.length], isDark, 2);
}

async function waiting(device: string, columns: number, rows: number): Promise<Simulation> {
  const settings = { columns, rows, account: "ada", rotate: false, device };
  const simulation = virtualEnvironment(settings);
  simulation.powerOn();
  await simulation.clock.advance(5000);
  return simulation;
}

test("RFC 8628 section 3.3.1: the printer's slip has address, code, and a QR code with both", async () => {
  const simulation = await waiting("printer", 16, 2);
  const [slip] = simulation.paper.slips;
  expect(slip).toMatchObject({
    address: simulation.verificationUri,
    code: simulation.userCode,
    modules: qrModules(simulation.verificationUriComplete),
  });
  expect(simulation.userCode).not.toBe("");
});

describe("the console", () => {
  test("RFC 8628 section 3.3.1: the screen shows a QR code in characters, which a camera can read", async () => {
    const simulation = await waiting("console", 40, 8);
    const complete = simulation.verificationUriComplete;
    expect(complete).toMatch(/user_code=/);
    expect(readLines(qrLines(qrModules(complete)))).toEqual(qrModules(complete));
    const view = new Viewer(simulation).view();
    const screen = layOut(view, "", { columns: 120, rows: 40 }, colourless);
    // The QR code is to the right of the frame, which has 40 columns.
    const size = view.qr.length + 4;
    const beside = screen.slice(1, 1 + Math.ceil(size / 2));
    expect(readLines(beside.map((line) => line.slice(44, 44 + size).padEnd(size)))).toEqual(
      qrModules(complete),
    );
    for (const line of screen)
      expect(stripVTControlCharacters(line).length).toBeLessThanOrEqual(120);
  });

  test("SPEC.md, Display: after a power cut the code is shown at once, and the QR code once the code is confirmed", async () => {
    const simulation = await waiting("console", 40, 8);
    const { userCode, verificationUriComplete } = simulation;
    await perform(simulation, "power off");
    await perform(simulation, "power on");
    await simulation.clock.advance(100);
    expect(simulation.userCode).toBe(userCode);
    expect(new Viewer(simulation).view().qr).toEqual([]);
    await simulation.clock.advance(30_000);
    expect([simulation.userCode, simulation.verificationUriComplete]).toEqual([
      userCode,
      verificationUriComplete,
    ]);
    expect(new Viewer(simulation).view().qr).not.toEqual([]);
  });
});
