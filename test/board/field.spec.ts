// What a board meets in its second month: servers that move, cables that are moved, networks that fall silent, and a
// stack that is used up. It mends what it can by itself, and restarts nothing because a server is away.

import { cpSync } from "node:fs";
import nacl from "tweetnacl";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { BoardWorld, SERVICE_NAME } from "../../targets/workbench/board/board-world.ts";
import { type Board, SECOND_SERVICE_ADDRESS } from "../../targets/workbench/board/emulator.ts";

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

let world: BoardWorld;

beforeEach(async () => {
  world = new BoardWorld();
  await world.open();
});

afterEach(() => world.end());

/** What does not answer is given up, and need not be waited for as long as a slow machine. */
const limits = { connectSeconds: 20, exchangeSeconds: 40 };

async function pendingBoard(): Promise<Board> {
  const board = world.board({ factoryPage: world.factoryPage({ limits }) });
  await board.powerOn();
  await board.state("PENDING");
  return board;
}

async function signedInBoard(): Promise<Board> {
  const board = await pendingBoard();
  expect(world.service.approve(world.pendingCode, "ada")).toBe("granted");
  await board.state("SIGNED_IN");
  return board;
}

const called = (board: Board, count = 1): Promise<void> => {
  board.press("a");
  return board.says("api: status 200, error 0", count);
};

/** A broadcast as long as a frame may be; nobody wants it. */
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

describe("the service's address changes", () => {
  it("the name is asked for again once its TTL is over (RFC 1035 section 3.2.1)", async () => {
    const board = await signedInBoard();
    board.network.ttl = 5;
    await called(board);
    // One that was learnt with the old TTL is used until that is over.
    await board.plug(false);
    // Whoever plugs it in again before the board has looked changes nothing.
    await board.says("network: the cable is out");
    await board.plug(true);
    await called(board, 2);
    const asked = board.network.asked.length;
    board.network.names[SERVICE_NAME] = SECOND_SERVICE_ADDRESS;
    board.network.silent.add("10.0.2.100");
    await pause(8000);
    await called(board, 3);
    expect(board.network.asked.length).toBeGreaterThan(asked);
    expect(board.output).not.toContain("connection: no answer");
  });

  it("and before that is over, after the first exchange without an answer", async () => {
    const board = await signedInBoard();
    board.network.ttl = 86_400;
    board.network.names[SERVICE_NAME] = SECOND_SERVICE_ADDRESS;
    board.network.silent.add("10.0.2.100");
    board.press("a");
    await board.says("connection: no answer");
    await board.until("a call that is answered", async () => {
      if (!board.output.includes("api: status 200")) board.press("a");
      await pause(1000);
      return board.output.includes("api: status 200");
    });
  });
});

describe("the cable", () => {
  it("is pulled out and put into another network: the board has an address there, and goes on", async () => {
    const board = await signedInBoard();
    await board.plug(false);
    await board.says("network: the cable is out");
    board.network.place = "elsewhere";
    await board.plug(true);
    await board.says("network: address 10.0.3.");
    await called(board);
    expect(board.output.split("picogrant on")).toHaveLength(2);
  });
});

describe("a network that floods or falls silent", () => {
  it("a storm of broadcasts is outlived", async () => {
    const board = await pendingBoard();
    const end = Date.now() + 8000;
    const frame = broadcast();
    while (Date.now() < end) {
      for (let count = 0; count < 200; count++) board.network.inject(frame);
      await pause(20);
    }
    expect(world.service.approve(world.pendingCode, "ada")).toBe("granted");
    await board.state("SIGNED_IN");
    await called(board);
    expect(board.output).not.toContain("restarting");
  });

  it("where nothing is heard although there is a link, the interface is restarted, then the device", async () => {
    const board = await signedInBoard();
    board.network.isCut = true;
    board.press("a");
    await board.says(
      "network: nothing is heard although there is a link; restarting the interface",
      3,
    );
    await board.says("restarting the device");
    await board.says("picogrant on", 2);
    board.network.isCut = false;
    await board.state("SIGNED_IN", 2);
    await called(board);
    expect(world.answers("/device/code")).toEqual([200]);
  });

  it("a server that is away is no reason to restart anything", async () => {
    const board = await signedInBoard();
    board.network.silent.add("10.0.2.100");
    board.press("a");
    await board.says("connection: no answer");
    await pause(90_000);
    expect(board.output).not.toContain("restarting");
  });
});

it("a stack that is used up is reported, and the board comes back signed in", async () => {
  const board = await signedInBoard();
  board.press("d");
  await board.says("stack overflow; restarting");
  await board.state("SIGNED_IN", 2);
  expect(world.answers("/device/code")).toEqual([200]);
});

describe("an update", () => {
  it("that brings nothing new costs one request", async () => {
    const board = await signedInBoard();
    await board.says("update: the running image is confirmed");
    world.publish({ kind: "complete", release: "1.0.0" });
    board.press("u");
    await board.says("update: up to date");
    expect(world.updates.asked).toEqual(["/picogrant-board/latest"]);
  });

  it.each([true, false])(
    "that breaks off goes on where it was; a server that knows ranges: %s",
    async (knows) => {
      const board = await signedInBoard();
      await board.says("update: the running image is confirmed");
      world.updates.knowsRanges = knows;
      world.publish({ kind: "complete", release: "1.1.0" });
      board.flash.cutAt(0);
      board.press("u");
      await board.until("half of the image", () => board.flash.steps > 500);
      // Any key comes first.
      board.press("m");
      await board.says("update: a key is pressed");
      await board.says("loader: tries slot B, release 1.1.0");
      await board.state("SIGNED_IN", 2);
      expect(world.updates.resumed).toHaveLength(1);
      expect(world.updates.resumed[0]).toBeGreaterThan(50_000);
    },
  );

  it("a key that is pressed meanwhile counts: whoever signs out is signed out", async () => {
    const board = await signedInBoard();
    await board.says("update: the running image is confirmed");
    world.publish({ kind: "complete", release: "1.1.0" });
    board.flash.cutAt(0);
    board.press("u");
    await board.until("some of the image", () => board.flash.steps > 100);
    board.press("o");
    await board.state("SIGNED_OUT");
    // The access token behind it is revoked by then.
    expect(world.answers("/revoke")).toEqual([200, 400]);
    await board.says("loader: tries slot B, release 1.1.0");
    // The session is over: the new release asks for a code.
    await board.state("PENDING", 2);
    expect(world.answers("/device/code")).toEqual([200, 200]);
  });

  it.each([
    ["one byte more", "length-wrong", (image: Uint8Array) => Buffer.concat([image, Buffer.of(0)])],
    ["one byte short", "truncated", (image: Uint8Array) => image.subarray(0, image.length - 1)],
  ] as const)("%s is %s", async (_, refusal, change) => {
    const board = await signedInBoard();
    await board.says("update: the running image is confirmed");
    world.publish({ kind: "complete", release: "1.1.0" }, undefined, change);
    board.press("u");
    await board.says(`update: refused: ${refusal}`);
  });
});

describe("what the maker sets, in the field", () => {
  it("another authority, before the one that devices trust ends; the session goes on", async () => {
    const board = await signedInBoard();
    await board.says("update: the running image is confirmed");
    const { first, next } = world.authorities;
    world.publishSettings(1, {}, [first, next]);
    board.press("u");
    await board.says("later settings: number 1");
    await board.state("SIGNED_IN", 2);
    await world.close();
    await world.open("next");
    await called(board);
    expect(world.answers("/device/code")).toEqual([200]);
  });

  it("texts; and settings that are older, a stranger's or damaged change nothing", async () => {
    const board = await signedInBoard();
    await board.says("update: the running image is confirmed");
    world.publishSettings(5, { messages: { signedIn: "Angemeldet" } });
    board.press("u");
    await board.says("later settings: number 5");
    await board.until("the text", () => board.frame[0] === "Angemeldet".padEnd(16));
    const stranger = nacl.sign.keyPair();
    world.publishSettings(6, { messages: { signedIn: "Strange" } }, undefined, stranger.secretKey);
    board.press("u");
    await board.says("update: refused: foreign-key");
    world.publishSettings(4, { messages: { signedIn: "Older" } });
    board.press("u");
    await board.says("update: up to date");
    await board.powerOff();
    await board.powerOn();
    await board.says("later settings: number 5");
    await board.until("the text", () => board.frame[0] === "Angemeldet".padEnd(16));
  });

  it("the power going at any step leaves the settings before, or the new ones, and the session", async () => {
    const board = await signedInBoard();
    await board.says("update: the running image is confirmed");
    world.publishSettings(1, { messages: { signedIn: "Number one" } });
    board.press("u");
    await board.until("number one", () => board.frame[0] === "Number one".padEnd(16));
    await board.powerOff();
    for (const file of [board.flash.path, board.eeprom]) cpSync(file, `${file}.before`);
    world.publishSettings(2, { messages: { signedIn: "Number two" } });
    const text = (): string => board.frame[0]?.trim() ?? "";
    const seen = new Set<string>();
    for (const step of [1, 2, 3, 4, 5, 6, 7, 8]) {
      for (const file of [board.flash.path, board.eeprom]) cpSync(`${file}.before`, file);
      board.flash.cutAt(step);
      await board.powerOn();
      await board.until("number one", () => text() === "Number one");
      board.press("u");
      const end = /flash: the power goes|restarting into it/;
      await board.until("the cut, or the end", () => end.test(board.output));
      await board.powerOff();
      board.flash.cutAt(0);
      await board.powerOn();
      await board.until("a session", () => text().startsWith("Number"));
      seen.add(text());
      await board.powerOff();
    }
    expect([...seen].sort()).toEqual(["Number one", "Number two"]);
    expect(world.answers("/device/code")).toEqual([200]);
  });
});
