// The printer's slip and the console's screen lead to the same place as the address and code on the display. QR codes
// are read module by module.
import { stripVTControlCharacters } from "node:util";
import { describe, expect, test } from "vitest";
import { slipBytes } from "../../platform/display/escpos.ts";
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

/** The part of Epson's ESC/POS reference that slips need. */
interface Printed {
  lines: string[];
  images: { width: number; height: number; isDark(x: number, y: number): boolean }[];
  codePage: number;
  cuts: number;
}

function interpret(bytes: Uint8Array): Printed {
  const printed: Printed = { lines: [], images: [], codePage: -1, cuts: 0 };
  let line = "";
  let at = 0;
  const byte = (): number => {
    if (at >= bytes.length) throw new Error("a command is cut off");
    return bytes[at++]!;
  };
  const word = (): number => byte() + 256 * byte();
  while (at < bytes.length) {
    const c = byte();
    if (c === 0x0a) {
      printed.lines.push(line);
      line = "";
    } else if (c === 0x1b) {
      const command = byte();
      if (command === 0x74) printed.codePage = byte();
      else if (command === 0x61 || command === 0x64) byte();
      else if (command !== 0x40) throw new Error(`ESC ${command}`);
    } else if (c === 0x1d) {
      const command = byte();
      if (command === 0x21) byte();
      else if (command === 0x56) {
        if (byte() === 66) byte();
        printed.cuts++;
      } else if (command === 0x76) {
        if (byte() !== 0x30 || byte() !== 0) throw new Error("GS v 0, plain");
        const rowBytes = word();
        const height = word();
        const from = at;
        at += rowBytes * height;
        const isDark = (x: number, y: number): boolean =>
          ((bytes[from + y * rowBytes + (x >> 3)]! >> (7 - (x & 7))) & 1) === 1;
        printed.images.push({ width: 8 * rowBytes, height, isDark });
      } else throw new Error(`GS ${command}`);
    } else if (c < 0x20) throw new Error(`control character ${c}`);
    else line += String.fromCharCode(c);
  }
  return printed;
}

/** The rows of modules at any scale, without the quiet zone. */
function read(
  [width, height]: readonly [number, number],
  isDark: (x: number, y: number) => boolean,
  quietMin = 4,
): Modules {
  const at = Array.from({ length: width * height }, (_, i) => [i % width, Math.floor(i / width)]);
  const dark = at.filter(([x, y]) => isDark(x!, y!));
  const [left, top] = [0, 1].map((axis) => Math.min(...dark.map((place) => place[axis]!)));
  const [right, bottom] = [0, 1].map((axis) => Math.max(...dark.map((place) => place[axis]!)));
  // The finder in the corner is seven modules wide.
  let run = left!;
  while (isDark(run, top!)) run++;
  const scale = (run - left!) / 7;
  const quiet = [left!, top!, width - 1 - right!, height - 1 - bottom!].map((gap) => gap / scale);
  expect(Math.min(...quiet)).toBeGreaterThanOrEqual(quietMin);
  const size = (right! + 1 - left!) / scale;
  const modules = Array.from({ length: size }, (_, one) => Math.floor((one + 0.5) * scale));
  return modules.map((y) => modules.map((x) => isDark(left! + x, top! + y)));
}

/** Reads lines of block characters, a few pixels per module. */
function readLines(lines: readonly string[], scale = 4): Modules {
  const isDark = (x: number, y: number): boolean => {
    const module = Math.floor(y / scale);
    const character = lines[module >> 1]?.[Math.floor(x / scale)] ?? " ";
    return character === "█" || character === (module % 2 === 0 ? "▀" : "▄");
  };
  // The screen around it is light as well.
  return read([scale * lines[0]!.length, scale * 2 * lines.length], isDark, 2);
}

async function waiting(device: string, columns: number, rows: number): Promise<Simulation> {
  const settings = { columns, rows, account: "ada", rotate: false, device };
  const simulation = virtualEnvironment(settings);
  simulation.powerOn();
  await simulation.clock.advance(5000);
  return simulation;
}

describe("the printer", () => {
  test("RFC 8628 section 3.3.1: the slip has address, code and a QR code with both", async () => {
    const simulation = await waiting("printer", 16, 2);
    const [slip] = simulation.paper.slips;
    const { lines, images, cuts } = interpret(slip!.bytes);
    expect(lines).toEqual(
      expect.arrayContaining([simulation.verificationUri, simulation.userCode]),
    );
    expect(simulation.userCode).not.toBe("");
    const [image] = images;
    expect(read([image!.width, image!.height], image!.isDark)).toEqual(
      qrModules(simulation.verificationUriComplete),
    );
    expect(cuts).toBe(1);
  });

  test("control characters from a server are not commands", () => {
    const evil = Uint8Array.from([0x1b, 0x40, 0x41, 0x1d, 0x56, 0, 0x7f]);
    const slip = { heading: [], address: evil, between: [], code: evil, footing: [], qr: "" };
    const { lines, cuts } = interpret(slipBytes(slip));
    expect(lines.filter(Boolean)).toEqual(["@AV", "@AV"]);
    expect(cuts).toBe(1);
  });
});

describe("the console", () => {
  test("RFC 8628 section 3.3.1: the screen shows a QR code in characters, which a camera can read", async () => {
    const simulation = await waiting("console", 40, 8);
    const complete = simulation.verificationUriComplete;
    expect(complete).toMatch(/user_code=/);
    expect(readLines(qrLines(qrModules(complete)))).toEqual(qrModules(complete));
    const view = new Viewer(simulation).view();
    const screen = layOut(view, "", { columns: 120, rows: 40 }, colourless);
    // The part beside the frame of 40 columns.
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
