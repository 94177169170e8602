// Compares states, moves and errors. The core itself asserts that each move is in its table (core/device/moves.ts).

import { Command, ErrorCode, Event, Outcome, State } from "../../../core/index.ts";
import { outcomeOf } from "../ideal/responses.ts";
import { holds, type Scene, same } from "./oracle.ts";

/** Errors for which errorField names a member of the response. */
const NAMING: ReadonlySet<number> = new Set([
  ErrorCode.VALUE_TOO_LONG,
  ErrorCode.MALFORMED_RESPONSE,
  ErrorCode.UNUSABLE_RESPONSES,
]);

export class MoveOracle {
  #error: number = ErrorCode.NONE;

  check(scene: Scene): void {
    const { device, ideal } = scene;
    same(scene, "moves", "the state", State[device.state], State[ideal.state]);
    same(scene, "moves", "the event", Event[device.event], Event[ideal.event]);
    same(scene, "moves", "moves", device.moves, ideal.moves);
    same(scene, "moves", "the error", ErrorCode[device.error], ErrorCode[ideal.error]);
    if (device.error !== this.#error) {
      this.#error = device.error;
      const outcome = scene.core.outcome(device);
      same(scene, "moves", "the outcome", Outcome[outcome], Outcome[outcomeOf(ideal.error)]);
    }
    same(scene, "moves", "notSaved", device.notSaved, ideal.storage.notSaved ? 1 : 0);
    same(scene, "moves", "notErased", device.notErased, ideal.storage.notErased ? 1 : 0);
    if (NAMING.has(ideal.error)) {
      same(scene, "moves", "errorField", device.errorField, ideal.misfits.errorField);
    }
    if (ideal.error === ErrorCode.VALUE_TOO_LONG) {
      const { errorLength, memoryNeeded } = ideal.misfits;
      same(scene, "moves", "errorLength", device.errorLength, errorLength);
      if (typeof device.memoryNeeded === "number")
        same(scene, "moves", "memoryNeeded", device.memoryNeeded, memoryNeeded);
    }
  }
}

const LONGEST_MS = 100_000_000;
/** How many consecutive times wakeIn may be 0 without a command or a transition. */
const IDLE_MAX = 3;

/** While a code is shown, the host may be woken up within a second only if something is due by then. */
function checkQuiet(scene: Scene, ms: number): void {
  const { ideal } = scene;
  const { codeLifetimeS } = ideal.clock;
  // When the countdown is about to begin, the device wakes up to check whether it fits into the row.
  const isAboutToBegin = codeLifetimeS > 5999 && codeLifetimeS < 6002;
  // Wake-ups without a wait are not counted here, because IDLE_MAX limits them.
  if (!ideal.isCodeShown || isAboutToBegin || ms === 0) return;
  const due = ideal.due.nextDueMs("leastMs");
  holds(
    scene,
    "wakeUps",
    `wakeIn is ${ms}, but nothing is due in ${due} ms`,
    ms > 1000 || due <= 1000,
  );
}

export class WakeOracle {
  #idle = 0;
  /** The last result of wakeIn; 0 if a command or an event has come since. */
  #promisedMs = 0;

  /** Checks that no command comes before the promised time, because a sleeping host would carry it out too late. */
  ticked(scene: Scene, ms: number, command: number): void {
    const leftMs = this.#promisedMs - Math.max(ms || 0, 0);
    const isEarly = command !== Command.NONE && leftMs > 0;
    holds(scene, "wakeUps", `${Command[command]} comes ${leftMs} ms before wakeIn`, !isEarly);
    this.#promisedMs = command === Command.NONE ? scene.core.wakeIn(scene.device) : 0;
  }

  /** @returns the milliseconds that the host may sleep */
  check(scene: Scene): number {
    const ms = scene.core.wakeIn(scene.device);
    holds(scene, "wakeUps", `wakeIn is ${ms}`, Number.isInteger(ms) && ms >= 0 && ms <= LONGEST_MS);
    const due = scene.ideal.due.nextDueMs();
    holds(scene, "wakeUps", `wakeIn is ${ms}, but something is due in ${due} ms`, ms <= due);
    checkQuiet(scene, ms);
    return ms;
  }

  /** Checks after an event that wakeIn is at most the time until something is due. */
  checkLate(scene: Scene): void {
    const { due, prompt } = scene.ideal;
    const ms = scene.core.wakeIn(scene.device);
    const dueMs = prompt.between(() => due.nextDueMs());
    holds(scene, "wakeUps", `wakeIn is ${ms}, but something is due in ${dueMs} ms`, ms <= dueMs);
    this.#promisedMs = 0;
    this.#idle = 0;
  }

  /** Call this after the host has slept `ms` and carried out `commands` commands. */
  slept(scene: Scene, ms: number, commands: number, hasMoved: boolean): void {
    this.#idle = ms === 0 && commands === 0 && !hasMoved ? this.#idle + 1 : 0;
    holds(
      scene,
      "wakeUps",
      "wakeIn stays 0 although nothing is to be done",
      this.#idle <= IDLE_MAX,
    );
  }
}
