// A fleet: many devices, each with the real core, on one virtual clock against one model of the service. A device
// consists of its core's memory, its two storage slots, and a few numbers here.
import {
  ClientAuthentication,
  Command,
  type Device,
  Endpoint,
  State,
} from "../../../core/index.ts";
import type { FleetCore } from "./fleet-scenarios.ts";
import { type RequestKind, ServiceModel, type ServiceSettings } from "./service-model.ts";

// Timers for hundreds of thousands of devices: a binary heap in typed arrays, so that a timer allocates nothing.

export class EventQueue {
  #times = new Float64Array(1024);
  #what = new Int32Array(1024);
  #size = 0;

  /** Time of the earliest event, Infinity without one. */
  get nextMs(): number {
    return this.#size > 0 ? this.#times[0]! : Number.POSITIVE_INFINITY;
  }

  /**
   * @param what any integer of 32 bits
   */
  push(timeMs: number, what: number): void {
    if (this.#size === this.#times.length) this.#grow();
    let at = this.#size++;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (this.#times[parent]! <= timeMs) break;
      this.#times[at] = this.#times[parent]!;
      this.#what[at] = this.#what[parent]!;
      at = parent;
    }
    this.#times[at] = timeMs;
    this.#what[at] = what;
  }

  /** Removes the earliest event. There must be one. */
  pop(): number {
    const what = this.#what[0]!;
    const last = --this.#size;
    const timeMs = this.#times[last]!;
    const moved = this.#what[last]!;
    let at = 0;
    for (;;) {
      let child = 2 * at + 1;
      if (child >= last) break;
      if (child + 1 < last && this.#times[child + 1]! < this.#times[child]!) child++;
      if (this.#times[child]! >= timeMs) break;
      this.#times[at] = this.#times[child]!;
      this.#what[at] = this.#what[child]!;
      at = child;
    }
    this.#times[at] = timeMs;
    this.#what[at] = moved;
    return what;
  }

  #grow(): void {
    const times = new Float64Array(this.#times.length * 2);
    const what = new Int32Array(this.#what.length * 2);
    times.set(this.#times);
    what.set(this.#what);
    this.#times = times;
    this.#what = what;
  }
}

export interface FleetSettings {
  readonly devices: number;
  readonly core: FleetCore;
  readonly service: ServiceSettings;
  readonly memoryBytes: number;
  readonly seed: number;
  /** Mean time until a user allows a code, seconds. */
  readonly userS: number;
  /** As in device.json; by default the core's own. */
  readonly startSpreadMs?: number;
}

const KINDS: readonly RequestKind[] = ["code", "poll", "refresh"];
/** Low bits of an event: its type; the rest is the device. */
const WAKE = 0;
const RESPONSE = 1;
const KIND_BITS = 1;
/** For sums of fractions, so that 5 ms do not count as 4.999. */
const ROUNDING = 0.001;
const NOTHING = new Uint8Array(0);

export class Fleet {
  readonly service: ServiceModel;
  readonly settings: FleetSettings;
  nowMs = 0;
  /** Total number of requests. */
  requests = 0;
  readonly #devices: (Device | undefined)[];
  readonly #slots: [Uint8Array, Uint8Array][];
  readonly #queue = new EventQueue();
  readonly #lastMs: Float64Array;
  readonly #wakeMs: Float64Array;
  /** Speed of a device's own clock: 1, or more in a bad release. */
  readonly #pace: Float32Array;
  readonly #pendingKind: Uint8Array;
  readonly #pendingId: Uint16Array;
  readonly #pendingServed: Uint8Array;
  /** When a device was last switched on, and when it first signed in after that. */
  readonly #onMs: Float64Array;
  readonly signInMs: Float64Array;
  /** Refused requests per device since it was switched on. */
  readonly refusals: Uint16Array;
  #random: number;

  constructor(settings: FleetSettings) {
    const { devices, service, userS } = settings;
    this.settings = settings;
    this.#random = settings.seed >>> 0 || 1;
    this.service = new ServiceModel(devices, service, () => this.#exponential(userS * 1000));
    this.#devices = new Array<Device | undefined>(devices).fill(undefined);
    this.#slots = Array.from({ length: devices }, () => [NOTHING, NOTHING]);
    this.#lastMs = new Float64Array(devices);
    this.#wakeMs = new Float64Array(devices).fill(-1);
    this.#pace = new Float32Array(devices).fill(1);
    this.#pendingKind = new Uint8Array(devices);
    this.#pendingId = new Uint16Array(devices);
    this.#pendingServed = new Uint8Array(devices);
    this.#onMs = new Float64Array(devices);
    this.signInMs = new Float64Array(devices).fill(-1);
    this.refusals = new Uint16Array(devices);
  }

  /** A number in [0, 1) from the fleet's seed. */
  random(): number {
    this.#random ^= this.#random << 13;
    this.#random ^= this.#random >>> 17;
    this.#random ^= this.#random << 5;
    return (this.#random >>> 0) / 4294967296;
  }

  #exponential(mean: number): number {
    return -Math.log(1 - this.random()) * mean;
  }

  /** Switches a device on with the contents of its storage. */
  powerOn(index: number): void {
    const { core, memoryBytes, startSpreadMs } = this.settings;
    // Reuses the memory from before the power cut.
    const memory = this.#devices[index]?.memory ?? new Uint8Array(memoryBytes);
    const device = core.create(memory, {
      clientId: "living-room-tv",
      clientSecret: "tv-secret",
      scope: "video.readonly",
      deviceParameters: "",
      columns: 16,
      rows: 2,
      seed: Math.floor(this.random() * 67_108_864),
      autoStart: 1,
      renewalsMax: 1000,
      clientAuthentication: ClientAuthentication.SPECIFICATION,
      server: "https://auth.example",
      tokenParameters: "",
      messages: "",
      ...(startSpreadMs !== undefined && { startSpreadMs }),
    });
    if (device === null) throw new Error(`${memoryBytes} bytes are too few for a device`);
    this.#devices[index] = device;
    this.#lastMs[index] = this.nowMs;
    this.#onMs[index] = this.nowMs;
    this.signInMs[index] = -1;
    this.refusals[index] = 0;
    this.#run(index);
  }

  /** Switches a device off; its pending events are ignored. */
  powerOff(index: number): void {
    this.#wakeMs[index] = -1;
    this.#pendingId[index] = 0;
  }

  /** Clears the storage, as of a device that has never signed in. */
  wipe(index: number): void {
    this.#slots[index] = [NOTHING, NOTHING];
  }

  /** Changes the speed of a device's clock from now on. */
  setPace(index: number, pace: number): void {
    this.#pace[index] = pace;
  }

  /** Runs the fleet until `untilMs`. */
  runUntil(untilMs: number, progress: (nowMs: number) => void = () => {}): void {
    for (let count = 1; this.#queue.nextMs <= untilMs; count++) {
      this.nowMs = this.#queue.nextMs;
      const event = this.#queue.pop();
      const index = event >> KIND_BITS;
      if ((event & 1) === RESPONSE) this.#deliver(index);
      else if (this.#wakeMs[index] === this.nowMs) this.#run(index);
      if (count % 65_536 === 0) progress(this.nowMs);
    }
    this.nowMs = untilMs;
  }

  #deliver(index: number): void {
    const { core } = this.settings;
    const device = this.#devices[index]!;
    const id = this.#pendingId[index]!;
    // The request was aborted, or the device has been off since.
    if (id === 0 || device.inFlight !== 1 || device.requestId !== id) return;
    this.#pendingId[index] = 0;
    this.#pass(index, device);
    const kind = KINDS[this.#pendingKind[index]!]!;
    const served = this.#pendingServed[index] === 1;
    if (!served) this.refusals[index]!++;
    if (!served && this.service.settings.refusesConnections) {
      core.responseFailed(device, id);
      this.#work(index, device);
      return;
    }
    const { status, body } = this.service.responseTo(index, kind, served, this.nowMs);
    core.responseStart(device, id, status, -1);
    core.responseBody(device, id, body, 0, body.length);
    core.responseEnd(device, id);
    this.#work(index, device);
  }

  /** Updates the device's clock without running its work. */
  #pass(index: number, device: Device): void {
    const sinceMs = (this.nowMs - this.#lastMs[index]!) * this.#pace[index]!;
    const elapsedMs = Math.floor(sinceMs + ROUNDING);
    // The device counts whole milliseconds; the remainder counts next time.
    this.#lastMs[index]! += elapsedMs / this.#pace[index]!;
    const command = this.settings.core.tick(device, Math.min(elapsedMs, 134_000_000));
    this.#obey(index, device, command);
  }

  #run(index: number): void {
    const device = this.#devices[index]!;
    this.#pass(index, device);
    this.#work(index, device);
  }

  /** Runs commands until there are none, then schedules the next event. */
  #work(index: number, device: Device): void {
    const { core } = this.settings;
    for (;;) {
      const command = core.tick(device, 0);
      if (command === Command.NONE) break;
      this.#obey(index, device, command);
    }
    if (device.state === State.SIGNED_IN && this.signInMs[index]! < 0) {
      this.signInMs[index] = this.nowMs - this.#onMs[index]!;
    }
    const sleepMs = Math.max(1, this.#sleepOf(device)) / this.#pace[index]!;
    const wakeMs = Math.max(this.nowMs, this.#lastMs[index]! + sleepMs);
    // A later event that was scheduled before stays in the queue and is ignored.
    if (wakeMs === this.#wakeMs[index]) return;
    this.#wakeMs[index] = wakeMs;
    this.#queue.push(wakeMs, (index << KIND_BITS) | WAKE);
  }

  /** As wakeIn, but without a display's countdown. */
  #sleepOf(device: Device): number {
    const wakeMs = this.settings.core.wakeIn(device);
    if (device.state !== State.PENDING || device.inFlight || wakeMs === 0) return wakeMs;
    return Math.max(wakeMs, Math.min(device.waitMs, device.codeLifetimeS * 1000));
  }

  #obey(index: number, device: Device, command: number): void {
    const { core } = this.settings;
    const slots = this.#slots[index]!;
    const slot = device.slot as 0 | 1;
    switch (command) {
      case Command.SEND:
        this.#send(index, device);
        break;
      case Command.LOAD: {
        const record = slots[slot];
        for (let i = 0; i < record.length; i++) device.memory[device.data + i] = record[i]!;
        core.storageDone(device, record.length);
        break;
      }
      case Command.STORE:
        slots[slot] = Uint8Array.from(
          (device.memory as Uint8Array).subarray(device.data, device.data + device.dataLength),
        );
        core.storageDone(device, 1);
        break;
      case Command.ERASE:
        slots[slot] = NOTHING;
        core.storageDone(device, 1);
        break;
      case Command.ABORT:
        this.#pendingId[index] = 0;
        break;
      default:
    }
  }

  #send(index: number, device: Device): void {
    this.requests++;
    const isCode = device.endpoint === Endpoint.DEVICE_AUTHORIZATION;
    this.#pendingKind[index] = isCode ? 0 : device.state === State.PENDING ? 1 : 2;
    this.#pendingId[index] = device.requestId;
    const { atMs, served } = this.service.arrive(this.nowMs);
    this.#pendingServed[index] = served ? 1 : 0;
    this.#queue.push(atMs, (index << KIND_BITS) | RESPONSE);
  }
}
