// A model of the service for a fleet: a queue with a capacity, and responses like the real ones. It stores a few
// numbers per device.

export interface ServiceSettings {
  /** Requests per second that it can process; the rest wait. */
  readonly capacity: number;
  /** Seconds of work that may wait; further requests get 503 at once, or no connection. */
  readonly queueSeconds: number;
  readonly refusesConnections?: boolean;
  readonly latencyMs: number;
  readonly intervalS: number;
  readonly codeLifetimeS: number;
  readonly accessLifetimeS: number;
  /** Tolerance for early polls, as real services allow for clocks. */
  readonly toleranceMs: number;
}

export const serviceDefaults: ServiceSettings = {
  capacity: 1_000,
  queueSeconds: 10,
  latencyMs: 50,
  intervalS: 5,
  codeLifetimeS: 1800,
  accessLifetimeS: 3600,
  toleranceMs: 250,
};

export type RequestKind = "code" | "poll" | "refresh";

export interface ModelResponse {
  readonly status: number;
  readonly body: Uint8Array;
}

const encoder = new TextEncoder();

function response(status: number, body: object): ModelResponse {
  return { status, body: encoder.encode(JSON.stringify(body)) };
}

const UNAVAILABLE: ModelResponse = { status: 503, body: encoder.encode("<h1>busy</h1>") };
const PENDING = response(428, { error: "authorization_pending" });
const SLOW_DOWN = response(403, { error: "slow_down" });
const EXPIRED = response(400, { error: "expired_token" });
const TOKEN = "pga.0123456789abcdefghijklmnopqrstuvwxyz0123456";

export class ServiceModel {
  /** While true, every request gets 503. */
  down = false;
  /** While false, no user approves a code. */
  usersCome = true;
  /** Initially that of the settings. */
  capacity: number;
  readonly settings: ServiceSettings;
  readonly requests: number[] = [];
  readonly refused: number[] = [];
  /** Longest queue in each second, in requests. */
  readonly queued: number[] = [];
  slowDowns = 0;
  #busyUntilMs = 0;
  readonly #codeAtMs: Float64Array;
  readonly #approvedAtMs: Float64Array;
  readonly #lastPollMs: Float64Array;
  readonly #code: ModelResponse;
  readonly #tokens: ModelResponse;
  readonly #refreshed: ModelResponse;

  readonly #userDelayMs: () => number;

  /**
   * @param userDelayMs time from a code to its approval
   */
  constructor(devices: number, settings: ServiceSettings, userDelayMs: () => number) {
    this.#userDelayMs = userDelayMs;
    this.settings = settings;
    this.capacity = settings.capacity;
    this.#codeAtMs = new Float64Array(devices);
    this.#approvedAtMs = new Float64Array(devices);
    this.#lastPollMs = new Float64Array(devices);
    this.#code = response(200, {
      device_code: "pgd.0123456789abcdefghijklmnopqrstuvwxyz",
      user_code: "BCDF-GHJK",
      verification_url: "http://127.0.0.1:8628/device",
      expires_in: settings.codeLifetimeS,
      interval: settings.intervalS,
    });
    const access = {
      access_token: TOKEN,
      expires_in: settings.accessLifetimeS,
      token_type: "Bearer",
    };
    this.#tokens = response(200, { ...access, refresh_token: "pgr.0123456789abcdefghijklmnop" });
    this.#refreshed = response(200, access);
  }

  /**
   * Queues a request.
   * @returns when its response reaches the device
   */
  arrive(nowMs: number): { atMs: number; served: boolean } {
    const { capacity } = this;
    const { queueSeconds, latencyMs } = this.settings;
    const second = Math.floor(nowMs / 1000);
    this.requests[second] = (this.requests[second] ?? 0) + 1;
    const waitMs = Math.max(0, this.#busyUntilMs - nowMs);
    const queued = (waitMs * capacity) / 1000;
    if (queued > (this.queued[second] ?? 0)) this.queued[second] = queued;
    if (this.down || waitMs > queueSeconds * 1000) {
      this.refused[second] = (this.refused[second] ?? 0) + 1;
      return { atMs: nowMs + latencyMs, served: false };
    }
    this.#busyUntilMs = Math.max(nowMs, this.#busyUntilMs) + 1000 / capacity;
    return { atMs: this.#busyUntilMs + latencyMs, served: true };
  }

  /** The response to a device's request, decided when the service sends it. */
  responseTo(device: number, kind: RequestKind, served: boolean, nowMs: number): ModelResponse {
    if (!served) return UNAVAILABLE;
    if (kind === "refresh") return this.#refreshed;
    if (kind === "poll") return this.#poll(device, nowMs);
    this.#codeAtMs[device] = nowMs;
    this.#lastPollMs[device] = Number.NEGATIVE_INFINITY;
    this.#approvedAtMs[device] = this.usersCome
      ? nowMs + this.#userDelayMs()
      : Number.POSITIVE_INFINITY;
    return this.#code;
  }

  #poll(device: number, nowMs: number): ModelResponse {
    const { codeLifetimeS, intervalS, toleranceMs } = this.settings;
    if (nowMs - this.#codeAtMs[device]! > codeLifetimeS * 1000) return EXPIRED;
    if (nowMs >= this.#approvedAtMs[device]!) return this.#tokens;
    const sinceMs = nowMs - this.#lastPollMs[device]!;
    this.#lastPollMs[device] = nowMs;
    if (sinceMs + toleranceMs >= intervalS * 1000) return PENDING;
    this.slowDowns++;
    return SLOW_DOWN;
  }
}
