// What a service remembers in the long run: nothing grows for ever, and what a restart needs is kept.
import { describe, expect, test } from "vitest";
import { readSnapshot } from "../../targets/service/index.ts";
import { Bench, TV, VIDEO_READONLY } from "./harness.ts";

const API = "/video/v3/liveBroadcasts?part=id&mine=true";

describe("memory", () => {
  test("nothing is left of a revoked grant, however often its token was rotated", () => {
    const bench = new Bench({ refreshTokenRotation: true });
    let { refresh_token } = bench.signIn();
    for (let i = 0; i < 5; i++) refresh_token = bench.refresh(refresh_token).json.refresh_token;
    bench.service.revokeAllFor("ada");
    expect(bench.service.counts()).toMatchObject({ grants: 0, refreshTokens: 0, accessTokens: 0 });
  });

  test("nothing is left of an evicted grant once its access tokens have run out", () => {
    const bench = new Bench({ refreshTokensPerClientAndUser: 1 });
    bench.signIn();
    bench.signIn();
    expect(bench.service.counts().accountsWithEvictedGrants).toBe(1);
    bench.wait(3600);
    bench.signIn({ account: "ben" });
    expect(bench.service.counts().accountsWithEvictedGrants).toBe(0);
  });

  test("a year of hourly refreshes leaves one grant and one live access token", () => {
    const bench = new Bench();
    const { refresh_token } = bench.signIn();
    for (let hour = 0; hour < 24 * 365; hour++) {
      bench.wait(3600);
      bench.refresh(refresh_token);
    }
    expect(bench.service.counts()).toMatchObject({ grants: 1, refreshTokens: 1, accessTokens: 1 });
  });

  test("a grant displaced when its access tokens had run out is dropped altogether", () => {
    const bench = new Bench({ refreshTokensPerClientAndUser: 1, accessTokenLifetime: 10 });
    for (let i = 0; i < 20; i++) {
      bench.signIn();
      bench.wait(11);
    }
    expect(bench.service.counts()).toMatchObject({ grants: 1, accountsWithEvictedGrants: 0 });
  });

  test("the access token of a displaced grant lives over a restart, and dies with the account", () => {
    const bench = new Bench({ refreshTokensPerClientAndUser: 1 });
    const displaced = bench.signIn();
    bench.signIn();
    const snapshot = readSnapshot(JSON.parse(JSON.stringify(bench.service.snapshot())));
    const again = new Bench({ refreshTokensPerClientAndUser: 1 }, { snapshot });
    expect(again.get(API, displaced.access_token).status).toBe(200);
    expect(again.refresh(displaced.refresh_token).status).toBe(400);
    again.service.revokeAllFor("ada");
    expect(again.get(API, displaced.access_token).status).toBe(401);
  });

  test("RFC 6749 §6: a narrow access token stays narrow through a snapshot", () => {
    const bench = new Bench();
    const { refresh_token } = bench.signIn({ scope: `${VIDEO_READONLY} email` });
    const narrow = bench.refresh(refresh_token, { scope: "email" }).json;
    const snapshot = JSON.parse(JSON.stringify(bench.service.snapshot()));
    const again = new Bench({}, { snapshot });
    expect(again.get(API, narrow.access_token).status).toBe(403);
  });
});

describe("RFC 9700 §4.14.2: reuse of a replaced refresh token", () => {
  const rotating = { refreshTokenRotation: true, rotationGrace: 0 };

  test("a year of hourly refreshes leaves a bounded list of replaced tokens", () => {
    const bench = new Bench(rotating);
    let { refresh_token } = bench.signIn();
    for (let hour = 0; hour < 200; hour++) ({ refresh_token } = bench.refresh(refresh_token).json);
    expect(bench.service.counts().refreshTokens).toBe(17);
    expect(bench.service.snapshot().grants[0]!.refreshTokens).toHaveLength(17);
    expect(bench.refresh(refresh_token).status).toBe(200);
  });

  test.each([
    ["the last of those remembered ends the grant", 16, 400],
    ["one that is older is unknown and ends nothing", 17, 200],
  ])("%s", (_, refreshes, afterwards) => {
    const bench = new Bench(rotating);
    const first = bench.signIn().refresh_token;
    let latest = first;
    for (let i = 0; i < refreshes; i++) latest = bench.refresh(latest).json.refresh_token;
    expect(bench.refresh(first).json.error).toBe("invalid_grant");
    expect(bench.refresh(latest).status).toBe(afterwards);
  });
});

test("a decision that nobody fetches is forgotten after an hour", () => {
  const bench = new Bench({ codeLifetime: 60, expiredCodeMemory: 0 });
  const codes = bench.requestCodes().json;
  bench.service.approve(String(codes.user_code), "ada");
  bench.wait(60 + 3600);
  bench.requestCodes();
  expect(bench.poll(codes.device_code).json.error).toBe("invalid_grant");
  expect(bench.service.counts().attempts).toBe(1);
});

test("an unknown client is named", () => {
  expect(() => new Bench().service.setEnabledApis("nobody", [])).toThrow('no client "nobody"');
});

test("an observer that throws costs nobody an answer or a second grant", () => {
  const bench = new Bench();
  const seen: string[] = [];
  bench.service.observe(() => {
    throw new Error("disk full");
  });
  bench.service.observe((event) => {
    seen.push(event.type === "failure" ? event.message : event.type);
  });
  const codes = bench.requestCodes().json;
  bench.service.approve(String(codes.user_code), "ada");
  expect(bench.poll(codes.device_code, TV).status).toBe(200);
  expect(bench.service.counts().grants).toBe(1);
  expect(seen).toContain("exchange");
  expect(seen).toContain("an observer threw: disk full");
});
