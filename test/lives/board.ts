// The device of a life with its host: a driver on adapters of virtual time, power that can go at any
// call of the core, and a memory that is watched. One board lives through many power-ons.

import type { Device } from "../../core/complete.ts";
import type { Display, Entropy, Storage, Timers } from "../../platform/contracts.ts";
import { type Core, Driver, type Endpoints, noEndpoints } from "../../platform/driver.ts";
import { driverConfig } from "../../platform/fake/config.ts";
import { placesOf } from "../../platform/named-core.ts";
import { asciiOf } from "../../platform/text.ts";
import { EVENTS_PATH } from "./account-service.ts";
import { latin1 } from "./bytes.ts";
import { type LivesCore, watchedCoreOf } from "./core-of.ts";
import type { Plan, Roll } from "./dice.ts";
import { BASE, type Network } from "./network.ts";
import type { Oracle } from "./oracle.ts";
import type { Appointment, Time } from "./time.ts";
import { PowerCut, Violation } from "./violation.ts";
import { checkIntegers, guardIsIntact, watchedMemory } from "./watched-memory.ts";

/** What the maker and the place decide; the same for all power-ons of a life. */
export interface BoardSettings {
  columns: number;
  rows: number;
  autoStart: number;
  renewalsMax: number;
  clientAuthentication: number;
  clientId: string;
  clientSecret: string;
  /** What the counter of milliseconds says at first; close to 2^32 to see it wrap. */
  counterStartMs: number;
  /** Memory and numbers are checked at every step: slow, so not in every life. */
  isWatched: boolean;
  memoryBytes: number;
}

const METADATA_PATH = "/.well-known/oauth-authorization-server";
const ORIGINS = [BASE, "https://login.example.test", "https://api.example.test:8443/v2"];

function originIn(url: string): string {
  return ORIGINS.find((origin) => url.startsWith(origin) && url[origin.length] === "/") ?? "";
}

function isAtOrBelow(url: string, address: string): boolean {
  if (!url.startsWith(address)) return false;
  const next = url[address.length];
  return next === undefined || next === "/" || next === "?";
}

const GUARD_BYTES = 32;
/** Calls that the power may be cut before: the driver's own steps. */
const STEPS = [
  "tick",
  "storageDone",
  "responseStart",
  "responseBody",
  "responseEnd",
  "responseFailed",
  "eventVerified",
];
const USER_CALLS = [
  "signIn",
  "cancel",
  "signOut",
  "setStatus",
  "accessTokenRefused",
  "applySecurityEvent",
  "pollEvents",
  "discover",
  "beginCall",
  "addPath",
  "addSegment",
  "addQueryValue",
  "sendCall",
  "nextPage",
  "createOffer",
];

interface BoardParts {
  time: Time;
  plan: Plan;
  core: LivesCore;
  oracle: Oracle;
  network: Network;
  /** Judge between the device and its storage. */
  storage: Storage;
  /** The adapters below it, made anew for each power-on. */
  makeStorage: (powerOn: number) => Storage;
}

export class Board {
  driver: Driver | undefined;
  frame = "";
  /** Calls of the core so far that count as steps; a scripted cut names one. */
  steps = 0;
  cutAtStep = -1;
  #endpoints: Endpoints = noEndpoints;
  #alarm: Appointment | undefined;
  #powerOns = 0;
  /** The power has gone in the middle of a step. */
  #isCut = false;
  #guarded: Uint8Array | undefined;
  #arrays: DeviceArray[] = [];
  /** The device's endpoints but for the publisher API's, which is a whole origin. */
  #addresses: readonly string[] = [];
  #publisherApi = "";
  readonly #core: Core;

  readonly #parts: BoardParts;

  constructor(
    readonly settings: BoardSettings,
    parts: BoardParts,
  ) {
    this.#parts = parts;
    this.#core = this.#watchedCore();
  }

  /** Power comes. */
  powerOn(): void {
    const { oracle, plan } = this.#parts;
    const roll = plan.roll("power-on", this.#powerOns);
    this.frame = "";
    this.#isCut = false;
    this.#endpoints = this.#drawEndpoints();
    const { resources, ...others } = this.#endpoints;
    const [videoApi, publisherApi] = resources as [string, string];
    this.#addresses = [...Object.values(others), videoApi];
    this.#publisherApi = publisherApi;
    oracle.poweredOn(this.#parts.makeStorage(this.#powerOns++));
    // RFC 7636: the setting may change from one start to the next, and a code is proved as it was asked for.
    const isProved = plan.roll("pkce", this.#powerOns).chance(0.4);
    this.driver = new Driver({
      ...(isProved && { pkce: "S256" }),
      core: this.#core,
      platform: {
        http: this.#parts.network,
        timers: this.#timers(),
        storage: this.#parts.storage,
        display: this.#display(),
        entropy: entropyOf(roll),
      },
      config: {
        ...driverConfig,
        clientId: this.settings.clientId,
        clientSecret: this.settings.clientSecret,
        scope: "https://auth.picogrant.test/auth/video",
        autoStart: this.settings.autoStart,
        renewalsMax: this.settings.renewalsMax,
        clientAuthentication: this.settings.clientAuthentication,
        // Whose tokens they are, wherever its addresses are now.
        server: BASE,
      },
      endpoints: this.#endpoints,
      memoryBytes: this.settings.memoryBytes,
      verifyEvent: (bytes, from, to) => oracle.verifies(asciiOf(bytes, from, to)),
    });
    this.driver.start();
  }

  /** Where the servers are in this life between two losses of power. */
  #drawEndpoints(): Endpoints {
    const roll = this.#parts.plan.roll("addresses", this.#powerOns);
    const moves = this.#parts.plan.further && roll.chance(0.4);
    const base = (): string => (moves ? roll.pick(ORIGINS) : BASE);
    const grant = base();
    const publisher = base();
    return {
      deviceAuthorization: `${grant}/device/code`,
      token: `${grant}/token`,
      revocation: `${base()}/revoke`,
      metadata: `${base()}${METADATA_PATH}`,
      resources: [`${base()}/video/v3`, publisher],
      events: `${base()}${EVENTS_PATH}`,
    };
  }

  /** The origin of the address that this URL belongs to; undefined where the device was given none such. */
  originOf(url: string): string | undefined {
    const origin = originIn(url);
    const isOffer =
      url.startsWith("/publisher/", origin.length) && url.startsWith(this.#publisherApi);
    const isKnown = isOffer || this.#addresses.some((address) => isAtOrBelow(url, address));
    return isKnown ? origin : undefined;
  }

  /** Power goes: whatever the device was at is over. */
  powerOff(): void {
    this.#parts.time.cancel(this.#alarm);
    this.#alarm = undefined;
    this.driver = undefined;
    this.#parts.network.cut();
    this.frame = "";
  }

  get isOn(): boolean {
    return this.driver !== undefined;
  }

  #rest(): void {
    const { oracle } = this.#parts;
    if (!this.driver) return;
    oracle.atRest(this.frame, this.#alarm?.dueMs ?? 0);
    if (this.#guarded && !guardIsIntact(this.#guarded, GUARD_BYTES)) {
      throw new Violation("arena", "the bytes behind the memory were overwritten");
    }
  }

  #timers(): Timers {
    const { time } = this.#parts;
    return {
      now: () => (this.settings.counterStartMs + time.nowMs) % 2 ** 32,
      alarm: (afterMs, ring) => {
        if (!Number.isInteger(afterMs) || afterMs < 0 || afterMs > 134_217_727) {
          throw new Violation("small-integers", `an alarm in ${afterMs} ms`);
        }
        time.cancel(this.#alarm);
        this.#alarm = time.after(afterMs, ring);
        // The last thing that the driver does before it sleeps.
        this.#rest();
      },
      cancel: () => {
        time.cancel(this.#alarm);
        this.#alarm = undefined;
      },
    };
  }

  #display(): Display {
    const { columns, rows } = this.settings;
    return {
      columns,
      rows,
      show: (cells, from) => {
        const lines: string[] = [];
        for (let row = 0; row < rows; row++) {
          const start = from + row * columns;
          lines.push(latin1(cells, start, start + columns));
        }
        const frame = lines.join("\n");
        this.frame = frame;
        this.#parts.oracle.shown(frame);
      },
    };
  }

  /** The core with a judge between it and its host. */
  #watchedCore(): Core {
    const { oracle, plan } = this.#parts;
    const watching = this.settings.isWatched ? watchedCoreOf(this.#parts.core) : undefined;
    const core = watching?.core ?? this.#parts.core;
    const watched: Record<string, unknown> = { ...core };
    for (const name of [...STEPS, ...USER_CALLS]) {
      const call = (core as unknown as Record<string, (...args: unknown[]) => unknown>)[name]!;
      const isStep = STEPS.includes(name);
      const isResponse = name.startsWith("response");
      watched[name] = (...args: unknown[]) => {
        // The driver takes what is thrown at it for a mistake of an adapter, and goes on: without power it cannot.
        if (this.#isCut) throw new PowerCut();
        if (isStep && (this.steps++ === this.cutAtStep || plan.strikes("cut-at-step"))) {
          this.#isCut = true;
          // The driver may keep what is thrown here until something else wakes it, and without power nothing does.
          const { driver } = this;
          this.#parts.time.after(0, () => {
            if (this.driver === driver) throw new PowerCut();
          });
          throw new PowerCut();
        }
        oracle.beforeCall(name, isResponse ? (args[1] as number) : -1);
        const result = call(...args);
        this.#checkDevice(args[0] as Device);
        oracle.afterCall(name);
        return result;
      };
    }
    watched.create = (memory: Uint8Array, config: Parameters<LivesCore["create"]>[1]) => {
      this.#guarded = memory.fill(0xa5, memory.length - GUARD_BYTES);
      const own = memory.subarray(0, memory.length - GUARD_BYTES);
      if (watching) watching.watch.memory = own;
      const isBehindProxy = this.settings.isWatched && !watching;
      const device = core.create(isBehindProxy ? watchedMemory(own) : own, config);
      if (device) {
        oracle.watch(device);
        this.#arrays = arraysOf(device);
      }
      return device;
    };
    return watched as unknown as Core;
  }

  #checkDevice(device: Device): void {
    if (!this.settings.isWatched) return;
    checkIntegers(device);
    const places = placesOf(device) as Members;
    for (const { name, array, length } of this.#arrays) {
      if (array.length !== length || places[name] !== array) {
        throw new Violation("no-allocation", "an array of the device grew or was replaced");
      }
    }
  }
}

type Members = Readonly<Record<string, unknown>>;

/** One of the device's arrays, as it was made. */
interface DeviceArray {
  name: string;
  array: unknown[];
  length: number;
}

function arraysOf(device: Device): DeviceArray[] {
  const arrays: DeviceArray[] = [];
  for (const [name, array] of Object.entries(placesOf(device))) {
    if (Array.isArray(array)) arrays.push({ name, array, length: array.length });
  }
  return arrays;
}

export function entropyOf(roll: Roll): Entropy {
  return {
    fill(into, from, to) {
      for (let i = from; i < to; i++) into[i] = roll.below(256);
      return true;
    },
  };
}
