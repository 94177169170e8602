// Seals each record with tweetnacl's secretbox before another storage writes it, for flash that can be read out, copied
// or replaced. Runs wherever typed arrays exist. platform/README.md, "Sealed storage", describes what it protects
// against.

import nacl from "tweetnacl";
import type { Bytes, Entropy, Storage } from "../contracts.ts";
import { faultName, isFilled, operate } from "../exchange/callbacks.ts";

/** The storage to seal, and the key. */
export interface SealedStorageOptions {
  /** Stores the sealed records. */
  storage: Storage;
  /** Random bytes for each record; `write` fails without them. */
  entropy: Entropy;
  /**
   * The device's secret, at least 16 bytes, not all equal (unburnt fuses are). Read by the constructor only; undefined
   * for a device without one: then every write fails.
   */
  deviceKey: Bytes | undefined;
  /** Separates several uses of one device key, such as two applications; not a secret. */
  salt?: Bytes;
}

// A sealed record: version | nonce (24) | authenticator (16) | sealed(version slot number 0 record)
//
// The number is the position of the record among all sealed records. The four zeros were once a counter; a record with
// another value there is invalid.
const VERSION = 1;
const NONCE_AT = 1;
const NONCE_BYTES = 24;
const BOX_AT = NONCE_AT + NONCE_BYTES;
const TAG_BYTES = 16;
/** In the box, before the record: version, slot, and two numbers of four bytes. */
const HEAD_BYTES = 10;
const NUMBER_AT = 2;
const ZEROS_AT = 6;
const KEY_BYTES = 32;
const SHORTEST_DEVICE_KEY_BYTES = 16;
/** secretbox requires leading zeros: 32 bytes in the message, 16 in the box. */
const MESSAGE_LEAD = 32;
const BOX_LEAD = 16;

const NOTHING = new Uint8Array(0);

/** Result for an empty slot; -1 is an unreadable one. */
const EMPTY = -2;

/** By how much a sealed record is longer. */
export const SEALED_OVERHEAD_BYTES = BOX_AT + TAG_BYTES + HEAD_BYTES;

/** The part of tweetnacl that uses the caller's buffers; its types omit it. */
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

/** What is known about a slot of the inner storage. */
interface SlotState {
  /** The number in its sealed record; -1 if no record opens. */
  number: number;
  /** False after a write that may have failed: any authentic box is then possible. */
  certain: boolean;
}

/**
 * Seals records on write and opens them on read. Results:
 * - `write`: false without device key or entropy, or if the inner storage fails.
 * - `read`: -1 for a record that was altered, that belongs to another slot, device, key or salt, or that is older than
 *   one that this object has written or read; also without a device key.
 * - `erase`: as the inner storage.
 */
export class SealedStorage implements Storage {
  readonly capacity: number;
  readonly #inner: Storage;
  readonly #entropy: Entropy;
  readonly #key = new Uint8Array(KEY_BYTES);
  #hasKey: boolean;
  // Only during an operation: the buffers are large, and there may be a thousand seals.
  #envelope = NOTHING;
  #message = NOTHING;
  #box = NOTHING;
  #digestInput = NOTHING;
  readonly #nonce = new Uint8Array(NONCE_BYTES);
  readonly #digest = new Uint8Array(64);
  #fault = "";
  readonly #slots: [SlotState, SlotState] = [nothing(false), nothing(false)];

  constructor(options: SealedStorageOptions) {
    this.#inner = options.storage;
    this.#entropy = options.entropy;
    const capacity = options.storage.capacity;
    if (capacity <= SEALED_OVERHEAD_BYTES)
      throw new RangeError(`sealed storage: no room in ${capacity} bytes`);
    this.capacity = capacity - SEALED_OVERHEAD_BYTES;
    this.#hasKey = deriveKey(this.#key, options.deviceKey, options.salt ?? []);
  }

  /** The failure that the inner storage reports, or what it has thrown. */
  get lastFailure(): string {
    return this.#fault || (this.#inner.lastFailure ?? "");
  }

  /** Wipes the key; later reads and writes fail. */
  dispose(): void {
    this.#key.fill(0);
    this.#hasKey = false;
  }

  read(slot: number, into: Bytes, from: number, to: number, done: (length: number) => void): void {
    this.#mustBeSlot(slot);
    this.#load(slot, (length) => {
      const recordBytes = length - HEAD_BYTES;
      const valid = length >= 0 && recordBytes <= to - from;
      if (valid) copy(this.#message, MESSAGE_LEAD + HEAD_BYTES, into, from, recordBytes);
      this.#wipe();
      done(length === EMPTY ? 0 : valid ? recordBytes : -1);
    });
  }

  write(slot: number, bytes: Bytes, from: number, to: number, done: (ok: boolean) => void): void {
    this.#mustBeSlot(slot);
    if (!this.#hasKey || to - from > this.capacity) {
      done(false);
      return;
    }
    this.#survey(() => {
      this.#begin();
      copy(bytes, from, this.#message, MESSAGE_LEAD + HEAD_BYTES, to - from);
      const number = Math.max(this.#slots[0].number, this.#slots[1].number) + 1;
      const length = this.#seal(slot, to - from, number);
      const envelope = this.#envelope;
      this.#wipe();
      if (length < 0) done(false);
      else this.#keep(slot, envelope, length, number, done);
    });
  }

  erase(slot: number, done: (ok: boolean) => void): void {
    this.#mustBeSlot(slot);
    this.#slots[slot as 0 | 1].certain = false;
    this.#request<boolean>(
      (erased) => this.#inner.erase(slot, erased),
      false,
      (ok) => {
        if (ok) this.#slots[slot as 0 | 1] = nothing(true);
        done(ok);
      },
    );
  }

  /** Reads both slots if their content is unknown: the next record's number must exceed both. */
  #survey(then: () => void): void {
    if (this.#slots.every(({ certain }) => certain)) {
      then();
      return;
    }
    this.#load(0, () => {
      this.#wipe();
      this.#load(1, () => {
        this.#wipe();
        then();
      });
    });
  }

  /** Reads a slot of the inner storage and opens it into `#message`; returns its length, EMPTY or -1. */
  #load(slot: number, then: (length: number) => void): void {
    this.#begin();
    const envelope = this.#envelope;
    this.#request(
      (done) => this.#inner.read(slot, envelope, 0, envelope.length, done),
      -1,
      (length) => {
        if (length === 0) this.#slots[slot as 0 | 1] = nothing(true);
        then(length === 0 ? EMPTY : this.#open(slot, length));
      },
    );
  }

  /** Calls the inner storage; an exception or rejection is a failure. */
  #request<Result>(
    act: (done: (result: Result) => void) => unknown,
    failure: Result,
    done: (result: Result) => void,
  ): void {
    this.#fault = "";
    operate(act, failure, done, (error, giveUp) => {
      this.#fault = `the storage below has failed: ${faultName(error)}`;
      giveUp();
    });
  }

  /**
   * @param length of the box in `#envelope`, -1 if it could not be read
   * @returns bytes of head and record in `#message` after its lead, -1 if the box does not open
   */
  #open(slot: number, length: number): number {
    const innerBytes = length - BOX_AT - TAG_BYTES;
    if (!this.#hasKey || innerBytes < HEAD_BYTES) return -1;
    if (this.#envelope[0] !== VERSION) return -1;
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
    if (this.#message[head] !== VERSION || this.#message[head + 1] !== slot) return -1;
    if (readUint32(this.#message, head + ZEROS_AT) !== 0) return -1;
    return this.#isKnown(slot, readUint32(this.#message, head + NUMBER_AT)) ? innerBytes : -1;
  }

  /** Records an authentic box; false if the slot was last known to hold another one. */
  #isKnown(slot: number, number: number): boolean {
    const state = this.#slots[slot as 0 | 1];
    if (state.certain && number !== state.number) return false;
    this.#slots[slot as 0 | 1] = { number, certain: true };
    return true;
  }

  /** Seals head and record from `#message` into `#envelope`; returns the length, -1 without entropy. */
  #seal(slot: number, recordBytes: number, number: number): number {
    this.#message[MESSAGE_LEAD] = VERSION;
    this.#message[MESSAGE_LEAD + 1] = slot;
    writeUint32(this.#message, MESSAGE_LEAD + NUMBER_AT, number);
    writeUint32(this.#message, MESSAGE_LEAD + ZEROS_AT, 0);
    const innerBytes = HEAD_BYTES + recordBytes;
    if (!this.#makeNonce(innerBytes)) return -1;
    this.#message.fill(0, 0, MESSAGE_LEAD);
    const boxBytes = MESSAGE_LEAD + innerBytes;
    lowlevel.crypto_secretbox(this.#box, this.#message, boxBytes, this.#nonce, this.#key);
    this.#envelope[0] = VERSION;
    copy(this.#nonce, 0, this.#envelope, NONCE_AT, NONCE_BYTES);
    copy(this.#box, BOX_LEAD, this.#envelope, BOX_AT, TAG_BYTES + innerBytes);
    return BOX_AT + TAG_BYTES + innerBytes;
  }

  /**
   * A keyed hash of random bytes and of the content. The random bytes alone would suffice; with the content, a stuck
   * generator still never gives two records the same nonce.
   */
  #makeNonce(innerBytes: number): boolean {
    const input = this.#digestInput;
    if (!isFilled(this.#entropy, input, KEY_BYTES, KEY_BYTES + NONCE_BYTES)) return false;
    copy(this.#key, 0, input, 0, KEY_BYTES);
    copy(this.#message, MESSAGE_LEAD, input, KEY_BYTES + NONCE_BYTES, innerBytes);
    lowlevel.crypto_hash(this.#digest, input, KEY_BYTES + NONCE_BYTES + innerBytes);
    copy(this.#digest, 0, this.#nonce, 0, NONCE_BYTES);
    return true;
  }

  /** Writes the envelope to the inner storage, and records what the slot then holds. */
  #keep(
    slot: number,
    envelope: Uint8Array,
    length: number,
    number: number,
    done: (ok: boolean) => void,
  ): void {
    this.#slots[slot as 0 | 1].certain = false;
    this.#request<boolean>(
      (stored) => this.#inner.write(slot, envelope, 0, length, stored),
      false,
      (ok) => {
        if (ok) this.#slots[slot as 0 | 1] = { number, certain: true };
        done(ok);
      },
    );
  }

  #begin(): void {
    const capacity = this.#inner.capacity;
    this.#envelope = new Uint8Array(capacity);
    this.#message = new Uint8Array(MESSAGE_LEAD + capacity);
    this.#box = new Uint8Array(MESSAGE_LEAD + capacity);
    this.#digestInput = new Uint8Array(KEY_BYTES + NONCE_BYTES + capacity);
  }

  /** Overwrites and releases every buffer with a plaintext record, or data from which it could be derived. */
  #wipe(): void {
    this.#message.fill(0);
    this.#digestInput.fill(0);
    this.#digest.fill(0);
    this.#envelope = this.#message = this.#box = this.#digestInput = NOTHING;
  }

  #mustBeSlot(slot: number): void {
    if (slot !== 0 && slot !== 1) throw new RangeError(`storage: no slot ${slot}`);
  }
}

/** A slot without a box: `certain` if it is empty, not if it is unread or unreadable. */
function nothing(certain: boolean): SlotState {
  return { number: -1, certain };
}

const LABEL = "picogrant sealed storage 1";

/**
 * SHA-512 of label, device key and salt, truncated to a key. The hash includes the length of the device key, so no
 * other pair of key and salt yields the same bytes.
 * @returns false, without a key, if the device key is missing, too short or of a single byte value
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
