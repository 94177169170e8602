import type * as complete from "../../core/complete.ts";
import { Limit } from "../../core/device/limits.ts";
import { Command, Endpoint, Region, State } from "../../core/index.ts";
import { RecordKind } from "../../core/records/token-record.ts";
import type { Storage } from "../contracts.ts";
import { AdapterPort } from "../exchange/adapter-port.ts";
import { type FaultHandler, nothing, operate } from "../exchange/callbacks.ts";
import { type Below, connect, inOrder } from "../exchange/filter.ts";
import { type Allowed, LeakGuard } from "../exchange/leak-guard.ts";
import { asciiOf } from "../text/text.ts";
import { makeChallenge } from "./code-challenges.ts";
import { hasCapacity, makeDevice, moveDevice, type Values } from "./device.ts";
import { addressOf, checkEndpoints, type Endpoints, endpointMask } from "./endpoints.ts";
import { checkHeaders } from "./headers.ts";
import { type Core, type DriverOptions, MEMORY_BYTES_DEFAULT } from "./options.ts";
import {
  accessTokenOf,
  BodyForm,
  newRequest,
  Requests,
  type ReusedRequest,
  secretsOf,
} from "./requests.ts";
import { type RequestContext, Responses } from "./responses.ts";

interface CommandOwner extends Pick<RequestContext, "report" | "handOn"> {
  readonly fault: FaultHandler;
}

/** Carries out the core's commands with the adapters, and enlarges the core's memory when a value does not fit. */
export class Commands implements RequestContext {
  readonly core: Core;
  readonly report: RequestContext["report"];
  readonly handOn: RequestContext["handOn"];
  readonly device: complete.Device;
  memory: Uint8Array;
  challenge = "";
  /** Reports to the core that the current adapter operation has failed. */
  giveUp: () => void = nothing;
  /** Number of storage operations so far. It distinguishes successive operations of the same kind. */
  storageOperations = 0;
  #addresses!: Endpoints;
  readonly #options: DriverOptions;
  readonly #owner: CommandOwner;
  readonly #storage: Storage;
  readonly #exchange: Below;
  readonly #responses: Responses;
  readonly #look: LeakGuard;
  readonly #requests: Requests;
  readonly #pollRequest: ReusedRequest;

  constructor(options: DriverOptions, owner: CommandOwner) {
    const { platform, log } = options;
    this.core = options.core;
    this.report = owner.report;
    this.handOn = owner.handOn;
    this.#options = options;
    this.#owner = owner;
    this.#storage = log?.around(platform.storage) ?? platform.storage;
    checkHeaders(options.headers);
    checkEndpoints(options.endpoints, options.allowHttp);
    this.memory = new Uint8Array(options.memoryBytes ?? MEMORY_BYTES_DEFAULT);
    this.device = makeDevice(options, this.memory);
    this.endpoints = options.endpoints;
    this.#requests = new Requests(this.device, options);
    this.#pollRequest = newRequest(this.memory);
    this.#responses = new Responses(this);
    this.#look = new LeakGuard((address) => this.#allowed(address));
    this.#exchange = this.#pipeline();
  }

  get isBound(): boolean {
    return this.#options.keys?.isBound === true;
  }

  get endpoints(): Endpoints {
    return this.#addresses;
  }

  /** @throws TypeError that names the invalid endpoint */
  set endpoints(endpoints: Endpoints) {
    checkEndpoints(endpoints, this.#options.allowHttp);
    this.#addresses = endpoints;
    this.core.setEndpoints(this.device, endpointMask(endpoints));
  }

  #pipeline(): Below {
    const { platform, config, filters, keys, log, translate } = this.#options;
    const { clientId, clientSecret, scope } = config;
    const accessToken = (): string => accessTokenOf(this.device, this.memory);
    const port = new AdapterPort(platform.http, {
      // Do not reuse a sink if there are keys: a poll may then be repeated at once with a new nonce.
      isPoll: () => this.device.state === State.PENDING && keys === undefined,
      fault: this.#owner.fault,
    });
    const all = inOrder({
      ...filters,
      translation: translate?.({ clientId, clientSecret, scope, accessToken }),
      keys: keys?.exchange(() => this.device),
      form: new BodyForm(() => this.device.isJson === 1),
      look: this.#look,
      log: log?.exchange(() => this.device),
    });
    return connect(all, this.#responses, port);
  }

  /**
   * Grows the memory, within its limit, until the values of a response or a record fit. Do not call it while the core
   * parses a response, because the parser then uses positions in the old memory.
   */
  makeRoom(values: Values): void {
    const { growsTo = 0 } = this.#options;
    while (this.memory.length < growsTo && !hasCapacity(this.device, values)) {
      this.memory = new Uint8Array(Math.min(2 * this.memory.length, growsTo));
      moveDevice(this.device, makeDevice(this.#options, this.memory, true));
    }
  }

  abort(): void {
    this.#exchange.abort();
  }

  /** @returns the adapter's return value, which is a promise if the adapter's function is `async` */
  carryOut(command: Command): unknown {
    const { device, memory } = this;
    const from = device.data;
    const to = from + device.dataLength;
    switch (command) {
      case Command.SEND:
        return this.#send();
      case Command.ABORT:
        return this.abort();
      case Command.SHOW:
        return this.#options.platform.display.show(memory, device.start[Region.FRAME]!);
      case Command.LOAD:
      case Command.STORE:
      case Command.ERASE:
        return this.#store(command, from, to);
      case Command.VERIFY:
        return this.#verify(from, to);
      case Command.CHALLENGE:
        return this.#challenge(from, to);
      default:
        throw new Error(`unknown command ${command}`);
    }
  }

  #challenge(from: number, to: number): void {
    this.giveUp = () => this.core.storageDone(this.device, 0);
    const broken = (error: unknown): void => this.#owner.fault(error, nothing);
    const isMade = makeChallenge(this.#options.platform.entropy, this.memory, from, to, broken);
    this.core.storageDone(this.device, isMade ? 1 : 0);
  }

  #verify(from: number, to: number): void {
    const report = (isTrue: 0 | 1): void =>
      this.core.eventVerified?.(this.device, this.device.requestId, isTrue);
    this.giveUp = () => report(0);
    report(this.#options.verifyEvent?.(this.memory, from, to) === true ? 1 : 0);
  }

  #store(command: Command, from: number, to: number): void {
    const { memory } = this;
    const { slot } = this.device;
    const storage = this.#storage;
    const isLoad = command === Command.LOAD;
    // The memory may have to grow for the record, so the record is read into a buffer first.
    const record = isLoad && this.#options.growsTo && new Uint8Array(storage.capacity);
    this.storageOperations++;
    operate<number | boolean>(
      (done) => {
        if (record) return storage.read(slot, record, 0, record.length, done);
        if (isLoad) return storage.read(slot, memory, from, to, done);
        if (command === Command.STORE) return storage.write(slot, memory, from, to, done);
        return storage.erase(slot, done);
      },
      isLoad ? -1 : 0,
      (result) =>
        this.report(() => {
          const taken = record ? this.#take(record, Number(result)) : Number(result);
          this.core.storageDone(this.device, taken);
        }),
      this.#owner.fault,
    );
  }

  /** Copies a loaded record for the core. @returns its length, 0 for no record, -1 if it is unreadable or too long */
  #take(record: Uint8Array, length: number): number {
    const text = asciiOf(record, 0, length);
    // Only the record of a code contains URIs. Their lengths are unknown, so assume the longest possible URI.
    const address = record[0] === RecordKind.CODE ? text.slice(0, Limit.LONG_URI_MAX) : "";
    this.makeRoom({ refresh_token: text, verification_uri: address });
    const { start, capacity } = this.device;
    if (length > capacity[Region.OUTPUT]!) return -1;
    for (let at = 0; at < length; at++) this.memory[start[Region.OUTPUT]! + at] = record[at]!;
    record.fill(0);
    return length;
  }

  #allowed(address: string): Allowed {
    const { allowHttp = false, config } = this.#options;
    // Only a revocation may have the token in its address: the device authorization specification puts it into the query.
    const mayHoldToken = this.device.endpoint === Endpoint.REVOCATION;
    const tokens = mayHoldToken ? [] : secretsOf(this.device, this.memory);
    return { address, allowHttp, secrets: [config.clientSecret, ...tokens] };
  }

  #send(): void {
    const { endpoint, requestId, state } = this.device;
    const responses = this.#responses;
    responses.begin(requestId);
    this.giveUp = responses.giveUp;
    const request = state === State.PENDING ? this.#pollRequest : newRequest(this.memory);
    const address = addressOf(this.#addresses, endpoint);
    this.#requests.write(request, this.memory, address);
    this.#look.address = address;
    this.#exchange.send(request);
  }
}
