// Two slots and the boot record in JavaScript (FORMAT.md), on the very file functions of the device over a
// disk whose power goes at every step.

import { createHash } from "node:crypto";
import fc from "fast-check";
import nacl from "tweetnacl";
import { describe, expect, it, vi } from "vitest";
import {
  type BootRecord,
  decodeRecord,
  encodeRecord,
  NO_SLOT,
  nextSequence,
} from "../../targets/firmware/image/boot-record.ts";
import { Slots } from "../../targets/firmware/image/slots.ts";
import { SlotFiles } from "../../targets/quickjs/slot-files.ts";
import { AFTERMATHS, FakeDisk, PowerCut } from "./fake-disk.ts";
import { keys, makeImage } from "./image-builder.ts";
import { play, type SlotDevice, scenarioRows, type Version } from "./slot-scenarios.ts";

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

function imageOf({ label, counter = 5, broken }: Version): Buffer {
  const name = `${label} ${counter} ${broken}`;
  const payload = Buffer.from(broken ? "crash" : String(label));
  const image = images.get(name) ?? makeImage({ ...OWN, counter, payload });
  images.set(name, image);
  return image;
}

function slotsOn(disk: FakeDisk, counterMin = 0): Slots {
  const targets = [{ engine: "qjs", abi: "std-1" }];
  const requirements = { keys: [keys.publicKey], targets, counterMin };
  return new Slots(new SlotFiles(disk.os, "images"), requirements);
}

/** Starts the device: the label that ran its first tick, "crash", or a refusal. */
function startOn(disk: FakeDisk, counterMin = 0): string {
  const slots = slotsOn(disk, counterMin);
  const image = slots.choose();
  if (typeof image === "string") return image;
  const label = Buffer.from(image.payload).toString();
  if (label !== "crash") slots.firstTick();
  return label;
}

class DeviceInNode implements SlotDevice {
  readonly disk = new FakeDisk();

  async install(version: Version): Promise<string> {
    return slotsOn(this.disk).install(new Uint8Array(imageOf(version))) ?? "";
  }

  async start(counterMin: number): Promise<string> {
    return startOn(this.disk, counterMin);
  }

  damage(file: string): void {
    const content = Buffer.from(this.disk.content(`images/${file}`)!);
    content[content.length >> 1]! ^= 1;
    this.disk.put(`images/${file}`, content);
  }

  remove(file: string): void {
    this.disk.os.remove(`images/${file}`);
  }
}

describe("FORMAT.md: two slots", () => {
  it.each(scenarioRows)("%s", (_name, steps) => play(steps, new DeviceInNode()));

  it("no record names a slot as trial while that slot is written: it would count foreign tries", () => {
    const disk = new FakeDisk();
    begin(disk);
    slotsOn(disk).install(imageOf({ label: 24, counter: 6 }));
    const { rename } = disk.os;
    const trials: number[] = [];
    Object.assign(disk.os, {
      rename: (from: string, to: string) => {
        if (to.endsWith("slot-b.img"))
          trials.push(decodeRecord(disk.content("images/boot")!)!.trial);
        return rename(from, to);
      },
    });
    slotsOn(disk).install(imageOf({ label: 28, counter: 7 }));
    expect(trials).toEqual([NO_SLOT]);
  });

  it("a second first tick does nothing", () => {
    const disk = new FakeDisk();
    disk.put("images/slot-a.img", imageOf({ label: 20 }));
    const slots = slotsOn(disk);
    slots.choose();
    slots.firstTick();
    const { steps } = disk;
    slots.firstTick();
    expect(disk.steps).toBe(steps);
  });

  it("the start of a known good image writes nothing: flash wears out", () => {
    const disk = new FakeDisk();
    disk.put("images/slot-a.img", imageOf({ label: 20 }));
    expect(startOn(disk)).toBe("20");
    const { steps } = disk;
    expect(startOn(disk)).toBe("20");
    expect(disk.steps).toBe(steps);
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

describe("FORMAT.md: the boot record", () => {
  const slot = fc.constantFrom(0, 1, 255);
  const word = fc.nat(0xffffffff);
  const record = fc.record({
    good: slot,
    trial: slot,
    tries: fc.nat(3),
    counter: word,
    sequence: fc.tuple(word, word),
  }) as fc.Arbitrary<BootRecord>;

  it("has the bytes of the table", () => {
    const bytes = Buffer.from(
      encodeRecord({ good: 0, trial: 1, tries: 3, counter: 77, sequence: [2, 9] }),
    );
    expect(bytes.subarray(0, 6).toString("latin1")).toBe("PGBR\0\x01");
    expect([...bytes.subarray(6, 12)]).toEqual([0, 1, 3, 0, 0, 0]);
    expect([12, 16, 20].map((at) => bytes.readUInt32BE(at))).toEqual([77, 2, 9]);
    const sum = createHash("sha512").update(bytes.subarray(0, 24)).digest().subarray(0, 8);
    expect(bytes.subarray(24)).toEqual(sum);
  });

  it("comes back as it was written; with any byte changed or missing it counts as none", () => {
    const property = fc.property(
      record,
      fc.nat(31),
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
      slotsOn(disk).install(imageOf({ label: 24, counter: 6 }));
    },
    ["20", "24"],
  ],
  [
    "before its first start",
    (disk) => {
      slotsOn(disk).install(imageOf({ label: 20 }));
    },
    ["20"],
  ],
];

function begin(disk: FakeDisk): void {
  slotsOn(disk).install(imageOf({ label: 20 }));
  startOn(disk);
}

function update(disk: FakeDisk): void {
  slotsOn(disk).install(imageOf({ label: 28, counter: 7 }));
}

/** Cuts the power at each step of `act`, and starts what is left in every state that it can be in. */
function cutEverywhere(prepare: (disk: FakeDisk) => void, act: (disk: FakeDisk) => void): string[] {
  const seen: string[] = [];
  for (let step = 0; ; step++) {
    const disk = new FakeDisk();
    prepare(disk);
    disk.cutAt = disk.steps + step;
    try {
      act(disk);
      return seen;
    } catch (error) {
      if (!(error instanceof PowerCut)) throw error;
    }
    for (const aftermath of AFTERMATHS) {
      const after = disk.restart(aftermath);
      const first = startOn(after);
      seen.push(first);
      // And it goes on: the next start runs the same, an update still works.
      expect(startOn(after), `${aftermath}, step ${step}`).toBe(first);
      if (step % 4 !== 0) continue;
      expect(slotsOn(after).install(imageOf({ label: 32, counter: 8 }))).toBe(undefined);
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
      expect(seen).toContain(labels.at(-1));
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
