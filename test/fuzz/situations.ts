// Devices brought into the situations in which foreign bytes reach them, to be put back there in no time.

import type { Device } from "../../core/complete.ts";
import { Command, State } from "../../core/index.ts";
import { deviceConfig } from "../../platform/fake/config.ts";
import { placesOf } from "../../platform/named-core.ts";
import type { LivesCore } from "../lives/core-of.ts";
import { checkIntegers, watchedMemory } from "../lives/watched-memory.ts";

export type Situation =
  | "records"
  | "code"
  | "poll"
  | "refresh"
  | "revocation"
  | "session"
  | "events";

const CODE = {
  device_code: "pgd.one",
  user_code: "BCDF-GHJK",
  verification_url: "https://x.test/device",
  expires_in: 1800,
  interval: 5,
};
const TOKENS = {
  access_token: "pga.one",
  refresh_token: "pgr.one",
  token_type: "Bearer",
  expires_in: 3600,
};
const COMMANDS_MAX = 64;

export class DeviceBench {
  readonly device: Device;
  readonly memory = new Uint8Array(6144);
  /** What LOAD reads, by slot; what was stored goes here too. */
  readonly slots: [Uint8Array, Uint8Array] = [new Uint8Array(0), new Uint8Array(0)];
  sends = 0;
  verifies = 0;
  readonly #snapshot: { values: Record<string, unknown>; memory: Uint8Array };
  readonly #slotsThen: [Uint8Array, Uint8Array];

  /** @param isWatched every access to the memory is checked: slow */
  constructor(
    readonly core: LivesCore,
    readonly situation: Situation,
    isWatched: boolean,
  ) {
    const config = { ...deviceConfig, clientSecret: "tv-secret" };
    const memory = isWatched ? watchedMemory(this.memory) : this.memory;
    this.device = core.create(memory, config)!;
    this.#prepare(situation);
    this.#slotsThen = [...this.slots];
    this.#snapshot = { values: copyOf(this.device), memory: this.memory.slice() };
  }

  #prepare(situation: Situation): void {
    if (situation === "records") return;
    this.untilSent();
    if (situation === "code") return;
    this.answerJson(CODE);
    this.untilSent();
    if (situation === "poll") return;
    this.answerJson(TOKENS);
    if (situation === "refresh") {
      this.pass(3_500_000);
      if (this.device.state !== State.REFRESHING) throw new Error("no refresh was due");
    } else if (situation === "revocation") {
      this.core.signOut(this.device);
      this.pass(0);
    } else if (situation === "events") {
      this.core.pollEvents(this.device);
      this.pass(0);
    }
  }

  /** Back to where the constructor left it. */
  reset(): void {
    const { values, memory } = this.#snapshot;
    const device = this.device as unknown as Record<string, unknown>;
    for (const name in values) {
      const value = values[name];
      if (Array.isArray(value)) {
        const array = device[name] as number[];
        for (let i = 0; i < value.length; i++) array[i] = value[i] as number;
      } else device[name] = value;
    }
    this.memory.set(memory);
    this.slots[0] = this.#slotsThen[0];
    this.slots[1] = this.#slotsThen[1];
    this.sends = 0;
    this.verifies = 0;
  }

  /** Lets time pass and carries out what the core asks for. @throws where it does not come to rest */
  pass(ms: number): void {
    const { core, device } = this;
    let command = core.tick(device, ms);
    for (let count = 0; command !== Command.NONE; count++) {
      if (count > COMMANDS_MAX) throw new Error("the core does not come to rest");
      this.#perform(command);
      command = core.tick(device, 0);
    }
    const wakeMs = core.wakeIn(device);
    if (!Number.isInteger(wakeMs) || wakeMs < 0) throw new Error(`wakeIn says ${wakeMs}`);
  }

  #perform(command: Command): void {
    const { core, device } = this;
    const { data, slot } = device;
    if (command === Command.SEND) this.sends++;
    else if (command === Command.LOAD) {
      const record = this.slots[slot as 0 | 1];
      const fits = record.length <= device.dataLength;
      if (fits) this.memory.set(record, data);
      core.storageDone(device, fits ? record.length : -1);
    } else if (command === Command.STORE) {
      this.slots[slot as 0 | 1] = this.memory.slice(data, data + device.dataLength);
      core.storageDone(device, 1);
    } else if (command === Command.ERASE) {
      this.slots[slot as 0 | 1] = new Uint8Array(0);
      core.storageDone(device, 1);
    } else if (command === Command.VERIFY) {
      this.verifies++;
      core.eventVerified(device, device.requestId, 1);
    }
  }

  untilSent(): void {
    const before = this.sends;
    for (let s = 0; s < 60 && this.sends === before; s++) this.pass(1000);
    if (this.sends === before) throw new Error("nothing was sent");
  }

  /** Hands an answer over in pieces of `chunk` bytes. */
  answer(status: number, body: Uint8Array, chunk: number): void {
    const { core, device } = this;
    const id = device.requestId;
    core.responseStart(device, id, status, -1);
    for (let at = 0; at < body.length; at += chunk) {
      core.responseBody(device, id, body, at, Math.min(body.length, at + chunk));
    }
    core.responseEnd(device, id);
  }

  answerJson(members: object): void {
    this.answer(200, Buffer.from(JSON.stringify(members)), 1 << 20);
    this.pass(0);
  }

  region(number: number): string {
    const from = this.device.start[number]!;
    const length = this.device.length[number]!;
    return length < 0
      ? ""
      : Buffer.from(this.memory.subarray(from, from + length)).toString("latin1");
  }

  check(): void {
    checkIntegers(this.device);
  }
}

function copyOf(device: Device): Record<string, unknown> {
  const copy: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(placesOf(device))) {
    if (typeof value === "number" || value === null) copy[name] = value;
    else if (Array.isArray(value)) copy[name] = [...value];
    else if (typeof value === "object" && !("length" in value)) copy[name] = value;
  }
  return copy;
}
