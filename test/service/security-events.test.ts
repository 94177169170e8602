// Security events: device doc §6; SET (RFC 8417), push (RFC 8935), poll (RFC 8936).
import { createHash, createPublicKey, verify } from "node:crypto";
import { describe, expect, test } from "vitest";
import type { PushAnswer, PushDelivery } from "../../targets/desktop/service/index.ts";
import { type Answer, Bench, CONSOLE, PUBLISHER, PUBLISHER_CLIENT, TV } from "./harness.ts";

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

/** Checks a token with Node's own Ed25519 against the published key set and reads its claims. */
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
  private readonly token: string;

  constructor(bench: Bench, token = "tv-backend-token") {
    this.bench = bench;
    this.token = token;
  }

  send(method: string, path: string, body?: unknown): Answer {
    const headers = { authorization: `Bearer ${this.token}`, "content-type": "application/json" };
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
    const answer = this.send("POST", "/events/v1/poll", body);
    expect(answer.status).toBe(200);
    return answer.json as unknown as { sets: Record<string, string>; moreAvailable?: boolean };
  }

  /** Everything that waits, verified, as [type, event] pairs in order. */
  events(): [string, Claims["events"][string]][] {
    const sets = Object.values(this.poll().sets);
    return sets.flatMap((set) => Object.entries(verified(this.bench, set).events));
  }
}

const types = (receiver: Receiver) => receiver.events().map(([type]) => type);

describe("device doc §6 the events", () => {
  test("device doc §6: the device flow itself sends no events", () => {
    const bench = new Bench();
    const receiver = new Receiver(bench).usePolling();
    const { refresh_token } = bench.signIn();
    bench.refresh(refresh_token);
    const codes = bench.requestCodes().json;
    bench.service.deny(String(codes.user_code));
    bench.poll(codes.device_code);
    expect(receiver.poll().sets).toEqual({});
  });

  test("device doc §6: sessions-revoked when the user signs out everywhere", () => {
    const bench = new Bench();
    const receiver = new Receiver(bench).usePolling([`${RISC}sessions-revoked`]);
    bench.signIn();
    bench.service.signOutEverywhere("ada");
    expect(receiver.events()).toEqual([
      [
        `${RISC}sessions-revoked`,
        { subject: { subject_type: "iss-sub", iss: bench.service.baseUrl, sub: "ada" } },
      ],
    ]);
  });

  test("device doc §6: token-revoked when the user removes the app; the token by its double hash", () => {
    const bench = new Bench();
    const receiver = new Receiver(bench).usePolling();
    const { refresh_token } = bench.signIn();
    bench.service.revokeAllFor("ada", TV.client_id);
    const hash = createHash("sha512")
      .update(createHash("sha512").update(String(refresh_token)).digest())
      .digest("base64");
    expect(receiver.events()).toEqual([
      [
        `${OAUTH}token-revoked`,
        {
          subject: {
            subject_type: "oauth_token",
            token_type: "refresh_token",
            token_identifier_alg: "hash_base64_sha512_sha512",
            token: hash,
          },
        },
      ],
    ]);
  });

  test("device doc §6: token-revoked can name the token by its first 16 characters", () => {
    const bench = new Bench({ tokenIdentifier: "prefix" });
    const receiver = new Receiver(bench).usePolling();
    const { refresh_token } = bench.signIn();
    bench.service.revokeAllFor("ada", TV.client_id);
    expect(receiver.events()[0]![1].subject).toMatchObject({
      token_identifier_alg: "prefix",
      token: String(refresh_token).slice(0, 16),
    });
  });

  test.each([undefined, "hijacking", "bulk-account"] as const)(
    "device doc §6: account-disabled, reason %s",
    (reason) => {
      const bench = new Bench();
      const receiver = new Receiver(bench).usePolling();
      bench.signIn();
      bench.service.disableAccount("ada", reason);
      const [[type, event]] = receiver.events() as [[string, { reason?: string }]];
      expect(type).toBe(`${RISC}account-disabled`);
      expect(event.reason).toBe(reason);
    },
  );

  test("further types: tokens-revoked, account-enabled, account-credential-change-required", () => {
    const bench = new Bench();
    const receiver = new Receiver(bench).usePolling();
    bench.signIn();
    bench.service.revokeAllFor("ada");
    bench.service.disableAccount("ada");
    bench.service.disableAccount("ada");
    bench.service.enableAccount("ada");
    bench.service.requireCredentialChange("ada");
    expect(types(receiver)).toEqual([
      `${OAUTH}tokens-revoked`,
      `${RISC}account-disabled`,
      `${RISC}account-enabled`,
      `${RISC}account-credential-change-required`,
    ]);
  });

  test("only receivers whose clients the account has used hear of it", () => {
    const bench = new Bench();
    const tv = new Receiver(bench).usePolling();
    const publisher = new Receiver(bench, "publisher-backend-token").usePolling();
    bench.signIn({ client: CONSOLE });
    bench.signIn({ account: "ben", client: PUBLISHER_CLIENT, scope: PUBLISHER });
    bench.service.disableAccount("ada");
    expect(types(tv)).toEqual([`${RISC}account-disabled`]);
    expect(publisher.poll().sets).toEqual({});
    bench.service.disableAccount("nora");
    expect(types(tv)).toHaveLength(1);
  });

  test("RFC 8417 §2.2: iss, aud, iat, jti, events, and no exp", () => {
    const bench = new Bench();
    const receiver = new Receiver(bench).usePolling();
    bench.signIn();
    bench.service.disableAccount("ada");
    const [[jti, set]] = Object.entries(receiver.poll().sets) as [[string, string]];
    const claims = verified(bench, set);
    expect(Object.keys(claims).sort()).toEqual(["aud", "events", "iat", "iss", "jti"]);
    expect(claims).toMatchObject({
      iss: bench.service.baseUrl,
      aud: ["living-room-tv", "game-console"],
      iat: bench.nowMs / 1000,
      jti,
    });
  });

  test("RFC 7638: the key id is the thumbprint of the key", () => {
    const { keys } = new Bench().get("/keys").json as { keys: Record<string, string>[] };
    const { crv, kty, x, kid, use, alg } = keys[0]!;
    const canonical = JSON.stringify({ crv, kty, x });
    expect(kid).toBe(createHash("sha256").update(canonical).digest("base64url"));
    expect({ kty, crv, use, alg }).toEqual({
      kty: "OKP",
      crv: "Ed25519",
      use: "sig",
      alg: "EdDSA",
    });
  });
});

describe("stream management", () => {
  test("stream:update then GET stream shows the configuration", () => {
    const receiver = new Receiver(new Bench()).usePush("https://receiver.test/events");
    const { json, status } = receiver.send("GET", STREAM);
    expect(status).toBe(200);
    expect(json).toMatchObject({
      aud: ["living-room-tv", "game-console"],
      delivery: { delivery_method: PUSH, url: "https://receiver.test/events" },
    });
    expect(json.events_requested).toHaveLength(6);
  });

  test("a polling stream's address is given by the service", () => {
    const receiver = new Receiver(new Bench({ baseUrl: "https://s.test" })).usePolling();
    expect(receiver.send("GET", STREAM).json.delivery).toEqual({
      delivery_method: POLL,
      url: "https://s.test/events/v1/poll",
    });
  });

  test("before stream:update GET stream is 404, verify is 404, polling is 400, nothing is queued", () => {
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
    [{}],
    [{ delivery: { delivery_method: "carrier-pigeon" } }],
    [{ delivery: { delivery_method: PUSH } }],
    [{ delivery: { delivery_method: PUSH, url: "ftp://x.test" } }],
    [{ delivery: { delivery_method: PUSH, url: "https://user:pw@x.test" } }],
    [{ delivery: { delivery_method: POLL }, events_requested: ["urn:unknown"] }],
    [[]],
  ])("stream:update refuses %j with 400", (body) => {
    expect(new Receiver(new Bench()).send("POST", `${STREAM}:update`, body).status).toBe(400);
  });

  test("stream/status: enabled at first; while disabled nothing is collected or delivered", () => {
    const bench = new Bench();
    const receiver = new Receiver(bench).usePolling();
    expect(receiver.send("GET", `${STREAM}/status`).json).toEqual({ status: "enabled" });
    const update = (status: string) => receiver.send("POST", `${STREAM}/status:update`, { status });
    bench.signIn();
    bench.service.disableAccount("ada");
    expect(update("disabled").json).toEqual({ status: "disabled" });
    expect(receiver.poll().sets).toEqual({});
    bench.service.enableAccount("ada");
    expect(receiver.send("POST", `${STREAM}:verify`, {}).status).toBe(400);
    update("enabled");
    expect(types(receiver)).toEqual([`${RISC}account-disabled`]);
    expect(update("paused").status).toBe(400);
  });

  test("stream:verify sends a verification event with the state, whatever was requested", () => {
    const receiver = new Receiver(new Bench()).usePolling([]);
    receiver.send("POST", `${STREAM}:verify`, { state: "hello" });
    expect(receiver.events()).toEqual([[`${RISC}verification`, { state: "hello" }]]);
  });

  test("every stream endpoint wants a receiver's bearer token: 401", () => {
    const receiver = new Receiver(new Bench(), "nobody's-token");
    for (const [method, path] of [
      ["GET", STREAM],
      ["POST", `${STREAM}:update`],
      ["GET", `${STREAM}/status`],
      ["POST", `${STREAM}/status:update`],
      ["POST", `${STREAM}:verify`],
      ["POST", "/events/v1/poll"],
    ] as const) {
      const answer = receiver.send(method, path, {});
      expect(answer.status).toBe(401);
      expect(answer.headers["www-authenticate"]).toMatch(/^Bearer/);
    }
  });

  test("the transmitter's metadata names the addresses", () => {
    const { json } = new Bench({ baseUrl: "https://s.test" }).get(
      "/.well-known/risc-configuration",
    );
    expect(json).toMatchObject({
      issuer: "https://s.test",
      jwks_uri: "https://s.test/keys",
      configuration_endpoint: "https://s.test/events/v1/stream",
    });
  });
});

describe("RFC 8936 poll delivery", () => {
  function withEvents(count: number, options = {}): Receiver {
    const receiver = new Receiver(new Bench(options)).usePolling();
    for (let i = 0; i < count; i++) receiver.send("POST", `${STREAM}:verify`, { state: `${i}` });
    return receiver;
  }

  test("RFC 8936 §2.4: what is not acknowledged comes again, the same token", () => {
    const receiver = withEvents(2);
    expect(receiver.poll()).toEqual(receiver.poll());
    expect(Object.keys(receiver.poll().sets)).toHaveLength(2);
  });

  test("RFC 8936 §2.4: acknowledged events come no more", () => {
    const receiver = withEvents(2);
    const [first, second] = Object.keys(receiver.poll().sets);
    expect(Object.keys(receiver.poll({ ack: [first] }).sets)).toEqual([second]);
    expect(receiver.poll({ ack: [second, "unknown"] }).sets).toEqual({});
  });

  test("RFC 8936 §2.4: events reported with setErrs come no more", () => {
    const receiver = withEvents(1);
    const [jti] = Object.keys(receiver.poll().sets);
    const setErrs = { [jti!]: { err: "invalid_key", description: "unknown key" } };
    expect(receiver.poll({ setErrs }).sets).toEqual({});
  });

  test("RFC 8936 §2.2: maxEvents limits, moreAvailable tells, 0 only acknowledges", () => {
    const receiver = withEvents(3);
    const two = receiver.poll({ maxEvents: 2, returnImmediately: true });
    expect(Object.keys(two.sets)).toHaveLength(2);
    expect(two.moreAvailable).toBe(true);
    const none = receiver.poll({ maxEvents: 0, ack: Object.keys(two.sets) });
    expect(none.sets).toEqual({});
    const last = receiver.poll({ maxEvents: 2 });
    expect(Object.keys(last.sets)).toHaveLength(1);
    expect(last.moreAvailable).toBeUndefined();
  });

  test.each([{ maxEvents: -1 }, { ack: "x" }, { setErrs: { a: "b" } }, []])(
    "RFC 8936 §2: the body %j is 400",
    (body) => {
      expect(withEvents(0).send("POST", "/events/v1/poll", body).status).toBe(400);
    },
  );

  test("a receiver that never fetches loses the oldest events, not the service's memory", () => {
    const receiver = withEvents(7, { waitingEventsMax: 5 });
    const states = receiver.events().map(([, event]) => event.state);
    expect(states).toEqual(["2", "3", "4", "5", "6"]);
  });
});

describe("RFC 8935 push delivery", () => {
  function pushing(answers: (number | "unreachable")[]) {
    const pushed: PushDelivery[] = [];
    const push = async (delivery: PushDelivery): Promise<PushAnswer> => {
      const status = answers[pushed.length] ?? 202;
      pushed.push(delivery);
      if (status === "unreachable") throw new Error("no route");
      return { status, body: "" };
    };
    const bench = new Bench({}, { push });
    const receiver = new Receiver(bench).usePush("https://receiver.test/events");
    return { bench, receiver, pushed };
  }

  test("RFC 8935 §2: posted as application/secevent+jwt, once, when answered 202", async () => {
    const { bench, receiver, pushed } = pushing([202]);
    receiver.send("POST", `${STREAM}:verify`, { state: "s" });
    expect(await bench.service.runDue()).toBe(1);
    expect(pushed).toHaveLength(1);
    expect(pushed[0]).toMatchObject({
      url: "https://receiver.test/events",
      headers: { "content-type": "application/secevent+jwt", accept: "application/json" },
    });
    expect(verified(bench, pushed[0]!.body).events).toEqual({
      [`${RISC}verification`]: { state: "s" },
    });
    bench.wait(100_000);
    expect(await bench.service.runDue()).toBe(0);
  });

  test.each([500, 503, 429, 302, 401, "unreachable"] as const)(
    "RFC 8935 §2: after %s the same token is pushed again, later and later",
    async (failure) => {
      const { bench, receiver, pushed } = pushing([failure, failure, 202]);
      receiver.send("POST", `${STREAM}:verify`, {});
      await bench.service.runDue();
      bench.wait(9.999);
      expect(await bench.service.runDue()).toBe(0);
      bench.wait(0.001);
      expect(await bench.service.runDue()).toBe(1);
      bench.wait(60);
      expect(await bench.service.runDue()).toBe(1);
      expect(new Set(pushed.map((delivery) => delivery.body)).size).toBe(1);
      bench.wait(1_000_000);
      expect(await bench.service.runDue()).toBe(0);
    },
  );

  test("RFC 8935 §2.3: 400 is final", async () => {
    const { bench, receiver, pushed } = pushing([400]);
    receiver.send("POST", `${STREAM}:verify`, {});
    await bench.service.runDue();
    bench.wait(1_000_000);
    await bench.service.runDue();
    expect(pushed).toHaveLength(1);
  });

  test("a receiver that stays away gets six tries, then the event is given up", async () => {
    const { bench, receiver, pushed } = pushing(Array<number>(100).fill(500));
    receiver.send("POST", `${STREAM}:verify`, {});
    for (let i = 0; i < 20; i++) {
      await bench.service.runDue();
      bench.wait(7200);
    }
    expect(pushed).toHaveLength(6);
  });

  test("what waited for polling is pushed after a change to push, and the other way round", async () => {
    const { bench, receiver, pushed } = pushing([]);
    receiver.usePolling().send("POST", `${STREAM}:verify`, { state: "one" });
    expect(await bench.service.runDue()).toBe(0);
    receiver.usePush("https://receiver.test/events");
    receiver.send("POST", `${STREAM}:verify`, { state: "two" });
    await bench.service.runDue();
    expect(pushed).toHaveLength(2);
    receiver.send("POST", `${STREAM}:verify`, { state: "three" });
    receiver.usePolling();
    await bench.service.runDue();
    expect(pushed).toHaveLength(2);
    expect(receiver.events()).toEqual([[`${RISC}verification`, { state: "three" }]]);
  });

  test("a host's scheduler is used when there is one", async () => {
    const planned: number[] = [];
    const tasks: (() => void)[] = [];
    const bench = new Bench(
      {},
      {
        push: async () => ({ status: 503, body: "" }),
        schedule: (delayMs, task) => {
          planned.push(delayMs);
          tasks.push(task);
        },
      },
    );
    new Receiver(bench).usePush("http://127.0.0.1:9/").send("POST", `${STREAM}:verify`, {});
    tasks.shift()!();
    await new Promise((resolve) => setImmediate(resolve));
    expect(planned).toEqual([0, 10_000]);
  });
});
