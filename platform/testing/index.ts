// A test device: all five adapters on one manual clock, for a driver.

import { ClientAuthentication, type Config } from "../../core/complete.ts";
import type { Entropy, Platform, Signer } from "../contracts.ts";
import type { DriverConfig } from "../driver.ts";
import { ManualClock, type ManualTimers } from "./clock.ts";
import { RecordedDisplay, SeededEntropy } from "./display.ts";
import { FakeHttp, type FakeHttpOptions } from "./http.ts";
import { MemoryStorage } from "./storage.ts";

export { ManualClock, type ManualTimers } from "./clock.ts";
export { RecordedDisplay, SeededEntropy } from "./display.ts";
export * from "./http.ts";
export { MemoryStorage, type MemoryStorageOptions } from "./storage.ts";

/** Options of `fakePlatform`. */
export interface FakePlatformOptions {
  /** Responses and faults, as in FakeHttp. The clock is the platform's. */
  http?: Omit<FakeHttpOptions, "clock">;
  /** A clock that other devices share; default: a new clock. */
  clock?: ManualClock;
  /** Columns of the display, 16..80; default 20. */
  columns?: number;
  /** Rows of the display, 2..8; default 4. */
  rows?: number;
  /** The storage of an earlier device, for example from `MemoryStorage.clone`. */
  storage?: MemoryStorage;
  /** Milliseconds until the callbacks of a new storage; default 3. */
  storageDelayMs?: number;
  /** HTTP and storage call back before their functions return, unless a delay is set. */
  isAtOnce?: boolean;
  entropy?: number | Entropy;
}

export interface FakePlatform extends Platform {
  readonly clock: ManualClock;
  readonly http: FakeHttp;
  readonly timers: ManualTimers;
  readonly storage: MemoryStorage;
  readonly display: RecordedDisplay;
}

const PUBLIC = {
  kty: "EC",
  crv: "P-256",
  x: "_4D9l38paAyZeUcvFLqlK-ZtrHguicTmnIi5yQPQ2to",
  y: "mAj2vg82Pfytkuey5EJpI9CrSeoNGJdBtObW6s9qThU",
} as const;
const PRIVATE = { ...PUBLIC, d: "XzucpyVYLQjVaJ27dKT27XUFivNirmcmNSSjPV-lHRY" };

/** Returns a signer with a test key, whose private part everybody can read here. Requires WebCrypto. */
export function fakeSigner(): Signer {
  const { subtle } = globalThis.crypto;
  const kind = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" };
  const key = subtle.importKey("jwk", PRIVATE, kind, false, ["sign"]);
  const sign = async (bytes: Uint8Array) =>
    new Uint8Array(await subtle.sign(kind, await key, Uint8Array.from(bytes)));
  return { algorithm: "ES256", publicJwk: PUBLIC, sign };
}

/** Creates a test device. Unless `isAtOnce` is set, HTTP and storage respond after a delay on the clock. */
export function fakePlatform(options: FakePlatformOptions = {}): FakePlatform {
  const clock = options.clock ?? new ManualClock();
  const late = options.isAtOnce ? {} : { latencyMs: 40 };
  const delayMs = options.storageDelayMs ?? (options.isAtOnce ? undefined : 3);
  const entropy = options.entropy ?? 1;
  return {
    clock,
    http: new FakeHttp({ ...late, ...options.http, clock }),
    timers: clock.timers(),
    storage: options.storage ?? new MemoryStorage(delayMs === undefined ? {} : { clock, delayMs }),
    display: new RecordedDisplay(options.columns ?? 20, options.rows ?? 4),
    entropy: typeof entropy === "number" ? new SeededEntropy(entropy) : entropy,
  };
}

/** Default settings for a driver, which tests and simulations change. The driver adds display and seed. */
export const driverConfig: Readonly<DriverConfig & { server: string }> = {
  clientId: "tv",
  clientSecret: "s",
  clientAuthentication: ClientAuthentication.SPECIFICATION,
  server: "https://auth.example",
  scope: "video",
  deviceParameters: "",
  tokenParameters: "",
  autoStart: 1,
  renewalsMax: 3,
  messages: "",
};

/** A configuration for the core without a driver, with a display of 20x4. */
export const deviceConfig: Readonly<Config> = { ...driverConfig, columns: 20, rows: 4, seed: 1 };
