// Plays sequences of the core's model (test/model) on the C host over a pipe (c/piped.c), with and without QuickJS,
// with two devices in one program. Requests, frames, states, calls, waits and records must be those of the core's
// sources, and the devices must not affect each other.

import { expect } from "vitest";
import {
  CallState,
  Command,
  type Config,
  type Device,
  Endpoint,
  ErrorCode,
  Field,
  Pkce,
  Region,
  State,
} from "../../core/complete.ts";
import { Message } from "../../core/device/errors.ts";
import { Generator } from "../model/generator.ts";
import { Host } from "../model/host.ts";
import { noCounts, Unclear } from "../model/oracles/oracle.ts";
import type { Random } from "../model/random.ts";
import { drawSettings, type Settings } from "../model/settings.ts";
import { type Step, StorageMode } from "../model/steps.ts";
import { ofSources } from "../model/subject.ts";

const STEPS = 400;
/** If an address has a query, requests append their own query with `&`. */
export const ADDRESSES = ["/device?a=1", "/token?b=2", "/revoke"] as const;
const NOTHING = 7;
const WORKS = 5;
const NO_CONTENT = 204;
const END_OF_HEAD = "0d0a0d0a";
export const FORM = "application/x-www-form-urlencoded";

const hex = (text: string | Uint8Array, encoding: "utf8" | "latin1" = "utf8"): string =>
  (typeof text === "string" ? Buffer.from(text, encoding) : Buffer.from(text)).toString("hex") ||
  "-";

const ascii = (text: string): string => text.replaceAll(/[^ -~]/gu, "~");

interface Request {
  readonly method: string;
  readonly url: string;
  readonly authorization: string | undefined;
  readonly extra: string;
  readonly type: string | undefined;
  readonly body: unknown;
}

function parsed(bytes: string): Request {
  const text = Buffer.from(bytes, "hex").toString();
  // A device code need not be valid UTF-8, so count bytes.
  const size = (bytes.length - bytes.indexOf(END_OF_HEAD) - END_OF_HEAD.length) / 2;
  const [head, body] = [
    text.slice(0, text.indexOf("\r\n\r\n")),
    text.slice(text.indexOf("\r\n\r\n") + 4),
  ];
  const [line, ...lines] = head.split("\r\n");
  const headers = new Map(lines.map((one) => one.split(": ") as [string, string]));
  const [method, path] = line!.split(" ");
  const type = headers.get("Content-Type");
  expect(headers.get("Content-Length")).toBe(method === "GET" ? undefined : `${size}`);
  return {
    method: method!,
    url: `https://${headers.get("Host")}${path}`,
    authorization: headers.get("Authorization"),
    extra: [...headers.keys()].filter((name) => name.startsWith("X-")).join(),
    type,
    body: type === "application/json" ? Object.entries(JSON.parse(body) as object) : body,
  };
}

const KEYS = { signIn: "s", cancel: "c", signOut: "o" } as const;

/** What is visible of a device after an input line. */
interface Sight {
  readonly line: string;
  readonly numbers: string;
  /** Undefined if the C host shows the reason for a missing connection instead. */
  readonly frame: string | undefined;
  readonly slots: string;
  readonly request: Request | undefined;
}

class ModelHost extends Host {
  override stored(isDone: boolean): void {
    super.stored(isDone || this.operation?.command === Command.CHALLENGE);
  }
}

/** The size of the constant texts: in the program without an engine, in the device's memory with an engine. */
export function constantBytes({ start, length, messages }: Device, config: Config): number {
  const last = messages + Message.COUNT - 1;
  const end = config.messages === "" ? start[last]! + length[last]! : start[messages]!;
  return end - start[Region.COUNT]!;
}

class Twin {
  host: Host;
  #isSilent = false;

  readonly #hasEngine: boolean;
  readonly #number: number;
  readonly #random: Random;
  readonly #generator: Generator;
  readonly #sights: Sight[];
  #unreadable = 0;
  #storage = StorageMode.WORKS;

  /** @param hasEngine false: the memory is smaller, because it does not contain the constant texts */
  constructor(number: number, random: Random, sights: Sight[], hasEngine: boolean) {
    this.#hasEngine = hasEngine;
    this.#number = number;
    this.#sights = sights;
    this.#random = random;
    this.#generator = new Generator(random);
    const drawn = drawSettings(random);
    const config = {
      ...drawn.config,
      server: random.pick(["https://auth.test", "https://other.test/t"]),
    };
    config.formerServer = "";
    config.clientId = ascii(config.clientId);
    config.scope = ascii(config.scope);
    config.clientSecret = random.pick([ascii(config.clientSecret), 's"\\&/']);
    const memoryBytes = Math.min(drawn.memoryBytes, 8192);
    const settings = { config, memoryBytes };
    const slots = this.#generator.firstSlots(settings);
    this.host = this.#opened(settings, slots, 0);
    for (const [slot, bytes] of slots.entries()) this.#print(`slot ${slot} ${hex(bytes)}`);
    this.#open();
  }

  /** Opens a device with code challenges on demand, as host.c does. If the memory is too small, leaves them out. */
  #opened(settings: Settings, slots: Uint8Array[], unreadable: number): Host {
    const withPkce = (pkce: number): Host =>
      new ModelHost(
        ofSources,
        { ...settings, config: { ...settings.config, pkce } },
        slots,
        noCounts(),
        unreadable,
      );
    try {
      return withPkce(Pkce.ON_DEMAND);
    } catch (error) {
      if (!(error instanceof Unclear)) throw error;
      return withPkce(Pkce.NEVER);
    }
  }

  #print(line: string): void {
    this.#sights.push({ line: `${this.#number} ${line}`, ...this.#seen() });
  }

  #seen(): Omit<Sight, "line"> {
    const { host } = this;
    const { device, core } = host;
    const { state, error, callState, callStatus, callError, moves } = device;
    const waits =
      state === State.REQUESTING || (state === State.REFRESHING && error === ErrorCode.UNREACHABLE);
    const needsSignIn =
      callState === CallState.DONE && callError === ErrorCode.INTERACTION_REQUIRED ? 1 : 0;
    const numbers = [state, error, callState, callStatus, callError, moves, needsSignIn];
    numbers.push(core.wakeIn(device));
    return {
      numbers: numbers.join(" "),
      frame: waits && this.#isSilent ? undefined : hex(host.frame, "latin1"),
      slots: host.slots.map((slot) => hex(slot)).join(" "),
      request: host.exchange && this.#request(),
    };
  }

  #text(start: number, length: number): string {
    return Buffer.from(this.host.memory.subarray(start, start + length)).toString("latin1");
  }

  #region(region: number): string {
    const { device } = this.host;
    return this.#text(device.start[region]!, device.length[region]!);
  }

  #request(): Request {
    const { device } = this.host;
    const { endpoint, isGet, target, targetLength, body, bodyLength, authorization } = device;
    const isCall = this.#isCall;
    const base = isCall ? "https://api.test" : `https://auth.test${ADDRESSES[endpoint]}`;
    const added = this.#text(target, targetLength);
    const form = this.#text(body, bodyLength);
    const isJson = device.isJson === 1 && this.#hasParameters;
    const bearer = `Bearer ${this.#region(Field.ACCESS_TOKEN)}`;
    const basic = `Basic ${this.#region(Region.CLIENT_CREDENTIALS)}`;
    return {
      method: isGet ? "GET" : "POST",
      url: base + (base.includes("?") ? added.replace(/^\?/, "&") : added),
      authorization: [undefined, bearer, basic][authorization],
      extra: isCall ? "X-Call" : "X-Grant",
      type: isGet ? undefined : isJson ? "application/json" : FORM,
      body: isJson ? [...new URLSearchParams(form)] : form,
    };
  }

  get #isCall(): boolean {
    return this.host.device.endpoint >= Endpoint.RESOURCE;
  }

  get #hasParameters(): boolean {
    const { endpoint, isGet, bodyLength } = this.host.device;
    return endpoint <= Endpoint.REVOCATION && !isGet && bodyLength > 0;
  }

  #open(): void {
    const { config, memoryBytes } = this.host.settings;
    const constants = this.#hasEngine ? 0 : constantBytes(this.host.device, config);
    const numbers = [
      memoryBytes - constants,
      config.seed,
      config.columns,
      config.rows,
      config.autoStart,
    ];
    numbers.push(config.renewalsMax, config.clientAuthentication, config.startSpreadMs ?? 5000);
    numbers.push(config.jsonBodies ?? 0);
    const texts = [config.clientId, config.clientSecret, config.scope, config.deviceParameters];
    texts.push(config.tokenParameters, config.server, config.messages);
    this.#do(`open ${[...numbers, ...texts.map((text) => hex(text))].join(" ")}`, () => {});
  }

  #do(line: string, action: () => void): void {
    const { core } = this.host;
    action();
    for (let i = 0; i < WORKS; i++) {
      if (i === 0 || core.wakeIn(this.host.device) === 0) this.host.run(0, this.#storage);
    }
    this.#print(line);
  }

  #response(text: string, action: () => void): void {
    this.#do(`response ${hex(text, "latin1")}`, action);
  }

  #end(isComplete: boolean): void {
    this.#isSilent = !isComplete;
    this.#do(isComplete ? "end" : "break", () => this.host.end(isComplete));
  }

  #pass(ms: number): void {
    this.#do(`run ${ms}`, () => this.host.run(ms, this.#storage));
  }

  #head(step: Extract<Step, { do: "head" }>): void {
    const { status, retryAfterS, challenge } = step;
    const retry = retryAfterS < 0 ? "" : `Retry-After: ${retryAfterS}\r\n`;
    const authenticate = challenge === undefined ? "" : `WWW-Authenticate: ${challenge}\r\n`;
    const body = step.body.replaceAll("code_challenge", "code-challenge");
    this.#response(`HTTP/1.1 ${status} x\r\n${authenticate}${retry}\r\n`, () => {
      this.host.head({ ...step, body });
      if (status !== NO_CONTENT) return;
      this.#isSilent = false;
      this.host.end(true);
    });
  }

  #power(step: Extract<Step, { do: "power" }>): void {
    const { host } = this;
    this.#unreadable = step.unreadable;
    this.#isSilent = false;
    const memoryBytes = Math.max(host.settings.memoryBytes, Math.min(step.memoryBytes, 8192));
    this.host = this.#opened({ ...host.settings, memoryBytes }, host.slots, step.unreadable);
    this.#sights.push({ ...this.#sights.at(-1)!, line: `${this.#number} close` });
    this.#print(`medium ${step.unreadable}`);
    this.#open();
  }

  step(): void {
    if (!this.#random.chance(15)) {
      this.#step();
      return;
    }
    this.#storage = StorageMode.FAILS;
    this.#do(`medium ${NOTHING}`, () => {});
    this.#step();
    this.#storage = StorageMode.WORKS;
    this.#do(`medium ${this.#unreadable}`, () => {});
  }

  /** Makes a step of the model. If the C host does not have this step, time passes instead. */
  #step(): void {
    const { host } = this;
    const step = this.#generator.next(host);
    const { exchange } = host;
    switch (step.do) {
      case "head":
        // RFC 9110 §15.2: a status below 200 is not the final response.
        if (exchange && !exchange.hasHead && step.status >= 200 && step.status <= 999) {
          this.#head(
            this.#hasParameters && this.#random.chance(10) ? { ...step, status: 415 } : step,
          );
        }
        break;
      case "more":
        if (exchange?.hasHead && exchange.rest !== "") {
          this.#response(exchange.rest.slice(0, step.bytes), () => host.more(step.bytes));
        }
        break;
      case "end":
      case "fail":
        if (exchange) this.#end(step.do === "end" && exchange.hasHead);
        break;
      case "signIn":
      case "cancel":
      case "signOut":
        this.#do(`key ${KEYS[step.do]}`, () => host.act(step.do));
        break;
      case "status":
        this.#do(`status ${hex(step.text)}`, () => host.status(step.text));
        break;
      case "call":
        this.#callApi();
        break;
      case "power":
        this.#storage = StorageMode.WORKS;
        this.#power(step);
        break;
      case "run":
        this.#pass(step.ms > 0 && step.ms < 1e8 ? step.ms : 0);
        break;
      default:
        this.#pass(Math.min(host.core.wakeIn(host.device), 1e8));
    }
  }

  #callApi(): void {
    const text = `/video/v3/list?part=${this.#random.below(1000)}`;
    this.#do(`call ${text}`, () =>
      this.host.perform({
        do: "call",
        parts: [{ as: "path", text }],
        endpoint: Endpoint.RESOURCE,
        isGet: true,
      }),
    );
  }
}

export function playPair(random: Random, hasEngine: boolean): Sight[] {
  const sights: Sight[] = [];
  try {
    const twins = [0, 1].map((number) => new Twin(number, random, sights, hasEngine));
    for (let i = 0; i < STEPS; i++) random.pick(twins).step();
  } catch (error) {
    // The model cannot predict the rest of this sequence.
    if (!(error instanceof Unclear)) throw error;
  }
  return sights;
}

export function linesOf(sights: readonly Sight[]): string {
  return sights.map(({ line }) => `${line}\n`).join("");
}

/** @param lines the program's output, one line for each input line while its device is open */
export function compare(sights: readonly Sight[], lines: readonly string[]): void {
  const isOpen = [false, false];
  let at = 0;
  for (const [index, sight] of sights.entries()) {
    const device = Number(sight.line[0]);
    const what = sight.line.split(" ")[1];
    if (what === "open") isOpen[device] = true;
    if (what === "close") isOpen[device] = false;
    if (!isOpen[device]) continue;
    const words = lines[at++]!.split(" ");
    const [frame, ...rest] = words.slice(8);
    const seen = {
      numbers: words.slice(0, 8).join(" "),
      frame: sight.frame === undefined ? undefined : frame,
      slots: rest.slice(0, 2).join(" "),
      request: rest[2] === "-" ? undefined : parsed(rest[2]!),
    };
    const { line, ...right } = sight;
    const before = sights.slice(Math.max(0, index - 12), index + 1).map((one) => one.line);
    expect(seen, `${line}, behind\n${before.join("\n")}`).toEqual(right);
  }
  expect(at).toBe(lines.length);
}
