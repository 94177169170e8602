// States, moves and errors: those of the model. That each move is a row of the table the core asserts (core/device/moves.ts).

import { Command, ErrorCode, Event, Field, Outcome, State } from "../../../core/index.ts";
import { outcomeOf } from "../ideal/responses.ts";
import { holds, type Scene, same } from "./oracle.ts";

/** Shares of the memory grow by as much. */
const MEMORY_STEP = 32;

/** Errors that are about a member of an answer, which is named. */
const NAMING: ReadonlySet<number> = new Set([
  ErrorCode.VALUE_TOO_LONG,
  ErrorCode.MALFORMED_RESPONSE,
  ErrorCode.UNUSABLE_RESPONSES,
]);

/** What memoryNeeded says would do: each value that did not fit does there, and not all of them in less. */
function checkNeed({ device, ideal, ...scene }: Scene): void {
  const { misfits, settings } = ideal;
  const { isMemoryShort } = misfits;
  const bytes = device.memoryNeeded;
  if (typeof bytes !== "number") return;
  const whole = { device, ideal, ...scene };
  same(whole, "moves", "memoryNeeded above 0", bytes > 0, isMemoryShort);
  if (!isMemoryShort) return;
  const capacityWith = (memoryBytes: number) =>
    scene.core.create(new Uint8Array(memoryBytes), settings.config)!.capacity;
  const [capacity, less] = [capacityWith(bytes), capacityWith(bytes - MEMORY_STEP)];
  for (const [field, value] of misfits.values) {
    const fits = value.length <= capacity[field]!;
    holds(whole, "moves", `with ${bytes} bytes of memory ${Field[field]} has no room`, fits);
  }
  const isLeast = misfits.values.some(([field, value]) => value.length > less[field]!);
  holds(whole, "moves", `${bytes} bytes of memory are more than are needed`, isLeast);
}

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
      same(scene, "moves", "the ending", Outcome[outcome], Outcome[outcomeOf(ideal.error)]);
    }
    same(scene, "moves", "notSaved", device.notSaved, ideal.storage.notSaved ? 1 : 0);
    same(scene, "moves", "notErased", device.notErased, ideal.storage.notErased ? 1 : 0);
    if (NAMING.has(ideal.error)) {
      same(scene, "moves", "errorField", device.errorField, ideal.misfits.errorField);
    }
    if (ideal.error === ErrorCode.VALUE_TOO_LONG) {
      const [, value] = ideal.misfits.values.find(([field]) => field === device.errorField)!;
      same(scene, "moves", "errorLength", device.errorLength, value.length);
      checkNeed(scene);
    }
  }
}

const LONGEST_MS = 100_000_000;
/** Wake-ups at which nothing was to be done, in a row. */
const IDLE_MAX = 3;

/** A code that is shown wakes nobody each second where its countdown is not shown. */
function checkQuiet(scene: Scene, ms: number): void {
  const { ideal } = scene;
  const { codeLifetimeS } = ideal.clock;
  // Where the row has no room for a countdown, that is seen when it would begin.
  const isAboutToBegin = codeLifetimeS > 5999 && codeLifetimeS < 6002;
  // Being asked back at once is what IDLE_MAX bounds.
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
  /** What the last wakeIn said; 0 where something has happened since. */
  #promisedMs = 0;

  /** Time has passed: whatever there is to do or to show within what wakeIn said would come late to a host that sleeps. */
  ticked(scene: Scene, ms: number, command: number): void {
    const leftMs = this.#promisedMs - (ms > 0 ? ms : 0);
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

  /** Something has happened since the last tick: what is due at once must be seen without another one. */
  checkLate(scene: Scene): void {
    const { due, prompt } = scene.ideal;
    const ms = scene.core.wakeIn(scene.device);
    const dueMs = prompt.between(() => due.nextDueMs());
    holds(scene, "wakeUps", `wakeIn is ${ms}, but something is due in ${dueMs} ms`, ms <= dueMs);
    this.#promisedMs = 0;
  }

  /** The host has slept; `commands` were to be carried out then. */
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
