// What a person can do, by key or button: each is a step (steps.ts), or changes how time passes. Keys
// and the panel come through here, and so does the recording.

import type { FixtureInput } from "../../service/fixture.ts";
import type { Recording } from "../scenarios/recording.ts";
import { DEEDS, type DeedGroup, deedOf } from "./deeds.ts";
import type { Simulation } from "./simulation.ts";
import { perform, StepError } from "./steps.ts";
import type { Viewer } from "./view.ts";

export interface Control {
  readonly key: string;
  readonly label: string;
  /** A deed's step, or a command for the clock. */
  readonly command: string;
  readonly group: DeedGroup | "clock";
}

const SPEEDS = [1, 10, 100];

const CLOCK: readonly Control[] = [
  { key: " ", label: "pause", command: "pause", group: "clock" },
  { key: ".", label: "next event", command: "step", group: "clock" },
  { key: "+", label: "speed", command: "next-speed", group: "clock" },
  { key: "N", label: "→ next request", command: "jump poll", group: "clock" },
  { key: "E", label: "→ code's end", command: "jump code", group: "clock" },
  { key: "T", label: "→ token's end", command: "jump access", group: "clock" },
  { key: "j", label: "→ 30 min", command: "advance 30m", group: "clock" },
];

/** What has a key in the terminal; everything else is typed there by its name (DEEDS). */
export const CONTROLS: readonly Control[] = [
  ...DEEDS.filter(({ key }) => key !== "").map(({ key, label, step, group }) => ({
    key,
    label,
    command: step,
    group,
  })),
  ...CLOCK,
];

/** Carries out one command at a time, in the order in which they come. */
export class Controller {
  recorder: Recording | undefined;
  /** Saves the service's world into a file, where there are files. */
  save: ((file: string) => string) | undefined;
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
  run(command: string): Promise<void> {
    const { clock } = this.#simulation;
    const isJumping = clock.jumpLeftMs > 0;
    if (isJumping && ENDS_JUMP.includes(command)) {
      clock.endJump();
      return this.#last;
    }
    if (isJumping) {
      this.say(
        `time jumps: ${deedOf(command)?.name ?? command} comes after it; space ends the jump`,
      );
    }
    this.#last = this.#last.then(async () => {
      this.viewer.message = "";
      try {
        this.viewer.message = await clock.inTurn(() => this.#carryOut(command));
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

  /**
   * Other accounts and clients for the service, in the same order as commands.
   * @returns "" or one line that says what is wrong
   */
  useFixture(fixture: FixtureInput): Promise<string> {
    const simulation = this.#simulation;
    const recorder = this.recorder;
    const done = this.#last.then(async () => {
      if (recorder?.isAskedFor)
        return "a recording is replayed with the usual accounts and clients; apply others without --record";
      try {
        // A fault that changes the service's settings is none of the service that begins now.
        await perform(simulation, "mend");
        simulation.useFixture(fixture);
        recorder?.end(
          "the service has begun anew with other accounts; a replay would not have them",
        );
        return "";
      } catch (error) {
        return (error as Error).message;
      }
    });
    this.#last = done.then(() => simulation.touch());
    return done;
  }

  async #carryOut(command: string): Promise<string> {
    const { clock } = this.#simulation;
    const isTime = TIME.test(command);
    if (isTime && !this.#ownsTime) return "a real server runs on real time";
    const speed = /^speed (\d{1,4})$/.exec(command)?.[1];
    const moment = /^jump (poll|code|access)$/.exec(command)?.[1];
    if (command === "pause") clock.paused = !clock.paused;
    else if (command === "next-speed") clock.speed = after(SPEEDS, clock.speed);
    else if (speed !== undefined) clock.speed = Math.max(1, Number(speed));
    else if (/^save \S/.test(command) && this.save) return this.save(command.slice(5).trim());
    else if (moment !== undefined) return await this.#jumpTo(moment as Runs);
    else if (command === "step") {
      clock.paused = true;
      await clock.step();
    } else return await this.#step(command);
    return "";
  }

  /** To the moment at which what runs down has run down, and a little beyond: then it has had its effect. */
  async #jumpTo(what: Runs): Promise<string> {
    const { device } = this.viewer.view();
    const { leftMs } = device[what];
    if (what === "poll" && device.inFlight) {
      // What is under way comes to its end first: an answer, or the adapter's limit.
      const { clock } = this.#simulation;
      await clock.jump(UNDER_WAY_MS, () => this.#simulation.driver?.device.inFlight !== 1);
      this.#simulation.touch();
      return "";
    }
    if (leftMs === 0) return NOTHING_RUNS[what];
    return await this.#step(`advance ${Math.ceil(leftMs) + 1}ms`);
  }

  async #step(command: string): Promise<string> {
    return await perform(this.#simulation, command, (step) => {
      // Of a jump, which may be ended before its time, the time that has passed is recorded.
      if (!step.startsWith("advance")) this.recorder?.step(step);
    });
  }
}

/** What a person presses who does not want to wait for the end of a jump. */
const ENDS_JUMP = ["pause", "advance 30m", "jump poll", "jump code", "jump access"];

const TIME = /^(pause|step|next-speed|speed |advance |jump )/;

/** More than any adapter waits for an answer. */
const UNDER_WAY_MS = 60_000;

/** What runs down on the device. */
type Runs = "poll" | "code" | "access";

const NOTHING_RUNS: Readonly<Record<Runs, string>> = {
  poll: "the device waits for no request",
  code: "there is no code on the display",
  access: "there is no access token",
};

function after<T>(list: readonly T[], value: T): T {
  return list[(list.indexOf(value) + 1) % list.length]!;
}
