// The storage as the device sees it, watched: which records were written, which of them is the newest
// whole one at any moment, and what must be true of that (invariants about storage).

import type { Bytes, Storage } from "../../platform/contracts.ts";
import { bufferOf, latin1 } from "./bytes.ts";
import { Violation } from "./violation.ts";

/** What a record is about. */
export interface LogicalRecord {
  readonly kind: "code" | "token" | "revocation";
  /** Device code or token. */
  readonly secret: string;
  /** The later written, the newer. */
  readonly order: number;
  readonly writtenMs: number;
}

const SECRET = /pg[dra]\.[\x21-\x7e]+/;
const TRIES = 3;
const READ_TRIES = 7;
const CHECKSUM_SIZE = 3;

/** Whether the bytes hold a token of the service, or a part of one. */
function namesToken(bytes: Uint8Array | undefined): boolean {
  if (!bytes) return false;
  const buffer = bufferOf(bytes);
  return buffer.includes("pgr.") || buffer.includes("pga.");
}

/**
 * Whether a record that should be sealed holds a token or a device code. What is sealed looks like chance, which in
 * a million lives makes the four bytes that one begins with: they count with eight more.
 */
export function namesSecret(bytes: Uint8Array): boolean {
  return /pg[dra]\.[\x21-\x7e]{8}/.test(bufferOf(bytes).toString("latin1"));
}

interface RecordsView {
  nowMs(): number;
  isRevoking(): boolean;
  /** Bytes of a slot as they lie in the medium. */
  raw(slot: number): Uint8Array;
  /** Every byte of the medium; undefined where remains of something torn may lie in it. */
  allRaw(): Uint8Array | undefined;
  /** Reads the slots without faults and at once. */
  quiet(): Storage;
  note(text: string): void;
  /** Session of a token; 0 where it was never issued. */
  session(token: string): number;
}

export class Records implements Storage {
  /** The session whose tokens reached storage and must stay there; 0: none. */
  durableSession = 0;
  /** Sessions that a durable record says are to be revoked. */
  readonly revoked = new Set<number>();
  /** The token whose record has not been written yet; "" for none. */
  unstored = "";
  revocationUnstored = false;
  /** Operations allowed since power-on, and made. */
  writesAllowed = 0;
  erasesAllowed = 0;
  writes = 0;
  erases = 0;
  /** Since power-on: an operation failed for good, so that slots may hold what they should not. */
  readsFailed = false;
  /** Storage has refused the present tokens for good. */
  isRefused = false;
  erasesFailed = false;
  /** Since the last write a slot has rotted: what was stored may be gone without anybody's fault. */
  isRotten = false;
  /** The device waits for storage. */
  isBusy = false;
  /** Since power-on a record has reached storage. */
  #hasWritten = false;
  /** Slots not read, or not erased, that are written over: a storage may keep the old bytes until it erases. */
  readonly #overwritten = new Set<number>();
  #failures = 0;
  #eraseFailures = 0;
  #readFailures = 0;
  #slotRead = -1;
  #order = 0;
  #over = 0;
  readonly #known = new Map<string, LogicalRecord>();
  /** What raw bytes of a slot open to: opening a sealed record takes a while. */
  readonly #opened = new Map<string, string>();
  /** The same of each slot for the array that it was last. */
  readonly #last: { raw: Uint8Array | undefined; plain: string }[] = [
    { raw: undefined, plain: "" },
    { raw: undefined, plain: "" },
  ];
  /** Slots that could not be read, until they are written or erased: their records may be the newer. */
  readonly #unread = new Set<number>();
  /** Slots that the device has not read once since power-on: their sequences are unknown to it. */
  readonly #unreadNow = new Set<number>();
  readonly #readNow = new Set<number>();
  readonly #scratch = new Uint8Array(2048);

  #inner: Storage;
  readonly #view: RecordsView;

  constructor(inner: Storage, view: RecordsView) {
    this.#inner = inner;
    this.#view = view;
  }

  get capacity(): number {
    return this.#inner.capacity;
  }

  /** False while a device may take an older record for the newer one. */
  get isOrderKnown(): boolean {
    return this.#unread.size === 0;
  }

  /** A new power-on, with adapters of its own: budgets start anew. */
  poweredOn(inner: Storage): void {
    this.#inner = inner;
    this.writesAllowed = 0;
    // Behind the first record of all a slot goes that held something, but no record; behind a session's a spent code.
    this.erasesAllowed = 1;
    this.writes = 0;
    this.erases = 0;
    this.isBusy = false;
    this.#hasWritten = false;
    this.#unreadNow.clear();
    this.#readNow.clear();
    this.readsFailed = false;
    this.unstored = "";
    this.revocationUnstored = false;
    this.isRefused = false;
    this.#failures = 0;
    this.#eraseFailures = 0;
    this.#readFailures = 0;
  }

  read(slot: number, into: Bytes, from: number, to: number, done: (length: number) => void): void {
    this.isBusy = true;
    this.#inner.read(slot, into, from, to, (length) => {
      // A record that is not whole has no length either: that is no failure.
      if (slot !== this.#slotRead) this.#readFailures = 0;
      this.#slotRead = slot;
      if (length >= 0) this.#readNow.add(slot);
      this.#readFailures = length < 0 ? this.#readFailures + 1 : 0;
      if (this.#readFailures === READ_TRIES) this.erasesAllowed++;
      if (this.#readFailures >= READ_TRIES && this.#plain(slot) !== "") this.#unreadable(slot);
      done(length);
    });
  }

  write(slot: number, bytes: Bytes, from: number, to: number, done: (ok: boolean) => void): void {
    if (++this.writes > this.writesAllowed) {
      throw new Violation("flash-budget", `${this.writes} writes, ${this.writesAllowed} allowed`);
    }
    const plain = latin1(bytes, from, to);
    const record = this.#logical(plain);
    this.#view.note(`write ${record.kind} to slot ${slot}`);
    this.#known.set(plain, record);
    this.isBusy = true;
    this.#inner.write(slot, bytes, from, to, (ok) => {
      if (ok) this.#replaced(slot);
      this.#hasWritten ||= ok;
      // What lay beside it is of use only where it is the refresh token before this one.
      if (ok) this.erasesAllowed++;
      this.#written(record, ok);
      done(ok);
    });
  }

  erase(slot: number, done: (ok: boolean) => void): void {
    if (++this.erases > this.erasesAllowed) {
      throw new Violation("flash-budget", `${this.erases} erases, ${this.erasesAllowed} allowed`);
    }
    this.#view.note(`erase slot ${slot}`);
    this.isBusy = true;
    this.#inner.erase(slot, (ok) => {
      if (ok) this.#replaced(slot);
      if (ok) this.#overwritten.delete(slot);
      this.#eraseFailures = ok ? 0 : this.#eraseFailures + 1;
      if (!ok) this.erasesAllowed++;
      if (this.#eraseFailures >= TRIES) {
        this.erasesFailed = true;
        // The device gives up on the other one as well.
        this.#overwritten.add(0).add(1);
      }
      this.checkPairKept();
      done(ok);
    });
  }

  /** The newest record that is whole, as a device must find it; undefined where there is none. */
  newest(): LogicalRecord | undefined {
    let best: LogicalRecord | undefined;
    for (const slot of [0, 1]) {
      const record = this.#known.get(this.#plain(slot));
      if (record && (!best || record.order > best.order)) best = record;
    }
    return best;
  }

  /** The last record about this secret. */
  about(secret: string): LogicalRecord | undefined {
    let last: LogicalRecord | undefined;
    for (const record of this.#known.values()) if (record.secret === secret) last = record;
    return last;
  }

  /** The user or a final answer has ended this session: its record goes. */
  sessionOver(session: number): void {
    this.durableSession = 0;
    this.isRefused = false;
    this.#over = session;
  }

  /** What must hold at every moment while a pair is durable. */
  checkPairKept(): void {
    if (!this.durableSession || !this.isOrderKnown) return;
    const newest = this.newest();
    if (newest?.kind === "token" && this.#view.session(newest.secret) === this.durableSession) {
      return;
    }
    throw new Violation("pair-kept", `storage holds ${newest?.kind ?? "nothing"} instead`);
  }

  /** What must hold at rest: what could not be read must not count as the newer record some day. */
  checkNoneUnread(): void {
    if (this.#hasWritten && this.#unreadNow.size > 0 && !this.erasesFailed) {
      throw new Violation("unread-goes", "behind a newer record lies a slot that was never read");
    }
  }

  /** What must hold at rest in a session: the code that brought its tokens is spent, and gone. */
  checkNoneSpent(): void {
    const isFaulty = this.readsFailed || this.isRotten || this.isRefused || this.erasesFailed;
    if (isFaulty || !this.#hasWritten) return;
    if (this.newest()?.kind !== "token") return;
    for (const slot of [0, 1]) {
      if (this.#known.get(this.#plain(slot))?.kind !== "code") continue;
      throw new Violation("spent-code", `slot ${slot} still holds the code`);
    }
  }

  /** What must hold when nobody is signed in and storage is at rest. */
  checkWiped(): void {
    if (this.readsFailed || !this.isOrderKnown) return;
    for (const slot of [0, 1]) {
      const record = this.#known.get(this.#plain(slot));
      if (!record || record.kind === "code") continue;
      // What could not be erased stays until something is written over it.
      if (this.erasesFailed) return;
      throw new Violation("sign-out-wipes", `slot ${slot} still holds a ${record.kind} record`);
    }
    if (!this.erasesFailed && this.#overwritten.size === 0 && namesToken(this.#view.allRaw())) {
      throw new Violation("sign-out-wipes", "bytes of a token are left behind the slots");
    }
    this.erasesFailed = false;
  }

  /** Bit rot: what was in the slots may be gone, and what was superseded may be the newest again. */
  rotted(): void {
    // What rots between two readings counts as not read: the older slot goes behind the next record.
    this.erasesAllowed++;
    this.isRotten = true;
    this.readsFailed = true;
    this.durableSession = 0;
    this.revoked.clear();
  }

  /** A slot that cannot be read counts as lost, and the device may write over it. */
  #unreadable(slot: number): void {
    this.readsFailed = true;
    // Its sequence is unknown too: what is written next may count as the older one.
    this.#unread.add(slot);
    this.#overwritten.add(slot);
    if (!this.#readNow.has(slot)) this.#unreadNow.add(slot);
    this.durableSession = 0;
    this.revoked.clear();
  }

  #replaced(slot: number): void {
    this.#unread.delete(slot);
    this.#unreadNow.delete(slot);
  }

  #plain(slot: number): string {
    const raw = this.#view.raw(slot);
    if (raw.length === 0) return "";
    const last = this.#last[slot]!;
    if (last.raw !== raw) {
      last.plain = this.#open(slot, raw);
      last.raw = raw;
    }
    return last.plain;
  }

  #open(slot: number, raw: Uint8Array): string {
    const key = `${slot}${bufferOf(raw).toString("latin1")}`;
    const known = this.#opened.get(key);
    if (known !== undefined) return known;
    let length = 0;
    this.#view.quiet().read(slot, this.#scratch, 0, this.#scratch.length, (result) => {
      length = result;
    });
    const plain = length > 0 ? latin1(this.#scratch, 0, length) : "";
    this.#opened.set(key, plain);
    return plain;
  }

  #logical(plain: string): LogicalRecord {
    // A checksum of printable bytes would pass for the end of the token.
    const secret = SECRET.exec(plain.slice(0, -CHECKSUM_SIZE))?.[0] ?? "";
    const isCode = secret.startsWith("pgd.");
    if (!isCode && !this.#view.session(secret)) {
      throw new Violation("own-secrets", "a record holds a token that was never issued");
    }
    const kind = isCode ? "code" : this.#view.isRevoking() ? "revocation" : "token";
    return { kind, secret, order: ++this.#order, writtenMs: this.#view.nowMs() };
  }

  #written(record: LogicalRecord, ok: boolean): void {
    this.#failures = ok ? 0 : this.#failures + 1;
    if (!ok) this.writesAllowed++;
    const settled = ok || this.#failures >= TRIES;
    if (settled) {
      this.#failures = 0;
      if (record.secret === this.unstored) this.unstored = "";
      if (record.kind === "revocation") this.revocationUnstored = false;
      this.isRefused =
        !ok && record.kind === "token" && this.#view.session(record.secret) !== this.#over;
    }
    const session = this.#view.session(record.secret);
    if (ok) this.isRotten = false;
    if (ok && record.kind === "token" && session !== this.#over) this.durableSession = session;
    if (ok && record.kind === "revocation") this.revoked.add(session);
    this.checkPairKept();
  }
}
