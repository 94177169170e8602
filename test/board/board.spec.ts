// Tests the firmware on an emulated Cortex-M3 over HTTPS, in addition to `npm run board`: a missing seed, TLS records and
// sessions, power cuts, a hang, battery mode, the display's dots, settings pages, and a copy of the board's folder.

import { spawnSync } from "node:child_process";
import { once } from "node:events";
import { cpSync, readFileSync, renameSync } from "node:fs";
import { request as requestOf } from "node:http";
import { createServer, type Server } from "node:https";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { BoardEnvironment } from "../../targets/workbench/board/board-environment.ts";
import { boardFolder, boardPort, portFolder } from "../../targets/workbench/board/build.ts";
import { GLYPH_COLUMNS, glyphOf } from "../../targets/workbench/board/font.ts";
import { machine } from "../../targets/workbench/board/machines.ts";

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** In seconds since 1970: the creation time of a page that replaces the first page. The first page is an hour older. */
const LATER = Math.floor(Date.now() / 1000);

let environment: BoardEnvironment;

beforeEach(() => {
  environment = new BoardEnvironment();
});

afterEach(() => environment.end());

/** Starts the service behind a TLS server of the test. With `isLong`, the API's responses fill TLS records. */
async function openBehind(prepare: (server: Server) => void, isLong = false): Promise<void> {
  await environment.open("plain");
  const { port } = environment;
  const { key, chain } = environment.trusted;
  const server = createServer({ key, cert: chain.join("\n") }, (request, response) => {
    if (isLong && request.url?.startsWith("/video/")) {
      response.end(Buffer.alloc(60_000, "x"));
      return;
    }
    const { method, url, headers } = request;
    const there = requestOf({ port, method, path: url, headers }, (result) => {
      response.writeHead(result.statusCode ?? 500, result.headers);
      result.pipe(response);
    });
    there.on("error", () => response.destroy());
    request.pipe(there);
  });
  onTestFinished(() => void server.close());
  prepare(server);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  environment.port = (server.address() as AddressInfo).port;
}

it("the board refuses TLS without a seed, and uses the stored one", async () => {
  await environment.open();
  const seedless = environment.page({}, { seed: Buffer.alloc(0) });
  const board = environment.board({ page: seedless });
  await board.powerOn();
  await board.printed("connection: there is no seed");
  expect(environment.responses("/device/code")).toEqual([]);
  await board.end();

  // The page contains the first seed. At each start, the board creates a new seed, and uses none twice.
  const seeded = environment.board();
  const at = 32_768 - machine.eepromPage;
  const seed = (): string => readFileSync(seeded.eeprom).toString("hex", at, at + 32);
  await seeded.powerOn();
  await seeded.state("REQUESTING");
  await seeded.end();
  const first = seed();
  const later = environment.board({ page: seedless });
  await later.powerOn();
  await later.state("PENDING");
  expect(seed()).not.toBe(first);
  expect(first).not.toMatch(/^(ff)+$/);
});

it("if its buffers are large enough, it does not request shorter records (RFC 6066 section 4), and accepts 16 KiB", async () => {
  await openBehind(() => undefined, true);
  const board = environment.board({ kind: "full" });
  await board.powerOn();
  await board.state("PENDING");
  expect(environment.service.approve(environment.pendingCode, "ada")).toBe("granted");
  await board.state("SIGNED_IN");
  board.press("a");
  await board.printed("api: status 200, error 0, 60000 bytes");
});

it("it resumes a TLS session that the server knows, and otherwise checks the certificate again", async () => {
  const sessions = new Map<string, Buffer>();
  const resumed: boolean[] = [];
  await openBehind((server) => {
    server.on("newSession", (id: Buffer, session: Buffer, done: () => void) => {
      sessions.set(id.toString("hex"), session);
      done();
    });
    server.on("resumeSession", (id: Buffer, done: (error: null, session: Buffer | null) => void) =>
      done(null, sessions.get(id.toString("hex")) ?? null),
    );
    server.on("secureConnection", (socket) => resumed.push(socket.isSessionReused()));
  });
  const board = environment.board();
  await board.powerOn();
  await board.until("polls", () => resumed.length > 3);
  expect(resumed.slice(0, 4)).toEqual([false, true, true, true]);
  const before = sessions.size;
  sessions.clear();
  const known = resumed.length;
  await board.until("polls after the server has deleted it", () => resumed.length > known + 3);
  expect(resumed.slice(known).filter((one) => !one)).toHaveLength(1);
  expect([before, sessions.size]).toEqual([1, 1]);
});

it("repeated power cuts during a resume and a refresh never lose the session", async () => {
  const board = await environment.signedIn();
  const start = async (): Promise<void> => {
    await board.powerOff();
    await board.powerOn();
    await board.printed("picogrant on");
  };
  // Each start refreshes the token and stores the new one. The power fails at different times during a start. The
  // duration of a start depends on the machine, so measure it first.
  await start();
  const began = Date.now();
  await board.state("SIGNED_IN");
  const tookMs = Date.now() - began;
  for (const share of [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 1]) {
    await start();
    await pause(share * tookMs);
  }
  await board.powerOff();
  await board.powerOn();
  await board.state("SIGNED_IN");
  expect(environment.responses("/device/code")).toEqual([200]);
});

it("the watchdog resets a firmware that hangs, and the session resumes", async () => {
  const board = await environment.signedIn();
  board.press("h");
  await board.printed("hangs");
  await board.printed("watchdog: the loop has not come round; restarting");
  await board.state("SIGNED_IN", 2);
  expect(environment.responses("/device/code")).toEqual([200]);
});

it("on batteries the display does not change between polls, and polls continue (host.h, countdown_ms)", async () => {
  await environment.end();
  environment = new BoardEnvironment({ interval: 5 });
  await environment.open();
  // This display is wide enough for the countdown.
  const page = environment.page({ display: { columns: 20, rows: 4 } });
  const board = environment.board({ page });
  await board.powerOn();
  await board.state("PENDING");
  const polls = (): number => environment.responses("/token").length;
  const frames = (): number => board.output.split("+\n|").length;
  /** Waits until the board has printed this many frames between two token requests. */
  const moves = (count: number): Promise<void> => {
    let [poll, first] = [polls(), frames()];
    return board.until(`${count} frames between two polls`, () => {
      if (polls() !== poll) [poll, first] = [polls(), frames()];
      return frames() - first >= count;
    });
  };
  const standsStill = (ms: number): Promise<void> => {
    let [last, since] = [frames(), Date.now()];
    return board.until(`a display that stands still for ${ms} ms`, () => {
      if (frames() !== last) [last, since] = [frames(), Date.now()];
      return Date.now() - since > ms;
    });
  };
  await moves(4);
  board.press("b");
  await board.printed("batteries: ");
  await standsStill(4000);
  const before = polls();
  await board.until("further polls", () => polls() > before + 1);
  board.press("b");
  await board.printed("mains: ");
  await moves(4);
});

const COLUMNS = 16;
const ROWS = 2;
const CELL_COLUMNS = GLYPH_COLUMNS + 1;
const CELL_ROWS = 8;
const DOT = 4;

function readPicture(file: string): { width: number; height: number; pixels: Buffer } {
  const bytes = readFileSync(file);
  const head = /^P6\s(\d+) (\d+)\s255\s/.exec(bytes.toString("latin1", 0, 40))!;
  return {
    width: Number(head[1]),
    height: Number(head[2]),
    pixels: bytes.subarray(head[0].length),
  };
}

/** Reads the emulator's picture of the display as text; "\u0000" for a cell that shows no character of the font. */
function oledText(file: string): string[] {
  const { width, height, pixels } = readPicture(file);
  const { panel } = machine;
  if (width !== panel.width * DOT || height !== panel.height * DOT) {
    throw new Error(`the panel is ${width} x ${height}`);
  }
  const isLit = (x: number, y: number): boolean => pixels[3 * (y * DOT * width + x * DOT)]! > 127;
  const characterAt = (row: number, column: number): string => {
    const dots = Array.from({ length: GLYPH_COLUMNS }, (_, x) =>
      Array.from({ length: CELL_ROWS }, (_, y) =>
        isLit(panel.left + column * CELL_COLUMNS + x, panel.top + row * CELL_ROWS + y) ? 1 << y : 0,
      ).reduce((sum, bit) => sum + bit, 0),
    ).join();
    for (let code = 32; code < 127; code++) {
      if (glyphOf(code).join() === dots) return String.fromCharCode(code);
    }
    return "\u0000";
  };
  return Array.from({ length: ROWS }, (_, row) =>
    Array.from({ length: COLUMNS }, (_, column) => characterAt(row, column)).join(""),
  );
}

it("the display shows the frame's characters, dot by dot", async () => {
  const board = await environment.pending();
  const file = join(environment.folder, "panel.ppm");
  // The address scrolls, so the picture may show the frame before or after this one.
  const frames: string[] = [];
  await board.until("a picture of one of the frames, with the code", async () => {
    frames.push(board.frame.join("\n"));
    await board.picture(file, "ppm");
    const shown = oledText(file).join("\n");
    await pause(100);
    frames.push(board.frame.join("\n"));
    return frames.includes(shown) && shown.includes(environment.pendingCode);
  });
});

describe("settings pages (page.h)", () => {
  it("a later page with another authority replaces the current one, and the session continues", async () => {
    const board = await environment.signedIn();
    const { first, next } = environment.authorities;
    await board.powerOff();
    board.flash.program(1, environment.page({}, { authorities: [first, next], madeAt: LATER }));
    await board.powerOn();
    await board.printed("settings: page 1");
    await board.state("SIGNED_IN");
    await environment.close();
    await environment.open("next");
    board.press("a");
    await board.printed("api: status 200, error 0");
    expect(environment.responses("/device/code")).toEqual([200]);
  });

  it("after a power cut during a write, the previous page and the session stay, and the display reports it", async () => {
    const board = await environment.signedIn();
    await board.powerOff();
    const page = environment.page({}, { madeAt: LATER });
    for (const size of [1, page.length >> 1, page.length - 1]) {
      board.flash.program(1, page.subarray(0, size));
      await board.powerOn();
      await board.printed("page 1: is damaged");
      expect(board.frame.map((line) => line.trim())).toEqual([
        "Settings broken",
        "Contact support",
      ]);
      await board.printed("settings: page 0");
      await board.state("SIGNED_IN");
      await board.powerOff();
    }
    expect(environment.responses("/device/code")).toEqual([200]);
  });
});

it.runIf(machine.name === "mps2")(
  "a copy of the board's folder, with a renamed machine folder, builds the same firmware (README.md)",
  () => {
    const folder = join(environment.folder, "my-board");
    cpSync(boardPort, folder, { recursive: true, preserveTimestamps: true });
    const board = (name: string) =>
      spawnSync("npx", ["tsx", "scripts/board.ts", "--port", folder, "--machine", name], {
        encoding: "utf8",
      });
    expect(board("mine").stderr).toBe(
      `board: there is no mine/machine.mk in ${folder}: copy a machine's folder there\n`,
    );
    renameSync(join(folder, machine.name), join(folder, "mine"));
    const { stdout, status } = board("mine");
    expect([status, stdout]).toEqual([0, expect.stringContaining("the firmware has ")]);
    const machineCode = (built: string): Buffer => readFileSync(`${built}complete/firmware.bin`);
    expect(machineCode(portFolder).equals(machineCode(boardFolder))).toBe(true);
  },
);
