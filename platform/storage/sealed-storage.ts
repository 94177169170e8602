// Seals each record with tweetnacl's secretbox before another storage writes it, for flash that others can read, copy or
// replace. Runs on any engine with typed arrays. platform/README.md ("Sealed storage") describes the protection.

import nacl from "tweetnacl";
import type { Bytes, Entropy, Storage } from "../contracts.ts";
import { faultName, isFilled, operate } from "../exchange/callbacks.ts";

/** The options of a sealed storage. */
export interface SealedStorageOptions {
  storage: Storage;
  /** Provides random bytes for each record. If it fails, `write` fails. */
  entropy: Entropy;
  /**
   * The device's secret: at least 16 bytes, not all equal (as in unprogrammed fuses). Only the constructor reads it. If
   * it is undefined or invalid, every write fails.
   */
  deviceKey: Bytes | undefined;
  /** The salt separates several uses of one device key, such as two applications. It is not a secret. */
  salt?: Bytes;
}

// A sealed record: version | nonce (24) | authenticator (16) | sealed(version slot number 0 record)
//
// The number is one more than the highest in both slots. The 0 has four bytes, which were once a counter; a record with
// another value there is invalid.
const VERSION = 1;
const NONCE_AT = 1;
const NONCE_BYTES = 24;
const BOX_AT = NONCE_AT + NONCE_BYTES;
const TAG_BYTES = 16;
/** Bytes before the record in the plaintext: version, slot, and two numbers of four bytes. */
const HEAD_BYTES = 10;
const NUMBER_AT = 2;
const ZEROS_AT = 6;
const KEY_BYTES = 32;
const SHORTEST_DEVICE_KEY_BYTES = 16;
/** secretbox requires leading zeros: 32 bytes before the message, 16 before the box. */
const MESSAGE_LEAD = 32;
const BOX_LEAD = 16;

const NOTHING = new Uint8Array(0);

/** The result for an empty slot. -1 means an unreadable slot. */
const EMPTY = -2;

/** The difference in bytes between a sealed record and the record in it. */
export const SEALED_OVERHEAD_BYTES = BOX_AT + TAG_BYTES + HEAD_BYTES;

/** The functions of tweetnacl that use the caller's buffers. Its types omit them. */
interface LowLevel {
  crypto_secretbox: SecretBox;
  crypto_secretbox_open: SecretBox;
  crypto_hash(out: Uint8Array, message: Uint8Array, length: number): number;
}
type SecretBox = (
  out: Uint8Array,
  input: Uint8Array,
  length: number,
  nonce: Uint8Array,
  key: Uint8Array,
) => number;
const { lowlevel } = nacl as unknown as { lowlevel: LowLevel };
const { crypto_secretbox: seal, crypto_secretbox_open: open, crypto_hash: hash } = lowlevel;

interface SlotState {
  /** The number in the slot's sealed record; -1 if the slot has no valid record. */
  number: number;
  /** False before the first read and after a failed write or erase. The slot may then have any authentic record. */
  certain: boolean;
}

/**
 * Seals records on write and opens them on read.
 * - `write` reports false if there is no device key or entropy, if the record is too long, or if the inner storage fails.
 * - `read` reports -1 for a record that was altered, or that belongs to another slot, device, key or salt. It also does
 *   so for a record other than the one that this object has last written to the slot or read from it. After a failed
 *   write or erase, it accepts any authentic record of the slot. Without a device key, it reports -1 for every record.
 * - `erase` reports the result of the inner storage.
 */
export class SealedStorage implements Storage {
  readonly capacity: number;
  readonly #inner: Storage;
  readonly #entropy: Entropy;
  readonly #key = new Uint8Array(KEY_BYTES);
  #hasKey: boolean;
  // These buffers are allocated only during an operation, because a program may have a thousand sealed storages.
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

  get lastFailure(): string {
    return this.#fault || (this.#inner.lastFailure ?? "");
  }

  /** Wipes the key. Later reads and writes fail. */
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
      if (length < 0) {
        done(false);
        return;
      }
      const write = (stored: (ok: boolean) => void) =>
        this.#inner.write(slot, envelope, 0, length, stored);
      this.#change(slot, { number, certain: true }, write, done);
    });
  }

  erase(slot: number, done: (ok: boolean) => void): void {
    this.#mustBeSlot(slot);
    this.#change(slot, nothing(true), (erased) => this.#inner.erase(slot, erased), done);
  }

  #change(
    slot: number,
    after: SlotState,
    act: (done: (ok: boolean) => void) => unknown,
    done: (ok: boolean) => void,
  ): void {
    this.#slots[slot as 0 | 1].certain = false;
    this.#request(act, false, (ok) => {
      if (ok) this.#slots[slot as 0 | 1] = after;
      done(ok);
    });
  }

  /** Reads both slots if their content is unknown, because the next record's number must exceed the numbers in both. */
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

  /** Opens the record in a slot into `#message`. @param then receives the length of head and record, EMPTY or -1 */
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

  /** Calls the inner storage. An exception or rejection counts as a failure. */
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

  /** Opens the `length` bytes in `#envelope`. @returns the length of head and record; -1 if they are not authentic */
  #open(slot: number, length: number): number {
    const innerBytes = length - BOX_AT - TAG_BYTES;
    if (!this.#hasKey || innerBytes < HEAD_BYTES) return -1;
    if (this.#envelope[0] !== VERSION) return -1;
    const boxBytes = BOX_LEAD + TAG_BYTES + innerBytes;
    this.#box.fill(0, 0, BOX_LEAD);
    copy(this.#envelope, BOX_AT, this.#box, BOX_LEAD, TAG_BYTES + innerBytes);
    copy(this.#envelope, NONCE_AT, this.#nonce, 0, NONCE_BYTES);
    if (open(this.#message, this.#box, boxBytes, this.#nonce, this.#key) !== 0) return -1;
    const head = MESSAGE_LEAD;
    if (this.#message[head] !== VERSION || this.#message[head + 1] !== slot) return -1;
    const numbers = new DataView(this.#message.buffer, head);
    if (numbers.getUint32(ZEROS_AT) !== 0) return -1;
    return this.#isKnown(slot, numbers.getUint32(NUMBER_AT)) ? innerBytes : -1;
  }

  /** Notes the number of an authentic record. Returns false if the slot should contain a record with another number. */
  #isKnown(slot: number, number: number): boolean {
    const state = this.#slots[slot as 0 | 1];
    if (state.certain && number !== state.number) return false;
    this.#slots[slot as 0 | 1] = { number, certain: true };
    return true;
  }

  /** Seals head and record from `#message` into `#envelope`. @returns the length, -1 without entropy */
  #seal(slot: number, recordBytes: number, number: number): number {
    const head = new DataView(this.#message.buffer, MESSAGE_LEAD);
    head.setUint8(0, VERSION);
    head.setUint8(1, slot);
    head.setUint32(NUMBER_AT, number);
    head.setUint32(ZEROS_AT, 0);
    const innerBytes = HEAD_BYTES + recordBytes;
    if (!this.#makeNonce(innerBytes)) return -1;
    this.#message.fill(0, 0, MESSAGE_LEAD);
    const boxBytes = MESSAGE_LEAD + innerBytes;
    seal(this.#box, this.#message, boxBytes, this.#nonce, this.#key);
    this.#envelope[0] = VERSION;
    copy(this.#nonce, 0, this.#envelope, NONCE_AT, NONCE_BYTES);
    copy(this.#box, BOX_LEAD, this.#envelope, BOX_AT, TAG_BYTES + innerBytes);
    return BOX_AT + TAG_BYTES + innerBytes;
  }

  /**
   * Makes the nonce: a keyed hash of random bytes and the content. Random bytes alone would suffice. With the content,
   * two different records have different nonces even if the generator returns the same bytes again.
   */
  #makeNonce(innerBytes: number): boolean {
    const input = this.#digestInput;
    if (!isFilled(this.#entropy, input, KEY_BYTES, KEY_BYTES + NONCE_BYTES)) return false;
    copy(this.#key, 0, input, 0, KEY_BYTES);
    copy(this.#message, MESSAGE_LEAD, input, KEY_BYTES + NONCE_BYTES, innerBytes);
    hash(this.#digest, input, KEY_BYTES + NONCE_BYTES + innerBytes);
    copy(this.#digest, 0, this.#nonce, 0, NONCE_BYTES);
    return true;
  }

  #begin(): void {
    const capacity = this.#inner.capacity;
    this.#envelope = new Uint8Array(capacity);
    this.#message = new Uint8Array(MESSAGE_LEAD + capacity);
    this.#box = new Uint8Array(MESSAGE_LEAD + capacity);
    this.#digestInput = new Uint8Array(KEY_BYTES + NONCE_BYTES + capacity);
  }

  /** Overwrites and releases every buffer that contains a record, or data from which a record could be derived. */
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

/** Returns a slot without a record. @param certain true if it is empty, false if it is unread or unreadable */
function nothing(certain: boolean): SlotState {
  return { number: -1, certain };
}

const LABEL = "picogrant sealed storage 1";

/**
 * Writes the SHA-512 of label, device key and salt to `key`, truncated. The hash also covers the length of the device
 * key, so no other pair of key and salt has the same input.
 * @returns false, without a key, if the device key is missing, too short, or all of its bytes are equal
 */
function deriveKey(key: Uint8Array, deviceKey: Bytes | undefined, salt: Bytes): boolean {
  if (deviceKey === undefined || deviceKey.length < SHORTEST_DEVICE_KEY_BYTES) return false;
  let alike = true;
  for (let i = 1; i < deviceKey.length; i++) alike = alike && deviceKey[i] === deviceKey[0];
  if (alike) return false;
  const keyAt = LABEL.length + 4;
  const input = new Uint8Array(keyAt + deviceKey.length + salt.length);
  for (let i = 0; i < LABEL.length; i++) input[i] = LABEL.charCodeAt(i);
  new DataView(input.buffer).setUint32(LABEL.length, deviceKey.length);
  copy(deviceKey, 0, input, keyAt, deviceKey.length);
  copy(salt, 0, input, keyAt + deviceKey.length, salt.length);
  const digest = new Uint8Array(64);
  hash(digest, input, input.length);
  copy(digest, 0, key, 0, KEY_BYTES);
  input.fill(0);
  digest.fill(0);
  return true;
}

function copy(from: Bytes, fromAt: number, to: Bytes, toAt: number, length: number): void {
  for (let i = 0; i < length; i++) to[toAt + i] = from[fromAt + i]!;
}
