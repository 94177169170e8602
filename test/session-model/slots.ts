// Tests the two slots of a storage (sealed bytes, files, or a value of the program) against two ideal slots. After a
// power cut or a fault, a slot may still have its old content. A fault in one slot never changes the other.

import type { Storage } from "../../platform/contracts.ts";
import { Random } from "../model/random.ts";
import type { RunReport } from "./session-run.ts";
import { FileMedium, type Medium, SealedMedium, ValueMedium } from "./slot-media.ts";

const MEDIA = [SealedMedium, SealedMedium, ValueMedium, FileMedium];
const ACTIONS = [
  ...["write", "write", "write", "read", "read", "read", "erase", "restart", "damage"],
  ...["too long", "buffer too small", "no such slot", "secret"],
] as const;
type Action = (typeof ACTIONS)[number];
/** The value of the bytes around the buffer of a read. If one changes, storage has written outside the buffer. */
const EDGE = 0xa5;

interface Ideal {
  possible: Set<string>;
  /** Whether the slot may also be unreadable. */
  isDoubtful: boolean;
}

class Slots {
  readonly violations: string[] = [];
  readonly actions: string[] = [];
  readonly #random: Random;
  readonly #medium: Medium;
  #storage: Storage;
  readonly #ideal: [Ideal, Ideal] = [empty(), empty()];

  constructor(seed: number) {
    this.#random = new Random(seed);
    this.#medium = new MEDIA[seed % MEDIA.length]!(this.#random);
    this.#storage = this.#medium.open();
  }

  async run(): Promise<void> {
    for (let left = 6 + this.#random.below(20); left > 0; left--) {
      const action = this.#random.pick(ACTIONS);
      const slot = this.#random.below(2) as 0 | 1;
      this.actions.push(`${action} ${slot}`);
      await this.#do(action, slot);
      const problem = this.#medium.problem();
      if (problem !== "") this.violations.push(problem);
    }
    this.#restart();
    for (const slot of [0, 1] as const) await this.#read(slot, this.#storage.capacity);
    this.#medium.dispose();
  }

  async #do(action: Action, slot: 0 | 1): Promise<void> {
    const { capacity } = this.#storage;
    switch (action) {
      case "write":
        return this.#change(slot, this.#drawn());
      case "erase":
        return this.#change(slot, undefined);
      case "read":
        return this.#read(slot, capacity);
      case "buffer too small":
        return this.#read(slot, this.#random.below(40));
      case "restart":
        return this.#restart();
      case "damage":
        Object.assign(this.#ideal[slot], this.#medium.damage(slot));
        return undefined;
      case "too long": {
        const bytes = new Uint8Array(capacity + 1);
        const isWritten = await new Promise((done) => {
          this.#storage.write(slot, bytes, 0, bytes.length, done);
        });
        if (isWritten) this.violations.push("a record beyond the capacity is written");
        return undefined;
      }
      case "no such slot":
        try {
          this.#storage.erase(this.#random.pick([2, -1, 0.5]), () => {});
        } catch (error) {
          if (error instanceof RangeError) return undefined;
        }
        this.violations.push("a slot that does not exist");
        return undefined;
      case "secret":
        return this.#refuses(slot);
    }
  }

  #drawn(): string {
    const length = this.#random.pick([0, 1, 12, 30, 30, 60]);
    return Array.from({ length }, () => String.fromCharCode(this.#random.below(256))).join("");
  }

  #restart(): void {
    this.#medium.restart();
    this.#storage = this.#medium.open();
    this.#discard(0);
    this.#discard(1);
  }

  /** Models that storage no longer knows which content is current. An older one may then become valid again. */
  #discard(slot: 0 | 1): void {
    const there = this.#medium.unsure(slot);
    if (there !== undefined) this.#ideal[slot].possible.add(there);
  }

  /** @param text the new content; undefined erases the slot */
  async #change(slot: 0 | 1, text: string | undefined): Promise<void> {
    const fault = this.#random.pick(["", "", "", "cut", "moment"] as const);
    if (fault === "cut") this.#medium.cut();
    if (fault === "moment") this.#medium.fail();
    const bytes = Buffer.from(`..${text ?? ""}..`, "latin1");
    const isDone = await settled<boolean>((done) => {
      if (text === undefined) this.#storage.erase(slot, done);
      else this.#storage.write(slot, bytes, 2, bytes.length - 2, done);
    });
    const ideal = this.#ideal[slot];
    if (isDone) {
      ideal.possible = new Set([text ?? ""]);
      ideal.isDoubtful = false;
      this.#medium.written(slot, text ?? "");
    } else {
      if (fault === "") this.violations.push("reported a failure without one");
      ideal.possible.add(text ?? "");
      ideal.isDoubtful ||= fault === "cut" && this.#medium.tears;
      this.#medium.interrupted(slot, text ?? "");
      this.#discard(slot);
    }
    this.#medium.fine();
    if (fault === "cut") this.#restart();
  }

  async #read(slot: 0 | 1, capacity: number): Promise<void> {
    const isFailing = this.#random.once(6);
    if (isFailing) this.#medium.fail();
    const into = new Uint8Array(capacity + 4).fill(EDGE);
    const length = await settled<number>((done) =>
      this.#storage.read(slot, into, 2, 2 + capacity, done),
    );
    this.#medium.fine();
    const around = [0, 1, capacity + 2, capacity + 3].map((at) => into[at]);
    if (around.some((byte) => byte !== EDGE))
      this.violations.push("a read wrote outside the buffer");
    const ideal = this.#ideal[slot];
    if (length === undefined || length < 0) {
      const isLong = [...ideal.possible].some((text) => text.length > capacity);
      if (!isFailing && !isLong && !ideal.isDoubtful)
        this.violations.push(`slot ${slot} is not readable`);
      return;
    }
    const text = Buffer.from(into.subarray(2, 2 + length)).toString("latin1");
    if (!ideal.possible.has(text)) {
      this.violations.push(`slot ${slot} contains ${JSON.stringify(text)}`);
    }
    ideal.possible = new Set([text]);
    ideal.isDoubtful = false;
    this.#medium.seen(slot);
  }

  /** Without a required key or value, storage must refuse to write, and must read nothing. */
  async #refuses(slot: 0 | 1): Promise<void> {
    for (const wrong of this.#medium.wrong()) {
      const bytes = Buffer.from("0123456789");
      const isDone = await settled<boolean>((done) => wrong.write(slot, bytes, 0, 10, done));
      if (isDone) this.violations.push("written without a required key or value");
      const length = await settled<number>((done) =>
        wrong.read(slot, new Uint8Array(99), 0, 99, done),
      );
      if ((length ?? -1) > 0) this.violations.push("read without a required key or value");
    }
  }
}

function empty(): Ideal {
  return { possible: new Set([""]), isDoubtful: false };
}

async function settled<T>(run: (done: (result: T) => void) => void): Promise<T | undefined> {
  let result: T | undefined;
  run((value) => {
    result = value;
  });
  for (let i = 0; i < 12 && result === undefined; i++) await null;
  return result;
}

export async function slotsOnce(seed: number): Promise<RunReport> {
  const slots = new Slots(seed);
  await slots.run();
  return { violations: slots.violations, actions: slots.actions };
}
