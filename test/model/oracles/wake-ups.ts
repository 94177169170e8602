// wakeIn: a host that sleeps as long as it says is never late, and does come to sleep.

import { holds, type Scene } from "./oracle.ts";

const LONGEST_MS = 100_000_000;
/** Wake-ups at which nothing was to be done, in a row. */
const IDLE_MAX = 3;

/** A code that is shown wakes nobody each second where its countdown is not shown. */
function checkQuiet(scene: Scene, ms: number): void {
  const { ideal } = scene;
  const { codeLifeS } = ideal.clock;
  // Where the row has no room for a countdown, that is seen when it would begin.
  const isAboutToBegin = codeLifeS > 5999 && codeLifeS < 6002;
  if (!ideal.isCodeShown || isAboutToBegin) return;
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
