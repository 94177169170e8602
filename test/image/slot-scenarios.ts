// What becomes of images in two slots (FORMAT.md, "Two slots and the boot record"): one table for the
// loader of the host in C, with every fault and power cut, and for the host itself.

import type { Refusal } from "../../targets/image/format.ts";

/** Why nothing runs or is installed, beside what is wrong with an image. */
type BootRefusal = Refusal | "none" | "busy" | "unreadable";

/** What tells the images of a scenario apart when they run. */
type Label = 20 | 24 | 28 | 32;

export interface Version {
  label: Label;
  counter?: number;
  /** Well signed, but it fails as soon as it starts. */
  broken?: true;
  /** It runs, and never passes its own test. */
  silent?: true;
  /** Signed with the newer of the two keys that a device trusts. */
  newerKey?: true;
  /** The older key counts no longer once it is confirmed. */
  retires?: true;
}

export type SlotFile = "slot-a.img" | "slot-b.img" | "boot-0" | "boot-1";

/** A medium on which nothing can be written. */
export type Medium = "full";

export type Step =
  /** `says`: how the installation is refused; "unwritten" where the medium is at fault. */
  | { do: "install"; version: Version; says?: BootRefusal | "unwritten"; medium?: Medium }
  /**
   * `runs`: the label that is confirmed, "crash" where the image fails, or the refusal. `meanwhile` is
   * installed by another program while it runs, before it is confirmed.
   */
  | {
      do: "start";
      runs: Label | "crash" | BootRefusal;
      counterMin?: number;
      meanwhile?: Version;
      medium?: Medium;
    }
  /** Changes a bit in the middle of a file, or in both copies of the record, or in the newer one. */
  | { do: "damage"; file: SlotFile | "both records" | "newer record" }
  | { do: "remove"; file: SlotFile };

/** A device with a loader. */
export interface SlotDevice {
  /** The refusal's name, "unwritten", or "". */
  install(version: Version, medium?: Medium): Promise<string>;
  /** As `runs` above. */
  start(counterMin: number, meanwhile?: Version, medium?: Medium): Promise<string>;
  /** A file's content; undefined where there is none. */
  read(file: SlotFile): Buffer | undefined;
  write(file: SlotFile, content: Buffer): void;
  remove(file: SlotFile): void;
}

const install = (label: Label, counter = 5): Step => ({
  do: "install",
  version: { label, counter },
});
const special = (version: Version): Step => ({ do: "install", version });
const broken = (label: Label, counter = 5): Step => special({ label, counter, broken: true });
const refused = (label: Label, counter: number, says: BootRefusal): Step => {
  return { do: "install", version: { label, counter }, says };
};
const start = (runs: Label | "crash" | BootRefusal, counterMin = 0): Step => {
  return { do: "start", runs, counterMin };
};
const meanwhile = (runs: Label, version: Version): Step => {
  return { do: "start", runs, meanwhile: version };
};
const onFullMedium = (runs: Label): Step => ({ do: "start", runs, medium: "full" });
const damage = (file: SlotFile | "both records" | "newer record"): Step => {
  return { do: "damage", file };
};
const remove = (file: SlotFile): Step => ({ do: "remove", file });

interface Scenario {
  name: string;
  steps: readonly Step[];
}

const SCENARIOS: readonly Scenario[] = [
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
    name: "goes back after three starts that failed; the counter of the failed one never counts",
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
    name: "an image that runs and never passes its own test is given up all the same",
    steps: [
      install(20),
      start(20),
      special({ label: 24, counter: 9, silent: true }),
      start(24),
      start(24),
      start(24),
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
    name: "without a record, or with two torn ones, the higher counter runs",
    steps: [
      install(20, 5),
      start(20),
      install(24, 6),
      damage("both records"),
      start(24),
      install(28, 6),
      start(28),
      remove("boot-0"),
      remove("boot-1"),
      start(28),
      refused(32, 5, "rollback"),
    ],
  },
  {
    name: "with one copy of the record gone, the other one says what was before, and the same runs",
    steps: [
      install(20, 5),
      start(20),
      install(24, 6),
      start(24),
      damage("newer record"),
      start(24),
      refused(28, 5, "rollback"),
      damage("newer record"),
      start(24),
      install(28, 7),
      damage("newer record"),
      start(24),
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
    name: "an update while another one is on trial: what never ran is not confirmed by it",
    steps: [
      install(20),
      start(20),
      install(24, 6),
      meanwhile(24, { label: 28, counter: 7, broken: true }),
      start("crash"),
      start("crash"),
      start("crash"),
      start(20),
      start(20),
      install(32, 5),
      start(32),
    ],
  },
  {
    name: "an update while another one is on trial gets its own trial",
    steps: [
      install(20),
      start(20),
      install(24, 6),
      meanwhile(24, { label: 28, counter: 7 }),
      start(28),
      refused(32, 6, "rollback"),
    ],
  },
  {
    name: "an update before the running image is confirmed is not undone by that",
    steps: [
      install(20),
      meanwhile(20, { label: 24, counter: 6 }),
      start(24),
      meanwhile(24, { label: 28, counter: 7 }),
      start(28),
    ],
  },
  {
    name: "an update never overwrites the only image that verifies, whatever the record says",
    steps: [
      install(20),
      start(20),
      install(24),
      start(24),
      damage("slot-b.img"),
      broken(28),
      start("crash"),
      start("crash"),
      start("crash"),
      start(20),
      start(20),
    ],
  },
  {
    name: "nor the trial, where the good one has rotted",
    steps: [
      install(20),
      start(20),
      install(24, 6),
      damage("slot-a.img"),
      broken(28, 6),
      start("crash"),
      start("crash"),
      start("crash"),
      start(24),
      start(24),
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
  {
    name: "an image of the newer key retires the older one, in the other slot too",
    steps: [
      install(20),
      start(20),
      special({ label: 24, newerKey: true, retires: true }),
      install(28),
      special({ label: 24, newerKey: true, retires: true }),
      start(24),
      refused(28, 5, "retired-key"),
      special({ label: 32, newerKey: true }),
      start(32),
      refused(28, 9, "retired-key"),
      damage("slot-a.img"),
      start(24),
      damage("slot-b.img"),
      start("damaged"),
    ],
  },
  {
    name: "the older key cannot retire the newer one",
    steps: [
      special({ label: 20, retires: true }),
      start(20),
      special({ label: 24, newerKey: true }),
      start(24),
      install(28),
      start(28),
    ],
  },
  {
    name: "a retirement that was not confirmed does not count",
    steps: [
      install(20),
      start(20),
      special({ label: 24, newerKey: true, retires: true, broken: true }),
      start("crash"),
      start("crash"),
      start("crash"),
      start(20),
      install(28),
      start(28),
    ],
  },
  {
    name: "a medium that takes nothing: the good image runs, the trial waits and loses no try",
    steps: [
      install(20),
      start(20),
      install(24, 6),
      onFullMedium(20),
      onFullMedium(20),
      onFullMedium(20),
      onFullMedium(20),
      start(24),
    ],
  },
  {
    name: "a medium that takes nothing before the first confirmation: any valid image is better than none",
    steps: [install(20), onFullMedium(20), onFullMedium(20), start(20)],
  },
  {
    name: "a medium that takes nothing when a trial is to be given up: the good image runs",
    steps: [
      install(20),
      start(20),
      broken(24, 9),
      start("crash"),
      start("crash"),
      start("crash"),
      onFullMedium(20),
      start(20),
    ],
  },
  {
    name: "an update onto a medium that takes nothing says so, and changes nothing",
    steps: [
      install(20),
      start(20),
      { do: "install", version: { label: 24 }, medium: "full", says: "unwritten" },
      start(20),
      install(24),
      start(24),
    ],
  },
];

/** What only a device without a program of its own can play: faults of the medium, and pauses. */
function isPlain(scenario: Scenario): boolean {
  return scenario.steps.every((step) => {
    if (step.do === "install") return !step.medium && !step.version.silent;
    return step.do !== "start" || !(step.medium || step.meanwhile);
  });
}

const rowsOf = (scenarios: readonly Scenario[]) =>
  scenarios.map(({ name, steps }) => [name, steps] as const);

/** Names and steps, for a table of tests. */
export const scenarioRows = rowsOf(SCENARIOS);
/** For hosts whose program confirms itself when it likes. */
export const plainScenarioRows = rowsOf(SCENARIOS.filter(isPlain));

/** Plays a scenario. @throws Error that names the step where the device did something else */
export async function play(steps: readonly Step[], device: SlotDevice): Promise<void> {
  for (const [index, step] of steps.entries()) {
    const where = `step ${index + 1}: ${JSON.stringify(step)}`;
    if (step.do === "damage") for (const file of filesOf(step.file, device)) flip(device, file);
    else if (step.do === "remove") device.remove(step.file);
    else {
      const said =
        step.do === "install"
          ? await device.install(step.version, step.medium)
          : await device.start(step.counterMin ?? 0, step.meanwhile, step.medium);
      const expected = step.do === "install" ? (step.says ?? "") : String(step.runs);
      if (said !== expected) throw new Error(`${where}: ${JSON.stringify(said)} happened`);
    }
  }
}

const COPIES = ["boot-0", "boot-1"] as const;
const SEQUENCE_AT = 16;

function filesOf(
  file: SlotFile | "both records" | "newer record",
  device: SlotDevice,
): readonly SlotFile[] {
  if (file !== "both records" && file !== "newer record") return [file];
  const there = COPIES.filter((copy) => device.read(copy) !== undefined);
  if (file === "both records") return there;
  const sequenceOf = (copy: SlotFile) => device.read(copy)!.readBigUInt64BE(SEQUENCE_AT);
  return [there.reduce((one, other) => (sequenceOf(other) > sequenceOf(one) ? other : one))];
}

function flip(device: SlotDevice, file: SlotFile): void {
  const bytes = Buffer.from(device.read(file)!);
  bytes[bytes.length >> 1]! ^= 1;
  device.write(file, bytes);
}
