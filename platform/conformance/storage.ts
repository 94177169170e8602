// The rules of the Storage contract, except power failures, which need a model of the medium.

import type { Bytes, Storage } from "../contracts.ts";
import {
  callOnce,
  type Environment,
  must,
  mustBegin,
  pattern,
  SILENCE_MS,
  type Subject,
  suite,
} from "./case.ts";

/** An adapter under test with its environment; each case creates one. */
export interface StorageSubject extends Subject {
  /** A storage whose two slots are empty. */
  storage: Storage;
  environment: Environment;
  /** Returns the same medium as after a restart of the device. Without this function, durability is not checked. */
  restart?: () => Storage | Promise<Storage>;
}

const EMPTY: Bytes = [];

/** Cases for a storage adapter with a capacity of at least 30 bytes. `make` returns an empty storage. */
export const storageConformance = suite<StorageSubject>("storage", {
  "both slots are empty at first: they read as 0, into a range of nothing too": async (subject) => {
    for (const slot of [0, 1]) {
      await holds(subject, slot, EMPTY);
      must((await read(subject, slot, [])) === 0, `slot ${slot} does not read as 0`);
    }
  },

  "reads back what was written: any length up to capacity, bytes of every value": async (
    subject,
  ) => {
    const { capacity } = subject.storage;
    must(Number.isInteger(capacity) && capacity > 0, `capacity is ${capacity}`);
    const lengths = [1, 2, 3, 255, 256, 257, capacity - 1, capacity];
    const records = [
      ...lengths.map((length) => pattern(length, length)),
      ...[[0], [255], [0, 255], [255, 0], [0, 0, 0], [255, 255, 255]],
    ];
    for (const [i, record] of records.entries()) {
      if (record.length > capacity) continue;
      await writes(subject, i & 1, record);
      await holds(subject, i & 1, record);
    }
  },

  "200 random operations: each write or erasure replaces one slot and leaves the other": async (
    subject,
  ) => {
    const model = [EMPTY, EMPTY];
    let seed = 12345;
    const next = (below: number): number => {
      seed = (Math.imul(seed, 1103515245) + 12345) >>> 0;
      return (seed >>> 8) % below;
    };
    for (let i = 0; i < 200; i++) {
      const slot = next(2);
      const length = next(4) === 0 ? 0 : 1 + next(subject.storage.capacity);
      model[slot] = pattern(length, i);
      if (length === 0) await erases(subject, slot);
      else await writes(subject, slot, model[slot]!);
      for (const one of [0, 1]) await holds(subject, one, model[one]!);
    }
  },

  "writes `bytes[from..to)` and reads into `into[from..]` only, also in plain arrays": async (
    subject,
  ) => {
    must(await write(subject, 0, [90, 91, 1, 2, 3, 92], 2, 5), "write of three bytes failed");
    const into = [77, 77, 77, 77, 77, 77, 77];
    const length = await read(subject, 0, into, 2, 6);
    must(length === 3, `read reports ${length} bytes, not 3`);
    must(into.slice(0, 5).join() === "77,77,1,2,3", `read gave ${into.join()}`);
    must(into[6] === 77, "read went past its range");
  },

  "a record longer than the range reads as -1, one that just fits is read": async (subject) => {
    await writes(subject, 0, pattern(10, 1));
    const into = new Uint8Array(20);
    for (const [to, length] of [
      [9, -1],
      [0, -1],
      [10, 10],
    ] as const) {
      const got = await read(subject, 0, into, 0, to);
      must(got === length, `a record of 10 bytes reads as ${got} into a range of ${to}`);
      must(length > 0 || into.every((byte) => byte === 0), "read wrote past its range");
    }
  },

  "keeps a copy: bytes changed after the callback are not seen": async (subject) => {
    const bytes = pattern(16, 2);
    await writes(subject, 0, bytes);
    bytes.fill(0);
    await holds(subject, 0, pattern(16, 2));
    const into = new Uint8Array(16);
    await read(subject, 0, into);
    into.fill(0);
    await holds(subject, 0, pattern(16, 2));
  },

  "calls back exactly once": async ({ storage, environment }) => {
    const once = (what: string, start: (done: (value: unknown) => void) => void) =>
      callOnce(environment, what, start, SILENCE_MS);
    await once("write", (done) => storage.write(0, [1], 0, 1, done));
    await once("read", (done) => storage.read(0, [0], 0, 1, done));
    await once("erase", (done) => storage.erase(0, done));
  },

  "the next operation may start from within a callback": async ({ storage, environment }) => {
    const into = new Uint8Array(4);
    const length = await callOnce<number>(environment, "write, erase, write, read", (done) =>
      storage.write(0, [1, 2], 0, 2, () =>
        storage.erase(1, () =>
          storage.write(0, [3, 4, 5], 0, 3, () => storage.read(0, into, 0, 4, done)),
        ),
      ),
    );
    must(length === 3, `the read at the end reports ${length} bytes, not 3`);
    mustBegin(into, [3, 4, 5], "the read at the end");
  },

  "a record over capacity is refused and changes nothing": async (subject) => {
    await writes(subject, 0, [1, 2, 3]);
    const long = pattern(subject.storage.capacity + 1, 1);
    await isRefused(subject, `a record of ${long.length} bytes`, (done) =>
      subject.storage.write(0, long, 0, long.length, done),
    );
    await holds(subject, 0, [1, 2, 3]);
    await writes(subject, 0, [4]);
    await holds(subject, 0, [4]);
  },

  "slots other than 0 and 1 are refused and change nothing": async (subject) => {
    const { storage } = subject;
    await writes(subject, 0, [1]);
    await writes(subject, 1, [2]);
    for (const slot of [-1, 2, 0.5]) {
      const write = (done: (ok: boolean) => void) => storage.write(slot, [9], 0, 1, done);
      await isRefused(subject, `writing slot ${slot}`, write);
      await isRefused(subject, `erasing slot ${slot}`, (done) => storage.erase(slot, done));
    }
    await holds(subject, 0, [1]);
    await holds(subject, 1, [2]);
  },

  "records and erasures survive a restart": async (subject) => {
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
  },
});

const read = (
  { storage, environment }: StorageSubject,
  slot: number,
  into: Bytes,
  from = 0,
  to = into.length,
) => callOnce<number>(environment, "read", (done) => storage.read(slot, into, from, to, done));

const write = (
  { storage, environment }: StorageSubject,
  slot: number,
  bytes: Bytes,
  from = 0,
  to = bytes.length,
) => callOnce<boolean>(environment, "write", (done) => storage.write(slot, bytes, from, to, done));

async function writes(subject: StorageSubject, slot: number, bytes: Bytes) {
  const ok = await write(subject, slot, bytes);
  must(ok === true, `write of ${bytes.length} bytes to slot ${slot} failed`);
}

async function erases({ storage, environment }: StorageSubject, slot: number) {
  const ok = await callOnce<boolean>(environment, "erase", (done) => storage.erase(slot, done));
  must(ok === true, `erase of slot ${slot} failed`);
}

async function holds(subject: StorageSubject, slot: number, expected: Bytes) {
  const into = new Uint8Array(subject.storage.capacity);
  const length = await read(subject, slot, into);
  must(length === expected.length, `slot ${slot} reads ${length} bytes, not ${expected.length}`);
  mustBegin(into, expected, `slot ${slot}`);
}

/** Checks that an operation with invalid arguments fails: the adapter may throw, or report the failure. */
async function isRefused(
  { environment }: StorageSubject,
  what: string,
  start: (done: (ok: boolean) => void) => void,
) {
  const ok = await callOnce<boolean>(environment, what, (done) => {
    try {
      start(done);
    } catch {
      done(false);
    }
  });
  must(ok !== true, `${what} was taken`);
}
