// Tests problems in the field: servers with new addresses, networks that change, flood the board or fall silent, and a
// stack overflow. The board must recover, and must not restart because a server is down.

import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { BoardEnvironment, SERVICE_NAME } from "../../targets/workbench/board/board-environment.ts";
import { type Board, SERVICE_ADDRESS } from "../../targets/workbench/board/emulator.ts";
import { machine } from "../../targets/workbench/board/machines.ts";

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

let environment: BoardEnvironment;

beforeEach(() => {
  environment = new BoardEnvironment();
});

afterEach(() => environment.end());

/** Time limits shorter than the defaults, so that failed exchanges end soon. */
const limits = { connectSeconds: 20, exchangeSeconds: 40 };

const called = (board: Board, count = 1): Promise<void> => {
  board.press("a");
  return board.printed("api: status 200, error 0", count);
};

function broadcast(): Buffer {
  const frame = Buffer.alloc(1514, 0x55);
  frame.fill(0xff, 0, 6);
  frame.write("\x02picog", 6, "latin1");
  frame.writeUInt16BE(0x0800, 12);
  frame.writeUInt8(0x45, 14);
  frame.writeUInt16BE(1500, 16);
  frame.writeUInt8(17, 23);
  frame.fill(0xff, 30, 34);
  return frame;
}

describe("the service's address", () => {
  it("is resolved again when its TTL has expired (RFC 1035 section 3.2.1)", async () => {
    const board = await environment.signedIn({ limits });
    await called(board);
    const requested = board.network.requested.length;
    await pause(1000 * board.network.ttl + 3000);
    await called(board, 2);
    expect(board.network.requested.length).toBeGreaterThan(requested);
  });

  it("is resolved earlier after an exchange without a response", async () => {
    await environment.open();
    const board = environment.board({ page: environment.page({ limits }) });
    board.network.ttl = 86_400;
    board.network.names[SERVICE_NAME] = "10.0.2.77";
    await board.powerOn();
    await board.printed("connection: no response");
    board.network.names[SERVICE_NAME] = SERVICE_ADDRESS;
    await board.state("PENDING");
  });
});

describe.runIf(machine.hasLink)("the cable", () => {
  it("is plugged into another network: the board gets an address there, and continues", async () => {
    const board = await environment.signedIn({ limits });
    await board.plug(false);
    await board.printed("network: the cable is out");
    board.network.place = "elsewhere";
    await board.plug(true);
    await board.printed("network: address 10.0.3.");
    await called(board);
    expect(board.output.split("picogrant on")).toHaveLength(2);
  });
});

describe("a network that floods or falls silent", () => {
  it("a board survives a flood of broadcasts", async () => {
    const board = await environment.pending({ limits });
    const end = Date.now() + 8000;
    const frame = broadcast();
    while (Date.now() < end) {
      for (let count = 0; count < 200; count++) board.network.inject(frame);
      await pause(20);
    }
    expect(environment.service.approve(environment.pendingCode, "ada")).toBe("granted");
    await board.state("SIGNED_IN");
    await called(board);
    expect(board.output).not.toContain("restarting");
  });

  it("a board that receives nothing although there is a link restarts the interface, then the device", async () => {
    const board = await environment.signedIn({ limits });
    board.network.isCut = true;
    board.press("a");
    await board.printed(
      "network: no packets although there is a link; restarting the interface",
      3,
    );
    await board.printed("restarting the device");
    await board.printed("picogrant on", 2);
    board.network.isCut = false;
    await board.state("SIGNED_IN", 2);
    await called(board);
    expect(environment.responses("/device/code")).toEqual([200]);
  });
});

it("a stack overflow is reported, and the session resumes", async () => {
  const board = await environment.signedIn({ limits });
  board.press("d");
  await board.printed("stack overflow; restarting");
  await board.state("SIGNED_IN", 2);
  expect(environment.responses("/device/code")).toEqual([200]);
});
