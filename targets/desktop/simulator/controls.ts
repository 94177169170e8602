// Whatever a person does, typed or by a button, one after the other: each is a step (steps.ts).

import { stepOf } from "./deeds.ts";
import type { Simulation } from "./simulation.ts";
import { perform, StepError } from "./steps.ts";
import type { Viewer } from "./view.ts";

/** Carries out one command at a time, in the order in which they come. */
export class Controller {
  #last: Promise<void> = Promise.resolve();

  readonly #simulation: Simulation;
  readonly #ownsTime: boolean;

  constructor(
    simulation: Simulation,
    readonly viewer: Viewer,
    /** False where a real server sets the pace: its time cannot be hurried. */
    ownsTime: boolean,
  ) {
    this.#simulation = simulation;
    this.#ownsTime = ownsTime;
  }

  /** One line for the person at the screen. */
  say(line: string): void {
    this.viewer.message = line;
    this.#simulation.touch();
  }

  /** Carries a command out; resolves when it is done. What went wrong is told in the message. */
  run(line: string): Promise<void> {
    const command = stepOf(line.trim());
    const { clock } = this.#simulation;
    const isJumping = clock.jumpLeftMs > 0;
    if (isJumping && ENDS_JUMP.includes(command)) {
      clock.endJump();
      return this.#last;
    }
    if (isJumping) {
      this.say(`time jumps: ${line} comes after it; pause ends the jump`);
    }
    this.#last = this.#last.then(async () => {
      this.viewer.message = "";
      try {
        this.viewer.message = await this.#carryOut(command);
      } catch (error) {
        // Whatever went wrong, the next key has to work.
        const { message } = error as Error;
        this.viewer.message =
          error instanceof StepError ? message : `${command} failed: ${message}`;
      }
      this.#simulation.touch();
    });
    return this.#last;
  }

  async #carryOut(command: string): Promise<string> {
    if (TIME.test(command) && !this.#ownsTime) return "a real server runs on real time";
    return await perform(this.#simulation, command);
  }
}

/** What a person does who does not want to wait for the end of a jump. */
const ENDS_JUMP = ["pause", "advance 30m", "jump poll", "jump code", "jump access"];

const TIME = /^(pause|step|speed|advance|jump)( |$)/;
