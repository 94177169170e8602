// The environment of a device in tests: clock, storage, display, a log of all requests, and a server with scripted
// responses or the simulated service. A device uses it through core-port.ts, driver-port.ts or session-port.ts.

import type { Entropy } from "../../platform/contracts.ts";
import {
  type FakeHttp,
  type FakePlatform,
  type FakePlatformOptions,
  type FakeResponse,
  fakePlatform,
  type ManualClock,
  type ManualTimers,
  type MemoryStorage,
  type RecordedDisplay,
  type SeenRequest,
} from "../../platform/testing/index.ts";

export class Environment implements FakePlatform {
  readonly clock: ManualClock;
  readonly http: FakeHttp;
  readonly timers: ManualTimers;
  readonly display: RecordedDisplay;
  readonly entropy: Entropy;
  storage: MemoryStorage;

  constructor(options: FakePlatformOptions = {}) {
    const platform = fakePlatform(options);
    this.clock = platform.clock;
    this.http = platform.http;
    this.timers = platform.timers;
    this.display = platform.display;
    this.entropy = platform.entropy!;
    this.storage = platform.storage;
  }

  /** The requests with the seconds since the previous request, such as "code 0" or "poll 5". */
  get arrived(): string[] {
    const { requests } = this.http;
    return requests.map((request, at) => {
      const beforeMs = requests[at - 1]?.atMs ?? request.atMs;
      return `${purposeOf(request)} ${(request.atMs - beforeMs) / 1000}`;
    });
  }

  /** Cuts the power: current operations are lost, and records stay. */
  restart(): void {
    this.timers.cancel();
    this.http.abort();
    this.storage = this.storage.clone();
  }

  /** Advances the clock. Returns the exceptions that alarms have thrown. */
  wait(seconds: number): unknown[] {
    const thrown: unknown[] = [];
    const endMs = this.clock.elapsedMs + seconds * 1000;
    for (;;) {
      try {
        this.clock.advance(endMs - this.clock.elapsedMs);
        return thrown;
      } catch (error) {
        thrown.push(error);
      }
    }
  }

  /** Advances the clock and lets promises settle. */
  async pass(seconds: number): Promise<void> {
    for (let i = 0; i < seconds; i++) {
      this.clock.advance(1000);
      await new Promise(setImmediate);
    }
  }

  async until(isSo: () => boolean, seconds = 600): Promise<boolean> {
    for (let i = 0; i < seconds && !isSo(); i++) await this.pass(1);
    return isSo();
  }
}

function purposeOf({ form, url }: SeenRequest): string {
  if (form.has("device_code")) return "poll";
  if (form.get("grant_type") === "refresh_token") return "refresh";
  if (form.has("token") || url.includes("?token=")) return "revocation";
  return form.has("client_id") ? "code" : url;
}

export const json = (status: number, body: object): FakeResponse => ({ status, body });
export const error = (status: number, name: string): FakeResponse => json(status, { error: name });

export const code = (members: object = {}): FakeResponse =>
  json(200, {
    device_code: "dc",
    user_code: "ABCD-EFGH",
    verification_url: "https://example.com/device",
    expires_in: 1800,
    interval: 5,
    ...members,
  });

export const tokens = (members: object = {}): FakeResponse =>
  json(200, {
    access_token: "access",
    expires_in: 3600,
    refresh_token: "refresh",
    scope: "email",
    token_type: "Bearer",
    ...members,
  });
