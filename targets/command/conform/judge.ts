// Judges a device in one row by its requests and their times. In every row, these are faults: a request to another
// server, and a request (except an API call) that comes too early or during another one.

import { createHash } from "node:crypto";
import {
  freely,
  type Hook,
  type HttpResponse,
  type Kind,
  type Row,
  type Step,
} from "./device-rows.ts";
import type { Arrival, Listeners } from "./server.ts";

/** Tolerance for early requests, because clocks differ and the machine may be busy. */
const EARLY_MS = 100;
const LATE_MS = 3000;
/** After this time without a request, a row with no step left has passed, and an optional step is skipped. */
const QUIET_MS = 3000;
/** A hook starts after this time without a request. */
const CALM_MS = 700;
/** This many requests within a second are a failure. */
const WILD = 8;
/** How the messages name a request. */
const NAMES: Readonly<Record<Kind, string>> = {
  code: "code request",
  poll: "poll",
  refresh: "refresh",
  revoke: "revocation",
  api: "call",
  other: "request",
};
const DEVICE_GRANT = "urn:ietf:params:oauth:grant-type:device_code";

export interface Client {
  readonly clientId: string;
  readonly scope: string;
}

export interface Surroundings {
  readonly client: Client;
  /** Time limits for the first request (0: no limit) and for each further request. */
  readonly timeoutMs: { readonly first: number; readonly each: number };
  readonly hook: (hook: Hook) => void;
  readonly firstPollAtOnce: boolean;
}

export class Judge implements Listeners {
  /** Resolves with the description of a fault, or "". */
  readonly verdict: Promise<string>;
  readonly received: { readonly atMs: number; readonly kind: Kind }[] = [];
  connections = 0;
  readonly #row: Row;
  readonly #around: Surroundings;
  readonly #began = performance.now();
  #isOver = false;
  #limit: NodeJS.Timeout | undefined;
  #print!: (fault: string) => void;
  #timer: NodeJS.Timeout | undefined;
  #at = 0;
  /** Index of the first step to which a late request may belong, although `#at` is higher. */
  #from = 0;
  #repeated: Step | undefined;
  #isBusy = false;
  #deviceCode = "";
  #challenge: string | undefined;
  #codeEndsAt = Number.POSITIVE_INFINITY;
  #intervalMs = 5000;
  #access = "";
  #refresh = "";
  #isJsonRequired = false;
  readonly #secrets = new Set<string>();
  readonly #notBefore = new Map<Kind, number>();

  constructor(row: Row, around: Surroundings) {
    this.#row = row;
    this.#around = around;
    this.verdict = new Promise((resolve) => {
      this.#print = (fault) => {
        this.#isOver = true;
        clearTimeout(this.#timer);
        clearTimeout(this.#limit);
        resolve(fault);
      };
    });
    this.#wait();
    if (around.timeoutMs.first > 0) this.#limitRow();
  }

  connection(): void {
    this.connections++;
    if (this.#limit === undefined && !this.#isOver) this.#limitRow();
    if (this.#row.steps.length > 0 || this.connections > 1) return;
    // In a row without steps, the device must not accept the TLS server, so no request may follow the connection.
    this.#in(QUIET_MS, () => this.#print(""));
  }

  noise(what: string): void {
    // In a row without steps, the device must refuse the TLS server. Bytes that are not HTTP are then no fault.
    if (this.#row.steps.length > 0) this.#print(what);
  }

  /** Reports a request to another server. The device can only know that server's address from a redirect. */
  elsewhere(arrival: Arrival): void {
    this.#print(
      `${arrival.method} ${arrival.target} went to another server, which a redirect named`,
    );
  }

  request(arrival: Arrival, reply: (response: HttpResponse) => Promise<number>): void {
    this.received.push({ atMs: Math.round(arrival.at - this.#began), kind: arrival.kind });
    const fault = this.#faultOf(arrival);
    if (fault !== "") this.#print(fault);
    const response = this.#responseTo(arrival);
    if (response === undefined) return;
    const { kind } = arrival;
    if (kind !== "api") this.#isBusy = true;
    if (kind === "poll") this.#notBefore.set("poll", arrival.since + this.#intervalMs);
    void reply(response).then((began) => {
      if (kind !== "api") this.#isBusy = false;
      this.#reported(kind, response, began);
    });
    // Record the codes and tokens before the write completes, because the device may use them at once.
    this.#learn(kind, response);
  }

  #faultOf(arrival: Arrival): string {
    const { kind, at, method, target, parameters: sent, headers } = arrival;
    if (kind === "other") return `${method} ${target} is no configured endpoint`;
    const before = this.received.at(-WILD)?.atMs ?? Number.NEGATIVE_INFINITY;
    if (this.received.at(-1)!.atMs - before < 1000) return `${WILD} requests came within a second`;
    if (kind === "api") {
      if (headers.authorization === `Bearer ${this.#access}`) return "";
      return "the resource was called without the access token that was given last";
    }
    const name = NAMES[kind];
    if (this.#isBusy) return `a ${name} came while another request was under way`;
    if (method !== "POST") return `a ${name} was sent by ${method}`;
    const type = headers["content-type"] ?? "";
    const required = this.#isJsonRequired
      ? "application/json"
      : "application/x-www-form-urlencoded";
    if (!type.toLowerCase().startsWith(required) && !(kind === "revoke" && type === ""))
      return `a ${name} was sent as ${type || "nothing"}, not as ${required}`;
    const early = (this.#notBefore.get(kind) ?? 0) - at;
    if (early > EARLY_MS) return `a ${name} came ${Math.round(early)} ms too early`;
    for (const secret of this.#secrets) {
      if (kind !== "revoke" && target.includes(encodeURIComponent(secret)))
        return `a ${name} had a secret in its address`;
    }
    const isBasic = headers.authorization?.startsWith("Basic ");
    if (sent.get("client_id") !== this.#around.client.clientId && !isBasic && kind !== "revoke")
      return `a ${name} did not name the client`;
    if (kind === "code") return this.#faultOfCode(sent);
    if (kind === "poll") return this.#faultOfPoll(at, sent);
    const isRevoked = this.#secrets.has(sent.get("token") ?? "");
    if (kind === "revoke") return isRevoked ? "" : "a token was revoked that was never given";
    if (sent.get("refresh_token") === this.#refresh) return "";
    return "a refresh did not send the refresh token that was given last";
  }

  #faultOfCode(sent: Arrival["parameters"]): string {
    this.#challenge = sent.get("code_challenge");
    if (sent.get("scope") !== this.#around.client.scope) return "a code request had another scope";
    if (this.#challenge === undefined || sent.get("code_challenge_method") === "S256") return "";
    return "a code challenge was not of the method S256";
  }

  #faultOfPoll(at: number, sent: Arrival["parameters"]): string {
    if (sent.get("grant_type") !== DEVICE_GRANT) return "a poll had another grant_type";
    if (sent.get("device_code") !== this.#deviceCode) return "a poll had another device_code";
    if (at > this.#codeEndsAt + LATE_MS) return "it polled an expired code";
    if (this.#challenge === undefined) return "";
    const digest = createHash("sha256").update(sent.get("code_verifier") ?? "");
    return digest.digest("base64url") === this.#challenge
      ? ""
      : "a poll did not prove its code (code_verifier)";
  }

  #responseTo({ kind, parameters }: Arrival): HttpResponse | undefined {
    const { steps } = this.#row;
    let at = this.#at;
    for (; at < steps.length; at++) {
      const step = steps[at]!;
      if (step.on === kind) break;
      if (!step.isOptional && !this.#hasBeen(step)) break;
    }
    // A request that does not fit the next step may belong to an earlier optional step.
    if (steps[at]?.on !== kind) {
      const passed = steps.findIndex((step, i) => i >= this.#from && step.on === kind);
      if (passed >= 0 && passed < this.#at) at = passed;
    }
    const step = steps[at];
    if (step?.on !== kind) {
      // A device may call its resource server at any time.
      if (kind === "api") return freely;
      if (steps.at(-1)?.isOpen && at >= steps.length) return undefined;
      const due = step === undefined ? "nothing more" : `a ${step.on ? NAMES[step.on] : step.hook}`;
      this.#print(`a ${NAMES[kind]} came where ${due} was due`);
      return undefined;
    }
    for (const name of step.has ?? []) {
      if (!parameters.has(name)) this.#print(`a ${NAMES[kind]} came without ${name}`);
    }
    this.#at = step.isRepeated ? at : at + 1;
    this.#from = this.#at;
    this.#repeated = step;
    clearTimeout(this.#timer);
    return step.print;
  }

  /** Whether the first request of a repeated step has arrived. Further requests of this step are optional. */
  #hasBeen(step: Step | undefined): boolean {
    return step?.isRepeated === true && this.#repeated === step;
  }

  #learn(kind: Kind, { body, status }: HttpResponse): void {
    if (status === 415) this.#isJsonRequired = true;
    if (kind === "code" && body.device_code !== undefined) {
      this.#deviceCode = String(body.device_code);
      this.#secrets.add(this.#deviceCode);
      this.#intervalMs = Number(body.interval ?? 5) * 1000;
      this.#codeEndsAt = performance.now() + Number(body.expires_in) * 1000;
    }
    if (body.error === "slow_down") this.#intervalMs += 5000;
    if (body.access_token !== undefined) this.#access = String(body.access_token);
    if (body.refresh_token !== undefined) this.#refresh = String(body.refresh_token);
    for (const token of [this.#access, this.#refresh]) if (token !== "") this.#secrets.add(token);
  }

  /** Call this after the write. A new code's interval and Retry-After count from `began`, when the write started. */
  #reported(kind: Kind, { body, retryAfterS }: HttpResponse, began: number): void {
    if (kind === "code" && body.device_code !== undefined && !this.#around.firstPollAtOnce)
      this.#notBefore.set("poll", began + this.#intervalMs);
    if (kind === "poll" && body.error === "slow_down")
      this.#notBefore.set("poll", (this.#notBefore.get("poll") ?? began) + 5000);
    const due = Math.max(this.#notBefore.get(kind) ?? 0, began + retryAfterS * 1000);
    if (retryAfterS > 0) this.#notBefore.set(kind, due);
    this.#wait();
  }

  /** Limits the time of the whole row. Without this limit, a device that repeats requests would never time out. */
  #limitRow(): void {
    const { steps } = this.#row;
    const delaysMs = steps.reduce((sum, { print }) => sum + print.afterMs, 0);
    const ms = (steps.length + 1) * (this.#around.timeoutMs.each + QUIET_MS) + delaysMs;
    this.#limit = setTimeout(() => {
      const due = steps.slice(this.#at).find((step) => !step.isOptional && !this.#hasBeen(step));
      const what =
        due &&
        `no ${due.on ? NAMES[due.on] : due.hook} until the time limit of the row, ${ms / 1000} s`;
      this.#print(what ?? "");
    }, ms);
  }

  #in(ms: number, act: () => void): void {
    clearTimeout(this.#timer);
    if (ms > 0 && !this.#isOver) this.#timer = setTimeout(act, ms);
  }

  #wait(): void {
    const { steps } = this.#row;
    const step = steps[this.#at];
    const { first, each } = this.#around.timeoutMs;
    if (step === undefined && steps.length > 0) this.#in(QUIET_MS, () => this.#print(""));
    else if (step?.hook !== undefined) this.#in(CALM_MS, () => this.#pull(step.hook!));
    else if (step?.isOptional || this.#hasBeen(step)) this.#in(QUIET_MS, () => this.#skip());
    else {
      const ms = this.received.length === 0 ? first : each;
      this.#in(ms, () => this.#print(this.#missing(step, ms)));
    }
  }

  #missing(step: Step | undefined, ms: number): string {
    let what = `no ${step?.on ? NAMES[step.on] : "connection"}`;
    if (this.received.length === 0) what = this.connections > 0 ? "no request" : "no connection";
    return `${what} came in ${ms / 1000} s`;
  }

  #skip(): void {
    this.#at++;
    this.#wait();
  }

  /** Carries out a hook. Repeats `call` until a request arrives or the time is up, because a device may not be ready. */
  #pull(hook: Hook): void {
    this.#around.hook(hook);
    if (hook !== "call") {
      this.#skip();
      return;
    }
    const ends = performance.now() + this.#around.timeoutMs.each;
    this.#at++;
    const again = (): void => {
      if (performance.now() > ends) this.#print("the device sent no API request");
      else {
        this.#around.hook(hook);
        this.#in(3000, again);
      }
    };
    this.#in(3000, again);
  }
}
