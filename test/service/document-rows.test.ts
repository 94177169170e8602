// The rows of the two documents' tables that have no test of their own name elsewhere: each field,
// parameter, state and limit, named by section and row. The tests of behaviour are in the files beside.
import { describe, expect, test } from "vitest";
import {
  type Answer,
  Bench,
  DEVICE_GRANT,
  form,
  PUBLISHER,
  PUBLISHER_CLIENT,
  TV,
  VIDEO_READONLY,
} from "./harness.ts";

const API = "/video/v3/liveBroadcasts?part=id&mine=true";
const POSITIVE = (value: unknown) => Number.isInteger(value) && (value as number) > 0;
const PRINTABLE = (value: unknown) => typeof value === "string" && /^[\x20-\x7e]+$/.test(value);

describe("device doc §1 what the service does", () => {
  test("device doc §1 row the six steps: then refresh and revocation at the addresses published", () => {
    const bench = new Bench({ baseUrl: "https://s.test" });
    const metadata = bench.get("/.well-known/openid-configuration").json;
    const path = (name: string) => new URL(String(metadata[name])).pathname;
    const codes = bench.post(path("device_authorization_endpoint"), {
      client_id: TV.client_id,
      scope: VIDEO_READONLY,
    }).json;
    const poll = () =>
      bench.post(path("token_endpoint"), {
        ...TV,
        device_code: String(codes.device_code),
        grant_type: DEVICE_GRANT,
      });
    expect(poll().status).toBe(428);
    bench.wait(Number(codes.interval));
    expect(poll().status).toBe(428);
    bench.service.approve(String(codes.user_code), "ada");
    bench.wait(Number(codes.interval));
    const tokens = poll();
    expect(tokens.status).toBe(200);
    const refresh = () =>
      bench.post(path("token_endpoint"), {
        ...TV,
        refresh_token: String(tokens.json.refresh_token),
        grant_type: "refresh_token",
      });
    expect(refresh().status).toBe(200);
    const revoke = `${path("revocation_endpoint")}?${form({ token: String(tokens.json.access_token) })}`;
    expect(bench.post(revoke, {}).status).toBe(200);
    expect(refresh().status).toBe(400);
  });
});

describe("device doc §2 fields", () => {
  const codes = new Bench({ baseUrl: "https://s.test" }).requestCodes().json;
  test.each<[string, (value: unknown) => boolean]>([
    ["device_code", PRINTABLE],
    ["user_code", PRINTABLE],
    ["verification_url", (value) => PRINTABLE(value) && URL.canParse(String(value))],
    ["expires_in", POSITIVE],
    ["interval", POSITIVE],
  ])("device doc §2.1 row %s: present and of its type", (name, fits) => {
    expect(fits(codes[name])).toBe(true);
  });

  test("device doc §2.1 row device_code: unique to each request", () => {
    const bench = new Bench();
    const seen = Array.from({ length: 100 }, () => bench.requestCodes().json.device_code);
    expect(new Set(seen).size).toBe(100);
  });

  test("device doc §2.1 row user_code: identifies the scopes of its own request", () => {
    const bench = new Bench();
    const one = bench.requestCodes({ scope: "email" }).json;
    const two = bench.requestCodes({ scope: "profile" }).json;
    bench.service.approve(String(two.user_code), "ada");
    expect(bench.poll(one.device_code).status).toBe(428);
    expect(bench.poll(two.device_code).json.scope).toBe("profile");
  });

  const bench = new Bench();
  const tokens = bench.signIn({ accessSeconds: 90_000 });
  const refreshed = bench.refresh(tokens.refresh_token).json;
  test.each<[string, (value: unknown) => boolean, "present" | "absent"]>([
    ["access_token", PRINTABLE, "present"],
    ["expires_in", POSITIVE, "present"],
    ["refresh_token", PRINTABLE, "absent"],
    ["refresh_token_expires_in", POSITIVE, "present"],
    ["scope", (value) => value === VIDEO_READONLY, "present"],
    ["token_type", (value) => value === "Bearer", "present"],
  ])(
    "device doc §2.2 row %s: of its type at the grant, and as said at a refresh",
    (name, fits, atRefresh) => {
      expect(fits(tokens[name])).toBe(true);
      expect(name in refreshed).toBe(atRefresh === "present");
      if (atRefresh === "present") expect(fits(refreshed[name])).toBe(true);
    },
  );

  test("device doc §2.3 row Polling error: error and error_description, both strings, nothing else", () => {
    const { json } = new Bench().poll("none");
    expect(Object.keys(json).sort()).toEqual(["error", "error_description"]);
    expect(Object.values(json).every((value) => typeof value === "string")).toBe(true);
  });

  test("device doc §2.3 row Quota error: error_code and nothing else", () => {
    const none = new Bench({ deviceCodeQuota: { requests: 0, windowSeconds: 1 } });
    expect(none.requestCodes().json).toEqual({ error_code: "rate_limit_exceeded" });
  });

  test("device doc §2.4 row client_id: identifies the application at all three endpoints", () => {
    const unknown = { client_id: "nobody" };
    expect(new Bench().requestCodes(unknown).status).toBe(401);
    expect(new Bench().poll("x", unknown).status).toBe(401);
    expect(new Bench().refresh("x", unknown).status).toBe(401);
  });

  test("device doc §2.4 row client_secret: checked when polling and when refreshing", () => {
    const wrong = { client_secret: "wrong" };
    expect(new Bench().poll("x", wrong).json.error).toBe("invalid_client");
    expect(new Bench().refresh("x", wrong).json.error).toBe("invalid_client");
  });
});

describe("device doc §4 parameters", () => {
  test.each(["client_id", "client_secret", "device_code", "grant_type"])(
    "device doc §4.2 row %s: needed and used (RFC 8628 §3.4)",
    (name) => {
      const bench = new Bench();
      const { device_code } = bench.requestCodes().json;
      expect(bench.poll(device_code).status).toBe(428);
      expect(bench.poll(device_code, { [name]: undefined }).status).toBe(400);
      const wrong = bench.poll(device_code, { [name]: "wrong" }).status;
      expect(wrong).toBe(name.startsWith("client") ? 401 : 400);
    },
  );

  test.each(["client_id", "client_secret", "refresh_token", "grant_type"])(
    "device doc §4.3 row %s: needed and used",
    (name) => {
      const bench = new Bench();
      const { refresh_token } = bench.signIn();
      expect(bench.refresh(refresh_token, { [name]: undefined }).status).toBe(400);
      const wrong = bench.refresh(refresh_token, { [name]: "wrong" }).status;
      expect(wrong).toBe(name.startsWith("client") ? 401 : 400);
      expect(bench.refresh(refresh_token).status).toBe(200);
    },
  );

  test.each(["access_token", "refresh_token"])(
    "device doc §4.4 row token: %s in the query",
    (name) => {
      const bench = new Bench();
      const token = String(bench.signIn()[name]);
      expect(bench.post(`/revoke?${form({ token })}`, {}).status).toBe(200);
    },
  );

  test("device doc §4.5 row part and mine: both are needed for the documents' request", () => {
    const bench = new Bench();
    const { access_token } = bench.signIn();
    expect(bench.get(API, access_token).status).toBe(200);
    expect(bench.get(API.replace("&mine=true", ""), access_token).status).toBe(400);
    expect(bench.get(API.replace("part=id&", ""), access_token).status).toBe(400);
  });
});

describe("device doc §8 limits", () => {
  test("device doc §8 row Code lifetime: both codes die together", () => {
    const bench = new Bench();
    const { device_code, user_code, expires_in } = bench.requestCodes().json;
    bench.wait(Number(expires_in));
    expect(bench.poll(device_code).json.error).toBe("expired_token");
    expect(bench.service.approve(String(user_code), "ada")).toBe("expired");
  });

  test("device doc §8 row Polling rate: at most one poll per interval", () => {
    const bench = new Bench({ interval: 10 });
    const { device_code } = bench.requestCodes().json;
    const answers = [0, 9.999, 10, 10, 0.001].map((wait) => {
      bench.wait(wait);
      return bench.poll(device_code).json.error;
    });
    const [pending, slow] = ["authorization_pending", "slow_down"];
    expect(answers).toEqual([pending, slow, pending, pending, slow]);
  });

  test("device doc §8 row Refresh tokens issued: by default a hundred per client and user", () => {
    const bench = new Bench({ deviceCodeQuota: null });
    const first = bench.signIn().refresh_token;
    for (let i = 1; i < 100; i++) bench.signIn();
    expect(bench.refresh(first).status).toBe(200);
    bench.signIn();
    expect(bench.refresh(first).status).toBe(400);
  });

  test("device doc §8 row Refresh token lifetime: until revoked, or until time-based access ends", () => {
    const bench = new Bench();
    const [forever, short] = [bench.signIn(), bench.signIn({ accessSeconds: 3600 })];
    bench.wait(3600);
    expect(bench.refresh(short.refresh_token).status).toBe(400);
    expect(bench.refresh(forever.refresh_token).status).toBe(200);
  });
});

describe("offer doc rows", () => {
  const IDS = { packageName: "test.picogrant.player", productId: "premium", basePlanId: "monthly" };
  const QUERY = { offerId: "intro", "regionsVersion.version": "2022/02" };

  function create(
    bench: Bench,
    parts: { ids?: object; query?: object; body?: object } = {},
  ): Answer {
    const { access_token } = bench.signIn({ client: PUBLISHER_CLIENT, scope: PUBLISHER });
    const ids = { ...IDS, ...parts.ids };
    const path = `${ids.packageName}/subscriptions/${ids.productId}/basePlans/${ids.basePlanId}/offers`;
    const target = `/publisher/v3/applications/${path}?${form({ ...QUERY, ...parts.query })}`;
    const headers = { authorization: `Bearer ${access_token}`, "content-type": "application/json" };
    return bench.send("POST", target, JSON.stringify({ ...ids, ...parts.body }), headers);
  }

  test.each(["packageName", "productId", "basePlanId", "offerId"] as const)(
    "offer doc §2 row %s: in the answer as given",
    (name) => {
      expect(create(new Bench()).json[name]).toBe({ ...IDS, offerId: "intro" }[name]);
    },
  );

  test("offer doc §2 row state: DRAFT after creation", () => {
    expect(create(new Bench()).json.state).toBe("DRAFT");
  });

  test.each([
    ["packageName", "test.other"],
    ["productId", "other"],
    ["basePlanId", "other"],
  ])("offer doc §4 row %s: in the path, names an existing parent", (name, value) => {
    expect(create(new Bench(), { ids: { [name]: value } }).status).toBe(404);
  });

  test.each([
    ["offerId", "offerId"],
    ["regionsVersion", "regionsVersion.version"],
  ])("offer doc §4 row %s: required in the query", (_, name) => {
    expect(create(new Bench(), { query: { [name]: undefined } }).status).toBe(400);
  });

  test("offer doc §6: creating an offer sends no event", () => {
    const bench = new Bench();
    const receiver = { authorization: "Bearer publisher-backend-token" };
    const poll = "https://schemas.openid.net/secevent/risc/delivery-method/poll";
    const body = JSON.stringify({ delivery: { delivery_method: poll } });
    expect(bench.send("POST", "/events/v1/stream:update", body, receiver).status).toBe(200);
    expect(create(bench).status).toBe(200);
    expect(bench.send("POST", "/events/v1/poll", "{}", receiver).json).toEqual({ sets: {} });
  });

  test("offer doc §7 row errors: every refusal has the same body: code, message, status, errors, details", () => {
    const refusals = [
      create(new Bench(), { query: { offerId: undefined } }),
      create(new Bench(), { ids: { productId: "other" } }),
      create(new Bench(), { ids: { basePlanId: "prepaid-30" } }),
      create(new Bench(), { body: { productId: "other" } }),
      new Bench().post("/publisher/v3/applications/x", {}),
    ];
    for (const { status, json } of refusals) {
      const error = json.error as { code: number; errors: unknown[] };
      expect(Object.keys(error).sort()).toEqual(["code", "details", "errors", "message", "status"]);
      expect(error.code).toBe(status);
      expect(error.errors).toHaveLength(1);
    }
  });

  test("offer doc §8: a body above the size limit is refused before it is read", async () => {
    const { service } = new Bench();
    const url = `${service.baseUrl}/publisher/v3/applications/x`;
    const request = new Request(url, { method: "POST", body: "x".repeat(300_000) });
    expect((await service.fetch(request)).status).toBe(413);
  });
});
