// Storage that seals each record with tweetnacl's secretbox before another storage keeps it, for flash that
// can be read out, copied or exchanged. No Node in here: it runs wherever typed arrays do.
// What it protects against, and what not, is on the adapters' page (platform/README.md), "Sealed storage".

import nacl from "tweetnacl";
import type { Bytes, Entropy, Storage } from "./contracts.ts";

/**
 * A number kept by the hardware that only ever grows (a fuse bank, a replay-protected block, a secure
 * element). With it an older copy of the whole storage, put back by somebody, is noticed.
 */
export interface MonotonicCounter {
  /** Its value, integer 0..2^32-2; negative where it cannot be read. */
  read(): number;
  /** Adds one, durably, and returns the new value. Called once per record written. */
  increment(): number;
}

/** What sealed storage is made of. */
export interface SealedStorageOptions {
  /** Where the sealed records go. */
  storage: Storage;
  /** Fresh bytes for each record; without them `write` fails. */
  entropy: Entropy;
  /**
   * The device's own secret, at least 16 bytes, not all alike (fuses that nobody burnt are). Read during
   * construction only; undefined for a device without one: nothing is then written.
   */
  deviceKey: Bytes | undefined;
  /** Separates several uses of one device key, such as two applications; need not be secret. */
  salt?: Bytes;
  /** A hardware counter that only goes up: with it an older copy of the storage is noticed. */
  counter?: MonotonicCounter;
}

// A sealed record: version | nonce (24) | authenticator (16) | sealed(version slot number stamp record)
//
// The stamp is the counter's value once the record is written, 0 without a counter. The number is
// - in version 1, written without a counter, the record's place in the sequence of all that were sealed;
// - in version 2, written with one, the stamp of the record in the other slot: only with that one, and only where
//   its own stamp is the counter's, is a record current. Put back alone or together, older ones are not.
// Earlier programs wrote version 1 with a counter, too: see `#vouches`.
const WITHOUT_COUNTER = 1;
const BOUND = 2;
const NONCE_AT = 1;
const NONCE_BYTES = 24;
const BOX_AT = NONCE_AT + NONCE_BYTES;
const TAG_BYTES = 16;
/** Inside the box, ahead of the record: version, slot, and two numbers of four bytes. */
const HEAD_BYTES = 10;
const NUMBER_AT = 2;
const STAMP_AT = 6;
const KEY_BYTES = 32;
const SHORTEST_DEVICE_KEY_BYTES = 16;
/** secretbox works on buffers that begin with zeros: 32 of the message, 16 of the box. */
const MESSAGE_LEAD = 32;
const BOX_LEAD = 16;

/** Of the slot below, told apart from -1, unreadable. */
const EMPTY = -2;

/** How many bytes sealing adds to a record. */
export const SEALED_OVERHEAD_BYTES = BOX_AT + TAG_BYTES + HEAD_BYTES;

/** The part of tweetnacl that works in the caller's buffers; its types leave it out. */
interface LowLevel {
  crypto_secretbox(
    box: Uint8Array,
    message: Uint8Array,
    length: number,
    nonce: Uint8Array,
    key: Uint8Array,
  ): number;
  crypto_secretbox_open(
    message: Uint8Array,
    box: Uint8Array,
    length: number,
    nonce: Uint8Array,
    key: Uint8Array,
  ): number;
  crypto_hash(out: Uint8Array, message: Uint8Array, length: number): number;
}
const { lowlevel } = nacl as unknown as { lowlevel: LowLevel };

/** What is known of a slot of the storage below. */
interface SlotState {
  /** Of the box in it, -1 where there is none that opens. */
  version: number;
  number: number;
  stamp: number;
  /** Of a box that was read: it says that the slot was erased. */
  isErasure?: boolean;
  /** False after a write that may or may not have happened: any authentic box is then possible. */
  certain: boolean;
}

/**
 * Seals what is written and opens what is read. Outcomes:
 * - `write`: false without device key, entropy or a readable counter, and where the storage below fails.
 * - `read`: -1 for a record that was altered, belongs to the other slot or another device (or key, or salt),
 *   is older than one this adapter has written or read since it was made, or, with a counter, is not the newest by
 *   the counter, nor the one that the newest found in the other slot; and without a device key.
 * - `erase`: as the storage below. With a counter the slot then gets a sealed nothing, so that putting the old
 *   content back is noticed; without entropy it is erased below all the same.
 */
export class SealedStorage implements Storage {
  readonly capacity: number;
  readonly #inner: Storage;
  readonly #entropy: Entropy;
  readonly #counter: MonotonicCounter | undefined;
  readonly #key = new Uint8Array(KEY_BYTES);
  #hasKey: boolean;
  readonly #envelope: Uint8Array;
  readonly #message: Uint8Array;
  readonly #box: Uint8Array;
  readonly #nonce = new Uint8Array(NONCE_BYTES);
  readonly #digestInput: Uint8Array;
  readonly #digest = new Uint8Array(64);
  readonly #slots: [SlotState, SlotState] = [nothing(false), nothing(false)];
  /** What a slot holds once the envelope of the last `#seal` is in it. */
  #sealed: SlotState = nothing(true);

  constructor(options: SealedStorageOptions) {
    this.#inner = options.storage;
    this.#entropy = options.entropy;
    this.#counter = options.counter;
    const room = options.storage.capacity;
    if (room <= SEALED_OVERHEAD_BYTES)
      throw new RangeError(`sealed storage: no room in ${room} bytes`);
    this.capacity = room - SEALED_OVERHEAD_BYTES;
    this.#envelope = new Uint8Array(room);
    this.#message = new Uint8Array(MESSAGE_LEAD + room);
    this.#box = new Uint8Array(MESSAGE_LEAD + room);
    this.#digestInput = new Uint8Array(KEY_BYTES + NONCE_BYTES + room);
    this.#hasKey = deriveKey(this.#key, options.deviceKey, options.salt ?? []);
  }

  /** What the storage below says. */
  get lastFailure(): string {
    return this.#inner.lastFailure ?? "";
  }

  /** Wipes the key; afterwards nothing is written or read any more. */
  dispose(): void {
    this.#key.fill(0);
    this.#hasKey = false;
  }

  read(slot: number, into: Bytes, from: number, to: number, done: (length: number) => void): void {
    this.#mustBeSlot(slot);
    this.#survey(() => {
      this.#load(slot, (length) => {
        const recordBytes = length - HEAD_BYTES;
        const fits = length >= 0 && recordBytes <= to - from;
        const good = fits && this.#isCurrent(slot, this.#counter?.read());
        if (good) copy(this.#message, MESSAGE_LEAD + HEAD_BYTES, into, from, recordBytes);
        this.#wipe();
        done(length === EMPTY ? 0 : good ? recordBytes : -1);
      });
    });
  }

  write(slot: number, bytes: Bytes, from: number, to: number, done: (ok: boolean) => void): void {
    this.#mustBeSlot(slot);
    if (!this.#hasKey || to - from > this.capacity) {
      done(false);
      return;
    }
    this.#survey(() => {
      copy(bytes, from, this.#message, MESSAGE_LEAD + HEAD_BYTES, to - from);
      const length = this.#seal(slot, to - from, this.#nextState(slot));
      this.#wipe();
      if (length < 0) done(false);
      else this.#keep(slot, length, done);
    });
  }

  erase(slot: number, done: (ok: boolean) => void): void {
    this.#mustBeSlot(slot);
    const eraseBelow = (then: (ok: boolean) => void): void => {
      this.#slots[slot as 0 | 1].certain = false;
      this.#inner.erase(slot, (ok) => {
        if (ok) this.#slots[slot as 0 | 1] = nothing(true);
        then(ok);
      });
    };
    if (this.#counter === undefined || !this.#hasKey) {
      eraseBelow(done);
      return;
    }
    // First the cells, since a storage that is a log keeps what is only written over. The sealed nothing comes
    // last: were it erased again, the record in the other slot would look older than the counter says.
    this.#survey(() => {
      const next = this.#nextState(slot);
      eraseBelow((ok) => {
        const length = ok ? this.#seal(slot, 0, next) : -1;
        this.#wipe();
        if (length < 0) done(ok);
        else this.#keep(slot, length, done);
      });
    });
  }

  /** What both slots hold, where that is not known: the newest of them decides what the counter allows. */
  #survey(then: () => void): void {
    if (!this.#hasKey || this.#slots.every(({ certain }) => certain)) {
      then();
      return;
    }
    this.#load(0, () => {
      this.#wipe();
      this.#load(1, () => {
        this.#wipe();
        this.#catchUp();
        then();
      });
    });
  }

  /**
   * Crash sequence: 1. the box with stamp n+1 is durable, 2. the power goes, 3. the counter still says n.
   * Left alone, the next box would carry n+1 as well and this one could be put back in its place.
   */
  #catchUp(): void {
    const counter = this.#counter;
    if (counter === undefined) return;
    const value = counter.read();
    // One that cannot be read right now is no step behind: it would end up ahead of every record.
    if (value >= 0 && this.#newestStamp() === value + 1) counter.increment();
  }

  /** Reads a slot of the storage below and opens it into `#message`; gives its length, EMPTY or -1. */
  #load(slot: number, then: (length: number) => void): void {
    this.#inner.read(slot, this.#envelope, 0, this.#envelope.length, (length) => {
      if (length === 0) this.#slots[slot as 0 | 1] = nothing(true);
      then(length === 0 ? EMPTY : this.#open(slot, length));
    });
  }

  /**
   * @param length of the box in `#envelope`, -1 where it could not be read
   * @returns bytes of head and record in `#message` after its lead, -1 where the box does not open
   */
  #open(slot: number, length: number): number {
    const innerBytes = length - BOX_AT - TAG_BYTES;
    if (!this.#hasKey || innerBytes < HEAD_BYTES) return -1;
    const version = this.#envelope[0]!;
    if (version !== WITHOUT_COUNTER && version !== BOUND) return -1;
    const boxBytes = BOX_LEAD + TAG_BYTES + innerBytes;
    this.#box.fill(0, 0, BOX_LEAD);
    copy(this.#envelope, BOX_AT, this.#box, BOX_LEAD, TAG_BYTES + innerBytes);
    copy(this.#envelope, NONCE_AT, this.#nonce, 0, NONCE_BYTES);
    const opened = lowlevel.crypto_secretbox_open(
      this.#message,
      this.#box,
      boxBytes,
      this.#nonce,
      this.#key,
    );
    if (opened !== 0) return -1;
    const head = MESSAGE_LEAD;
    if (this.#message[head] !== version || this.#message[head + 1] !== slot) return -1;
    return this.#isKnown(slot, innerBytes === HEAD_BYTES) ? innerBytes : -1;
  }

  /** Notes an authentic box; false for another one than this slot was last known to hold. */
  #isKnown(slot: number, isErasure: boolean): boolean {
    const state = this.#slots[slot as 0 | 1];
    const version = this.#message[MESSAGE_LEAD]!;
    const number = readUint32(this.#message, MESSAGE_LEAD + NUMBER_AT);
    const stamp = readUint32(this.#message, MESSAGE_LEAD + STAMP_AT);
    const isSame = version === state.version && number === state.number && stamp === state.stamp;
    if (state.certain && !isSame) return false;
    this.#slots[slot as 0 | 1] = { version, number, stamp, isErasure, certain: true };
    return true;
  }

  /** Whether the counter, by the value given (undefined without one), allows what the slot is known to hold. */
  #isCurrent(slot: number, floor: number | undefined): boolean {
    if (floor === undefined) return true;
    const own = this.#slots[slot as 0 | 1];
    const other = this.#slots[(1 - slot) as 0 | 1];
    if (floor < 0 || Math.max(own.stamp, other.stamp) < floor) return false;
    return own.stamp > other.stamp || this.#vouches(other, own);
  }

  /** Whether the newest record says of the other slot's that it was there when it was written. */
  #vouches(newest: SlotState, other: SlotState): boolean {
    if (newest.version === BOUND) return newest.number === other.stamp;
    // Earlier programs wrote no such number. The older one's erasure came right behind the newer record; whatever
    // else lies beside an erasure has been put there. Beside a record the older one never counts (core/SPEC.md).
    return !newest.isErasure || newest.stamp === other.stamp + 1;
  }

  #newestStamp(): number {
    return Math.max(this.#slots[0].stamp, this.#slots[1].stamp);
  }

  /** Seals head and record from `#message` into `#envelope`; gives its length, -1 where it refuses. */
  #seal(slot: number, recordBytes: number, sealed: SlotState | undefined): number {
    if (sealed === undefined) return -1;
    this.#sealed = sealed;
    this.#message[MESSAGE_LEAD] = sealed.version;
    this.#message[MESSAGE_LEAD + 1] = slot;
    writeUint32(this.#message, MESSAGE_LEAD + NUMBER_AT, sealed.number);
    writeUint32(this.#message, MESSAGE_LEAD + STAMP_AT, sealed.stamp);
    const innerBytes = HEAD_BYTES + recordBytes;
    if (!this.#makeNonce(innerBytes)) return -1;
    this.#message.fill(0, 0, MESSAGE_LEAD);
    const boxBytes = MESSAGE_LEAD + innerBytes;
    lowlevel.crypto_secretbox(this.#box, this.#message, boxBytes, this.#nonce, this.#key);
    this.#envelope[0] = this.#sealed.version;
    copy(this.#nonce, 0, this.#envelope, NONCE_AT, NONCE_BYTES);
    copy(this.#box, BOX_LEAD, this.#envelope, BOX_AT, TAG_BYTES + innerBytes);
    return BOX_AT + TAG_BYTES + innerBytes;
  }

  /**
   * What a slot is to hold; undefined where the counter cannot be read. The counter is read once: were it unreadable
   * for the record in the other slot alone, that one would be disowned by what is sealed now.
   */
  #nextState(slot: number): SlotState | undefined {
    if (this.#counter === undefined) {
      const number = Math.max(this.#slots[0].number, this.#slots[1].number) + 1;
      return { version: WITHOUT_COUNTER, number, stamp: 0, certain: true };
    }
    const counterValue = this.#counter.read();
    if (counterValue < 0) return undefined;
    const other = (1 - slot) as 0 | 1;
    // 0 where none counts there: that must not count later because of this one.
    const beside = this.#isCurrent(other, counterValue) ? Math.max(0, this.#slots[other].stamp) : 0;
    const stamp = Math.max(counterValue, this.#newestStamp()) + 1;
    return { version: BOUND, number: beside, stamp, certain: true };
  }

  /**
   * A keyed hash of fresh random bytes and of what will be sealed. The random bytes alone would do; with the
   * content in it a generator that gets stuck in the field still never gives two records one nonce.
   */
  #makeNonce(innerBytes: number): boolean {
    const input = this.#digestInput;
    if (!this.#entropy.fill(input, KEY_BYTES, KEY_BYTES + NONCE_BYTES)) return false;
    copy(this.#key, 0, input, 0, KEY_BYTES);
    copy(this.#message, MESSAGE_LEAD, input, KEY_BYTES + NONCE_BYTES, innerBytes);
    lowlevel.crypto_hash(this.#digest, input, KEY_BYTES + NONCE_BYTES + innerBytes);
    copy(this.#digest, 0, this.#nonce, 0, NONCE_BYTES);
    return true;
  }

  /** Has the storage below write the envelope, and notes what the slot then holds. */
  #keep(slot: number, length: number, done: (ok: boolean) => void): void {
    this.#slots[slot as 0 | 1].certain = false;
    this.#inner.write(slot, this.#envelope, 0, length, (ok) => {
      if (ok) {
        this.#slots[slot as 0 | 1] = this.#sealed;
        this.#counter?.increment();
      }
      done(ok);
    });
  }

  /** Overwrites every buffer that held a record in the clear, or what could be worked back to it. */
  #wipe(): void {
    this.#message.fill(0);
    this.#digestInput.fill(0);
    this.#digest.fill(0);
  }

  #mustBeSlot(slot: number): void {
    if (slot !== 0 && slot !== 1) throw new RangeError(`storage: no slot ${slot}`);
  }
}

/** A slot without a box: `certain` where it is empty, not where it is unread or unreadable. */
function nothing(certain: boolean): SlotState {
  return { version: -1, number: -1, stamp: -1, certain };
}

const LABEL = "picogrant sealed storage 1";

/**
 * SHA-512 of label, device key and salt, cut to a key. The device key's length goes in too: no other pair of
 * key and salt gives the same bytes.
 * @returns false, with no key made, where the device key is missing, too short or of one byte value only
 */
function deriveKey(key: Uint8Array, deviceKey: Bytes | undefined, salt: Bytes): boolean {
  if (deviceKey === undefined || deviceKey.length < SHORTEST_DEVICE_KEY_BYTES) return false;
  let alike = true;
  for (let i = 1; i < deviceKey.length; i++) alike = alike && deviceKey[i] === deviceKey[0];
  if (alike) return false;
  const keyAt = LABEL.length + 4;
  const input = new Uint8Array(keyAt + deviceKey.length + salt.length);
  for (let i = 0; i < LABEL.length; i++) input[i] = LABEL.charCodeAt(i);
  writeUint32(input, LABEL.length, deviceKey.length);
  copy(deviceKey, 0, input, keyAt, deviceKey.length);
  copy(salt, 0, input, keyAt + deviceKey.length, salt.length);
  const digest = new Uint8Array(64);
  lowlevel.crypto_hash(digest, input, input.length);
  copy(digest, 0, key, 0, KEY_BYTES);
  input.fill(0);
  digest.fill(0);
  return true;
}

function copy(from: Bytes, fromAt: number, to: Bytes, toAt: number, length: number): void {
  for (let i = 0; i < length; i++) to[toAt + i] = from[fromAt + i]!;
}

function writeUint32(bytes: Uint8Array, at: number, value: number): void {
  for (let i = 0; i < 4; i++) bytes[at + i] = (value >>> (24 - 8 * i)) & 0xff;
}

function readUint32(bytes: Uint8Array, at: number): number {
  let value = 0;
  for (let i = 0; i < 4; i++) value = value * 256 + bytes[at + i]!;
  return value;
}
