// What a service remembers in the long run: limits count what lives, and nothing grows for ever.
import { describe, expect, test } from "vitest";
import { readSnapshot } from "../../targets/service/index.ts";
import { Bench, TV, VIDEO_READONLY } from "./harness.ts";

describe("device doc §8: limits of refresh tokens", () => {
  test("an expired refresh token does not count: the live one stays alive", () => {
    const bench = new Bench({ refreshTokensPerClientAndUser: 2, refreshTokensPerUser: 2 });
    const live = bench.signIn();
    bench.signIn({ accessSeconds: 60 });
    bench.wait(61);
    bench.signIn();
    expect(bench.refresh(live.refresh_token).status).toBe(200);
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
    const list = "/video/v3/liveBroadcasts?part=id&mine=true";
    expect(again.get(list, displaced.access_token).status).toBe(200);
    expect(again.refresh(displaced.refresh_token).status).toBe(400);
    again.service.revokeAllFor("ada");
    expect(again.get(list, displaced.access_token).status).toBe(401);
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

describe("device doc §3: only a pending code expires", () => {
  const short = { codeLifetime: 60, expiredCodeMemory: 0 };

  test.each([
    ["granted", 200, undefined],
    ["denied", 403, "access_denied"],
  ])("a code that was %s in time is answered so after its end", (decision, status, error) => {
    const bench = new Bench(short);
    const codes = bench.requestCodes().json;
    bench.wait(59);
    if (decision === "granted") bench.service.approve(String(codes.user_code), "ada");
    else bench.service.deny(String(codes.user_code));
    bench.wait(10);
    // Another device's request is what makes the service forget old codes.
    bench.requestCodes();
    const answer = bench.poll(codes.device_code);
    expect([answer.status, answer.json.error]).toEqual([status, error]);
  });

  test("a decision that nobody fetches is forgotten after an hour", () => {
    const bench = new Bench(short);
    const codes = bench.requestCodes().json;
    bench.service.approve(String(codes.user_code), "ada");
    bench.wait(60 + 3600);
    bench.requestCodes();
    expect(bench.poll(codes.device_code).json.error).toBe("invalid_grant");
    expect(bench.service.counts().attempts).toBe(1);
  });
});

describe("device doc §1: the resource API is enabled for the project", () => {
  const client = { client_id: "unlisted-box", client_secret: "unlisted-secret" };
  const list = "/video/v3/liveBroadcasts?part=id&mine=true";

  test("a client of a project without the API gets the API's error", () => {
    const bench = new Bench();
    const { access_token } = bench.signIn({ client });
    const answer = bench.get(list, access_token);
    expect(answer.status).toBe(403);
    expect(JSON.stringify(answer.json)).toContain('"reason":"accessNotConfigured"');
    bench.service.setEnabledApis("unlisted-box", ["video"]);
    expect(bench.get(list, access_token).status).toBe(200);
  });

  test("an unknown client is named", () => {
    expect(() => new Bench().service.setEnabledApis("nobody", [])).toThrow('no client "nobody"');
  });
});

test("an account whose school forbids video is refused what the devices ask for by default", () => {
  const bench = new Bench();
  const codes = bench.requestCodes({ scope: VIDEO_READONLY }).json;
  expect(bench.service.approve(String(codes.user_code), "pupil")).toBe("admin_policy_enforced");
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
