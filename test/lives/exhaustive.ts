// Every place at which the power can go, one after the other, in three sequences: sign-in, refresh with
// rotation, sign-out. The world is otherwise calm; what must hold is checked as in any life.

import { State } from "../../core/index.ts";
import type { LivesCore } from "./core-of.ts";
import { Life } from "./life.ts";
import { Violation } from "./violation.ts";

export type Sequence = "sign-in" | "refresh" | "sign-out";
export const SEQUENCES: readonly Sequence[] = ["sign-in", "refresh", "sign-out"];

/** Where the power goes: before a step of the driver, or after some bytes of a storage operation. */
export type Cut = { step: number } | { operation: number; bytes: number };

const SEQUENCE_MS = 40_000;

/** A calm life with settings that do not depend on chance: the seed is always the same. */
function calmLife(core: LivesCore, seed: number, sealedShare: number): Life {
  const life = new Life(seed, { core, coverage: new Map(), sealedShare });
  life.plan.calm = true;
  life.service.setOptions({
    refreshTokenRotation: true,
    rotationGrace: 60,
    accessTokenLifetime: 3600,
    codeLifetime: 300,
    refreshTokensPerClientAndUser: 100,
  });
  return life;
}

interface Span {
  steps: number;
  operations: readonly number[];
}

/** Brings the life to where the sequence begins, then through it, with the cut in it. */
function run(life: Life, sequence: Sequence, cut: Cut | undefined): Span {
  life.guard(() => life.board.powerOn());
  if (sequence !== "sign-in") life.recover(true);
  const firstStep = life.board.steps;
  const firstOperation = life.slots.operationBytes.length;
  if (cut && "step" in cut) life.board.cutAtStep = firstStep + cut.step;
  if (cut && "operation" in cut) {
    life.slots.scriptedCut = { operation: firstOperation + cut.operation, bytes: cut.bytes };
  }
  play(life, sequence);
  const operations = life.slots.operationBytes.slice(firstOperation);
  return { steps: life.board.steps - firstStep, operations };
}

function play(life: Life, sequence: Sequence): void {
  const driver = life.board.driver;
  if (sequence === "sign-in") life.helpFor(SEQUENCE_MS);
  else if (sequence === "refresh") {
    // The access token's hour passes; the refresh rotates.
    life.passTime(3600 * 1000);
    life.passTime(SEQUENCE_MS);
  } else {
    life.guard(() => driver?.signOut());
    life.passTime(SEQUENCE_MS);
  }
}

/** After the cut: the device comes round by itself, and into the state that the records demand. */
function checkAfter(life: Life, sequence: Sequence): void {
  if (sequence === "sign-out") {
    // Cut before its first record, a sign-out has not happened; the user asks again.
    life.passTime(SEQUENCE_MS);
    const { driver } = life.board;
    if (driver?.isSignedIn) life.guard(() => driver.signOut());
    life.passTime(SEQUENCE_MS);
    const { state } = life.board.driver!.device;
    if (state !== State.SIGNED_OUT && state !== State.REQUESTING && state !== State.PENDING) {
      throw new Violation("not-stuck", `after the sign-out the device is ${State[state]}`);
    }
    life.records.checkWiped();
    if (life.service.revokeAllFor("ada") > 0) {
      throw new Violation("sign-out-wipes", "the session lives on at the service");
    }
    return;
  }
  // A refresh needs nobody; a sign-in perhaps a new code.
  life.recover(sequence === "sign-in");
}

/** One cut. @throws Violation */
export function cutOnce(
  core: LivesCore,
  sequence: Sequence,
  cut: Cut | undefined,
  seed: number,
  sealedShare = 0,
): Span {
  const life = calmLife(core, seed, sealedShare);
  const span = run(life, sequence, cut);
  life.board.cutAtStep = -1;
  life.slots.scriptedCut = undefined;
  checkAfter(life, sequence);
  return span;
}

/** Every cut of a sequence: before each step, and at each byte of each storage operation. */
export function allCuts(core: LivesCore, sequence: Sequence, seed: number, sealedShare = 0): Cut[] {
  const { steps, operations } = cutOnce(core, sequence, undefined, seed, sealedShare);
  const cuts: Cut[] = [];
  for (let step = 0; step < steps; step++) cuts.push({ step });
  operations.forEach((length, operation) => {
    for (let bytes = 0; bytes <= length; bytes++) cuts.push({ operation, bytes });
  });
  return cuts;
}
