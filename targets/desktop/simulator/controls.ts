// What a person can do, by key or button: each is a step (steps.ts), or changes how time passes. Keys
// and the panel come through here, and so does the recording.

import type { Recorder } from "../scenarios/recorder.ts";
import type { Simulation } from "./simulation.ts";
import { perform, StepError } from "./steps.ts";
import type { Viewer } from "./view.ts";
import { FAULTS } from "./world/faults.ts";

export interface Control {
  readonly key: string;
  readonly label: string;
  /** A step, or a command for the clock, or "quit". */
  readonly command: string;
  readonly group: "user" | "device" | "clock" | "fault";
}

const DISPLAYS = ["20x4", "16x2", "40x2", "24x4", "40x4"];
const SPEEDS = [1, 10, 100];

export const CONTROLS: readonly Control[] = [
  { key: "a", label: "allow", command: "allow", group: "user" },
  { key: "d", label: "deny", command: "deny", group: "user" },
  { key: "n", label: "new code", command: "press new-code", group: "device" },
  { key: "c", label: "cancel", command: "press cancel", group: "device" },
  { key: "u", label: "update list", command: "press list", group: "device" },
  { key: "o", label: "sign out", command: "press sign-out", group: "device" },
  { key: "p", label: "power cycle", command: "power cycle", group: "device" },
  { key: "x", label: "power on/off", command: "power", group: "device" },
  { key: "w", label: "display", command: "next-display", group: "device" },
  { key: " ", label: "pause", command: "pause", group: "clock" },
  { key: ".", label: "step", command: "step", group: "clock" },
  { key: "+", label: "speed", command: "next-speed", group: "clock" },
  { key: "j", label: "jump 30 min", command: "advance 30m", group: "clock" },
  ...FAULTS.map(({ key, name }) => ({
    key,
    label: name,
    command: `fault ${name}`,
    group: "fault" as const,
  })),
  { key: "m", label: "mend all", command: "mend", group: "fault" },
];

/** Carries out one command at a time, in the order in which they come. */
export class Controller {
  recorder: Recorder | undefined;
  #last: Promise<void> = Promise.resolve();

  constructor(
    private readonly simulation: Simulation,
    readonly viewer: Viewer,
    /** False where a real server sets the pace: its time cannot be hurried. */
    private readonly ownsTime: boolean,
  ) {}

  /** Carries a command out; resolves when it is done. What went wrong is told in the message. */
  run(command: string): Promise<void> {
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
      this.simulation.touch();
    });
    return this.#last;
  }

  async #carryOut(command: string): Promise<string> {
    const { clock } = this.simulation;
    const isTime = TIME.test(command);
    if (isTime && !this.ownsTime) return "a real server runs on real time";
    const speed = /^speed (\d{1,4})$/.exec(command)?.[1];
    if (command === "pause") clock.paused = !clock.paused;
    else if (command === "next-speed") clock.speed = after(SPEEDS, clock.speed);
    else if (speed !== undefined) clock.speed = Math.max(1, Number(speed));
    else if (command === "step") {
      clock.paused = true;
      await clock.step();
    } else return await this.#step(command);
    return "";
  }

  async #step(command: string): Promise<string> {
    const { display, isOn } = this.simulation;
    let step = command;
    if (command === "power") step = isOn ? "power off" : "power on";
    if (command === "next-display") {
      step = `display ${after(DISPLAYS, `${display.columns}x${display.rows}`)}`;
    }
    this.recorder?.step(step);
    const line = await perform(this.simulation, step);
    if (step.startsWith("advance")) this.recorder?.skip();
    return line;
  }
}

const TIME = /^(pause|step|next-speed|speed |advance )/;

function after<T>(list: readonly T[], value: T): T {
  return list[(list.indexOf(value) + 1) % list.length]!;
}
