// Everything that reads foreign bytes, as functions of bytes that throw where a rule is broken. The first
// bytes of an input choose the circumstances, the rest is what is read.

import { Event, Field, State } from "../../core/index.ts";
import { createService, type FixtureInput, type Service } from "../../targets/service/index.ts";
import type { LivesCore } from "../lives/core-of.ts";
import { Roll } from "../lives/dice.ts";
import {
  answerJson,
  areCleanTokens,
  depthOf,
  hasExponent,
  isCleanCode,
  membersOf,
  strictJson,
} from "./oracles.ts";
import { DeviceBench, type Situation } from "./situations.ts";

export interface Target {
  readonly name: string;
  /** Inputs to begin with, beside the kept corpus. */
  readonly seeds: readonly string[];
  run(input: Uint8Array): void;
}

class Broken extends Error {}

function demand(holds: boolean, rule: string): void {
  if (!holds) throw new Broken(rule);
}

const STATUSES = [200, 200, 200, 200, 400, 400, 403, 428, 401, 429, 500, 503, 302, 204, 0];
const DEPTH_SAFE = 12;

function digestOf(bench: DeviceBench): string {
  const { device } = bench;
  const { state, event, error, moves, waitMs, intervalMs, codeLifeS, accessLifeS } = device;
  const regions = device.length.map((_, region) => bench.region(region)).join("|");
  return [state, event, error, moves, waitMs, intervalMs, codeLifeS, accessLifeS, regions].join();
}

/** Benches by situation, plain and watched; one input in sixteen is watched. */
class Benches {
  readonly #made = new Map<string, DeviceBench>();

  readonly #core: LivesCore;

  constructor(core: LivesCore) {
    this.#core = core;
  }

  at(situation: Situation, isWatched: boolean): DeviceBench {
    const key = `${situation}${isWatched}`;
    let bench = this.#made.get(key);
    if (!bench) {
      bench = new DeviceBench(this.#core, situation, isWatched);
      this.#made.set(key, bench);
    }
    bench.reset();
    return bench;
  }
}

function checkTokens(bench: DeviceBench, status: number, body: Uint8Array): void {
  const accepted = bench.device.state === State.SIGNED_IN;
  const json = answerJson(body);
  const members = membersOf(json);
  if (accepted) {
    demand(status >= 200 && status < 300, "tokens are taken from a success only");
    demand(members !== undefined, "tokens are taken from a JSON object only (RFC 8259)");
    demand(
      bench.region(Field.ACCESS_TOKEN) === String(members!.access_token),
      "the access token is what the answer says",
    );
  } else if (
    status === 200 &&
    members &&
    areCleanTokens(members) &&
    !hasExponent(body) &&
    depthOf(members) < DEPTH_SAFE
  ) {
    throw new Broken("clean tokens are accepted (RFC 6749 §5.1)");
  }
}

function checkCode(bench: DeviceBench, status: number, body: Uint8Array): void {
  const accepted = bench.device.event === Event.CODE_RECEIVED;
  const members = membersOf(answerJson(body));
  if (accepted) {
    demand(status >= 200 && status < 300, "codes are taken from a success only");
    demand(members !== undefined, "codes are taken from a JSON object only (RFC 8259)");
    demand(
      bench.region(Field.USER_CODE) === String(members!.user_code),
      "the user code is what the answer says",
    );
  } else if (
    status === 200 &&
    members &&
    isCleanCode(members) &&
    !hasExponent(body) &&
    depthOf(members) < DEPTH_SAFE
  ) {
    throw new Broken("a clean code is accepted (RFC 8628 §3.2)");
  }
}

const RESPONSES: readonly Situation[] = ["code", "poll", "refresh", "revocation", "events"];

/** JSON scanner and response handling, through responseBody. */
export function responseTarget(core: LivesCore): Target {
  const benches = new Benches(core);
  return {
    name: "response",
    seeds: [
      '\x00\x00\x00{"device_code":"d","user_code":"AB-CD","verification_url":"https://x.test","expires_in":60}',
      '\x01\x00\x01{"access_token":"a","refresh_token":"r","token_type":"Bearer","expires_in":60,"scope":"s"}',
      '\x01\x04\x02{"error":"slow_down","interval":10}',
      // With a byte order mark, and an ID token in the place of an access token.
      '\x01\x00\x01\xef\xbb\xbf{"access_token":"a","token_type":"Bearer"}',
      '\x01\x00\x01{"id_token":"e30.e30.e30","token_type":"Bearer"}',
      '\x02\x04\x03{"error":"invalid_grant","error_description":"\\u00e9\\ud83d\\ude00"}',
      "\x03\x00\x01{}",
      '\x04\x00\x01{"sets":{"j":"e30.eyJqdGkiOiJhIiwiZXZlbnRzIjp7fX0.c2ln"},"moreAvailable":false}',
    ],
    run(input) {
      if (input.length < 3) return;
      const situation = RESPONSES[input[0]! % RESPONSES.length]!;
      const status = STATUSES[input[1]! % STATUSES.length]!;
      const body = input.subarray(3);
      const isWatched = input[2]! % 16 === 0;
      const bench = benches.at(situation, isWatched);
      bench.answer(status, body, 1 + (input[2]! >> 4));
      const digest = digestOf(bench);
      if (situation === "code") checkCode(bench, status, body);
      else if (situation === "poll") checkTokens(bench, status, body);
      if (isWatched) bench.check();
      bench.pass(0);
      bench.pass(10_000);
      const whole = benches.at(situation, isWatched);
      whole.answer(status, body, 1 << 20);
      demand(digestOf(whole) === digest, "the outcome does not depend on how the body was cut");
    },
  };
}

/** Records, through LOAD. Damaged ones must never be believed. */
export function recordTarget(core: LivesCore): Target {
  const benches = new Benches(core);
  const valid = ["poll", "session", "revocation"].map((situation) => {
    const bench = new DeviceBench(core, situation as Situation, false);
    return bench.slots.find((slot) => slot.length > 0) ?? new Uint8Array(0);
  });
  const known = new Set(valid.map((record) => Buffer.from(record).toString("latin1")));
  return {
    name: "record",
    seeds: [...known].map((record) => `\x01\x00${record}`),
    run(input) {
      if (input.length < 2) return;
      const bench = benches.at("records", input[0]! % 16 === 0);
      const rest = input.slice(2);
      const split = input[0]! & 1 ? rest.length : Math.min(rest.length, input[1]!);
      bench.slots[0] = rest.slice(0, split);
      bench.slots[1] = rest.slice(split);
      const isKnown = bench.slots.some((slot) => known.has(Buffer.from(slot).toString("latin1")));
      bench.pass(0);
      const { state } = bench.device;
      const believes = state !== State.REQUESTING && state !== State.SIGNED_OUT;
      demand(!believes || isKnown, "a record that was never written is not believed");
      demand(believes || !isKnown, "a whole record is believed");
      bench.check();
      bench.pass(10_000);
    },
  };
}

/** Security event tokens: the claims set, and the compact serialization around it. */
export function eventTarget(core: LivesCore): Target {
  const benches = new Benches(core);
  const type = "https://schemas.openid.net/secevent";
  return {
    name: "security-event",
    seeds: [
      `\x00{"jti":"a","events":{"${type}/risc/event-type/sessions-revoked":{"subject":{}}}}`,
      `\x00{"jti":"b","events":{"${type}/risc/event-type/account-disabled":{"reason":"hijacking"}}}`,
      `\x00{"jti":"c","events":{"${type}/oauth/event-type/token-revoked":{"subject":{"token_identifier_alg":"prefix","token":"pgr"}}}}`,
      "\x01e30.eyJqdGkiOiJhIiwiZXZlbnRzIjp7fX0.c2ln",
    ],
    run(input) {
      if (input.length < 1) return;
      const bytes = input.subarray(1);
      const isWatched = input[0]! % 16 === 0;
      if (input[0]! & 1) {
        runCompact(benches.at("events", isWatched), bytes);
        return;
      }
      const bench = benches.at("session", isWatched);
      const before = digestOf(bench);
      const applied = bench.core.applySecurityEvent(bench.device, bytes, 0, bytes.length);
      demand(applied === 0 || applied === 1, "the result is 0 or 1");
      if (applied) demand(strictJson(bytes) !== undefined, "only strict JSON is an event");
      else demand(sameSession(bench, before), "what is no event changes nothing");
      bench.check();
      bench.pass(0);
      bench.pass(10_000);
    },
  };
}

function sameSession(bench: DeviceBench, before: string): boolean {
  return bench.device.state === State.SIGNED_IN && before.startsWith(`${State.SIGNED_IN},`);
}

/** A token as a poll of events brings it, in a JSON string. */
function runCompact(bench: DeviceBench, token: Uint8Array): void {
  const text = Buffer.from(token).toString("latin1");
  bench.answer(200, Buffer.from(JSON.stringify({ sets: { one: text }, moreAvailable: false })), 64);
  bench.pass(0);
  bench.check();
  bench.pass(10_000);
}

const FIXTURE = {
  organizations: [],
  accounts: [{ id: "ada", name: "Ada", email: "ada@example.test" }],
  clients: [{ id: "tv", secret: "tv-secret", name: "TV" }],
} as unknown as FixtureInput;
const PATHS = ["/token", "/device/code", "/revoke", "/video/v3/liveBroadcasts", "/token"];
const TYPES = ["application/x-www-form-urlencoded", "application/json", "", "text/plain"];

/** The service's form decoder and everything behind it: whatever comes, it answers. */
function serviceTarget(): Target {
  let service: Service | undefined;
  let served = 0;
  const random = new Roll(1);
  const fresh = (): Service =>
    createService({
      now: () => 1_800_000_000_000 + served,
      random: (count) => Uint8Array.from({ length: count }, () => random.bits() >>> 24),
      fixture: FIXTURE,
      options: { deviceCodeQuota: null },
    });
  return {
    name: "service-form",
    seeds: [
      "\x00\x00client_id=tv&client_secret=tv-secret&grant_type=refresh_token&refresh_token=x",
      "\x00\x00client_id=tv&client_secret=tv-secret&grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Adevice_code&device_code=x",
      "\x01\x00client_id=tv&scope=https%3A%2F%2Fauth.picogrant.test%2Fauth%2Fvideo",
      "\x02\x00token=abc",
      "\x02\x00token=%ff%&token=%00+%",
    ],
    run(input) {
      if (input.length < 2) return;
      // Codes that were handed out must not pile up.
      if (served++ % 4096 === 0) service = fresh();
      const text = input.subarray(2);
      const inQuery = (input[1]! & 4) !== 0;
      const type = TYPES[input[1]! & 3]!;
      const answer = service!.handle({
        method: input[1]! & 8 ? "GET" : "POST",
        path: PATHS[input[0]! % PATHS.length]!,
        query: inQuery ? Buffer.from(text).toString("latin1") : "",
        headers: type ? { "content-type": type } : {},
        body: inQuery ? new Uint8Array(0) : text,
      });
      demand(
        answer.status >= 200 && answer.status < 500,
        "foreign bytes are never a server's error",
      );
      if (answer.body.length) demand(strictJson(answer.body) !== undefined, "an answer is JSON");
    },
  };
}

/** All of them on one core. */
/** What makes each of them. */
export const targetMakers: readonly ((core: LivesCore) => Target)[] = [
  responseTarget,
  recordTarget,
  eventTarget,
  serviceTarget,
];

export function targets(core: LivesCore): Target[] {
  return targetMakers.map((make) => make(core));
}
