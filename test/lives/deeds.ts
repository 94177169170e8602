// What people do in a life: the user of the device, the account's owner, administrators, and whoever
// pulls the plug. Each deed is one entry; when it is done is life.ts's to draw.

import type { Service } from "../../targets/service/index.ts";
import type { Board } from "./board.ts";
import { callApi, pollEvents } from "./calls.ts";
import type { Roll } from "./dice.ts";
import type { Oracle } from "./oracle.ts";
import type { Slots } from "./slots.ts";
import { PowerCut } from "./violation.ts";

export interface World {
  board: Board;
  service: Service;
  oracle: Oracle;
  slots: Slots;
  /** The device and all around it sleep: time passes, nothing happens. */
  sleep(ms: number): void;
}

const SECONDS = 1000;
const HOUR = 3_600_000;

/** Code on the display now, as a person reads it; "" where there is none. */
export function codeRead({ board, oracle }: World): string {
  return oracle.ledger.codesIn(board.frame)[0]?.userCode ?? "";
}

function claims(type: string, more: object, roll: Roll): Uint8Array {
  const event = { [`https://schemas.openid.net/secevent/${type}`]: more };
  // Now and then the same identifier again: a duplicate.
  const jti = `jti-${roll.below(6)}`;
  return Buffer.from(JSON.stringify({ iss: "https://auth.test", jti, events: event }));
}

function event({ board }: World, type: string, more: object, roll: Roll): void {
  const { driver } = board;
  if (!driver) return;
  const bytes = claims(type, more, roll);
  driver.core.applySecurityEvent?.(driver.device, bytes, 0, bytes.length);
  driver.run();
}

function user(world: World, act: () => void): void {
  world.oracle.userActed();
  act();
}

/** Deeds and how likely they are; a life weighs them anew. */
export const DEEDS: Readonly<Record<string, (world: World, roll: Roll) => void>> = {
  approve: (world, roll) => {
    const account = roll.chance(0.9) ? "ada" : "pupil";
    world.service.approve(codeRead(world), account, roll.chance(0.05) ? { accessSeconds: 30 } : {});
  },
  deny: (world) => void world.service.deny(codeRead(world)),
  "mistype-code": (world) => void world.service.approve(`${codeRead(world)}B`, "ada"),
  "sign-in": (world) => user(world, () => world.board.driver?.signIn()),
  cancel: (world) => user(world, () => world.board.driver?.cancel()),
  "sign-out": (world) => user(world, () => world.board.driver?.signOut()),
  "set-status": ({ board }, roll) => board.driver?.setStatus("live ".repeat(roll.below(20))),
  "call-api": ({ board }) => void callApi(board),
  unplug: () => {
    throw new PowerCut();
  },
  sleep: (world, roll) => world.sleep(roll.spread(SECONDS, 50 * HOUR)),
  nap: (world, roll) => world.sleep(roll.spread(SECONDS, 100 * SECONDS)),
  "revoke-grants": ({ service }) => void service.revokeAllFor("ada"),
  "disable-account": ({ service }) => service.disableAccount("ada"),
  "enable-account": ({ service }) => service.enableAccount("ada"),
  "restart-service": ({ service }, roll) => service.restart({ loseCodes: roll.chance(0.5) }),
  "rotate-from-now": ({ service }, roll) =>
    service.setOptions({ refreshTokenRotation: roll.chance(0.7) }),
  "sessions-revoked": (world, roll) =>
    event(world, "risc/event-type/sessions-revoked", { subject: {} }, roll),
  "token-revoked": (world, roll) =>
    event(
      world,
      "oauth/event-type/token-revoked",
      roll.pick([
        { subject: {} },
        { subject: { token_identifier_alg: "prefix", token: "pgr.AAAAAAAAAAAA" } },
        { subject: { token_identifier_alg: "hash_SHA512_double", token: "aGFzaA" } },
      ]),
      roll,
    ),
  "account-disabled": (world, roll) =>
    event(world, "risc/event-type/account-disabled", { reason: "hijacking" }, roll),
  "bit-rot": ({ slots }, roll) => slots.rot(roll),
  "poll-events": ({ board }) => void pollEvents(board),
  "sign-out-everywhere": ({ service }) => void service.signOutEverywhere("ada"),
};

/** What is done besides in a life with a stream of events, as often as it stands here. */
export const EVENT_DEEDS: readonly string[] = [
  ...Array<string>(12).fill("poll-events"),
  "sign-out-everywhere",
  "revoke-grants",
  "disable-account",
];

const WEIGHTS: Readonly<Record<string, number>> = {
  approve: 12,
  "call-api": 4,
  "sign-in": 3,
  "sign-out": 2,
  unplug: 3,
  nap: 2,
  "bit-rot": 0.3,
  "account-disabled": 0.4,
  "disable-account": 0.4,
  sleep: 0.5,
};

/** The deeds of one life, each as often as it is likely: some are never done in it. */
export function repertoire(roll: Roll): string[] {
  const list: string[] = ["approve"];
  for (const deed of Object.keys(DEEDS)) {
    if (EVENT_DEEDS[0] === deed || deed === "sign-out-everywhere") continue;
    const weight = (WEIGHTS[deed] ?? 1) * roll.pick([0, 0.5, 1, 1, 3]);
    for (let i = 0; i < weight * 4; i++) list.push(deed);
  }
  return list;
}
