// Faults around a program with a session: in the network, in its storage, and in adapters that violate contracts.ts.
// All faults stop before the test checks how the run ended.

import type { HttpSink, Platform, Storage } from "../../platform/contracts.ts";
import { SealedStorage } from "../../platform/storage/sealed-storage.ts";
import type { FakeFault, FakeResponse } from "../../platform/testing/http.ts";
import type { SessionEnvironment } from "../environment/session-port.ts";
import type { Random } from "../model/random.ts";

/** After this many failed reads of a slot, the device uses only the other slot (core/SPEC.md, Time). */
const READ_TRIES = 7;
/** After this many failed writes, a record counts as not saved. */
const STORAGE_TRIES = 3;
const KEY = Uint8Array.from({ length: 32 }, (_, i) => i * 7 + 1);
export const THROWN: readonly unknown[] = [new Error("callback"), "no Error", undefined];

const ignore = (): void => {};
export const DISK_FULL = "no space left";
/** After this time without a result, the program may report silent storage. It does so after ten seconds. */
const SILENCE_MS = 9_900;

export class Faults {
  isOver = false;
  isAsleep = false;
  /** Whether the newest record is lost, and no new one has been written since. */
  isDamaged = false;
  /** Whether an adapter of this program has thrown or rejected. */
  hasBroken = false;
  readonly isSealed: boolean;
  /** Adapters throw or reject once in this many calls on average; 0: never. */
  readonly #throwEvery: number;
  #isRepeated = false;
  /** Whether no adapter throws or repeats a report. Only then must the session's reports about responses be exact. */
  get isLegal(): boolean {
    return this.#throwEvery === 0 && !this.#isRepeated;
  }

  /** Consecutive failures: reads of this program, writes of all programs, and writes of this program. */
  #unread = 0;
  #unwritten = 0;
  #unwrittenHere = 0;
  #hangsSinceMs = Number.POSITIVE_INFINITY;
  #programs = 0;

  constructor(
    readonly random: Random,
    readonly environment: SessionEnvironment,
  ) {
    this.isSealed = random.once(3);
    this.#throwEvery = random.pick([0, 0, 40]);
    environment.http.faultFor = () => this.#httpFault();
    const refusing = random.pick([0, 0, 6]);
    environment.server.refusal = () =>
      !this.isOver && refusing > 0 && random.once(refusing) ? this.#refusal() : undefined;
  }

  /** Whether so many writes have failed that the program must report it. */
  get isUnwritten(): boolean {
    return this.#unwrittenHere >= STORAGE_TRIES;
  }

  /** Whether a storage operation takes so long that the program may report it. */
  get isSilent(): boolean {
    const { clock, storage } = this.environment;
    return this.isAsleep || storage.dead || clock.elapsedMs - this.#hangsSinceMs >= SILENCE_MS;
  }

  /** Whether a storage operation takes so long that the program must have reported it. */
  get isSilentForLong(): boolean {
    const silentMs = this.environment.clock.elapsedMs - this.#hangsSinceMs;
    return silentMs >= SILENCE_MS + 2000 && !this.isAsleep;
  }

  #refusal(): FakeResponse {
    const error_description = "words of the server's ".repeat(this.random.below(12));
    return this.random.pick<FakeResponse>([
      { status: 503, body: "<p>Back soon</p>" },
      { status: 200, body: "<p>Log in to this network</p>" },
      { status: 429, retryAfterSeconds: 3, body: { error: "rate_limit_exceeded" } },
      { status: 400, body: { error: "temporarily_unavailable", error_description } },
      { status: 429, body: { error: this.random.pick(["slow_down", "authorization_pending"]) } },
      { status: 500, body: { error: "server_error", error_description, error_uri: 7 } },
    ]);
  }

  /** A new program reads the records again, so it does not know that a newer record could not be written. */
  beginProgram(): void {
    this.#unread = 0;
    this.hasBroken = false;
    this.#unwrittenHere = 0;
    this.#programs++;
    this.#hangsSinceMs = Number.POSITIVE_INFINITY;
    this.environment.server.isBlind = this.isDamaged || this.#unwritten >= STORAGE_TRIES;
  }

  #httpFault(): FakeFault | undefined {
    if (this.isOver || !this.random.once(4)) return undefined;
    const fault = this.random.pick<FakeFault>([
      { kind: "refuse" },
      { kind: "reset-before" },
      { kind: "reset-after" },
      { kind: "hang" },
      { kind: "hang", acted: true },
      { kind: "truncate", atByte: this.random.below(40) },
      { kind: "truncate", atByte: this.random.below(40), hang: true },
      // Repeat before a poll's sink is reused two polls later (adapter-port.ts), which takes at least ten seconds.
      { kind: "duplicate", afterMs: this.random.below(9_000) },
    ]);
    this.#isRepeated ||= fault.kind === "duplicate";
    return fault;
  }

  corruptStorage(): void {
    const { storage } = this.environment;
    const often = this.random.pick([0, 0, 3, 12]);
    storage.failWhen = () => !this.isOver && often > 0 && this.random.once(often);
  }

  /** Wraps the adapters: optionally seals the storage, and adds faults that contracts.ts forbids. */
  adapters(platform: Platform): Platform {
    const { http, entropy } = platform;
    const storage = this.isSealed
      ? new SealedStorage({ storage: platform.storage, entropy, deviceKey: KEY })
      : platform.storage;
    const broken =
      <A extends unknown[]>(run: (...args: A) => unknown, onBroken = ignore) =>
      (...args: A): never => {
        const isBroken = !this.isOver && this.#throwEvery > 0 && this.random.once(this.#throwEvery);
        const thrown = this.random.pick(THROWN);
        if (isBroken) onBroken();
        this.hasBroken ||= isBroken;
        if (isBroken && this.random.once(2)) throw thrown;
        return (isBroken ? Promise.reject(thrown) : run(...args)) as never;
      };
    const program = this.#programs;
    const later = (act: () => void): void => {
      if (this.isOver || !this.random.once(60)) {
        act();
        return;
      }
      this.#hangsSinceMs = this.environment.clock.elapsedMs;
      this.environment.clock.after(this.random.pick([5000, 12_000, 40_000]), () => {
        if (program !== this.#programs) return;
        this.#hangsSinceMs = Number.POSITIVE_INFINITY;
        act();
      });
    };
    /** A faulty adapter reports the result of an operation a second time, during the next one. */
    const reporting =
      <T>(done: (result: T) => void) =>
      (result: T): void => {
        done(result);
        const isAgain = !this.isOver && this.#throwEvery > 0 && this.random.once(6);
        if (isAgain) this.environment.clock.after(1, () => done(result));
      };
    // Although contracts.ts forbids it, this adapter reports the end of an aborted exchange, during the next exchange.
    let sink: HttpSink | undefined;
    let aborted: HttpSink | undefined;
    const endLate = (late: HttpSink): void => {
      if (this.random.once(2)) late.end();
      else late.failed("unreachable");
    };
    const isUnwritten = (): boolean => this.#unwritten > 0;
    const { timers } = platform;
    const mayBreak = broken(() => undefined);
    return {
      ...platform,
      display: { ...platform.display, columns: 80, rows: 2, show: mayBreak },
      timers: {
        now: () => timers.now(),
        cancel: () => timers.cancel(),
        alarm: (afterMs, ring) => {
          timers.alarm(afterMs, ring);
          return mayBreak();
        },
      },
      http: {
        send: broken((request, to) => {
          const late = aborted;
          if (late) this.environment.clock.after(1, () => endLate(late));
          aborted = undefined;
          sink = to;
          http.send(request, to);
        }),
        abort: () => {
          http.abort();
          aborted = sink;
        },
      },
      storage: {
        capacity: storage.capacity,
        read: broken(
          (slot, into, from, to, done) =>
            later(() =>
              storage.read(slot, into, from, to, (length) => {
                this.#hasRead(length >= 0);
                reporting(done)(length);
              }),
            ),
          () => this.#hasRead(false),
        ) as Storage["read"],
        write: broken(
          (slot, bytes, from, to, done) =>
            later(() =>
              storage.write(slot, bytes, from, to, (isDone) => {
                this.#hasWritten(isDone);
                reporting(done)(isDone);
              }),
            ),
          () => this.#hasWritten(false),
        ) as Storage["write"],
        erase: broken((slot, done) =>
          later(() => storage.erase(slot, reporting(done))),
        ) as Storage["erase"],
        get lastFailure() {
          return isUnwritten() ? DISK_FULL : "";
        },
      },
    };
  }

  #hasWritten(isWritten: boolean): void {
    if (isWritten) this.isDamaged = false;
    this.#unwritten = isWritten ? 0 : this.#unwritten + 1;
    this.#unwrittenHere = isWritten ? 0 : this.#unwrittenHere + 1;
  }

  #hasRead(isRead: boolean): void {
    this.#unread = isRead ? 0 : this.#unread + 1;
    if (this.#unread >= READ_TRIES) this.environment.server.isBlind = true;
  }
}
