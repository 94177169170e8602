// Tests security events (device spec §6): tokens (RFC 8417), streams, and delivery by polling (RFC 8936) and pushing
// (RFC 8935).

import { createHash, createPublicKey, verify } from "node:crypto";
import { describe, expect, test } from "vitest";
import type { PushDelivery, PushResponse, Service } from "../../targets/service/index.ts";
import { Bench, type HttpResponse, TV } from "./harness.ts";

const RISC = "https://schemas.openid.net/secevent/risc/event-type/";
const OAUTH = "https://schemas.openid.net/secevent/oauth/event-type/";
const POLL = "https://schemas.openid.net/secevent/risc/delivery-method/poll";
const PUSH = "https://schemas.openid.net/secevent/risc/delivery-method/push";
const STREAM = "/events/v1/stream";

interface Claims {
  iss: string;
  aud: string[];
  iat: number;
  jti: string;
  exp?: number;
  events: Record<string, { subject?: Record<string, unknown>; state?: string; reason?: string }>;
}

/** Verifies a token with Node's Ed25519 and the published key set. Returns its claims. */
function verified(bench: Bench, set: string): Claims {
  const [header, payload, signature] = set.split(".") as [string, string, string];
  const { keys } = bench.get("/keys").json as { keys: Record<string, string>[] };
  const { kid, alg, typ } = JSON.parse(Buffer.from(header, "base64url").toString());
  expect({ alg, typ }).toEqual({ alg: "EdDSA", typ: "secevent+jwt" });
  const jwk = keys.find((key) => key.kid === kid)!;
  const key = createPublicKey({ key: jwk, format: "jwk" });
  const bytes = Buffer.from(`${header}.${payload}`);
  expect(verify(null, bytes, key, Buffer.from(signature, "base64url"))).toBe(true);
  return JSON.parse(Buffer.from(payload, "base64url").toString()) as Claims;
}

class Receiver {
  readonly bench: Bench;
  readonly #token: string;

  constructor(bench: Bench, token = "tv-backend-token") {
    this.bench = bench;
    this.#token = token;
  }

  send(method: string, path: string, body?: unknown): HttpResponse {
    const headers = { authorization: `Bearer ${this.#token}`, "content-type": "application/json" };
    return this.bench.send(method, path, body === undefined ? "" : JSON.stringify(body), headers);
  }

  usePolling(events?: string[]): this {
    const body = { delivery: { delivery_method: POLL }, events_requested: events };
    expect(this.send("POST", `${STREAM}:update`, body).status).toBe(200);
    return this;
  }

  usePush(url: string): this {
    const body = { delivery: { delivery_method: PUSH, url } };
    expect(this.send("POST", `${STREAM}:update`, body).status).toBe(200);
    return this;
  }

  poll(body: object = {}): { sets: Record<string, string>; moreAvailable?: boolean } {
    const response = this.send("POST", "/events/v1/poll", body);
    expect(response.status).toBe(200);
    return response.json as unknown as { sets: Record<string, string>; moreAvailable?: boolean };
  }

  /** Polls for the waiting events, and verifies their tokens. Returns [type, event] pairs in order. */
  events(): [string, Claims["events"][string]][] {
    const sets = Object.values(this.poll().sets);
    return sets.flatMap((set) => Object.entries(verified(this.bench, set).events));
  }
}

const SUBJECT = { subject_type: "iss-sub", iss: "http://127.0.0.1:8080", sub: "ada" };
const ABOUT = { subject: SUBJECT };

const ACTIONS: [string, (service: Service) => void, [string, object][]][] = [
  [
    "device doc §6 row sessions-revoked: when the user signs out everywhere",
    (service) => service.signOutEverywhere("ada"),
    [
      [`${RISC}sessions-revoked`, ABOUT],
      [`${OAUTH}tokens-revoked`, ABOUT],
    ],
  ],
  [
    "device doc §6 row account-disabled: once, with a reason if one is known; and when it is enabled again",
    (service) => {
      service.disableAccount("ada", "hijacking");
      service.disableAccount("ada");
      service.enableAccount("ada");
    },
    [
      [`${RISC}account-disabled`, { ...ABOUT, reason: "hijacking" }],
      [`${RISC}account-enabled`, ABOUT],
    ],
  ],
  [
    "a credential that must be changed",
    (service) => service.requireCredentialChange("ada"),
    [[`${RISC}account-credential-change-required`, ABOUT]],
  ],
];
test.each(ACTIONS)("%s", (_, action, reported) => {
  const bench = new Bench();
  const receiver = new Receiver(bench).usePolling();
  bench.signIn();
  action(bench.service);
  expect(receiver.events()).toEqual(reported);
});

test("device doc §6 row token-revoked: an event may identify the token by its first 16 characters", () => {
  const bench = new Bench({ tokenIdentifier: "prefix" });
  const receiver = new Receiver(bench).usePolling();
  const { refresh_token } = bench.signIn();
  bench.service.revokeAllFor("ada", TV.client_id);
  expect(receiver.events()[0]![1].subject).toMatchObject({
    token_identifier_alg: "prefix",
    token: String(refresh_token).slice(0, 16),
  });
});

test("RFC 8417 §2 and §2.2, RFC 7638: iss, aud, iat, jti, events, and no exp; the key id is the key's thumbprint", () => {
  const bench = new Bench();
  const receiver = new Receiver(bench).usePolling();
  bench.signIn();
  bench.service.disableAccount("ada");
  const [[jti, set]] = Object.entries(receiver.poll().sets) as [[string, string]];
  const { iss } = SUBJECT;
  const aud = ["living-room-tv", "game-console"];
  const { events, ...claims } = verified(bench, set);
  expect(claims).toEqual({ iss, aud, iat: bench.nowMs / 1000, jti });
  expect(Object.keys(events)).toHaveLength(1);
  const { keys } = bench.get("/keys").json as { keys: Record<string, string>[] };
  const { crv, kty, x, kid, use, alg } = keys.find((key) => key.kty === "OKP")!;
  const canonical = JSON.stringify({ crv, kty, x });
  expect(kid).toBe(createHash("sha256").update(canonical).digest("base64url"));
  expect([crv, use, alg]).toEqual(["Ed25519", "sig", "EdDSA"]);
});

describe("streams", () => {
  const update = (delivery: object, more = {}) =>
    new Receiver(new Bench()).send("POST", `${STREAM}:update`, { delivery, ...more });

  test.each([
    ["https://receiver.test/events", PUSH, "https://receiver.test/events"],
    [undefined, POLL, "https://s.test/events/v1/poll"],
  ])(
    "the service returns the configuration with its own polling address: %s",
    (url, delivery_method, shown) => {
      const receiver = new Receiver(new Bench({ baseUrl: "https://s.test" }));
      receiver.send("POST", `${STREAM}:update`, { delivery: { delivery_method, url } });
      const { json } = receiver.send("GET", STREAM);
      expect(json.aud).toEqual(["living-room-tv", "game-console"]);
      expect(json.delivery).toEqual({ delivery_method, url: shown });
      expect(json.events_requested).toHaveLength(6);
      const metadata = receiver.bench.get("/.well-known/risc-configuration").json;
      expect(metadata.configuration_endpoint).toBe("https://s.test/events/v1/stream");
    },
  );

  test("before stream:update, GET stream and verify are 404, polling is 400, and nothing is queued", () => {
    const bench = new Bench();
    const receiver = new Receiver(bench);
    expect(receiver.send("GET", STREAM).status).toBe(404);
    expect(receiver.send("POST", `${STREAM}:verify`, {}).status).toBe(404);
    expect(receiver.send("POST", "/events/v1/poll", {}).status).toBe(400);
    bench.signIn();
    bench.service.disableAccount("ada");
    expect(receiver.usePolling().poll().sets).toEqual({});
  });

  test.each([
    ["https://events.example/push", 200],
    ["http://127.0.0.1:9000/push", 200],
    ["http://[::1]:9000/push", 200],
    ["http://localhost/push", 200],
    ["http://169.254.169.254/latest/meta-data", 400],
    ["http://127.0.0.1.evil.example/push", 400],
    ["https://user:pw@x.test", 400],
    ["ftp://127.0.0.1/push", 400],
    [undefined, 400],
  ])("RFC 8935: the push address must be https or on this machine: %s is %i", (url, status) => {
    expect(update({ delivery_method: "urn:ietf:rfc:8935", url }).status).toBe(status);
  });

  test("another delivery method and an unknown event type are rejected", () => {
    expect(update({ delivery_method: "carrier-pigeon" }).status).toBe(400);
    const unknown = { events_requested: ["urn:unknown"] };
    expect(update({ delivery_method: POLL }, unknown).status).toBe(400);
  });

  test("a disabled stream collects and delivers nothing; earlier events are delivered when it is enabled", () => {
    const bench = new Bench();
    const receiver = new Receiver(bench).usePolling();
    const set = (status: string) => receiver.send("POST", `${STREAM}/status:update`, { status });
    bench.signIn();
    bench.service.disableAccount("ada");
    expect(set("disabled").json).toEqual({ status: "disabled" });
    expect(receiver.poll().sets).toEqual({});
    bench.service.enableAccount("ada");
    expect(receiver.send("POST", `${STREAM}:verify`, {}).status).toBe(400);
    set("enabled");
    expect(receiver.send("GET", `${STREAM}/status`).json).toEqual({ status: "enabled" });
    expect(receiver.events().map(([type]) => type)).toEqual([`${RISC}account-disabled`]);
    expect(set("paused").status).toBe(400);
  });

  test.each([
    ["GET", STREAM],
    ["POST", `${STREAM}:update`],
    ["GET", `${STREAM}/status`],
    ["POST", `${STREAM}/status:update`],
    ["POST", `${STREAM}:verify`],
    ["POST", "/events/v1/poll"],
  ])(
    "RFC 6750 §3.1: %s %s requires a receiver's token; without a token the response has no error code",
    (method, path) => {
      const bench = new Bench();
      const unknown = new Receiver(bench, "nobody's-token").send(method, path, {});
      expect([unknown.status, unknown.headers["www-authenticate"]]).toEqual([
        401,
        'Bearer realm="events", error="invalid_token"',
      ]);
      expect(bench.send(method, path).headers["www-authenticate"]).toBe('Bearer realm="events"');
    },
  );
});

describe("RFC 8936 poll delivery", () => {
  function withEvents(count: number): Receiver {
    const receiver = new Receiver(new Bench()).usePolling([]);
    for (let i = 0; i < count; i++) receiver.send("POST", `${STREAM}:verify`, { state: `${i}` });
    return receiver;
  }

  test("RFC 8936 §2.4.4, §2.6: events reported with setErrs are not sent again", () => {
    const receiver = withEvents(1);
    const [jti] = Object.keys(receiver.poll().sets);
    const setErrs = { [jti!]: { err: "invalid_key", description: "unknown key" } };
    expect(receiver.poll({ setErrs }).sets).toEqual({});
  });

  test("RFC 8936 §2.2, §2.3 and §2.4.2: maxEvents limits events, moreAvailable announces more, 0 only acknowledges", () => {
    const receiver = withEvents(3);
    const two = receiver.poll({ maxEvents: 2, returnImmediately: true });
    expect([Object.keys(two.sets).length, two.moreAvailable]).toEqual([2, true]);
    expect(receiver.poll({ maxEvents: 0, ack: Object.keys(two.sets) }).sets).toEqual({});
    const last = receiver.poll({ maxEvents: 2 });
    expect([Object.keys(last.sets).length, last.moreAvailable]).toEqual([1, undefined]);
    for (const body of [{ maxEvents: -1 }, { ack: "x" }, { setErrs: { a: "b" } }, []])
      expect(receiver.send("POST", "/events/v1/poll", body).status).toBe(400);
  });
});

describe("RFC 8935 push delivery", () => {
  /** A receiver that sends these responses, then 202. `later` advances the clock and returns the number of pushes. */
  function pushing(responses: (number | "unreachable")[]) {
    const pushed: PushDelivery[] = [];
    const push = async (delivery: PushDelivery): Promise<PushResponse> => {
      const status = responses[pushed.length] ?? 202;
      pushed.push(delivery);
      if (status === "unreachable") throw new Error("no route");
      return { status, body: "" };
    };
    const bench = new Bench({}, { push });
    const receiver = new Receiver(bench).usePush("https://receiver.test/events");
    const set = (status: string) => receiver.send("POST", `${STREAM}/status:update`, { status });
    const later = async (seconds: number): Promise<number> => {
      bench.wait(seconds);
      await bench.service.runDue();
      return pushed.length;
    };
    const verify = (state = "s") => receiver.send("POST", `${STREAM}:verify`, { state });
    return { bench, receiver, pushed, set, later, verify };
  }

  test("RFC 8935 §2: an event is posted as application/secevent+jwt, and only once after a 202", async () => {
    const { bench, pushed, later, verify } = pushing([]);
    verify();
    expect(await later(0)).toBe(1);
    expect(pushed[0]).toMatchObject({
      url: "https://receiver.test/events",
      headers: { "content-type": "application/secevent+jwt", accept: "application/json" },
    });
    const { events } = verified(bench, pushed[0]!.body);
    expect(events).toEqual({ [`${RISC}verification`]: { state: "s" } });
    expect(await later(1e6)).toBe(1);
  });

  test.each([500, 503, 429, 302, 401, "unreachable"] as const)(
    "RFC 8935 §2: after %s the same token is pushed again with growing pauses",
    async (failure) => {
      const { pushed, later, verify } = pushing([failure, failure]);
      verify();
      for (const [seconds, times] of [
        [0, 1],
        [9.999, 1],
        [0.001, 2],
        [59.999, 2],
        [0.001, 3],
        [1e6, 3],
      ] as const)
        expect(await later(seconds)).toBe(times);
      expect(new Set(pushed.map(({ body }) => body)).size).toBe(1);
    },
  );

  test("RFC 8935 §2.3: a 400 is final; an unreachable receiver gets six tries, and setting the status does not start more", async () => {
    const refusing = pushing([400]);
    refusing.verify();
    expect([await refusing.later(0), await refusing.later(1e6)]).toEqual([1, 1]);
    const away = pushing(Array<number>(100).fill(500));
    away.verify();
    for (let i = 0; i < 4; i++) away.set("enabled");
    expect([await away.later(0), await away.later(10)]).toEqual([1, 2]);
    for (let i = 0; i < 20; i++) await away.later(7200);
    expect(away.pushed).toHaveLength(6);
  });

  test("a status set during a delivery does not post the event twice, but starts a new series of retries", async () => {
    let release = (): void => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    let pushes = 0;
    const push = async (): Promise<PushResponse> => {
      pushes++;
      if (pushes === 1) await held;
      return { status: pushes === 7 ? 202 : 500, body: "" };
    };
    const bench = new Bench({}, { push });
    const receiver = new Receiver(bench).usePush("https://receiver.test/events");
    receiver.send("POST", `${STREAM}:verify`, {});
    const first = bench.service.runDue();
    receiver.send("POST", `${STREAM}/status:update`, { status: "enabled" });
    expect(pushes).toBe(1);
    release();
    await first;
    // The new chain of retries has made its first push at once, and five more follow.
    expect(pushes).toBe(2);
    for (let i = 0; i < 8; i++) {
      bench.wait(7200);
      await bench.service.runDue();
    }
    expect(pushes).toBe(7);
  });

  test("waiting events follow the settings of their stream at delivery: pushed, polled, or held while it is disabled", async () => {
    const { receiver, later, verify, set } = pushing([]);
    receiver.usePolling();
    verify("one");
    expect(await later(0)).toBe(0);
    receiver.usePush("https://receiver.test/events");
    verify("two");
    set("disabled");
    expect(await later(0)).toBe(0);
    set("enabled");
    expect(await later(0)).toBe(2);
    verify("three");
    receiver.usePolling();
    expect(await later(0)).toBe(2);
    expect(receiver.events()).toEqual([[`${RISC}verification`, { state: "three" }]]);
  });

  test("the service uses the host's scheduler if there is one", async () => {
    const planned: number[] = [];
    const tasks: (() => void)[] = [];
    const push = async () => ({ status: 503, body: "" });
    const schedule = (delayMs: number, task: () => void) => {
      planned.push(delayMs);
      tasks.push(task);
    };
    const receiver = new Receiver(new Bench({}, { push, schedule })).usePush("http://127.0.0.1:9/");
    receiver.send("POST", `${STREAM}:verify`, {});
    tasks.shift()!();
    await new Promise((resolve) => setImmediate(resolve));
    expect(planned).toEqual([0, 10_000]);
  });
});
