// Runs the core alone, and carries out its commands in an environment.

import { createHash, randomBytes } from "node:crypto";
import { expect, TestRunner } from "vitest";
import * as core from "../../core/complete.ts";
import {
  deviceConfig,
  type FakeResponse,
  MemoryStorage,
  type SeenRequest,
} from "../../platform/testing/index.ts";
import { bytesOf } from "../../platform/text/text.ts";
import { completeFunctions } from "../../targets/bundle/surface.ts";
import { type Core, ofFile, ofSources } from "../model/subject.ts";
import { code, Environment, error, tokens } from "./environment.ts";

// The core under test: its sources, or the file in PICOGRANT_CORE (a bundle, or the core as WebAssembly). If a test
// calls a function that the file lacks, the test is skipped.
const bundle = process.env.PICOGRANT_CORE;

/** Whether the core under test is its sources. A bundle exposes only properties that a host may read. */
export const isSources: boolean = !bundle;

function makeCore(): Core {
  if (!bundle) return ofSources();
  const functions = { ...ofFile(bundle)() } as Record<string, unknown>;
  for (const name of completeFunctions) {
    functions[name] ??= () => TestRunner.getCurrentTest()!.context.skip(`without ${name}`);
  }
  return functions as unknown as Core;
}

export type Reaction = FakeResponse | "refuse" | "hang";

/** `endpoint` and `target` are those that the core reported. */
export type Sent = SeenRequest & { readonly endpoint: number; readonly target: string };

export const config: core.Config = {
  ...deviceConfig,
  clientId: "printer",
  clientSecret: "secret",
  scope: "email",
  seed: 7,
};

interface Settings extends core.Config {
  memoryBytes: number;
  storage: MemoryStorage;
  isStorageLate: boolean;
  core: Core;
  verifier: string;
}

const PENDING = error(428, "authorization_pending");

export class Port {
  readonly environment: Environment;
  readonly core: Core;
  readonly device: core.Device;
  readonly memory: Uint8Array;
  readonly sent: Sent[] = [];
  responses: Reaction[];
  readonly verified: string[] = [];
  genuine = true;
  readonly #verifier: string | undefined;
  #reportedMs = 0;

  /** After `responses`, the server sends authorization_pending. */
  constructor(responses: Reaction[] = [], settings: Partial<Settings> = {}) {
    this.responses = responses;
    const { memoryBytes = 8192, storage, isStorageLate, core, verifier, ...others } = settings;
    const settled = { ...config, ...others };
    this.environment = new Environment({
      isAtOnce: true,
      ...(isStorageLate
        ? { storageDelayMs: 1 }
        : { storage: storage?.clone({}) ?? new MemoryStorage({ capacity: 65_536 }) }),
      columns: settled.columns,
      rows: settled.rows,
      http: {
        ...{ chunkBytes: 1, timeLimitMs: Infinity, sizeLimitBytes: Infinity },
        faultFor: () => this.#fault(),
        handler: () => (this.responses.shift() as FakeResponse | undefined) ?? PENDING,
      },
    });
    this.core = core ?? makeCore();
    this.memory = new Uint8Array(memoryBytes);
    this.#verifier = verifier;
    const device = this.core.create(this.memory, settled);
    if (!device) throw new Error("memory too small");
    this.device = device;
    this.run();
  }

  #fault() {
    if (typeof this.responses[0] !== "string") return undefined;
    return { kind: this.responses.shift() as "refuse" | "hang" };
  }

  run(): void {
    const { clock, timers } = this.environment;
    let command = this.core.tick(this.device, clock.elapsedMs - this.#reportedMs);
    this.#reportedMs = clock.elapsedMs;
    for (let count = 0; command !== core.Command.NONE; count++) {
      if (count > 200) throw new Error("no end of commands");
      this.#perform(command);
      command = this.core.tick(this.device, 0);
    }
    timers.alarm(this.core.wakeIn(this.device), () => this.run());
  }

  pass(ms: number): void {
    this.run();
    this.environment.clock.advance(ms);
    this.run();
  }

  until(requests: number): void {
    for (let i = 0; this.sent.length < requests; i++) {
      if (i > 10_000) throw new Error(`only ${this.sent.length} requests`);
      // Advances by whole seconds, until something is due.
      this.pass(1000 * Math.max(1, Math.ceil(this.core.wakeIn(this.device) / 1000)));
    }
  }

  text(region: number): string {
    return this.#range(this.device.start[region]!, this.device.length[region]!);
  }

  frame(): string[] {
    return this.environment.display.text.split("\n");
  }

  get stored(): string {
    return [0, 1]
      .map((slot) => String.fromCharCode(...this.environment.storage.peek(slot)))
      .join("");
  }

  #range(from: number, length: number): string {
    const bytes = this.memory.slice(from, from + Math.max(0, length));
    return new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes);
  }

  #perform(command: core.Command): void {
    const { core: api, device, memory } = this;
    const { display, http, storage } = this.environment;
    const { slot, data, dataLength } = device;
    const end = data + dataLength;
    const done = (ok: boolean): void => api.storageDone(device, ok ? 1 : 0);
    switch (command) {
      case core.Command.LOAD:
        storage.read(slot, memory, data, end, (length) => api.storageDone(device, length));
        break;
      case core.Command.STORE:
        storage.write(slot, memory, data, end, done);
        break;
      case core.Command.ERASE:
        storage.erase(slot, done);
        break;
      case core.Command.SHOW:
        display.show(memory, device.start[core.Region.FRAME]!);
        break;
      case core.Command.VERIFY:
        this.verified.push(this.#range(data, dataLength));
        api.eventVerified(device, device.requestId, this.genuine ? 1 : 0);
        break;
      case core.Command.CHALLENGE:
        this.#challenge();
        break;
      case core.Command.ABORT:
        http.abort();
        break;
      case core.Command.SEND:
        this.#send();
        break;
    }
  }

  /** Writes a verifier to the first 43 bytes of the range, and its challenge to the last 43 (RFC 7636 §4.1, §4.2). */
  #challenge(): void {
    const { device, memory } = this;
    const verifier = this.#verifier ?? randomBytes(32).toString("base64url");
    const challenge = createHash("sha256").update(verifier).digest("base64url");
    memory.set(bytesOf(verifier), device.data);
    memory.set(bytesOf(challenge), device.data + device.dataLength - challenge.length);
    this.core.storageDone(device, 1);
  }

  #send(): void {
    const { core: api, device, memory } = this;
    const { endpoint, requestId: id } = device;
    const target = this.#range(device.target, device.targetLength);
    const lent = endpoint > core.Endpoint.REVOCATION ? device.callBody : null;
    const credentials = {
      [core.Authorization.BEARER]: () => `Bearer ${this.text(core.Field.ACCESS_TOKEN)}`,
      [core.Authorization.BASIC]: () => `Basic ${this.text(core.Region.CLIENT_CREDENTIALS)}`,
    }[device.authorization as number];
    const { http } = this.environment;
    http.send(
      {
        method: device.isGet ? "GET" : "POST",
        ...{ url: target, contentType: "", authorization: credentials?.() ?? "" },
        body: lent ?? memory,
        bodyFrom: lent ? device.callBodyFrom : device.body,
        bodyTo: lent ? device.callBodyTo : device.body + Math.max(0, device.bodyLength),
      },
      {
        status: (status, retryAfterS) => api.responseStart(device, id, status, retryAfterS),
        body: (bytes, from, to) => api.responseBody(device, id, bytes, from, to),
        end: () => api.responseEnd(device, id),
        failed: () => api.responseFailed(device, id),
      },
    );
    this.sent.push({ ...http.requests.at(-1)!, endpoint, target });
  }
}

export function signedIn(members: object = {}, responses: Reaction[] = []): Port {
  const bench = new Port([code(), tokens(members)]);
  bench.until(2);
  expect(bench.device.state).toBe(core.State.SIGNED_IN);
  bench.responses = responses;
  return bench;
}

export function session(responses: Reaction[] = [], members: object = {}): Port {
  const bench = signedIn(members, responses);
  bench.sent.length = 0;
  return bench;
}

export function call({ core: api, device }: Port, target: string): number {
  if (api.beginCall(device) === 0) return 0;
  const path = bytesOf(target);
  api.addPath(device, path, 0, path.length);
  return api.sendCall(device, core.Endpoint.RESOURCE, 1, null, 0, 0);
}

export function outcome({ device }: Port): { error: number; status: number } {
  expect(device.callState).toBe(core.CallState.DONE);
  return { error: device.callError, status: device.callStatus };
}

export const LIST = "/video/v3/liveBroadcasts?part=id%2Csnippet&mine=true";
export const GRANT = "urn:ietf:params:oauth:grant-type:device_code";
export const fields = (sent: Sent): Record<string, string> => Object.fromEntries(sent.form);
export const polls = ({ sent }: Port): Sent[] => sent.filter(({ endpoint }) => endpoint === 1);
