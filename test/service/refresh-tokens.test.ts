// Lifetimes of tokens: device doc §2.2, §3, §8; rotation, grace and reuse (RFC 9700 §4.14).
import { describe, expect, test } from "vitest";
import { Bench, CONSOLE, TV, VIDEO_READONLY } from "./harness.ts";

const API = "/video/v3/liveBroadcasts?part=id&mine=true";

describe("device doc §3 token lifetimes", () => {
  test("device doc §3 row token lifetimes: an access token works until expires_in seconds have gone, then no more", () => {
    const bench = new Bench({ accessTokenLifetime: 60 });
    const { access_token, expires_in } = bench.signIn();
    expect(expires_in).toBe(60);
    bench.wait(59.999);
    expect(bench.get(API, access_token).status).toBe(200);
    bench.wait(0.001);
    expect(bench.get(API, access_token).status).toBe(401);
  });

  test("device doc §2.2: a refresh token stays valid for years if nobody revokes it", () => {
    const bench = new Bench();
    const { refresh_token } = bench.signIn();
    bench.wait(10 * 365 * 86_400);
    expect(bench.refresh(refresh_token).status).toBe(200);
  });

  test("device doc §3 row token lifetimes: what the user revokes is dead, refresh 400, API 401", () => {
    const bench = new Bench();
    const { access_token, refresh_token } = bench.signIn();
    expect(bench.service.revokeAllFor("ada", TV.client_id)).toBe(1);
    expect(bench.refresh(refresh_token).json.error).toBe("invalid_grant");
    expect(bench.get(API, access_token).status).toBe(401);
  });

  test("device doc §3: tokens of a disabled account are dead, and stay so when it is enabled", () => {
    const bench = new Bench();
    const { access_token, refresh_token } = bench.signIn();
    const codes = bench.requestCodes().json;
    bench.service.approve(String(codes.user_code), "ada");
    bench.service.disableAccount("ada");
    expect(bench.get(API, access_token).status).toBe(401);
    expect(bench.poll(codes.device_code).json.error).toBe("access_denied");
    bench.service.enableAccount("ada");
    expect(bench.refresh(refresh_token).json.error).toBe("invalid_grant");
    expect(bench.signIn().token_type).toBe("Bearer");
  });
});

describe("device doc §8 limits of refresh tokens", () => {
  test("device doc §8: per client and user, the oldest dies silently, access tokens go on", () => {
    const bench = new Bench({ refreshTokensPerClientAndUser: 2 });
    const [first, second, third] = [bench.signIn(), bench.signIn(), bench.signIn()];
    expect(bench.refresh(first.refresh_token).json.error).toBe("invalid_grant");
    expect(bench.refresh(second.refresh_token).status).toBe(200);
    expect(bench.refresh(third.refresh_token).status).toBe(200);
    expect(bench.get(API, first.access_token).status).toBe(200);
  });

  test("device doc §8: the limit of one pair leaves other clients and users alone", () => {
    const bench = new Bench({ refreshTokensPerClientAndUser: 1 });
    const ada = bench.signIn();
    const ben = bench.signIn({ account: "ben" });
    const onConsole = bench.signIn({ client: CONSOLE });
    expect(bench.refresh(ada.refresh_token).status).toBe(200);
    expect(bench.refresh(ben.refresh_token).status).toBe(200);
    expect(bench.refresh(onConsole.refresh_token, CONSOLE).status).toBe(200);
  });

  test("device doc §8: per user across all clients, the oldest dies whichever client has it", () => {
    const bench = new Bench({ refreshTokensPerUser: 2 });
    const first = bench.signIn();
    const second = bench.signIn({ client: CONSOLE });
    const third = bench.signIn({ client: CONSOLE });
    expect(bench.refresh(first.refresh_token).json.error).toBe("invalid_grant");
    expect(bench.refresh(second.refresh_token, CONSOLE).status).toBe(200);
    expect(bench.refresh(third.refresh_token, CONSOLE).status).toBe(200);
  });

  test("device doc §8: revoking the account also reaches the access tokens of evicted grants", () => {
    const bench = new Bench({ refreshTokensPerClientAndUser: 1 });
    const evicted = bench.signIn();
    bench.signIn();
    bench.service.revokeAllFor("ada");
    expect(bench.get(API, evicted.access_token).status).toBe(401);
  });
});

describe("RFC 6749 §6: scopes of a refresh", () => {
  const asking = (scope: string) => ({ ...TV, scope });

  test("what was not granted is invalid_scope, and the refresh token stays good", () => {
    const bench = new Bench({ refreshTokenRotation: true });
    const { refresh_token } = bench.signIn({ scope: "email" });
    const refused = bench.refresh(refresh_token, asking("email profile"));
    expect([refused.status, refused.json.error]).toEqual([400, "invalid_scope"]);
    expect(bench.refresh(refresh_token).json.scope).toBe("email");
  });

  test("less than was granted narrows the access token, and not the grant", () => {
    const bench = new Bench();
    const { refresh_token } = bench.signIn({ scope: `${VIDEO_READONLY} email` });
    const narrow = bench.refresh(refresh_token, asking("email")).json;
    expect(narrow.scope).toBe("email");
    expect(bench.get(API, narrow.access_token).status).toBe(403);
    const whole = bench.refresh(refresh_token, asking("")).json;
    expect(whole.scope).toBe(`${VIDEO_READONLY} email`);
    expect(bench.get(API, whole.access_token).status).toBe(200);
  });

  test("a narrow access token stays narrow through a snapshot", () => {
    const bench = new Bench();
    const { refresh_token } = bench.signIn({ scope: `${VIDEO_READONLY} email` });
    const narrow = bench.refresh(refresh_token, asking("email")).json;
    const snapshot = JSON.parse(JSON.stringify(bench.service.snapshot()));
    const again = new Bench({}, { snapshot });
    expect(again.get(API, narrow.access_token).status).toBe(403);
  });
});

describe("rotation of refresh tokens", () => {
  test("device doc §2.2: without rotation a refresh response has no refresh_token", () => {
    const bench = new Bench();
    expect(bench.refresh(bench.signIn().refresh_token).json.refresh_token).toBeUndefined();
  });

  test("RFC 9700 §4.14: with rotation every refresh answers with a new refresh token", () => {
    const bench = new Bench({ refreshTokenRotation: true });
    let { refresh_token } = bench.signIn();
    for (let i = 0; i < 5; i++) {
      const answer = bench.refresh(refresh_token);
      expect(answer.status).toBe(200);
      expect(answer.json.refresh_token).not.toBe(refresh_token);
      refresh_token = answer.json.refresh_token;
    }
  });

  test("rotation: a lost answer is healed: the predecessor gives the same successor within its grace", () => {
    const bench = new Bench({ refreshTokenRotation: true, rotationGrace: 60 });
    const first = bench.signIn().refresh_token;
    const lost = bench.refresh(first).json;
    bench.wait(59.999);
    const again = bench.refresh(first);
    expect(again.status).toBe(200);
    expect(again.json.refresh_token).toBe(lost.refresh_token);
    expect(again.json.access_token).not.toBe(lost.access_token);
    expect(bench.refresh(again.json.refresh_token).status).toBe(200);
  });

  test("RFC 6749 §10.4, rotation: once the successor was used, the predecessor's use ends the whole family", () => {
    const bench = new Bench({ refreshTokenRotation: true, rotationGrace: 3600 });
    const first = bench.signIn().refresh_token;
    const second = bench.refresh(first).json.refresh_token;
    const third = bench.refresh(second).json;
    expect(bench.refresh(first).json.error).toBe("invalid_grant");
    expect(bench.refresh(third.refresh_token).json.error).toBe("invalid_grant");
    expect(bench.get(API, third.access_token).status).toBe(401);
  });

  test("rotation: the predecessor's use after the grace ends the whole family", () => {
    const bench = new Bench({ refreshTokenRotation: true, rotationGrace: 60 });
    const first = bench.signIn().refresh_token;
    const second = bench.refresh(first).json.refresh_token;
    bench.wait(60);
    expect(bench.refresh(first).json.error).toBe("invalid_grant");
    expect(bench.refresh(second).json.error).toBe("invalid_grant");
  });

  test("rotation: switched off meanwhile, the successor's use still ends the predecessor", () => {
    const bench = new Bench({ refreshTokenRotation: true });
    const first = bench.signIn().refresh_token;
    const second = bench.refresh(first).json.refresh_token;
    bench.service.setOptions({ refreshTokenRotation: false });
    expect(bench.refresh(second).status).toBe(200);
    expect(bench.refresh(first).status).toBe(400);
    expect(bench.refresh(second).status).toBe(400);
  });

  test("RFC 6749 §10.4, rotation: another client's attempt with a stolen token ends nothing", () => {
    const bench = new Bench({ refreshTokenRotation: true, rotationGrace: 0 });
    const first = bench.signIn().refresh_token;
    const second = bench.refresh(first).json.refresh_token;
    expect(bench.refresh(first, CONSOLE).json.error).toBe("invalid_grant");
    expect(bench.refresh(second).status).toBe(200);
  });

  test("rotation: time-based access keeps its end and names it in each answer", () => {
    const bench = new Bench({ refreshTokenRotation: true });
    const { refresh_token } = bench.signIn({ accessSeconds: 7200 });
    bench.wait(7000);
    expect(bench.refresh(refresh_token).json).toMatchObject({
      expires_in: 200,
      refresh_token_expires_in: 200,
    });
  });
});

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
});

test("RFC 6749 §4.1.2: with replayedCodeRevokes a second claim ends the first one's tokens", () => {
  const bench = new Bench({ replayedCodeRevokes: true });
  const { device_code, user_code } = bench.requestCodes().json;
  bench.service.approve(String(user_code), "ada");
  const tokens = bench.poll(device_code).json;
  expect(bench.poll(device_code).json.error).toBe("invalid_grant");
  expect(bench.refresh(tokens.refresh_token).json.error).toBe("invalid_grant");
});
