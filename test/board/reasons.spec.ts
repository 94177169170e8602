// Tests the reasons of platform/display/reasons.ts that end or prevent a connection. The display must show each reason
// with its remedy, also in the device's language.

import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { createServer } from "node:tls";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { reasons } from "../../platform/display/reasons.ts";
import { DEMANDING, OUTDATED } from "../../targets/command/conform/conformance-server.ts";
import { BoardEnvironment, SERVICE_NAME } from "../../targets/workbench/board/board-environment.ts";
import { type Board, SERVICE_ADDRESS } from "../../targets/workbench/board/emulator.ts";
import { machine } from "../../targets/workbench/board/machines.ts";

let environment: BoardEnvironment;

beforeEach(() => {
  environment = new BoardEnvironment();
});

afterEach(() => environment.end());

const limits = { connectSeconds: 15, exchangeSeconds: 30 };

const linesOf = (text: string): string[] => text.split("|").map((half) => half.padEnd(16));

async function shows(board: Board, name: string): Promise<void> {
  const { text } = reasons.find((reason) => reason.name === name)!;
  await board.until(text, () => board.frame.join("|") === linesOf(text).join("|"));
}

function board(settings: Parameters<BoardEnvironment["board"]>[0] = {}): Board {
  return environment.board({ page: environment.page({ limits }), ...settings });
}

it("each fits the smallest display", () => {
  for (const { text } of reasons) expect(text).toMatch(/^[ -{}~]{1,16}\|[ -{}~]{1,16}$/);
});

it.runIf(machine.hasLink)("noCable; the board continues when the cable is back", async () => {
  await environment.open();
  const one = board();
  await one.powerOn();
  await one.printed("picogrant on");
  await one.plug(false);
  await shows(one, "noCable");
  await one.plug(true);
  await one.state("PENDING");
  expect(one.frame.join(" ")).toContain(environment.pendingCode);
});

it("noAddress", async () => {
  await environment.open();
  const one = board();
  one.network.isCut = true;
  await one.powerOn();
  await shows(one, "noAddress");
});

it("nameNotFound", async () => {
  await environment.open();
  const one = board({ names: [] });
  await one.powerOn();
  await shows(one, "nameNotFound");
});

it("serverSilent; the board does not restart because a server is down", async () => {
  await environment.open();
  const one = board();
  one.network.silent.add(SERVICE_ADDRESS);
  await one.powerOn();
  await shows(one, "serverSilent");
  await new Promise((resolve) => setTimeout(resolve, 30_000));
  expect(one.output).not.toContain("restarting");
});

it("unavailable", async () => {
  await environment.open();
  const one = board();
  await environment.close();
  await one.powerOn();
  await shows(one, "unavailable");
});

it.each([
  ["otherName", "otherName"],
  ["outOfDate", "expired"],
  ["unknownAuthority", "untrusted"],
] as const)("%s, if the certificate is %s", async (name, identity) => {
  await environment.open(identity);
  const one = board();
  await one.powerOn();
  await shows(one, name);
});

it.each([
  ["tlsTooOld", OUTDATED],
  ["clientCertificate", DEMANDING],
] as const)("%s: a server that aborts the handshake", async (name, options) => {
  await environment.open();
  const { key, chain } = environment.trusted;
  const server = createServer({ key, cert: chain[0], ...options }).listen(0, "127.0.0.1");
  server.on("tlsClientError", () => undefined).unref();
  await once(server, "listening");
  environment.port = (server.address() as AddressInfo).port;
  const one = board();
  await one.powerOn();
  await shows(one, name);
});

it("settingsBroken", async () => {
  await environment.open();
  const page = environment.page();
  page[page.length - 1]! ^= 1;
  const one = board({ page });
  await one.powerOn();
  await shows(one, "settingsBroken");
});

it("noSeed", async () => {
  await environment.open();
  const one = board({ page: environment.page({ limits }, { seed: Buffer.alloc(0) }) });
  await one.powerOn();
  await shows(one, "noSeed");
});

it("in the device's language, in the characters of its display", async () => {
  await environment.open();
  const own = { nameNotFound: "Name unbekannt|Router pr\u00fcfen" };
  const messages = { requesting: "Code wird geholt" };
  const one = board({ names: [], page: environment.page({ limits, reasons: own, messages }) });
  await one.powerOn();
  const lines = own.nameNotFound.split("|").map((half) => half.padEnd(16));
  await one.until("the reason", () => one.frame.join("|") === lines.join("|"));
  expect(one.output).toContain("|Code wird geholt|");
});

it("clockWrong: without a time source, the board only requests the time", async () => {
  await environment.open();
  const { key, chain } = environment.trusted;
  const requested: string[] = [];
  const server = createServer({ key, cert: chain.join("") }, (socket) => {
    socket
      .on("error", () => undefined)
      .once("data", (bytes) => {
        requested.push(String(bytes));
        socket.end("HTTP/1.1 404 Not Found\r\nContent-Length: 2000000\r\n\r\n");
      });
  });
  await once(server.listen(0, "127.0.0.1").unref(), "listening");
  environment.port = (server.address() as AddressInfo).port;
  const one = board({ hasClock: false });
  // This time is earlier than the creation of the page, so it must be wrong.
  one.network.time = () => Date.UTC(2020, 0, 1);
  await one.powerOn();
  await shows(one, "clockWrong");
  expect(new Set(requested.map((request) => request.split("\r\n")[0]))).toEqual(
    new Set(["HEAD / HTTP/1.1"]),
  );
  one.network.time = Date.now;
  await one.until("a request", () => requested.some((request) => request.startsWith("POST")));
});

it.each([
  ["no server responds", undefined],
  ["one is wrong", () => Date.now() + 3e9],
])("without a clock, the board stores the server's Date; time servers: %s", async (_, time) => {
  await environment.open();
  const one = board({ hasClock: false });
  one.network.time = time;
  await one.powerOn();
  await one.printed("clock: set by the server");
  await one.state("PENDING");
  expect(one.output).not.toContain("connection:");
});

const TIME_SERVER = "time.picogrant.test";
it.each([true, false])("sends one request to a time server; DHCP names it: %s", async (isGiven) => {
  await environment.open();
  const page = environment.page({ limits, timeServer: TIME_SERVER });
  const one = board({ page, hasClock: false, names: [SERVICE_NAME, TIME_SERVER] });
  const time = vi.fn(Date.now);
  Object.assign(one.network, { time, namesTimeServer: isGiven });
  await one.powerOn();
  await one.state("PENDING");
  expect(time).toHaveBeenCalledOnce();
  expect(one.network.requested.includes(TIME_SERVER)).toBe(!isGiven);
});
