// Two slots and the boot record in JavaScript (FORMAT.md), on the very file functions of the device over a
// disk whose power goes at every step, and whose calls fail at every step.

import { createHash } from "node:crypto";
import fc from "fast-check";
import nacl from "tweetnacl";
import { afterAll, describe, expect, it, vi } from "vitest";
import {
  type BootRecord,
  decodeRecord,
  encodeRecord,
  isNewer,
  NO_SLOT,
  nextSequence,
} from "../../targets/image/boot-record.ts";
import { NO_BORDER } from "../../targets/image/format.ts";
import { Slots } from "../../targets/image/slots.ts";
import { SlotFiles } from "../../targets/quickjs/slot-files.ts";
import { AFTERMATHS, ERRORS, FakeDisk } from "./fake-disk.ts";
import { keyIdOf, keys, makeImage, newerKeys, PRODUCT } from "./image-builder.ts";
import {
  type Medium,
  play,
  type SlotDevice,
  type SlotFile,
  scenarioRows,
  type Version,
} from "./slot-scenarios.ts";

/** The same few images are verified thousands of times here: what was said once is remembered. */
const verify = nacl.sign.detached.verify;
const known = new Map<string, boolean>();
vi.spyOn(nacl.sign.detached, "verify").mockImplementation((message, signature, key) => {
  const hash = createHash("sha256").update(message).update(signature).update(key).digest("hex");
  const said = known.get(hash) ?? verify(message, signature, key);
  known.set(hash, said);
  return said;
});

const OWN = { engine: "qjs", abi: "std-1", kind: 1 } as const;

const images = new Map<string, Buffer>();

function imageOf(version: Version): Buffer {
  const { label, counter = 5, broken, silent, newerKey, retires } = version;
  const name = JSON.stringify(version);
  const payload = Buffer.from(broken ? "crash" : `${label}${silent ? " silent" : ""}`);
  const { publicKey, secretKey: signer } = newerKey ? newerKeys : keys;
  const signed = { keyId: keyIdOf(publicKey), signer, flags: retires ? 1 : 0 };
  const image = images.get(name) ?? makeImage({ ...OWN, counter, payload, ...signed });
  images.set(name, image);
  return image;
}

function slotsOn(disk: FakeDisk, counterMin = 0): Slots {
  return new Slots(new SlotFiles(disk.os, "images"), {
    keys: [keys.publicKey, newerKeys.publicKey],
    product: PRODUCT,
    targets: [{ engine: "qjs", abi: "std-1" }],
    border: NO_BORDER,
    counterMin,
  });
}

function installOn(disk: FakeDisk, version: Version): string {
  try {
    return slotsOn(disk).install(new Uint8Array(imageOf(version))) ?? "";
  } catch {
    return "unwritten";
  }
}

interface Start {
  counterMin?: number;
  meanwhile?: Version | undefined;
}

/** Starts the device: the label that was confirmed, "crash", or a refusal. Never throws. */
function startOn(disk: FakeDisk, { counterMin = 0, meanwhile }: Start = {}): string {
  const slots = slotsOn(disk, counterMin);
  const image = slots.choose();
  if (typeof image === "string") return image;
  const [label = "", silent] = Buffer.from(image.payload).toString().split(" ");
  if (meanwhile) expect(installOn(disk, meanwhile)).toBe("");
  if (label === "crash" || silent) return label;
  try {
    slots.confirm();
  } catch {
    // The loader says so, and the device runs on.
  }
  return label;
}

class DeviceInNode implements SlotDevice {
  readonly disk = new FakeDisk();

  async install(version: Version, medium?: Medium): Promise<string> {
    return this.on(medium, () => installOn(this.disk, version));
  }

  async start(counterMin: number, meanwhile?: Version, medium?: Medium): Promise<string> {
    return this.on(medium, () => startOn(this.disk, { counterMin, meanwhile }));
  }

  read(file: SlotFile): Buffer | undefined {
    return this.disk.content(`images/${file}`);
  }

  write(file: SlotFile, content: Buffer): void {
    this.disk.put(`images/${file}`, content);
  }

  remove(file: SlotFile): void {
    this.disk.os.remove(`images/${file}`);
  }

  private on(medium: Medium | undefined, act: () => string): string {
    if (medium) this.disk.fail({ kind: "writes", at: 0, errno: ERRORS.full });
    const said = act();
    this.disk.fail();
    return said;
  }
}

/** The newer of the two copies of the record. */
function recordOn(disk: FakeDisk): BootRecord {
  const found = ["boot-0", "boot-1"].flatMap((name) => {
    const record = decodeRecord(disk.content(`images/${name}`) ?? new Uint8Array(0));
    return record ? [record] : [];
  });
  return found.reduce((one, other) => (isNewer(other, one) ? other : one));
}

describe("FORMAT.md: two slots", () => {
  it.each(scenarioRows)("%s", (_name, steps) => play(steps, new DeviceInNode()));

  it("no record names a slot while that slot is written: it would count foreign tries", () => {
    const disk = new FakeDisk();
    begin(disk);
    installOn(disk, { label: 24, counter: 6 });
    const { rename } = disk.os;
    const trials: number[] = [];
    Object.assign(disk.os, {
      rename: (from: string, to: string) => {
        if (to.endsWith("slot-b.img")) trials.push(recordOn(disk).trial);
        return rename(from, to);
      },
    });
    installOn(disk, { label: 28, counter: 7 });
    expect(trials).toEqual([NO_SLOT]);
  });

  it("a second confirmation does nothing", () => {
    const disk = new FakeDisk();
    disk.put("images/slot-a.img", imageOf({ label: 20 }));
    const slots = slotsOn(disk);
    slots.choose();
    slots.confirm();
    const { steps } = disk;
    slots.confirm();
    expect(disk.steps).toBe(steps);
  });

  it("the start of a known good image writes nothing, and takes no lock: flash wears out", () => {
    const disk = new FakeDisk();
    disk.put("images/slot-a.img", imageOf({ label: 20 }));
    expect(startOn(disk)).toBe("20");
    const { steps } = disk;
    Object.assign(disk.os, {
      exec: () => {
        throw new Error("no command is needed");
      },
    });
    expect(startOn(disk)).toBe("20");
    expect(disk.steps).toBe(steps);
  });

  it("the sequence of the record only ever rises, whoever writes in between", () => {
    const disk = new FakeDisk();
    begin(disk);
    installOn(disk, { label: 24, counter: 6 });
    const before = recordOn(disk);
    startOn(disk, { meanwhile: { label: 28, counter: 7 } });
    const after = recordOn(disk);
    expect(isNewer(after, before)).toBe(true);
    expect(after).toMatchObject({ good: 0, trial: 1, tries: 3, counter: 5 });
  });

  it("a slot that cannot be read does not keep the other one from running", () => {
    const disk = new FakeDisk();
    disk.put("images/slot-b.img", imageOf({ label: 24 }));
    const open = disk.os.open.bind(disk.os);
    const failing = (path: string, flags: number): number =>
      path.endsWith("slot-a.img") ? -5 : open(path, flags);
    Object.assign(disk.os, { open: failing });
    expect(startOn(disk)).toBe("24");
  });
});

describe("FORMAT.md: one writer", () => {
  /** Runs `other` at each call of `act` that changes the disk, as another program of the same device. */
  function interrupted(
    prepare: (disk: FakeDisk) => void,
    act: (disk: FakeDisk) => string,
    other: (disk: FakeDisk) => string,
  ): { disk: FakeDisk; own: string; others: string }[] {
    const results: { disk: FakeDisk; own: string; others: string }[] = [];
    for (let at = 0; ; at++) {
      const disk = new FakeDisk();
      prepare(disk);
      let others: string | undefined;
      let steps = 0;
      const { os } = disk;
      const { open, write, rename, remove, exec } = os;
      const preceded = <Args extends unknown[], Result>(call: (...args: Args) => Result) => {
        return (...args: Args): Result => {
          if (steps++ === at) {
            const own = { ...os };
            Object.assign(os, { open, write, rename, remove, exec });
            others = other(disk);
            Object.assign(os, own);
          }
          return call(...args);
        };
      };
      Object.assign(os, {
        ...{ open: preceded(open), write: preceded(write), rename: preceded(rename) },
        ...{ remove: preceded(remove), exec: preceded(exec) },
      });
      const own = act(disk);
      if (others === undefined) return results;
      Object.assign(os, { open, write, rename, remove, exec });
      results.push({ disk, own, others });
    }
  }

  it("two installations at once: one of them is refused as busy, or comes after the other", () => {
    const results = interrupted(
      (disk) => begin(disk),
      (disk) => installOn(disk, { label: 24, counter: 6 }),
      (disk) => installOn(disk, { label: 28, counter: 7 }),
    );
    expect(results.length).toBeGreaterThanOrEqual(10);
    const outcomes = new Set<string>();
    for (const { disk, own, others } of results) {
      expect(own).toBe("");
      expect(["", "busy"]).toContain(others);
      const runs = startOn(disk);
      // Before the lock and behind it the other one may do its work; whoever was last is on trial.
      expect(["24", "28"]).toContain(runs);
      if (others === "busy") expect(runs).toBe("24");
      expect(startOn(disk)).toBe(runs);
      outcomes.add(`${others || "installed"}, ${runs} runs`);
    }
    console.log(`two installations: ${results.length} moments, ${[...outcomes].join("; ")}`);
  });

  it.each([
    ["a good image", 20, (disk: FakeDisk) => begin(disk)],
    [
      "a trial",
      24,
      (disk: FakeDisk) => {
        begin(disk);
        installOn(disk, { label: 24, counter: 6 });
      },
    ],
  ])("an installation at any moment of the start of %s: what never ran is never good", (...row) => {
    const [, label, prepare] = row;
    const results = interrupted(prepare, startOn, (disk) =>
      installOn(disk, { label: 28, counter: 7, broken: true }),
    );
    expect(results.length).toBeGreaterThanOrEqual(5);
    for (const { disk, own, others } of results) {
      expect(["", "busy"]).toContain(others);
      expect(["20", String(label), "crash"]).toContain(own);
      const runs = [1, 2, 3, 4, 5].map(() => startOn(disk));
      expect(runs.filter((said) => said === "crash").length).toBeLessThanOrEqual(3);
      expect(["20", String(label)]).toContain(runs.at(-1));
    }
    const busy = results.filter(({ others }) => others === "busy").length;
    console.log(`an installation during a start: ${results.length} moments, ${busy} busy`);
  });
});

describe("FORMAT.md: the boot record", () => {
  const slot = fc.constantFrom(0, 1, 255);
  const word = fc.nat(0xffffffff);
  const record = fc.record({
    good: slot,
    trial: slot,
    tries: fc.nat(3),
    counter: word,
    sequence: fc.tuple(word, word),
    oldestKey: fc.uint8Array({ minLength: 16, maxLength: 16 }),
  }) as fc.Arbitrary<BootRecord>;

  it("has the bytes of the table", () => {
    const oldestKey = new Uint8Array(16).fill(7);
    const numbers = { good: 0, trial: 1, tries: 3, counter: 77 } as const;
    const bytes = Buffer.from(encodeRecord({ ...numbers, sequence: [2, 9], oldestKey }));
    expect(bytes).toHaveLength(48);
    expect(bytes.subarray(0, 6).toString("latin1")).toBe("PGBR\0\x02");
    expect([...bytes.subarray(6, 12)]).toEqual([0, 1, 3, 0, 0, 0]);
    expect([12, 16, 20].map((at) => bytes.readUInt32BE(at))).toEqual([77, 2, 9]);
    expect([...bytes.subarray(24, 40)]).toEqual([...oldestKey]);
    const sum = createHash("sha512").update(bytes.subarray(0, 40)).digest().subarray(0, 8);
    expect(bytes.subarray(40)).toEqual(sum);
  });

  it("comes back as it was written; with any byte changed or missing it counts as none", () => {
    const property = fc.property(
      record,
      fc.nat(47),
      fc.integer({ min: 1, max: 255 }),
      (one, at, bits) => {
        const bytes = encodeRecord(one);
        expect(decodeRecord(bytes)).toEqual(one);
        expect(decodeRecord(bytes.subarray(0, at))).toBe(undefined);
        bytes[at]! ^= bits;
        expect(decodeRecord(bytes)).toBe(undefined);
      },
    );
    fc.assert(property);
  });

  it("its sequence carries into the high word", () => {
    expect(nextSequence([1, 0xffffffff])).toEqual([2, 0]);
    expect(nextSequence([0, 5])).toEqual([0, 6]);
  });
});

/** What a device may have gone through before. */
const HISTORIES: [string, (disk: FakeDisk) => void, labels: string[]][] = [
  [
    "as the factory wrote it",
    (disk) => disk.put("images/slot-a.img", imageOf({ label: 20 })),
    ["20"],
  ],
  ["with a good image", (disk) => begin(disk), ["20"]],
  [
    "with a trial",
    (disk) => {
      begin(disk);
      installOn(disk, { label: 24, counter: 6 });
    },
    ["20", "24"],
  ],
  [
    "before its first start",
    (disk) => {
      installOn(disk, { label: 20 });
    },
    ["20"],
  ],
];

function begin(disk: FakeDisk): void {
  installOn(disk, { label: 20 });
  startOn(disk);
}

function update(disk: FakeDisk): string {
  return installOn(disk, { label: 28, counter: 7 });
}

/** What comes of each step of a sweep, and how often. */
const outcomes = new Map<string, number>();
let swept = 0;

function count(sweep: string, outcome: string): void {
  swept++;
  const key = `${sweep}: ${outcome}`;
  outcomes.set(key, (outcomes.get(key) ?? 0) + 1);
}

afterAll(() => {
  const lines = [...outcomes].sort().map(([what, times]) => `  ${what}: ${times}`);
  console.log(`slots in JavaScript, ${swept} cuts and failures:\n${lines.join("\n")}`);
});

/** Cuts the power at each step of `act`, and starts what is left in every state that it can be in. */
function cutEverywhere(prepare: (disk: FakeDisk) => void, act: (disk: FakeDisk) => void): string[] {
  const seen: string[] = [];
  for (let step = 0; ; step++) {
    const disk = new FakeDisk();
    prepare(disk);
    disk.cutAt = disk.steps + step;
    try {
      act(disk);
    } catch {
      // The power went; whatever was called then has failed.
    }
    if (!disk.isCut) return seen;
    for (const aftermath of AFTERMATHS) {
      const after = disk.restart(aftermath);
      const first = startOn(after);
      seen.push(first);
      count("power cut", `${first} runs`);
      // And it goes on: the next start runs the same, an update still works.
      expect(startOn(after), `${aftermath}, step ${step}`).toBe(first);
      if (step % 4 !== 0) continue;
      expect(installOn(after, { label: 32, counter: 8 })).toBe("");
      expect(startOn(after)).toBe("32");
    }
  }
}

describe("a power cut at every step of storage leaves a device that starts", () => {
  describe.each(HISTORIES)("a device %s", (_name, prepare, labels) => {
    it("while it is updated: the old image runs, or the new one", () => {
      const seen = cutEverywhere(prepare, update);
      expect(seen.length).toBeGreaterThanOrEqual(4 * 12);
      expect(seen).toContain("28");
      expect([...labels, "28"]).toEqual(expect.arrayContaining([...new Set(seen)]));
    });

    it("while it starts an update for the first time: the old image runs, or the new one", () => {
      const seen = cutEverywhere(
        (disk) => {
          prepare(disk);
          update(disk);
        },
        (disk) => void startOn(disk),
      );
      expect(seen.length).toBeGreaterThanOrEqual(4 * 12);
      expect([...labels, "28"]).toEqual(expect.arrayContaining([...new Set(seen)]));
    });
  });
});

const FAULTS = [
  ["one call fails", "once", ERRORS.broken],
  ["the disk is full from there on", "writes", ERRORS.full],
  ["it is read-only from there on", "writes", ERRORS.readOnly],
  ["nothing works from there on", "on", ERRORS.broken],
] as const;

describe("a failure at every call of storage leaves a device that starts", () => {
  describe.each(HISTORIES)("a device %s", (_name, prepare, labels) => {
    it.each(FAULTS)("while it is updated, %s", (what, kind, errno) => {
      for (let at = 0; ; at++) {
        const disk = new FakeDisk();
        prepare(disk);
        disk.fail({ kind, at, errno });
        const said = update(disk);
        const { failures } = disk;
        disk.fail();
        if (failures === 0) return;
        const runs = startOn(disk);
        expect([...labels, "28"], `call ${at}`).toContain(runs);
        // Whoever was told that it is installed finds it; otherwise the old one may run, or the new one.
        if (said === "") expect(runs, `call ${at}`).toBe("28");
        expect(startOn(disk)).toBe(runs);
        count(`update, ${what}`, `${said || "installed"}, then ${runs} runs`);
      }
    });

    it.each(FAULTS)("while it starts an update, %s", (what, kind, errno) => {
      for (let at = 0; ; at++) {
        const disk = new FakeDisk();
        prepare(disk);
        update(disk);
        disk.fail({ kind, at, errno });
        const during = startOn(disk);
        const { failures } = disk;
        disk.fail();
        if (failures === 0) return;
        // With a medium that can be read it works all the same, and at once.
        const isReadable = kind === "writes";
        if (isReadable) expect([...labels, "28"], `call ${at}`).toContain(during);
        const after = startOn(disk);
        expect([...labels, "28"], `call ${at}`).toContain(after);
        expect(startOn(disk)).toBe(after);
        count(`start, ${what}`, `${during} runs, later ${after}`);
      }
    });
  });
});
