// What has ended is not in the memory any more: no token, no code, no verifier of a life before (core/SPEC.md, Regions).

import { holds, type Scene, textAt } from "./oracle.ts";

/** Long enough to be nothing else, and of characters that are bytes. */
const TELLING = /^[!-~]{12,}$/;

export class ForgottenOracle {
  /** Secrets that the device has had, and that were not looked for since. */
  readonly #had = new Set<string>();

  /** At rest, while nothing is under way that may still be reading. */
  check(scene: Scene): void {
    const { deviceCode, accessToken, refreshToken, previousToken, verifier } = scene.ideal;
    const now = [deviceCode, accessToken, refreshToken, previousToken, verifier].filter(
      (secret): secret is string => secret !== undefined && TELLING.test(secret),
    );
    const ended = [...this.#had].filter((secret) => !now.some((one) => one.includes(secret)));
    if (ended.length > 0) {
      const memory = textAt(scene.memory, 0, scene.memory.length);
      for (const secret of ended) {
        const isGone = !memory.includes(secret);
        holds(scene, "memory", `${JSON.stringify(secret)} has ended, and is still there`, isGone);
        this.#had.delete(secret);
      }
    }
    for (const secret of now) this.#had.add(secret);
  }
}
