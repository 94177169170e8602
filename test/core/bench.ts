// A device with scripted answers and a manual clock in one object. Drives the core through its border
// only, and checks every move against the table of states, and that wakeIn is neither late nor stuck.

import { createHash, randomBytes } from "node:crypto";
import { expect } from "vitest";
import * as core from "../../core/complete.ts";
import { transitions } from "../../core/device/states.ts";
import { deviceConfig } from "../../platform/fake/config.ts";
import type { Core } from "../model/subject.ts";
import { makeCore } from "./subject.ts";

export interface Answer {
  status: number;
  body: string;
  retryAfterS?: number;
}

export interface Sent {
  atMs: number;
  id: number;
  endpoint: number;
  target: string;
  body: string;
  isGet: number;
  /** The access token where the request carries it. */
  bearer: string;
  /** The credentials of HTTP Basic where the request carries them. */
  basic: string;
}

/** An answer, a failure of the transport (null), or a host that never ends the exchange. */
export type Reaction = Answer | null | "hang";

const encoder = new TextEncoder();
const freshVerifier = (): string => randomBytes(32).toString("base64url");
const known = new Set(transitions().map(({ from, event, to }) => `${from} ${event} ${to}`));

export const config: core.Config = {
  ...deviceConfig,
  clientId: "printer",
  clientSecret: "secret",
  scope: "email",
  seed: 7,
};

export const code = (members: object = {}): Answer => ({
  status: 200,
  body: JSON.stringify({
    device_code: "dc",
    user_code: "ABCD-EFGH",
    verification_url: "https://example.com/device",
    expires_in: 1800,
    interval: 5,
    ...members,
  }),
});

export const tokens = (members: object = {}): Answer => ({
  status: 200,
  body: JSON.stringify({
    access_token: "access",
    expires_in: 3600,
    refresh_token: "refresh",
    scope: "email",
    token_type: "Bearer",
    ...members,
  }),
});

export const error = (status: number, name: string): Answer => ({
  status,
  body: JSON.stringify({ error: name }),
});

/** JSON with any status. */
export const json = (status: number, value: unknown): Answer => ({
  status,
  body: JSON.stringify(value),
});

export class Bench {
  readonly core: Core;
  readonly device: core.Device;
  readonly memory: Uint8Array;
  readonly sent: Sent[] = [];
  readonly slots: Uint8Array[];
  writes = 0;
  aborts = 0;
  nowMs = 0;
  answers: Reaction[];
  /** What VERIFY was asked for, and whether the host finds its signature right. */
  readonly verified: string[] = [];
  genuine = true;
  /** A host that leaves storage undone until storageDone is called by hand. */
  storageHangs = false;
  /** A host that leaves CHALLENGE undone until `makeChallenge` is called by hand. */
  challengeHangs = false;
  readonly columns: number;
  readonly rows: number;
  /** Size of the pieces that bodies are cut into. */
  piece: number;
  #state = 0;
  #moves = 0;

  constructor(
    answers: Reaction[] = [],
    settings: Partial<core.Config> & {
      memoryBytes?: number;
      slots?: Uint8Array[];
      piece?: number;
      storageHangs?: boolean;
      core?: Core;
    } = {},
  ) {
    const { memoryBytes, slots, piece, storageHangs, core: subject, ...others } = settings;
    this.core = subject ?? makeCore();
    this.storageHangs = storageHangs ?? false;
    this.piece = piece ?? 1;
    this.answers = answers;
    this.slots = slots ?? [new Uint8Array(), new Uint8Array()];
    this.memory = new Uint8Array(memoryBytes ?? 8192);
    const settled = { ...config, ...others };
    this.columns = settled.columns;
    this.rows = settled.rows;
    const device = this.core.create(this.memory, settled);
    if (!device) throw new Error("memory too small");
    this.device = device;
    this.pass(0);
  }

  /** How often in a row wakeIn was 0. */
  #idle = 0;

  /** Lets time pass in the steps that wakeIn names, so that nothing comes late. */
  pass(ms: number): void {
    const end = this.nowMs + ms;
    this.run(0);
    for (let step = 0; this.nowMs < end; step++) {
      if (step > 200_000) throw new Error("wakeIn does not get anywhere");
      const wake = Math.min(this.core.wakeIn(this.device), end - this.nowMs);
      // run ends at NONE: whatever was due is done, and something else may be due once more.
      this.#idle = wake === 0 ? this.#idle + 1 : 0;
      if (this.#idle > 3) throw new Error("wakeIn stays 0 although nothing is to be done");
      this.nowMs += wake;
      this.run(wake);
    }
  }

  /** Passes until as many requests have gone out. */
  until(requests: number): void {
    for (let i = 0; this.sent.length < requests; i++) {
      if (i > 10_000) throw new Error(`only ${this.sent.length} requests`);
      // Whole seconds, and no more of them at once than nothing is due in.
      this.pass(1000 * Math.max(1, Math.ceil(this.core.wakeIn(this.device) / 1000)));
    }
  }

  text(region: number): string {
    return this.range(this.device.start[region]!, this.device.length[region]!);
  }

  frame(): string[] {
    const { columns, rows } = this;
    const { start } = this.device;
    const at = start[core.Region.FRAME]!;
    return Array.from({ length: rows }, (_, row) =>
      String.fromCharCode(...this.memory.slice(at + row * columns, at + (row + 1) * columns)),
    );
  }

  run(elapsedMs: number): void {
    let command = this.core.tick(this.device, elapsedMs);
    for (let count = 0; command !== core.Command.NONE; count++) {
      if (count > 200) throw new Error("no end of commands");
      this.#perform(command);
      this.#watch();
      command = this.core.tick(this.device, 0);
    }
    this.#watch();
  }

  #watch(): void {
    const { state, event, moves } = this.device;
    if (moves === this.#moves + 1) expect(known).toContain(`${this.#state} ${event} ${state}`);
    this.#state = state;
    this.#moves = moves;
  }

  #perform(command: core.Command): void {
    const { device, memory } = this;
    const isStorage = command >= core.Command.LOAD && command <= core.Command.ERASE;
    if (isStorage && this.storageHangs) return;
    if (command === core.Command.LOAD) {
      const record = this.slots[device.slot]!;
      memory.set(record, device.data);
      this.core.storageDone(device, record.length);
    } else if (command === core.Command.STORE) {
      this.writes++;
      this.slots[device.slot] = memory.slice(device.data, device.data + device.dataLength);
      this.core.storageDone(device, 1);
    } else if (command === core.Command.ERASE) {
      this.slots[device.slot] = new Uint8Array();
      this.core.storageDone(device, 1);
    } else if (command === core.Command.VERIFY) {
      this.verified.push(this.range(device.data, device.dataLength));
      this.core.eventVerified(device, device.requestId, this.genuine ? 1 : 0);
    } else if (command === core.Command.CHALLENGE) {
      if (!this.challengeHangs) this.makeChallenge();
    } else if (command === core.Command.ABORT) this.aborts++;
    else if (command === core.Command.SEND) this.#answer();
  }

  /**
   * What CHALLENGE asks for: a verifier, in the first 43 bytes of its range, and its challenge, in the last (RFC 7636
   * §4.1, §4.2).
   */
  makeChallenge(verifier = freshVerifier()): void {
    const { device, memory } = this;
    const challenge = createHash("sha256").update(verifier).digest("base64url");
    memory.set(encoder.encode(verifier), device.data);
    memory.set(encoder.encode(challenge), device.data + device.dataLength - challenge.length);
    this.core.storageDone(device, 1);
  }

  /** `memory[from..from + length)` as text. */
  range(from: number, length: number): string {
    const bytes = this.memory.slice(from, from + Math.max(0, length));
    return new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes);
  }

  /** Gives an answer to the request with this id, now. */
  give(id: number, answer: Answer): void {
    const { core: border, device, piece } = this;
    const bytes = encoder.encode(answer.body);
    border.responseStart(device, id, answer.status, answer.retryAfterS ?? -1);
    for (let at = 0; at < bytes.length; at += piece) {
      border.responseBody(device, id, bytes, at, Math.min(bytes.length, at + piece));
    }
    border.responseEnd(device, id);
  }

  #answer(): void {
    const { device } = this;
    const lent = device.endpoint > core.Endpoint.REVOCATION ? device.callBody : null;
    this.sent.push({
      atMs: this.nowMs,
      id: device.requestId,
      endpoint: device.endpoint,
      target: this.range(device.target, device.targetLength),
      body: lent
        ? new TextDecoder().decode(
            Uint8Array.from(
              { length: device.callBodyTo - device.callBodyFrom },
              (_, i) => lent[device.callBodyFrom + i]!,
            ),
          )
        : this.range(device.body, device.bodyLength),
      isGet: device.isGet,
      bearer:
        device.authorization === core.Authorization.BEARER
          ? this.text(core.Field.ACCESS_TOKEN)
          : "",
      basic:
        device.authorization === core.Authorization.BASIC
          ? this.text(core.Region.CLIENT_CREDENTIALS)
          : "",
    });
    const answer = this.answers.length
      ? this.answers.shift()!
      : error(428, "authorization_pending");
    if (answer === "hang") return;
    if (answer) this.give(device.requestId, answer);
    else this.core.responseFailed(device, device.requestId);
  }
}

// A device with a session, and what is asked of it.

export const RESOURCE = 5;
export const SECOND_RESOURCE = 6;
export const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);

/** Signed in, with these answers to come. */
export function session(answers: Reaction[] = [], members: object = {}): Bench {
  const bench = new Bench([code(), tokens(members)]);
  bench.until(2);
  bench.answers = answers;
  bench.sent.length = 0;
  return bench;
}

/** Begins a call with this target; what sendCall says. */
export function call(bench: Bench, target: string, body?: string, endpoint = RESOURCE): number {
  const { core, device } = bench;
  if (core.beginCall(device) === 0) return 0;
  const path = bytesOf(target);
  core.addPath(device, path, 0, path.length);
  const lent = body === undefined ? null : bytesOf(body);
  return core.sendCall(device, endpoint, lent ? 0 : 1, lent, 0, lent ? lent.length : 0);
}

/** How the call ended; it has to have. */
export function outcome({ device }: Bench): { error: number; status: number } {
  expect(device.callState).toBe(core.CallState.DONE);
  return { error: device.callError, status: device.callStatus };
}

export const LIST = "/video/v3/liveBroadcasts?part=id%2Csnippet&mine=true";

export const GRANT = "urn:ietf:params:oauth:grant-type:device_code";
export const fields = (sent: Sent): Record<string, string> =>
  Object.fromEntries(new URLSearchParams(sent.body));
export const polls = (bench: Bench): Sent[] => bench.sent.filter(({ endpoint }) => endpoint === 1);
export const shown = (bench: Bench): string => bench.frame().join("\n");
export const signedIn = (members: object = {}): Bench => {
  const bench = new Bench([code(), tokens(members)]);
  bench.until(2);
  expect(bench.device.state).toBe(core.State.SIGNED_IN);
  return bench;
};
