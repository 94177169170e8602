// Runs the steps (steps.ts) that the user starts with keys, buttons or the terminal.

import { stepOf } from "./actions.ts";
import type { Simulation } from "./simulation.ts";
import { perform, StepError } from "./steps.ts";
import type { Viewer } from "./view.ts";

/** Runs one step at a time, in the order of arrival. During a jump, a step of ENDS_JUMP only ends the jump, at once. */
export class Controller {
  #last: Promise<void> = Promise.resolve();

  readonly #simulation: Simulation;
  readonly #ownsTime: boolean;

  constructor(
    simulation: Simulation,
    readonly viewer: Viewer,
    /** False with a real server, whose time the simulation cannot change. */
    ownsTime: boolean,
  ) {
    this.#simulation = simulation;
    this.#ownsTime = ownsTime;
  }

  print(line: string): void {
    this.viewer.message = line;
    this.#simulation.touch();
  }

  /** Resolves when the step has finished. If it fails, the error becomes the message. */
  run(line: string): Promise<void> {
    const step = stepOf(line.trim());
    const { clock } = this.#simulation;
    const isJumping = clock.jumpLeftMs > 0;
    if (isJumping && ENDS_JUMP.includes(step)) {
      clock.endJump();
      return this.#last;
    }
    if (isJumping) {
      this.print(`time jumps: ${line} runs after the jump; pause ends it`);
    }
    this.#last = this.#last.then(async () => {
      this.viewer.message = "";
      try {
        this.viewer.message = await this.#carryOut(step);
      } catch (error) {
        // A failed step must not block the next one.
        const { message } = error as Error;
        this.viewer.message = error instanceof StepError ? message : `${step} failed: ${message}`;
      }
      this.#simulation.touch();
    });
    return this.#last;
  }

  async #carryOut(step: string): Promise<string> {
    if (TIME.test(step) && !this.#ownsTime) return "a real server runs on real time";
    return await perform(this.#simulation, step);
  }
}

const ENDS_JUMP = ["pause", "advance 30m", "jump poll", "jump code", "jump access"];

const TIME = /^(pause|step|speed|advance|jump)( |$)/;
