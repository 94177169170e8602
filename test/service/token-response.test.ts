// What the token endpoint answers with tokens, the first time and at a refresh: device doc §2.2, §4.3.
// How many refresh tokens there may be is in refresh-tokens.test.ts.
import { describe, expect, test } from "vitest";
import { Bench, CONSOLE, pendingCode, VIDEO, VIDEO_READONLY } from "./harness.ts";

describe("device doc §2.2 token response (RFC 6749 §5.1)", () => {
  test("device doc §2.2: the fields of a first answer, and no other", () => {
    const tokens = new Bench().signIn({ scope: `${VIDEO} email` });
    expect(Object.keys(tokens).sort()).toEqual([
      "access_token",
      "expires_in",
      "refresh_token",
      "scope",
      "token_type",
    ]);
    expect(tokens).toMatchObject({
      expires_in: 3600,
      scope: `${VIDEO} email`,
      token_type: "Bearer",
    });
    expect(String(tokens.access_token).length).toBeGreaterThan(22);
    expect(tokens.refresh_token).not.toBe(tokens.access_token);
  });

  test("device doc §2.2 row scope: what was granted, which may be less than was asked for (RFC 6749 §3.3)", () => {
    const bench = new Bench();
    const { device, user } = pendingCode(bench, { scope: `email ${VIDEO_READONLY}` });
    bench.service.approve(user, "ada", { scopes: ["email"] });
    expect(bench.poll(device).json.scope).toBe("email");
  });

  test("device doc §2.2 row refresh_token_expires_in: only for time-based access", () => {
    const bench = new Bench();
    expect(bench.signIn().refresh_token_expires_in).toBeUndefined();
    expect(bench.signIn({ accessSeconds: 86_400 }).refresh_token_expires_in).toBe(86_400);
    expect(bench.signIn({ account: "guest" }).refresh_token_expires_in).toBe(3600);
  });
});

describe("device doc §4.3 refresh", () => {
  test("device doc §4.3 row answer: a refresh gives access_token, expires_in, scope, token_type and no more", () => {
    const bench = new Bench();
    const tokens = bench.signIn();
    const answer = bench.refresh(tokens.refresh_token);
    expect(answer.status).toBe(200);
    expect(Object.keys(answer.json).sort()).toEqual([
      "access_token",
      "expires_in",
      "scope",
      "token_type",
    ]);
    expect(answer.json.access_token).not.toBe(tokens.access_token);
    expect(answer.json.scope).toBe(tokens.scope);
  });

  test("device doc §4.3: a failed refresh is 400 invalid_grant", () => {
    const bench = new Bench();
    expect(bench.refresh("none")).toMatchObject({ status: 400, json: { error: "invalid_grant" } });
    const { refresh_token } = bench.signIn();
    expect(bench.refresh(refresh_token, CONSOLE).json.error).toBe("invalid_grant");
    expect(bench.refresh(refresh_token).status).toBe(200);
  });

  test("device doc §5.2 row client_id and client_secret: refreshing needs the client's secret (RFC 6749 §3.2.1)", () => {
    const bench = new Bench();
    const { refresh_token } = bench.signIn();
    expect(bench.refresh(refresh_token, { client_secret: undefined }).status).toBe(400);
    expect(bench.refresh(refresh_token, { client_secret: "guess" }).status).toBe(401);
  });

  test("device doc §2.2: remaining lifetimes are whole seconds and never more than there are", () => {
    const bench = new Bench();
    const { refresh_token } = bench.signIn({ accessSeconds: 1000 });
    bench.wait(0.5);
    expect(bench.refresh(refresh_token).json).toMatchObject({
      expires_in: 999,
      refresh_token_expires_in: 999,
    });
  });

  test("device doc §2.2: a clock that ticks while the answer is made shortens no lifetime", () => {
    let ms = 0;
    const bench = new Bench({}, { now: () => ms++ });
    expect(bench.signIn({ accessSeconds: 60 })).toMatchObject({
      expires_in: 60,
      refresh_token_expires_in: 60,
    });
  });

  test.each([
    [86_400, 3600],
    [600, 600],
  ])(
    "device doc §2.2: the shorter of choice and account's rule counts: %i gives %i",
    (chosen, left) => {
      const tokens = new Bench().signIn({ account: "guest", accessSeconds: chosen });
      expect(tokens.refresh_token_expires_in).toBe(left);
    },
  );

  test("device doc §8: time-based access ends; expires_in never promises more", () => {
    const bench = new Bench();
    const tokens = bench.signIn({ accessSeconds: 4000 });
    expect(tokens.expires_in).toBe(3600);
    bench.wait(1000);
    const answer = bench.refresh(tokens.refresh_token);
    expect(answer.json.expires_in).toBe(3000);
    expect(answer.json.refresh_token_expires_in).toBe(3000);
    bench.wait(3000);
    expect(bench.refresh(tokens.refresh_token).json.error).toBe("invalid_grant");
  });
});
