// What can happen to one exchange between device and service: chosen here, carried out by network.ts.

import { EVENTS_PATH } from "./account-service.ts";
import { type FaultKind, NETWORK_FAULTS, type Plan, type Roll } from "./dice.ts";
import type { Exchange } from "./network.ts";

export interface Answer {
  /** 0: none came. */
  status: number;
  retryAfterS: number;
  body: Uint8Array;
}

export interface Mishap {
  name: FaultKind | "";
  /** Whether the request reaches the service, and how often. */
  reaches: boolean;
  times: number;
  /** The answer as the device is to see it. */
  alter: (answer: Answer) => Answer;
  /** Nothing is heard for so long; 0: the answer comes. */
  hangMs: number;
  /** How a hang or a cut ends: with a failure, or for ever (as if it had been complete). */
  fails: boolean;
  /** Only so many bytes of the body come; -1: all. */
  cutAt: number;
  chunk: number;
  chunkDelayMs: number;
  /** Everything is delivered a second time, at once or after a while. */
  again: boolean;
  late: boolean;
  roll: Roll;
}

const DEVICE_CODE_PARAMETER = "&device_code=";
const encoder = new TextEncoder();

function same(answer: Answer): Answer {
  return answer;
}

function page(title: string): Uint8Array {
  return encoder.encode(`<!doctype html><html><head><title>${title}</title></head></html>`);
}

/** An error object, as servers send it. */
function errorBody(code: string): Uint8Array {
  return encoder.encode(`{"error":"${code}","error_description":"x"}`);
}

const ODD_JSON = [
  "{}",
  "[]",
  "null",
  '"authorization_pending"',
  '{"error":"server_error"}',
  '{"error":"temporarily_unavailable"}',
  '{"error":{"code":503}}',
  '{"access_token":null,"token_type":"Bearer"}',
  '{"access_token":"","token_type":"Bearer","expires_in":3600}',
  '{"access_token":"a b","token_type":"Bearer"}',
  '{"device_code":"","user_code":"","verification_uri":"","expires_in":1}',
  '{"user_code":"NN-NN","verification_uri":"https://x.test","expires_in":60}',
  '{"error_code":"rate_limit_exceeded"}',
  '{"error":"invalid_client"}',
  '{"error":"unheard_of"}',
  '{"error":"invalid_grant"}',
  '{"error":"expired_token"}',
  '{"error":"authorization_pending"',
  '{"a":[[[[[[[[[[[[[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]]]]]]]]]]]]}',
  "{} {}",
];

const ORDER = [
  "forged-event",
  ...NETWORK_FAULTS,
  "more-members",
] as const satisfies readonly FaultKind[];

type NetworkFault = (typeof ORDER)[number];

/** The answer with this status and body, the request having been served or not. */
function instead(status: number, body: Uint8Array, retryAfterS = -1): Partial<Mishap> {
  return { alter: () => ({ status, retryAfterS, body }) };
}

function retryAfter(roll: Roll): number {
  return roll.pick([-1, -1, 0, 1, 7, 30, 120, 5000]);
}

const MISHAPS: Readonly<Record<NetworkFault, (roll: Roll, exchange: Exchange) => Partial<Mishap>>> =
  {
    "forged-event": (roll) => ({ reaches: false, ...instead(200, forgedEvents(roll)) }),
    refused: () => ({ reaches: false, alter: same }),
    "reset-before": (roll) => ({ reaches: false, hangMs: 1 + roll.below(3000), fails: true }),
    "reset-after": (roll) => ({ hangMs: 1 + roll.below(3000), fails: true }),
    hang: (roll) => ({ reaches: roll.chance(0.5), hangMs: 1_000_000, fails: true }),
    timeout: (roll) => ({ reaches: roll.chance(0.5), hangMs: 30_000, fails: true }),
    "captive-portal": (roll) => ({
      reaches: false,
      ...instead(roll.pick([200, 200, 511]), page("Welcome to our network")),
    }),
    redirect: (roll) => ({
      reaches: false,
      ...instead(roll.pick([301, 302, 303, 307, 308]), page("Moved")),
    }),
    "too-many-requests": (roll) => ({
      reaches: roll.chance(0.2),
      ...instead(
        429,
        roll.chance(0.5) ? page("Slow") : errorBody("rate_limit_exceeded"),
        retryAfter(roll),
      ),
    }),
    "server-error": (roll) => ({
      reaches: roll.chance(0.4),
      ...instead(
        roll.pick([500, 502, 503, 504]),
        roll.pick([page("Oops"), new Uint8Array(0), errorBody("server_error")]),
        retryAfter(roll),
      ),
    }),
    "slow-down": (roll, { path }) =>
      path === "/token"
        ? { reaches: roll.chance(0.5), ...instead(roll.pick([400, 403, 428]), slowDown(roll)) }
        : {},
    garbage: (roll) => ({
      reaches: roll.chance(0.5),
      ...instead(roll.pick([200, 400, 500]), noise(roll)),
    }),
    truncated: (roll) => ({ cutAt: roll.below(400), fails: true }),
    "cut-silently": (roll) => ({ cutAt: roll.below(300) }),
    "wrong-status": (roll) => ({
      alter: (answer) => ({
        ...answer,
        status: roll.pick([100, 200, 201, 204, 302, 400, 401, 403, 404, 428, 500, 503, 599]),
      }),
    }),
    "odd-json": (roll) => ({
      reaches: roll.chance(0.3),
      ...instead(roll.pick([200, 200, 400, 500]), encoder.encode(roll.pick(ODD_JSON))),
    }),
    // A final error that says nothing about the session: the maker's registration was deleted, say.
    "client-refused": (_roll, { path }) =>
      path === "/token" ? { reaches: false, ...instead(401, errorBody("invalid_client")) } : {},
    // Not of a refresh: a rotation without its successor is nothing that a device could survive.
    "no-refresh-token": (_roll, { body }) =>
      body.includes(DEVICE_CODE_PARAMETER, 0, "latin1") ? { alter: withoutRefreshToken } : {},
    "sent-twice": () => ({ times: 2 }),
    "answered-twice": () => ({ again: true }),
    "late-answer": () => ({ late: true }),
    "more-members": (roll) => ({ alter: (answer) => withMoreMembers(answer, roll) }),
    "byte-by-byte": (roll) => ({
      chunk: roll.pick([1, 1, 2, 7]),
      chunkDelayMs: roll.pick([0, 1, 40]),
    }),
  };

function slowDown(roll: Roll): Uint8Array {
  return roll.chance(0.7)
    ? errorBody("slow_down")
    : encoder.encode(`{"error":"slow_down","interval":${roll.pick([0, 1, 6, 11, 30, 1e9])}}`);
}

/** An event that ends the session of whoever believes it; its signature is nobody's. */
function forgedEvents(roll: Roll): Uint8Array {
  const jti = `forged-${roll.below(4)}`;
  const type = "https://schemas.openid.net/secevent/risc/event-type/account-disabled";
  const encode = (value: object): string =>
    Buffer.from(JSON.stringify(value)).toString("base64url");
  const claims = encode({ iss: "https://auth.test", jti, events: { [type]: { subject: {} } } });
  const set = `${encode({ alg: "EdDSA" })}.${claims}.${"A".repeat(86)}`;
  return encoder.encode(JSON.stringify({ sets: { [jti]: set } }));
}

function noise(roll: Roll): Uint8Array {
  const bytes = new Uint8Array(roll.below(300));
  for (let i = 0; i < bytes.length; i++) bytes[i] = roll.below(256);
  return bytes;
}

/** A server that hands out none: the access token is all there is. */
function withoutRefreshToken(answer: Answer): Answer {
  try {
    const members = JSON.parse(new TextDecoder().decode(answer.body)) as Record<string, unknown>;
    delete members.refresh_token;
    return { ...answer, body: encoder.encode(JSON.stringify(members)) };
  } catch {
    return answer;
  }
}

/** Members that a device need not know, some named like those that it does know, but further in. */
const MORE_MEMBERS: readonly ((roll: Roll) => [name: string, value: unknown])[] = [
  (roll) => ["id_token", `eyJhbGciOiJub25lIn0.${"A".repeat(roll.spread(1, 3000))}.`],
  () => [
    "account",
    { access_token: "pga.other", device_code: "pgd.other", error: "access_denied" },
  ],
  () => ["history", [{ error: "invalid_grant" }, ["expired_token", 7], null, true]],
  () => ["x", { expires_in: 1, refresh_token: "pgr.other", interval: 900 }],
  (roll) => ["ext_expires_in", roll.pick([0, -1, 1e99, 86_399])],
  (roll) => ["message", 'h\u00e9llo \ud83d\ude00 " \\ \n'.repeat(roll.spread(1, 40))],
  () => ["", ""],
  () => ["not_before_policy", 0],
];

/** The same answer to whoever reads only what he needs. Without effect where the body is no object. */
function withMoreMembers(answer: Answer, roll: Roll): Answer {
  const body = new TextDecoder().decode(answer.body).trim();
  if (!/^\{.*\}$/s.test(body) || body.startsWith('{"sets"')) return answer;
  const members = Array.from({ length: 1 + roll.below(3) }, () => roll.pick(MORE_MEMBERS)(roll));
  const text = members.map(([name, value]) => `${JSON.stringify(name)}: ${JSON.stringify(value)}`);
  const own = body.slice(1, -1).trim();
  const parts = roll.chance(0.5) ? [...text, own] : [own, ...text];
  return { ...answer, body: encoder.encode(`{ ${parts.filter(Boolean).join(",\r\n\t")} }`) };
}

/** What happens to this exchange: the first kind in the order that strikes, or nothing. */
export function mishapOf(plan: Plan, exchange: Exchange): Mishap {
  const mishap: Mishap = {
    name: "",
    reaches: true,
    times: 1,
    alter: same,
    hangMs: 0,
    fails: false,
    cutAt: -1,
    chunk: 1 << 20,
    chunkDelayMs: 0,
    again: false,
    late: false,
    roll: plan.roll("exchange", exchange.number),
  };
  for (const kind of ORDER) {
    if (kind === "forged-event" && exchange.path !== EVENTS_PATH) continue;
    if (kind === "more-members" && !plan.further) continue;
    const roll = plan.strikes(kind);
    if (roll) return Object.assign(mishap, { name: kind, ...MISHAPS[kind](roll, exchange) });
  }
  return mishap;
}
