// The rules of the Storage contract, power cuts excepted: those need a model of the medium
// (the SIGKILL test of the file storage shows one way to try them).

import type { Bytes, Storage } from "../contracts.ts";
import {
  type ConformanceCase,
  callOnce,
  caseWith,
  eventually,
  must,
  mustEqualBytes,
  pattern,
  SILENCE_MS,
  type World,
} from "./case.ts";

/** An adapter under test, and its surroundings; each case makes one. */
export interface StorageSubject {
  /** Both slots empty. */
  storage: Storage;
  /** How time passes. */
  world: World;
  /** The same medium after the device was started anew. Without it durability is not checked. */
  restart?: () => Storage | Promise<Storage>;
  /** Gives back what the adapter holds; called after each case. */
  dispose?: () => void | Promise<void>;
}

type Rule = (name: string, body: (subject: StorageSubject) => Promise<void>) => ConformanceCase;

/** Cases for a storage adapter of at least 30 bytes; `make` gives an empty one. */
export function storageConformance(
  make: () => StorageSubject | Promise<StorageSubject>,
): ConformanceCase[] {
  const rule: Rule = (name, body) => caseWith(make, `storage: ${name}`, body);
  return [
    ...contentRules(rule),
    ...rangeRules(rule),
    ...callbackRules(rule),
    ...limitRules(rule),
    ...durabilityRules(rule),
  ];
}

function contentRules(rule: Rule): ConformanceCase[] {
  return [
    rule("both slots are empty at first", async (subject) => {
      await holds(subject, 0, EMPTY);
      await holds(subject, 1, EMPTY);
    }),
    rule("reads back what was written, of any length up to capacity", async (subject) => {
      const { capacity } = subject.storage;
      must(Number.isInteger(capacity) && capacity > 0, `capacity is ${capacity}`);
      for (const length of [1, 2, 3, 255, 256, 257, capacity - 1, capacity]) {
        if (length < 1 || length > capacity) continue;
        await writes(subject, length & 1, pattern(length, length));
        await holds(subject, length & 1, pattern(length, length));
      }
    }),
    rule("keeps bytes of every value, 0x00 and 0xff at the ends too", async (subject) => {
      for (const record of [[0], [255], [0, 255], [255, 0], [0, 0, 0], [255, 255, 255]]) {
        await writes(subject, 0, record);
        await holds(subject, 0, record);
      }
      if (subject.storage.capacity >= 256) {
        await writes(subject, 1, pattern(256, 3));
        await holds(subject, 1, pattern(256, 3));
      }
    }),
    rule("a shorter record leaves nothing of a longer one", async (subject) => {
      await writes(subject, 0, pattern(subject.storage.capacity, 1));
      await writes(subject, 0, [9]);
      await holds(subject, 0, [9]);
    }),
    rule("the slots are apart: writing or erasing one leaves the other", async (subject) => {
      for (const slot of [0, 1]) {
        const other = 1 - slot;
        await writes(subject, other, pattern(20, other));
        await writes(subject, slot, pattern(30, 7));
        await holds(subject, other, pattern(20, other));
        await erases(subject, slot);
        await holds(subject, other, pattern(20, other));
        await holds(subject, slot, EMPTY);
      }
    }),
    rule("erasing empties, an empty slot too; writing works after it", async (subject) => {
      await erases(subject, 1);
      await writes(subject, 1, [1, 2]);
      await erases(subject, 1);
      await erases(subject, 1);
      await holds(subject, 1, EMPTY);
      await writes(subject, 1, [3]);
      await holds(subject, 1, [3]);
    }),
    rule("does what 200 operations in a row say", (subject) => followsModel(subject, 200)),
  ];
}

function rangeRules(rule: Rule): ConformanceCase[] {
  return [
    rule("writes `bytes[from..to)` and reads into `into[from..]` only", async (subject) => {
      const { storage, world } = subject;
      const source = [90, 91, 1, 2, 3, 92];
      const ok = await callOnce<boolean>(world, "write", (done) =>
        storage.write(0, source, 2, 5, done),
      );
      must(ok, "write of three bytes failed");
      const into = [77, 77, 77, 77, 77, 77, 77];
      const length = await callOnce<number>(world, "read", (done) =>
        storage.read(0, into, 2, 6, done),
      );
      must(length === 3, `read says ${length} bytes, not 3`);
      must(into.slice(0, 5).join() === "77,77,1,2,3", `read gave ${into.join()}`);
      must(into[6] === 77, "read went past its range");
    }),
    rule(
      "a record longer than the range reads as -1, one that just fits is read",
      async (subject) => {
        const { storage, world } = subject;
        await writes(subject, 0, pattern(10, 1));
        const into = new Uint8Array(20);
        const read = (to: number) =>
          callOnce<number>(world, "read", (done) => storage.read(0, into, 0, to, done));
        must((await read(9)) === -1, "a range of 9 bytes took a record of 10");
        must(
          into.subarray(9).every((byte) => byte === 0),
          "read wrote past its range",
        );
        must((await read(0)) === -1, "an empty range took a record of 10");
        must((await read(10)) === 10, "a range of 10 bytes did not take a record of 10");
      },
    ),
    rule("an empty slot reads as 0 into an empty range", async ({ storage, world }) => {
      const length = await callOnce<number>(world, "read", (done) =>
        storage.read(1, [], 0, 0, done),
      );
      must(length === 0, `it read as ${length}`);
    }),
    rule("takes plain arrays and typed arrays alike", async (subject) => {
      await writes(subject, 0, [5, 6, 7]);
      await holds(subject, 0, Uint8Array.of(5, 6, 7));
      await writes(subject, 0, Uint8Array.of(8, 9));
      const into: number[] = [0, 0, 0];
      const { storage, world } = subject;
      const length = await callOnce<number>(world, "read", (done) =>
        storage.read(0, into, 0, 3, done),
      );
      must(length === 2 && into.join() === "8,9,0", `read gave ${length}: ${into.join()}`);
    }),
    rule("keeps a copy: bytes changed after the callback are not seen", async (subject) => {
      const bytes = pattern(16, 2);
      await writes(subject, 0, bytes);
      bytes.fill(0);
      await holds(subject, 0, pattern(16, 2));
      const { storage, world } = subject;
      const into = new Uint8Array(16);
      await callOnce<number>(world, "read", (done) => storage.read(0, into, 0, 16, done));
      into.fill(0);
      await holds(subject, 0, pattern(16, 2));
    }),
  ];
}

function callbackRules(rule: Rule): ConformanceCase[] {
  return [
    rule("calls back exactly once", async ({ storage, world }) => {
      const calls = [0, 0, 0];
      storage.write(0, [1], 0, 1, () => calls[0]!++);
      await eventually(world, () => calls[0]! > 0, "write");
      await world.wait(SILENCE_MS);
      storage.read(0, [0], 0, 1, () => calls[1]!++);
      await eventually(world, () => calls[1]! > 0, "read");
      await world.wait(SILENCE_MS);
      storage.erase(0, () => calls[2]!++);
      await eventually(world, () => calls[2]! > 0, "erase");
      await world.wait(SILENCE_MS);
      must(calls.join() === "1,1,1", `write, read, erase called back ${calls.join(", ")} times`);
    }),
    rule("the next operation may start from within a callback", async ({ storage, world }) => {
      const into = new Uint8Array(4);
      const length = await callOnce<number>(world, "write, erase, write, read", (done) =>
        storage.write(0, [1, 2], 0, 2, () =>
          storage.erase(1, () =>
            storage.write(0, [3, 4, 5], 0, 3, () => storage.read(0, into, 0, 4, done)),
          ),
        ),
      );
      must(length === 3, `the read at the end says ${length} bytes, not 3`);
      mustEqualBytes(into, 0, [3, 4, 5], "the read at the end");
    }),
  ];
}

function limitRules(rule: Rule): ConformanceCase[] {
  return [
    rule("a record over capacity is refused and harms nothing", async (subject) => {
      const { storage, world } = subject;
      await writes(subject, 0, [1, 2, 3]);
      const long = pattern(storage.capacity + 1, 1);
      const answer = await refusal(world, (done) => storage.write(0, long, 0, long.length, done));
      must(answer !== true, `a record of ${long.length} bytes was taken`);
      await holds(subject, 0, [1, 2, 3]);
      await writes(subject, 0, [4]);
      await holds(subject, 0, [4]);
    }),
    rule("slots other than 0 and 1 are refused and harm nothing", async (subject) => {
      const { storage, world } = subject;
      await writes(subject, 0, [1]);
      await writes(subject, 1, [2]);
      for (const slot of [-1, 2, 0.5]) {
        const wrote = await refusal(world, (done) => storage.write(slot, [9], 0, 1, done));
        must(wrote !== true, `slot ${slot} was written`);
        const erased = await refusal(world, (done) => storage.erase(slot, done));
        must(erased !== true, `slot ${slot} was erased`);
      }
      await holds(subject, 0, [1]);
      await holds(subject, 1, [2]);
    }),
  ];
}

function durabilityRules(rule: Rule): ConformanceCase[] {
  return [
    rule("records and erasures survive a restart", async (subject) => {
      if (subject.restart === undefined) return;
      await writes(subject, 0, pattern(29, 1));
      await writes(subject, 1, pattern(30, 2));
      let again = { ...subject, storage: await subject.restart() };
      await holds(again, 0, pattern(29, 1));
      await holds(again, 1, pattern(30, 2));
      await erases(again, 0);
      await writes(again, 1, [7]);
      again = { ...subject, storage: await subject.restart() };
      await holds(again, 0, EMPTY);
      await holds(again, 1, [7]);
    }),
  ];
}

const EMPTY: Bytes = [];

async function writes({ storage, world }: StorageSubject, slot: number, bytes: Bytes) {
  const ok = await callOnce<boolean>(world, "write", (done) =>
    storage.write(slot, bytes, 0, bytes.length, done),
  );
  must(ok === true, `write of ${bytes.length} bytes to slot ${slot} failed`);
}

async function erases({ storage, world }: StorageSubject, slot: number) {
  const ok = await callOnce<boolean>(world, "erase", (done) => storage.erase(slot, done));
  must(ok === true, `erase of slot ${slot} failed`);
}

async function holds({ storage, world }: StorageSubject, slot: number, expected: Bytes) {
  const into = new Uint8Array(storage.capacity);
  const length = await callOnce<number>(world, "read", (done) =>
    storage.read(slot, into, 0, into.length, done),
  );
  must(length === expected.length, `slot ${slot} reads ${length} bytes, not ${expected.length}`);
  mustEqualBytes(into, 0, expected, `slot ${slot}`);
}

/** The callback's value, or undefined where the call threw (both are allowed for a caller's mistake). */
async function refusal(
  world: World,
  start: (done: (ok: boolean) => void) => void,
): Promise<boolean | undefined> {
  let thrown = false;
  const value = callOnce<boolean>(world, "a refused operation", (done) => {
    try {
      start(done);
    } catch {
      thrown = true;
      done(false);
    }
  });
  return (await value) && !thrown;
}

/** Random operations against two plain variables. */
async function followsModel(subject: StorageSubject, count: number): Promise<void> {
  const model: [Bytes, Bytes] = [EMPTY, EMPTY];
  let seed = 12345;
  const next = (below: number): number => {
    seed = (Math.imul(seed, 1103515245) + 12345) >>> 0;
    return (seed >>> 8) % below;
  };
  for (let i = 0; i < count; i++) {
    const slot = next(2) as 0 | 1;
    const choice = next(4);
    if (choice === 0) {
      await erases(subject, slot);
      model[slot] = EMPTY;
    } else if (choice === 1) {
      await holds(subject, slot, model[slot]);
    } else {
      model[slot] = pattern(1 + next(subject.storage.capacity), i);
      await writes(subject, slot, model[slot]);
    }
  }
  await holds(subject, 0, model[0]);
  await holds(subject, 1, model[1]);
}
