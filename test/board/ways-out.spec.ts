// What a person at the board can do where the server refuses it, by its keys (SPEC.md, Errors); and servers that take
// JSON in place of forms (RFC 9110 section 15.5.16), as the settings page says or as their refusal does.

import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { BoardWorld } from "../../targets/workbench/board/board-world.ts";
import type { Board } from "../../targets/workbench/board/emulator.ts";
import { PATIENCE_MS } from "../patience.ts";
import { type Key, pressUntil, WAYS_OUT, wayOutName } from "../ways-out.ts";

const KEYS: Readonly<Record<Key, string>> = { "sign-in": "s", cancel: "c", "sign-out": "o" };
let world: BoardWorld;

beforeEach(async () => {
  world = new BoardWorld();
  await world.open();
});
afterEach(() => world.end());

async function signIn(board: Board, count = 1): Promise<void> {
  await board.state("PENDING", count);
  await board.until("a code", () => world.pendingCode !== "");
  expect(world.service.approve(world.pendingCode, "ada")).toBe("granted");
  await board.state("SIGNED_IN", count);
}

/** Each key once: a board takes its time. The other hosts are tried with all of them. */
const ONCE = WAYS_OUT.filter(
  ({ keys }, at) => WAYS_OUT.findIndex((way) => way.keys.join() === keys.join()) === at,
);

describe("keys", () => {
  it.each(ONCE.map((way) => [wayOutName(way), way] as const))("%s", async (_, way) => {
    const board = world.board();
    await board.powerOn();
    await signIn(board);
    await board.powerOff();
    const asked = world.answers("/token").length;
    // Nobody listens there: the network says so, or says nothing.
    if (way.meets === "silent") await world.close();
    else world.service.setOptions({ provoke: { refresh: way.meets } });
    await board.powerOn();
    await board.state("REFRESHING");
    if (way.meets !== "silent") {
      await board.until("a refresh", () => world.answers("/token").length > asked);
    }
    let isThere = false;
    void board.state(way.ends).then(() => {
      isThere = true;
    });
    await pressUntil(
      way.keys,
      (key) => board.press(KEYS[key]),
      () => isThere,
      PATIENCE_MS,
    );
  });
});

it("RFC 9470: where an API wants another sign-in nothing is refreshed, and the log says so", async () => {
  world.service.setOptions({ stepUp: { acr: "urn:picogrant:acr:two-factor" } });
  const board = world.board();
  await board.powerOn();
  await signIn(board);
  const asked = world.answers("/token").length;
  board.press("a");
  await board.says("api: it wants another sign-in");
  expect(board.output).toContain("api: status 403");
  expect(world.answers("/token")).toHaveLength(asked);
});

describe("JSON in place of forms", () => {
  it.each([
    ["as the settings page says", { bodies: "json" }, [200]],
    ["found out by a 415", {}, [415, 200]],
  ])("%s", async (_, config, codes) => {
    world.service.setOptions({ bodies: "json" });
    const board = world.board({ page: world.page(config) });
    await board.powerOn();
    await signIn(board);
    expect(world.answers("/device/code")).toEqual(codes);
  });
});
