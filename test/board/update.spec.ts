// Signed images on the board (targets/image/FORMAT.md): what its boot loader starts and what it refuses, the
// update that the firmware makes by itself, and the power going at any step of that.

import { cpSync } from "node:fs";
import nacl from "tweetnacl";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { makeLoaderPage } from "../../targets/image/loader-page.ts";
import { BoardWorld } from "../../targets/workbench/board/board-world.ts";
import type { Board, BoardSettings } from "../../targets/workbench/board/emulator.ts";
import { PRODUCT } from "../../targets/workbench/board/images.ts";

const kind = "complete";
/** Behind the loader's first line comes what this start says. */
const FIRST = "loader: runs slot A, release 1.0.0";
const CONFIRMED = "update: the running image is confirmed";

let world: BoardWorld;

beforeEach(async () => {
  world = new BoardWorld();
  await world.open();
});

afterEach(() => world.end());

/** A board that is signed in, and whose first image is confirmed. */
async function signedInBoard(settings: Partial<BoardSettings> = {}): Promise<Board> {
  const board = world.board(settings);
  await board.powerOn();
  await board.says(FIRST);
  await board.state("PENDING");
  expect(world.service.approve(world.pendingCode, "ada")).toBe("granted");
  await board.state("SIGNED_IN");
  await board.says(CONFIRMED);
  return board;
}

/** A vector table and machine code behind it, as an image's payload for slot B. */
function program(...instructions: number[]): Uint8Array {
  const SLOT_B_VECTORS = 0x2106_0100;
  const VECTORS = 8;
  const payload = Buffer.alloc(16 + VECTORS + 2 * instructions.length + 8);
  payload.writeUInt32LE(0x2000_1000, 16);
  payload.writeUInt32LE(SLOT_B_VECTORS + VECTORS + 1, 20);
  instructions.forEach((instruction, index) => {
    payload.writeUInt16LE(instruction, 16 + VECTORS + 2 * index);
  });
  return payload;
}

/** A program that does nothing but ask for a reset: it never confirms. */
function resettingProgram(): Uint8Array {
  // ldr r0, [pc, #4]; ldr r1, [pc, #8]; str r1, [r0]; b .; the address of the register, and what goes there.
  const payload = Buffer.from(program(0x4801, 0x4902, 0x6001, 0xe7fe));
  payload.writeUInt32LE(0xe000_ed0c, payload.length - 8);
  payload.writeUInt32LE(0x05fa_0004, payload.length - 4);
  return payload;
}

describe("the boot loader", () => {
  it("starts nothing that its key has not signed, and says why", async () => {
    const stranger = nacl.sign.keyPair();
    const image = world.image({ kind, slot: "a", release: "1.0.0" }, stranger.secretKey);
    const board = world.board({ image });
    await board.powerOn();
    await board.says("loader: foreign-key");
    expect(board.output).not.toContain("picogrant on");
  });

  it("starts nothing of which one bit is another", async () => {
    const image = Buffer.from(world.image({ kind, slot: "a", release: "1.0.0" }));
    image[image.length >> 1]! ^= 1;
    const board = world.board({ image });
    await board.powerOn();
    await board.says("loader: damaged");
  });

  it("starts nothing that is linked for the other slot", async () => {
    const board = world.board({ image: world.image({ kind, slot: "b", release: "1.0.0" }) });
    await board.powerOn();
    await board.says("loader: wrong-abi");
  });

  it("starts nothing below the counter of its hardware", async () => {
    const loaderPage = makeLoaderPage(PRODUCT, [world.maker.publicKey], 2);
    const board = world.board({ loaderPage });
    await board.powerOn();
    await board.says("loader: rollback");
  });

  it("FORMAT.md, what an integrator locks: an older image is refused though both boot records were deleted, by the counter of the hardware alone", async () => {
    const newer = world.image({ kind, slot: "a", release: "2.0.0", counter: 7 });
    const older = world.image({ kind, slot: "a", release: "1.0.0", counter: 1 });
    const board = world.board({ image: newer });
    await board.powerOn();
    await board.says("loader: runs slot A, release 2.0.0");
    await board.state("PENDING");
    expect(world.service.approve(world.pendingCode, "ada")).toBe("granted");
    await board.says(CONFIRMED);
    await board.powerOff();

    // The record that the confirmation wrote refuses it.
    board.flash.program("a", older);
    await board.powerOn();
    await board.says("loader: rollback");
    await board.powerOff();

    // Whoever can write the record's sectors gets it in: they have to be locked where nothing else counts.
    board.flash.eraseRecords();
    await board.powerOn();
    await board.says(FIRST);
    await board.end();

    // The loader is told where the hardware's counter stands: the record makes no difference then.
    const counts = world.board({ loaderPage: makeLoaderPage(PRODUCT, [world.maker.publicKey], 7) });
    counts.flash.eraseRecords();
    await counts.powerOn();
    await counts.says("loader: rollback");
    expect(counts.output).not.toContain("picogrant on");
    await counts.powerOff();
    counts.flash.program("a", newer);
    await counts.powerOn();
    await counts.says("loader: runs slot A, release 2.0.0");
  });

  it("starts nothing without its page", async () => {
    const board = world.board({ loaderPage: undefined });
    await board.powerOn();
    await board.says("loader: its page is not programmed, or damaged");
  });
});

describe("an update by the board itself", () => {
  it("is refused where it is no image of the maker's for this device; the board goes on as it was", async () => {
    const board = await signedInBoard();
    const stranger = nacl.sign.keyPair();
    const spoilt = (image: Uint8Array): Uint8Array => {
      const changed = Uint8Array.from(image);
      changed[changed.length - 40]! ^= 1;
      return changed;
    };
    const offers: readonly [string, () => void][] = [
      ["the server has none", () => undefined],
      ["refused: signature-wrong", () => publish({}, world.maker.secretKey, spoilt)],
      ["refused: foreign-key", () => publish({}, stranger.secretKey)],
      ["refused: wrong-product", () => publish({ product: "another-board" })],
      ["refused: truncated", () => publish({}, undefined, (image) => image.subarray(0, 5000))],
      ["refused: not-an-image", () => publish({}, undefined, () => Buffer.alloc(5000, 1))],
      ["it is longer than a slot", () => publish({}, undefined, () => Buffer.alloc(0x5_0001, 1))],
    ];
    function publish(change: object, ...how: [Uint8Array?, ((image: Uint8Array) => Uint8Array)?]) {
      world.publish({ kind, release: "1.1.0", ...change }, ...how);
    }
    for (const [complaint, offer] of offers) {
      offer();
      board.press("u");
      await board.says(`update: ${complaint}`);
    }
    // The deepest of the stack was while the boot loader checked a signature.
    const { stack } = await board.measure();
    expect(stack.used).toBeLessThan(stack.size);
    board.press("a");
    await board.says("api: status 200, error 0");
    board.press("r");
    await board.says(FIRST, 2);
    await board.state("SIGNED_IN", 2);
    expect(board.output).not.toContain("loader: the trial");
    expect(world.answers("/device/code")).toEqual([200]);
  });

  it("goes to and fro between the slots; from then on an older security counter is refused", async () => {
    const board = await signedInBoard();
    world.publish({ kind, release: "2.0.0", counter: 7 });
    board.press("u");
    await board.says("loader: tries slot B, release 2.0.0");
    await board.state("SIGNED_IN", 2);
    await board.says(CONFIRMED, 2);
    world.publish({ kind, release: "1.9.9", counter: 6 });
    board.press("u");
    await board.says("update: refused: rollback");
    world.publish({ kind, release: "2.1.0", counter: 7 });
    board.press("u");
    await board.says("loader: tries slot A, release 2.1.0");
    await board.state("SIGNED_IN", 3);
    await board.says(CONFIRMED, 3);
    expect(world.answers("/device/code")).toEqual([200]);
  });

  it("that is never confirmed has three starts; then the image before runs again, with its session", async () => {
    const board = await signedInBoard();
    world.publish({ kind, release: "6.6.6", payload: resettingProgram() });
    board.press("u");
    await board.says("loader: tries slot B, release 6.6.6", 3);
    await board.says("loader: the trial in slot B was not confirmed, and is given up");
    await board.says(FIRST, 2);
    await board.state("SIGNED_IN", 2);
    expect(board.output.split("loader: tries slot B")).toHaveLength(4);
  });

  it("waits until the image that runs is confirmed: the other slot is what it would go back to", async () => {
    await world.close();
    const board = world.board();
    await board.powerOn();
    await board.says("connection: ");
    world.publish({ kind, release: "1.1.0" });
    board.press("u");
    await board.says("update: refused: the image that runs");
    expect(world.updates.asked).toEqual(["/picogrant-board/latest"]);
  });

  it("whose connection breaks in the middle leaves the board as it was, and is made again", async () => {
    const board = await signedInBoard();
    world.publish({ kind, release: "1.1.0" });
    board.flash.cutAt(0);
    board.press("u");
    await board.until("half of the image", () => board.flash.steps > 500);
    board.network.isCut = true;
    await board.says("update: nothing more has come from the server");
    board.network.isCut = false;
    board.press("u");
    await board.says("loader: tries slot B, release 1.1.0");
    await board.says(CONFIRMED, 2);
  });

  it("survives the power going in the middle of any step: the old image or the new one, and the session", async () => {
    const board = await signedInBoard();
    await board.powerOff();
    // Everything that lasts, as it was before the update.
    for (const file of [board.flash.path, board.eeprom]) cpSync(file, `${file}.before`);
    const update = async (cutAt: number): Promise<void> => {
      for (const file of [board.flash.path, board.eeprom]) cpSync(`${file}.before`, file);
      board.flash.cutAt(cutAt);
      await board.powerOn();
      await board.says(CONFIRMED);
      board.press("u");
    };
    world.publish({ kind, release: "1.1.0" });
    await update(0);
    await board.says("loader: tries slot B, release 1.1.0");
    await board.says(CONFIRMED, 2);
    const all = board.flash.steps;
    await board.powerOff();

    // The slot's first steps and its last, some between them; both steps of each boot record: the trial's, the
    // start's that takes a try away, the confirmation's.
    const seed = Number(process.env.PICOGRANT_SEED ?? Date.now() % 10_000);
    const between = [1, 2, 3].map((n) => 3 + ((seed * 7919 + n * 104_729) % (all - 10)));
    const lasts = [7, 6, 5, 4, 3, 2, 1, 0].map((back) => all - back);
    for (const step of [1, 2, ...between, ...lasts]) {
      const where = `step ${step} of ${all}, PICOGRANT_SEED=${seed}`;
      await update(step);
      await board.says("flash: the power goes");
      await board.powerOff();
      await board.powerOn();
      await board.state("SIGNED_IN");
      await board.says(CONFIRMED);
      const [, release] = /loader: .*release (\S+)/.exec(board.output)!;
      // Once the record names the trial the new image runs, before that the old one.
      expect(release, where).toBe(step > all - 4 ? "1.1.0" : "1.0.0");
      expect(world.answers("/device/code"), where).toEqual([200]);
      await board.powerOff();
    }
  });
});
