// What becomes of images in two slots (FORMAT.md, "Two slots and the boot record"): one table for the
// JavaScript loader in Node and in qjs, and for the one in C.

import type { BootRefusal } from "../../targets/firmware/image/slots.ts";

/** What tells the images of a scenario apart when they run. */
export type Label = 20 | 24 | 28 | 32;

export interface Version {
  label: Label;
  counter?: number;
  /** Well signed, but it never reaches its first tick. */
  broken?: true;
}

export type Step =
  /** `says`: how the installation is refused. */
  | { do: "install"; version: Version; says?: BootRefusal }
  /** `runs`: the label whose first tick is reached, "crash" where the image fails, or the refusal. */
  | { do: "start"; runs: Label | "crash" | BootRefusal; counterMin?: number }
  /** Changes a bit in the middle of a file. */
  | { do: "damage"; file: "slot-a.img" | "slot-b.img" | "boot" }
  | { do: "remove"; file: "slot-a.img" | "slot-b.img" | "boot" };

/** A device with a loader. */
export interface SlotDevice {
  /** The refusal's name, or "". */
  install(version: Version): Promise<string>;
  /** As `runs` above. */
  start(counterMin: number): Promise<string>;
  damage(file: string): void;
  remove(file: string): void;
}

const install = (label: Label, counter = 5): Step => ({
  do: "install",
  version: { label, counter },
});
const broken = (label: Label, counter = 5): Step => {
  return { do: "install", version: { label, counter, broken: true } };
};
const refused = (label: Label, counter: number, says: BootRefusal): Step => {
  return { do: "install", version: { label, counter }, says };
};
const start = (runs: Label | "crash" | BootRefusal, counterMin = 0): Step => {
  return { do: "start", runs, counterMin };
};
const damage = (file: "slot-a.img" | "slot-b.img" | "boot"): Step => ({ do: "damage", file });
const remove = (file: "slot-a.img" | "slot-b.img" | "boot"): Step => ({ do: "remove", file });

const SCENARIOS: readonly { name: string; steps: readonly Step[] }[] = [
  {
    name: "installs, runs, updates, and refuses a rollback",
    steps: [
      install(20),
      start(20),
      install(24, 6),
      start(24),
      refused(28, 5, "rollback"),
      start(24),
      install(28, 6),
      start(28),
    ],
  },
  {
    name: "goes back after three starts without a first tick; the counter of the failed one never counts",
    steps: [
      install(20),
      start(20),
      broken(24, 9),
      start("crash"),
      start("crash"),
      start("crash"),
      start(20),
      start(20),
      install(28, 5),
      start(28),
    ],
  },
  {
    name: "gives a damaged trial up at once",
    steps: [install(20), start(20), install(24, 6), damage("slot-b.img"), start(20), start(20)],
  },
  {
    name: "without a record, or with a torn one, the higher counter runs",
    steps: [
      install(20, 5),
      start(20),
      install(24, 6),
      damage("boot"),
      start(24),
      install(28, 6),
      start(28),
      remove("boot"),
      start(28),
      refused(32, 5, "rollback"),
    ],
  },
  {
    name: "a factory image that fails three times is tried on, not given up for nothing",
    steps: [
      broken(20),
      start("crash"),
      start("crash"),
      start("crash"),
      start("crash"),
      start("crash"),
    ],
  },
  {
    name: "an update before the first start leaves the factory's image alone",
    steps: [install(20), install(24), damage("slot-b.img"), start(20)],
  },
  {
    name: "an update before the first start that fails: the factory's image runs, though its counter is lower",
    steps: [
      install(20),
      broken(24, 9),
      start("crash"),
      start("crash"),
      start("crash"),
      start(20),
      start(20),
    ],
  },
  {
    name: "an update over an update that never ran leaves the good one alone",
    steps: [
      install(20),
      start(20),
      install(24),
      install(28),
      start(28),
      damage("slot-b.img"),
      start(20),
    ],
  },
  {
    name: "a good image that has rotted: the other slot runs, where it is not older",
    steps: [
      install(20),
      start(20),
      install(24),
      start(24),
      damage("slot-b.img"),
      start(20),
      start(20),
    ],
  },
  {
    name: "a good image that has rotted, and an older one: neither runs",
    steps: [
      install(20, 5),
      start(20),
      install(24, 6),
      start(24),
      damage("slot-b.img"),
      start("damaged"),
    ],
  },
  {
    name: "empty slots",
    steps: [start("none"), install(20), remove("slot-a.img"), start("none")],
  },
  {
    name: "the hardware's counter is the floor, whatever the record says",
    steps: [install(20, 5), start(20, 5), start("rollback", 6), start(20, 4)],
  },
];

/** Names and steps, for a table of tests. */
export const scenarioRows = SCENARIOS.map(({ name, steps }) => [name, steps] as const);

/** Plays a scenario. @throws Error that names the step where the device did something else */
export async function play(steps: readonly Step[], device: SlotDevice): Promise<void> {
  for (const [index, step] of steps.entries()) {
    const where = `step ${index + 1}: ${JSON.stringify(step)}`;
    if (step.do === "damage") device.damage(step.file);
    else if (step.do === "remove") device.remove(step.file);
    else {
      const said =
        step.do === "install"
          ? await device.install(step.version)
          : await device.start(step.counterMin ?? 0);
      const expected = step.do === "install" ? (step.says ?? "") : String(step.runs);
      if (said !== expected) throw new Error(`${where}: ${JSON.stringify(said)} happened`);
    }
  }
}
