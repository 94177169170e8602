// What can be done to the simulated world, in words: the one language of keys, the panel's buttons and
// scenario files. A step is a line; here it is read and carried out. Expectations are in scenarios/.

import { BUTTONS, type Button, type Simulation } from "./simulation.ts";
import { activeFaults, applyFault, FAULTS, findFault } from "./world/faults.ts";

/** A line that means nothing, or cannot be done. */
export class StepError extends Error {
  override readonly name = "StepError";
}

const UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 };

/** Milliseconds of "500ms", "5s", "30m", "2h", "24h". */
export function readDuration(text: string): number {
  const [, count, unit] = /^(\d{1,7})(ms|s|m|h)$/.exec(text) ?? [];
  if (unit === undefined) throw new StepError(`"${text}" is no duration such as 5s, 30m or 2h`);
  return Number(count) * UNITS[unit]!;
}

type Perform = (simulation: Simulation, words: readonly string[]) => string | Promise<string>;

const STEPS: Readonly<Record<string, Perform>> = {
  press: (simulation, [button = ""]) => {
    if (!(BUTTONS as readonly string[]).includes(button)) {
      throw new StepError(`there is no button "${button}", but ${BUTTONS.join(", ")}`);
    }
    if (!simulation.isOn) return "the device has no power";
    simulation.timeline.note(`${button.replace("-", " ")} pressed`);
    const before = simulation.driver!.device.moves;
    simulation.press(button as Button);
    const isDone = simulation.driver!.device.moves !== before || button === "list";
    return isDone ? "" : `${button.replace("-", " ")}: nothing to do in this state`;
  },
  allow: (simulation, [account]) => said(simulation.decide("allow", account)),
  deny: (simulation) => said(simulation.decide("deny")),
  power: (simulation, [how]) => {
    if (how === "on") simulation.powerOn();
    else if (how === "off") simulation.powerOff();
    else if (how === "cycle") simulation.powerCycle();
    else throw new StepError("power is on, off or cycle");
    return "";
  },
  fault: (simulation, [name = "", how]) => {
    const fault = findFault(name);
    if (fault === undefined) {
      throw new StepError(`no fault "${name}", but ${FAULTS.map((one) => one.name).join(", ")}`);
    }
    if (how !== undefined && how !== "on" && how !== "off") throw new StepError("on or off");
    return applyFault(simulation, fault, how === undefined ? undefined : how === "on");
  },
  mend: (simulation) => {
    const active = activeFaults(simulation);
    for (const fault of FAULTS)
      if (active.includes(fault.name)) applyFault(simulation, fault, false);
    return active.length === 0 ? "there is no fault to mend" : "";
  },
  advance: async (simulation, [duration = ""]) => {
    await simulation.clock.advance(readDuration(duration));
    simulation.touch();
    return "";
  },
  display: (simulation, [size = ""]) => {
    const [, columns, rows] = /^(\d{2})x(\d)$/.exec(size) ?? [];
    try {
      simulation.resize(Number(columns), Number(rows));
    } catch (error) {
      throw new StepError((error as Error).message);
    }
    return "";
  },
};

/** Whether this step begins with a word that `perform` knows. */
export function isStep(line: string): boolean {
  return Object.hasOwn(STEPS, line.split(" ", 1)[0]!);
}

/**
 * Carries a step out.
 * @returns a line for the person at the screen, "" where the display says it all
 * @throws StepError
 */
export async function perform(simulation: Simulation, line: string): Promise<string> {
  const [verb = "", ...words] = line.trim().split(/\s+/);
  const step = Object.hasOwn(STEPS, verb) ? STEPS[verb] : undefined;
  if (step === undefined) throw new StepError(`"${verb}" is not a step`);
  return await step(simulation, words);
}

function said(outcome: string): string {
  switch (outcome) {
    case "granted":
    case "access_denied":
      return "";
    case "no-code":
      return "there is no code on the display";
    default:
      return outcome.replaceAll("_", " ").replaceAll("-", " ");
  }
}
