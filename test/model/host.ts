// A host, written from core/SPEC.md. It makes every call to the device and to the model. Oracles compare the results.

import {
  type Bytes,
  CallState,
  Command,
  type Device,
  ErrorCode,
  Region,
  State,
} from "../../core/complete.ts";
import { arrayOf, bytesOf } from "./bytes.ts";
import { corrupting } from "./corrupt.ts";
import { Ideal } from "./ideal/device.ts";
import { EXCHANGE_MS, Holder, Purpose } from "./ideal/purposes.ts";
import { formEncoded, segmentEncoded } from "./ideal/requests.ts";
import { readingOf } from "./ideal/responses.ts";
import { decode, type StoredRecord } from "./ideal/storage.ts";
import {
  checkCall,
  checkClocks,
  checkConfigurations,
  checkOutcome,
  checkRequest,
  checkScope,
  checkStorage,
} from "./oracles/api.ts";
import {
  checkCapacities,
  checkLeastMemory,
  DiscardedOracle,
  MemoryOracle,
  RangeOracle,
  watchedMemory,
} from "./oracles/memory.ts";
import { MoveOracle, WakeOracle } from "./oracles/moves.ts";
import { Broken, type Counts, type Scene, same, textAt, Unclear } from "./oracles/oracle.ts";
import type { Settings } from "./settings.ts";
import { type CallPart, type Step, StorageMode } from "./steps.ts";
import { damaged, type MakeCore } from "./subject.ts";

const OFFERS_ENDPOINT = 6;
/** If a run has more commands than this, it counts as an endless loop. */
const COMMANDS_MAX = 60;
const MEMORY_CHECK_EVERY = 16;

interface Exchange {
  id: number;
  rest: string;
  come: string;
  hasHead: boolean;
}

interface StorageOperation {
  command: number;
  slot: number;
  from: number;
  size: number;
}

export class Host implements Scene {
  readonly core: Scene["core"];
  readonly device: Device;
  readonly memory: Uint8Array;
  readonly bytes: Bytes;
  readonly ideal: Ideal;
  exchange: Exchange | undefined;
  operation: StorageOperation | undefined;
  verifying = -1;
  #isAtRest = false;
  #hasNone = false;
  #lent: Uint8Array | undefined;
  frame = "";
  readonly #moves = new MoveOracle();
  readonly #memories: MemoryOracle;
  #requests: number;
  readonly #wakes = new WakeOracle();
  readonly #ranges = new RangeOracle();
  readonly #discarded = new DiscardedOracle();
  #calls = 0;
  #commands = 0;
  #challenges = 0;
  #isReported = false;

  constructor(
    makeCore: MakeCore,
    readonly settings: Settings,
    readonly slots: Uint8Array[],
    readonly counts: Counts,
    /** One bit for each slot that cannot be read until the next restart. */
    readonly unreadable = 0,
  ) {
    this.core = settings.isCorrupted ? corrupting(makeCore()) : makeCore();
    this.memory = new Uint8Array(settings.memoryBytes);
    this.bytes = settings.isWatched ? watchedMemory(this.memory) : this.memory;
    const device = this.core.create(this.bytes, settings.config);
    if (!device) throw new Unclear("no memory for this configuration");
    this.device = device;
    this.ideal = new Ideal(settings, [...device.capacity]);
    const from = settings.countsFrom ?? 0;
    this.ideal.moves = this.#requests = from;
    damaged(device).requestId = damaged(device).moves = from;
    this.#memories = new MemoryOracle(device);
    checkCapacities(this);
  }

  #check(): void {
    this.#isAtRest = false;
    // When the call has ended, overwrite the lent buffer, because the core must not read it any more.
    if (this.#lent && !this.ideal.calls.isBusy) {
      this.#lent.fill(0x58);
      this.#lent = undefined;
    }
    this.#moves.check(this);
    checkClocks(this);
    checkCall(this);
    this.#ranges.check(this);
    if (++this.#calls % MEMORY_CHECK_EVERY === 0) this.#memories.check(this);
  }

  /** After an event the host may sleep as long as wakeIn says. So wakeIn must be 0 if a command is due. */
  #happened(): void {
    this.#check();
    if (this.#hasNone) this.#wakes.checkLate(this);
  }

  tick(ms: number): number {
    const { ideal, device, settings } = this;
    if (!this.#isReported && settings.endpoints !== undefined) {
      this.core.setEndpoints(device, settings.endpoints);
    }
    this.#isReported = true;
    ideal.advance(ms);
    const wasDone = ideal.calls.state === CallState.DONE;
    const command = this.core.tick(device, ms);
    this.#wakes.ticked(this, ms, command);
    this.#hasNone = command === Command.NONE;
    if (command === Command.SEND) this.#ranges.release("SEND");
    ideal.timeRules(device);
    ideal.due.dropMisfits();
    const begun = this.#expect(command);
    this.#obey(command, begun);
    if (!wasDone) checkOutcome(this);
    if (command === Command.NONE) ideal.rested();
    this.#check();
    const isBusy = this.exchange || this.operation || this.verifying >= 0;
    if (command === Command.NONE && !isBusy) this.#discarded.check(this);
    return command;
  }

  #expect(command: number): Purpose {
    const { ideal } = this;
    const right = ideal.due.expected();
    const purpose = ideal.due.purposeDue();
    if (right.command === Command.SEND) {
      const request = ideal.due.request(purpose);
      if (!ideal.due.requestFits(purpose, request)) {
        return this.#unsent(command, purpose, right.isOptional, ErrorCode.MEMORY_TOO_SMALL);
      }
      if (!ideal.requests.hasEndpoint(request.endpoint)) {
        return this.#unsent(command, purpose, right.isOptional, ErrorCode.UNREACHABLE);
      }
    } else if (purpose === Purpose.SAVE || purpose === Purpose.ERASE) {
      const isNow = right.command === Command.STORE || right.command === Command.ERASE;
      if (isNow && (command === right.command || !right.isOptional)) ideal.storeAgain(purpose);
      if (isNow && ideal.due.expected().command === Command.NONE) right.command = Command.NONE;
    }
    const isAllowed = command === right.command || (right.isOptional && command === Command.NONE);
    this.counts.commands++;
    if (!isAllowed) {
      const may = right.isOptional ? " (or none)" : "";
      throw new Broken(
        "commands",
        `${Command[command]} came, expected ${Command[right.command]}${may}` +
          ` for ${Purpose[purpose]}${this.#frames(command, right.command)}`,
      );
    }
    return purpose;
  }

  #frames(command: number, right: number): string {
    if (command !== Command.SHOW && right !== Command.SHOW) return "";
    const { columns, rows } = this.settings.config;
    const at = this.device.start[Region.FRAME]!;
    const seen = textAt(this.memory, at, columns * rows);
    return `: frame ${JSON.stringify(seen)}, expected ${JSON.stringify(this.ideal.prompt.frame())}`;
  }

  /** Models a request that does not fit or has no endpoint: it fails without being sent. */
  #unsent(command: number, purpose: Purpose, isOptional: boolean, error: number): Purpose {
    if (isOptional && purpose === Purpose.REVOCATION) throw new Unclear("revocation too large");
    same(this, "commands", "the command", Command[command], Command[Command.NONE]);
    const { device, ideal } = this;
    const hasMoved = device.moves !== ideal.moves || device.waitMs > ideal.clock.wait.mostMs;
    const { backoffMs } = device as Partial<Device>;
    if (isOptional && !hasMoved && backoffMs === undefined) throw new Unclear("tried or not");
    if (!isOptional || hasMoved || backoffMs !== ideal.clock.backoffMs) ideal.begin(purpose, error);
    return Purpose.NONE;
  }

  #obey(command: number, purpose: Purpose): void {
    const { device, ideal, memory } = this;
    switch (command) {
      case Command.SEND: {
        const right = ideal.due.request(purpose);
        checkRequest(this, right, this.exchange !== undefined);
        this.#requests = (this.#requests + 1) % 65_536;
        same(this, "requests", "requestId", device.requestId, this.#requests);
        ideal.begin(purpose);
        this.exchange = { id: device.requestId, rest: "", come: "", hasHead: false };
        this.#ranges.pin(this, "SEND", device.target, device.targetLength);
        this.#ranges.pin(this, "SEND", device.body, device.bodyLength);
        break;
      }
      case Command.ABORT:
        ideal.aborted();
        this.exchange = undefined;
        this.verifying = -1;
        this.#ranges.release("SEND");
        this.#ranges.release("VERIFY");
        break;
      case Command.SHOW: {
        const { columns, rows } = this.settings.config;
        const frame = textAt(memory, device.start[Region.FRAME]!, columns * rows);
        same(this, "frames", "the frame", frame, ideal.prompt.frame());
        this.frame = ideal.prompt.shown = frame;
        break;
      }
      case Command.LOAD:
      case Command.STORE:
      case Command.ERASE:
        checkStorage(this, command);
        ideal.storage.begin(command, device.slot);
        if (command !== Command.ERASE) ideal.holder = Holder.RECORD;
        this.operation = {
          command,
          slot: device.slot,
          from: device.data,
          size: device.dataLength,
        };
        if (command === Command.STORE)
          this.#ranges.pin(this, "STORE", device.data, device.dataLength);
        break;
      case Command.CHALLENGE: {
        const { data: from, dataLength: size } = device;
        same(this, "ranges", "bytes of verifier and challenge", size, 86);
        ideal.storage.begin(command, 0);
        ideal.holder = Holder.REQUEST;
        this.operation = { command, slot: 0, from, size };
        break;
      }
      case Command.VERIFY: {
        ideal.calls.isVerifyDue = false;
        ideal.clock.exchangeMs = EXCHANGE_MS;
        this.verifying = device.requestId;
        const set = textAt(memory, device.data, device.dataLength);
        same(this, "calls", "the event to verify", set, ideal.calls.set);
        this.#ranges.pin(this, "VERIFY", device.data, device.dataLength);
        break;
      }
    }
  }

  run(ms: number, storage: StorageMode): void {
    this.#commands = 0;
    let command = this.tick(ms);
    while (command !== Command.NONE) {
      if (++this.#commands > COMMANDS_MAX) throw new Broken("commands", "no end of commands");
      if (this.operation && storage !== StorageMode.HOLDS) {
        const isStored = storage === StorageMode.KEEPS && command === Command.ERASE;
        this.stored(storage !== StorageMode.FAILS && !isStored);
      }
      command = this.tick(0);
    }
    this.#isAtRest = true;
    // If a request that did not fit has ended in this tick, wakeIn may be 0, and the host must tick again.
    if (this.core.wakeIn(this.device) === 0) return;
    same(this, "frames", "the frame at rest", this.frame, this.ideal.prompt.frame());
  }

  sleep(mostMs: number, storage: StorageMode): void {
    // A host calls wakeIn only after it has carried out all commands.
    if (!this.#isAtRest) this.run(0, storage);
    const { moves } = this.device;
    const ms = Math.min(mostMs, this.#wakes.check(this));
    this.run(ms, storage);
    this.#wakes.slept(this, ms, this.#commands, this.device.moves !== moves);
  }

  stored(isDone: boolean): void {
    const { operation, ideal, memory } = this;
    if (!operation) return;
    const { command, slot, from, size } = operation;
    this.operation = undefined;
    this.#ranges.release("STORE");
    if (command === Command.CHALLENGE) {
      ideal.release(Holder.REQUEST);
      this.#challenge(isDone, from, size);
      return;
    }
    ideal.release(Holder.RECORD);
    if (command === Command.LOAD) {
      const isReadable = isDone && ((this.unreadable >> slot) & 1) === 0;
      this.#load(slot, isReadable, from, size);
    } else {
      if (command === Command.STORE && isDone) {
        this.slots[slot] = memory.slice(from, from + size);
      } else if (command === Command.ERASE && isDone) this.slots[slot] = new Uint8Array();
      const kind = command === Command.STORE ? memory[from]! : 0;
      ideal.storage.finished(isDone, kind, ideal.previousToken !== undefined);
      this.core.storageDone(this.device, isDone ? 1 : 0);
    }
    if (ideal.state === 0 && !ideal.storage.isBusy) ideal.resume();
    this.#happened();
  }

  #challenge(isPossible: boolean, from: number, size: number): void {
    this.#challenges++;
    const verifier = `Verifier~${this.#challenges}`.padEnd(43, ".-_0");
    const challenge = `Challenge_${this.#challenges}`.padEnd(43, "-Z9");
    if (isPossible) this.memory.set(arrayOf(verifier), from);
    if (isPossible) this.memory.set(arrayOf(challenge), from + size - challenge.length);
    this.ideal.challengeMade(isPossible ? verifier : undefined, isPossible ? challenge : "");
    this.core.storageDone(this.device, isPossible ? 1 : 0);
    this.#happened();
  }

  #load(slot: number, isReadable: boolean, from: number, size: number): void {
    const { ideal, memory } = this;
    const bytes = this.slots[slot]!;
    const isWhole = isReadable && bytes.length <= size;
    const result = isReadable ? bytes.length : -1;
    if (isReadable) memory.set(bytes.subarray(0, size), from);
    const own = isWhole ? decode(bytes, ideal.binding) : undefined;
    const former = isWhole && !own ? decode(bytes, ideal.formerBinding) : undefined;
    const take = (read: StoredRecord): void => ideal.recordRead(read);
    const later = (ms: number): void => ideal.clock.setWait(ms, ms, 0);
    ideal.storage.loaded(result, own ?? former, former !== undefined, take, later);
    this.core.storageDone(this.device, result);
  }

  head({ status, retryAfterS, body, challenge = "" }: Step & { do: "head" }): void {
    const { exchange, ideal } = this;
    if (!exchange || exchange.hasHead) return;
    const value = arrayOf(challenge);
    const half = value.length >> 1;
    this.core.responseChallenge(this.device, exchange.id, value, 0, half);
    this.core.responseChallenge(this.device, exchange.id, value, half, value.length);
    const result = this.core.responseStart(this.device, exchange.id, status, retryAfterS);
    exchange.hasHead = true;
    exchange.rest = bytesOf(body);
    if (ideal.isInFlight) {
      const known = status > 99 && status < 600 ? status : 599;
      ideal.arrival = { status: known, retryAfterS, body: "", challenge };
      const isCall = ideal.purpose === Purpose.CALL;
      if (isCall) ideal.calls.outputBytes = ideal.capacity(Region.OUTPUT);
      // The application gets the body of every response to its call, except a 401 after which the device retries.
      const isHandedOn = isCall && !(status === 401 && ideal.calls.isMadeAgain(ideal.arrival));
      same(this, "results", "responseStart", result, isHandedOn ? 1 : 0);
    } else same(this, "results", "responseStart of a late response", result, 0);
    this.#happened();
  }

  more(count: number): void {
    const { exchange, ideal } = this;
    if (exchange && !exchange.hasHead) {
      // Body bytes before the status line must have no effect.
      const stray = bytesOf('{"error":"access_denied","access_token":"x"').slice(0, count);
      const bytes = Buffer.from(stray, "latin1");
      this.core.responseBody(this.device, exchange.id, bytes, 0, bytes.length);
      this.#happened();
      return;
    }
    if (!exchange?.hasHead || exchange.rest === "") return;
    const piece = exchange.rest.slice(0, count);
    exchange.rest = exchange.rest.slice(count);
    const bytes = arrayOf(piece);
    this.core.responseBody(this.device, exchange.id, bytes, 0, bytes.length);
    exchange.come += piece;
    if (ideal.isInFlight && ideal.arrival) ideal.arrival.body = exchange.come;
    this.#happened();
  }

  end(isComplete: boolean): void {
    const { exchange, ideal } = this;
    if (!exchange) return;
    this.exchange = undefined;
    this.#ranges.release("SEND");
    const wasCall = ideal.isInFlight && ideal.purpose === Purpose.CALL;
    if (isComplete) this.core.responseEnd(this.device, exchange.id);
    else this.core.responseFailed(this.device, exchange.id);
    const { arrival, moves } = ideal;
    if (ideal.isInFlight) {
      const hasResponse = isComplete && ideal.arrival !== undefined;
      ideal.responded(hasResponse ? ErrorCode.NONE : ErrorCode.UNREACHABLE);
    }
    this.#happened();
    const hasTokens = ideal.moves !== moves && ideal.state === State.SIGNED_IN;
    if (hasTokens && arrival) checkScope(this, readingOf(arrival).document);
    if (wasCall) checkOutcome(this);
  }

  act(action: "signIn" | "cancel" | "signOut" | "accessTokenRefused"): void {
    this.core[action](this.device);
    this.ideal[action]();
    this.#happened();
  }

  status(text: string): void {
    const bytes = bytesOf(text);
    this.core.setStatus(this.device, arrayOf(bytes), 0, bytes.length);
    this.ideal.prompt.setStatus(bytes);
    this.#happened();
  }

  #result(name: string, seen: number, right: boolean): void {
    same(this, "results", name, seen, right ? 1 : 0);
    this.#happened();
  }

  #begin(): void {
    this.#result("beginCall", this.core.beginCall(this.device), this.ideal.calls.begin());
  }

  #add({ as, text }: CallPart): void {
    const { core, device } = this;
    const bytes = arrayOf(bytesOf(text));
    if (as === "path") core.addPath(device, bytes, 0, bytes.length);
    else if (as === "segment") core.addSegment(device, bytes, 0, bytes.length);
    else core.addQueryValue(device, bytes, 0, bytes.length);
    this.ideal.calls.add(encoded(as, text));
    this.#happened();
  }

  #send(endpoint: number, isGet: boolean, body: string | undefined): void {
    const bytes: Bytes | null = body === undefined ? null : this.#lend(`<${body}>`);
    const method = isGet ? 1 : 0;
    const to = bytes ? bytes.length - 1 : 0;
    const result = this.core.sendCall(this.device, endpoint, method, bytes, bytes ? 1 : 0, to);
    this.#result("sendCall", result, this.ideal.calls.send(endpoint, isGet, body && bytesOf(body)));
  }

  /** Lends bytes to the core. The host overwrites them when the call ends. */
  #lend(text: string): Uint8Array {
    const bytes = arrayOf(bytesOf(text));
    if (!this.ideal.calls.isBusy) this.#lent = bytes;
    return bytes;
  }

  powerCut(done: number): void {
    const { operation, memory, slots } = this;
    if (!operation) return;
    const { command, slot, from, size } = operation;
    if (command === Command.ERASE && done > 0) slots[slot] = slots[slot]!.subarray(0, -done);
    if (command !== Command.STORE) return;
    const written = memory.slice(from, from + Math.min(size, done));
    const before = slots[slot]!;
    slots[slot] = Buffer.concat([
      written,
      before.subarray(Math.min(before.length, written.length)),
    ]);
  }

  perform(step: Step): void {
    ACTIONS[step.do](this, step as never);
  }

  static readonly actions: Actions = {
    run: (host, { ms, storage }) => host.run(ms, storage ?? StorageMode.WORKS),
    sleep: (host, { most, storage }) => host.sleep(most, storage ?? StorageMode.WORKS),
    tick: (host, { ms }) => void host.tick(ms),
    head: (host, step) => host.head(step),
    more: (host, { bytes }) => host.more(bytes),
    end: (host) => host.end(true),
    fail: (host) => host.end(false),
    late(host, { back, status, body }) {
      const { device, core } = host;
      const id = (device.requestId - back) & 65535;
      if (host.exchange?.id === id) return;
      if (host.verifying !== id) host.core.eventVerified(device, id, 1);
      const bytes = arrayOf(bytesOf(body));
      same(host, "results", "a late head", core.responseStart(device, id, status, 5), 0);
      core.responseBody(device, id, bytes, 0, bytes.length);
      if (status % 2 === 0) core.responseEnd(device, id);
      else core.responseFailed(device, id);
      host.#happened();
    },
    stored: (host, { isDone }) => host.stored(isDone),
    verified(host, { isGenuine }) {
      if (host.verifying < 0) return;
      const id = host.verifying;
      host.verifying = -1;
      host.#ranges.release("VERIFY");
      host.core.eventVerified(host.device, id, isGenuine ? 1 : 0);
      host.ideal.calls.eventVerified(isGenuine);
      host.#happened();
    },
    signIn: (host) => host.act("signIn"),
    cancel: (host) => host.act("cancel"),
    signOut: (host) => host.act("signOut"),
    refused: (host) => host.act("accessTokenRefused"),
    endpoints(host, { bits }) {
      host.#isReported = true;
      host.core.setEndpoints(host.device, bits);
      host.ideal.requests.endpoints = bits;
      host.#happened();
    },
    status: (host, { text }) => host.status(text),
    discover(host, { issuer }) {
      const bytes = host.#lend(issuer);
      const result = host.core.discover(host.device, bytes, 0, bytes.length);
      host.#result("discover", result, host.ideal.calls.discover(bytesOf(issuer)));
    },
    begin: (host) => host.#begin(),
    add: (host, { part }) => host.#add(part),
    send: (host, { endpoint, isGet, body }) => host.#send(endpoint, isGet, body),
    call(host, { parts, endpoint, isGet, body }) {
      host.#begin();
      for (const part of parts) host.#add(part);
      host.#send(endpoint, isGet, body);
    },
    nextPage(host) {
      host.#result("nextPage", host.core.nextPage(host.device), host.ideal.calls.nextPage());
    },
    offer(host, { names, body }) {
      const list = arrayOf(bytesOf(names));
      const bytes = host.#lend(body);
      const { core, device, ideal } = host;
      const seen = core.createOffer(device, list, 0, list.length, bytes, 0, bytes.length);
      const right = ideal.calls.createOffer(bytesOf(names), bytesOf(body), OFFERS_ENDPOINT);
      same(host, "results", "createOffer", seen, right);
      list.fill(0);
      host.#happened();
    },
    pollEvents(host) {
      host.#result("pollEvents", host.core.pollEvents(host.device), host.ideal.calls.pollEvents());
    },
    applyEvent(host, { claims }) {
      const bytes = bytesOf(claims);
      const { core, device, ideal } = host;
      const result = core.applySecurityEvent(device, arrayOf(bytes), 0, bytes.length);
      host.#result("applySecurityEvent", result, ideal.calls.applySecurityEvent(bytes));
    },
    configure(host, { member }) {
      checkConfigurations(host, member);
      checkLeastMemory(host);
    },
    power: () => undefined,
  };
}

type Actions = {
  readonly [Kind in Step["do"]]: (host: Host, step: Extract<Step, { do: Kind }>) => void;
};

const ACTIONS = Host.actions;

/** Encodes a part of a target: a segment by RFC 3986 §2.1, a value as a form encodes it. A path stays unchanged. */
function encoded(as: CallPart["as"], text: string): string {
  const bytes = bytesOf(text);
  if (as === "path") return bytes;
  return as === "value" ? formEncoded(bytes) : segmentEncoded(bytes);
}
