// Security events: device doc §6, SET (RFC 8417), and the management of streams.
import { createHash } from "node:crypto";
import { describe, expect, test } from "vitest";
import { Bench, TV } from "./harness.ts";
import { OAUTH, POLL, PUSH, Receiver, RISC, STREAM, types, verified } from "./receiver.ts";

describe("device doc §6 the events", () => {
  test("device doc §6 row sessions-revoked: when the user signs out everywhere", () => {
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

  test("device doc §6 row token-revoked: it can name the token by its first 16 characters", () => {
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
    "device doc §6 row account-disabled: reason %s",
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

  test("RFC 8417 §2 and §2.2: iss, aud, iat, jti, events, and no exp", () => {
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
    const { crv, kty, x, kid, use, alg } = keys.find((key) => key.kty === "OKP")!;
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
