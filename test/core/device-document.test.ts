// The device document row by row, as the device sees it. A test's name begins with the section, and the
// row where the section is a table: test/coverage makes the table of tests from them. What needs an API,
// an offer or a security event is in errands.test.ts.

import { describe, expect, it, test } from "vitest";
import { ErrorCode, Field, State } from "../../core/complete.ts";
import { Bench, code, error, json, type Sent, tokens } from "./bench.ts";

const GRANT = "urn:ietf:params:oauth:grant-type:device_code";
const fields = (sent: Sent): Record<string, string> =>
  Object.fromEntries(new URLSearchParams(sent.body));
const polls = (bench: Bench): Sent[] => bench.sent.filter(({ endpoint }) => endpoint === 1);
const shown = (bench: Bench): string => bench.frame().join("\n");
const signedIn = (members: object = {}): Bench => {
  const bench = new Bench([code(), tokens(members)]);
  bench.until(2);
  expect(bench.device.state).toBe(State.SIGNED_IN);
  return bench;
};

test("device doc §1: the six steps, then refresh and revocation", () => {
  const pending = error(428, "authorization_pending");
  const bench = new Bench([code(), pending, pending, tokens(), tokens({ access_token: "second" })]);
  bench.until(1);
  expect(shown(bench)).toContain("example.com/device");
  expect(shown(bench)).toContain("ABCD-EFGH");
  bench.until(4);
  expect(bench.device.state).toBe(State.SIGNED_IN);
  bench.until(5);
  expect(bench.text(Field.ACCESS_TOKEN)).toBe("second");
  bench.answers = [{ status: 200, body: "" }];
  bench.core.signOut(bench.device);
  bench.pass(0);
  expect(bench.device.state).toBe(State.SIGNED_OUT);
  expect(bench.sent.map(({ endpoint }) => endpoint)).toEqual([0, 1, 1, 1, 1, 2]);
});

test("device doc §1: a client without a secret sends none anywhere", () => {
  const answers = [code(), tokens(), tokens(), error(400, "invalid_token"), json(200, {})];
  const bench = new Bench(answers, { clientSecret: "" });
  bench.until(3);
  bench.core.signOut(bench.device);
  bench.until(5);
  for (const { body, target } of bench.sent) expect(body + target).not.toContain("secret");
});

describe("device doc §2.1", () => {
  const unusable = { device_code: ["", 0], user_code: ["", 0], verification_url: ["", 0] };
  it.each(Object.keys(unusable))(
    "device doc §2.1 row %s: without it there is no code, and it is asked for again",
    (member) => {
      const bench = new Bench([code({ [member]: undefined }), code({ [member]: "" }), code()]);
      bench.until(1);
      expect(bench.device.state).toBe(State.REQUESTING);
      expect(bench.device.error).toBe(ErrorCode.MALFORMED_RESPONSE);
      bench.until(3);
      expect(bench.device.state).toBe(State.PENDING);
    },
  );

  it("device doc §2.1 row device_code: goes into every poll exactly as it came", () => {
    const awkward = "AH-1Ng/#&%+ =é";
    const bench = new Bench([code({ device_code: awkward })]);
    bench.until(3);
    expect(polls(bench).map((sent) => fields(sent).device_code)).toEqual([awkward, awkward]);
  });

  it.each(["GQVQ-JKEC", "gqvQjkec", "0OoIl1", "~!\"#$%&'()*+,-./"])(
    "device doc §2.1 row user_code: %s is displayed as it is, capitals and all",
    (userCode) => {
      const bench = new Bench([code({ user_code: userCode })], { columns: 32 });
      bench.until(1);
      expect(bench.frame().at(-1)).toContain(userCode);
    },
  );

  it.each(["AB CD", "ABé", "A\u0007B"])(
    "device doc §2.1 row user_code: %j is not printable ASCII, so it is not displayed altered",
    (userCode) => {
      const bench = new Bench([code({ user_code: userCode })]);
      bench.until(1);
      expect(bench.device.state).toBe(State.REQUESTING);
    },
  );

  it.each(["verification_url", "verification_uri"])(
    "device doc §2.1 row verification_url: displayed, whether it is named %s",
    (name) => {
      const address = "https://example.com/activate";
      const bench = new Bench([code({ verification_url: undefined, [name]: address })], {
        columns: 40,
      });
      bench.until(1);
      expect(bench.frame().map((row) => row.trim())).toContain(address);
    },
  );

  it.each([
    ["a number", 90],
    ["a string of digits", "90"],
  ])("device doc §2.1 row expires_in: %s of seconds, then a new code", (_, lifetime) => {
    const bench = new Bench([code({ expires_in: lifetime })]);
    bench.answers.push(...Array(17).fill(error(428, "authorization_pending")));
    bench.until(1);
    const from = bench.sent[0]!.atMs;
    while (bench.sent.at(-1)!.endpoint === 1 || bench.sent.length === 1) bench.pass(1000);
    const livedMs = bench.sent.at(-1)!.atMs - from;
    expect(livedMs).toBeGreaterThan(89_000);
    expect(livedMs).toBeLessThanOrEqual(95_000);
  });

  it("device doc §2.1 row expires_in: without it there is no code", () => {
    const bench = new Bench([code({ expires_in: undefined })]);
    bench.until(1);
    expect(bench.device.error).toBe(ErrorCode.MALFORMED_RESPONSE);
  });

  it("device doc §2.1 row interval: the least wait between two polls", () => {
    const bench = new Bench([code({ interval: 13 })]);
    bench.until(4);
    const times = bench.sent.map(({ atMs }) => atMs);
    expect(times.slice(1).map((time, i) => time - times[i]!)).toEqual([13_000, 13_000, 13_000]);
  });
});

describe("device doc §2.2", () => {
  it("device doc §2.2 row access_token: without it there is no session", () => {
    const bench = new Bench([code(), tokens({ access_token: undefined }), tokens()]);
    bench.until(2);
    expect(bench.device.state).toBe(State.PENDING);
    bench.until(3);
    expect(bench.text(Field.ACCESS_TOKEN)).toBe("access");
  });

  it.each([
    ["a number", 3920],
    ["a string of digits", "3920"],
  ])("device doc §2.2 row expires_in: %s; refreshed ahead of its end, never after", (_, life) => {
    const bench = signedIn({ expires_in: life });
    const from = bench.sent[1]!.atMs;
    bench.until(3);
    const afterS = (bench.sent[2]!.atMs - from) / 1000;
    expect(afterS).toBeGreaterThanOrEqual(3920 - 600);
    expect(afterS).toBeLessThan(3920);
  });

  it("device doc §2.2 row refresh_token: kept when a refresh response has none", () => {
    const bench = signedIn();
    bench.answers = [
      tokens({ refresh_token: undefined, access_token: "second" }),
      tokens({ refresh_token: undefined, access_token: "third" }),
    ];
    bench.until(4);
    expect(
      polls(bench)
        .slice(1)
        .map((sent) => fields(sent).refresh_token),
    ).toEqual(["refresh", "refresh"]);
    expect(bench.text(Field.ACCESS_TOKEN)).toBe("third");
  });

  it("device doc §2.2 row refresh_token: a new one replaces the old", () => {
    const bench = signedIn();
    bench.answers = [tokens({ refresh_token: "next" }), tokens()];
    bench.until(4);
    expect(fields(bench.sent[3]!).refresh_token).toBe("next");
  });

  it("device doc §2.2 row refresh_token_expires_in: the user is told three days ahead", () => {
    const bench = signedIn({ refresh_token_expires_in: 300_000 });
    bench.answers = Array(200).fill(tokens({ refresh_token: undefined }));
    bench.pass(300_000_000 - 259_200_000 - 60_000);
    expect(shown(bench)).not.toContain("Sign in again soon");
    // With the refresh that follows at the latest.
    bench.pass(3_660_000);
    expect(shown(bench)).toContain("Sign in again soon");
  });

  it("device doc §2.2 row refresh_token_expires_in: absent, nothing is said", () => {
    const bench = signedIn();
    bench.answers = Array(200).fill(tokens({ refresh_token: undefined }));
    bench.pass(300_000_000);
    expect(shown(bench)).not.toContain("soon");
  });

  it.each([
    ["as text", "email https://example.com/auth/video", "email https://example.com/auth/video"],
    ["with commas", "repo,gist", "repo,gist"],
  ])("device doc §2.2 row scope: what was granted can be read, %s", (_, scope, kept) => {
    expect(signedIn({ scope }).text(Field.SCOPE)).toBe(kept);
  });

  it.each(["Bearer", "bearer", "BEARER", undefined])(
    "device doc §2.2 row token_type: %s is accepted",
    (type) => {
      expect(signedIn({ token_type: type }).device.state).toBe(State.SIGNED_IN);
    },
  );

  it.each(["mac", "DPoP", "bearer2", ""])(
    "device doc §2.2 row token_type: %j is not, and its token is not used",
    (type) => {
      const bench = new Bench([code(), tokens({ token_type: type })]);
      bench.until(2);
      expect(bench.device.state).toBe(State.FAILED);
      expect(bench.device.error).toBe(ErrorCode.UNSUPPORTED_TOKEN_TYPE);
      expect(bench.device.length[Field.ACCESS_TOKEN]).toBe(-1);
    },
  );
});

describe("device doc §2.3 and §2.4", () => {
  it("device doc §2.3 row Polling error: error decides, error_description is not needed", () => {
    const bench = new Bench([
      code(),
      json(428, { error: "authorization_pending", error_description: "Precondition Required" }),
      json(428, { error: "authorization_pending" }),
      json(403, { error_description: "Forbidden", error: "access_denied" }),
    ]);
    bench.until(4);
    expect(bench.device.error).toBe(ErrorCode.ACCESS_DENIED);
  });

  it("device doc §2.3 row Quota error: error_code is read as the error", () => {
    const bench = new Bench([json(403, { error_code: "rate_limit_exceeded" })]);
    bench.until(1);
    expect(bench.device.state).toBe(State.REQUESTING);
    expect(bench.device.error).toBe(ErrorCode.RATE_LIMIT_EXCEEDED);
  });

  it("device doc §2.4 row client_id: sent at all three endpoints, form-encoded", () => {
    const clientId = "a b&c=d/é";
    const answers = [code(), tokens(), tokens(), error(400, "invalid_token"), json(200, {})];
    const bench = new Bench(answers, { clientId });
    bench.until(3);
    bench.core.signOut(bench.device);
    bench.until(5);
    const named = bench.sent.filter(({ target }) => !target);
    expect(named.map((sent) => fields(sent).client_id)).toEqual(Array(4).fill(clientId));
  });

  it("device doc §2.4 row client_secret: sent when polling and refreshing, not before", () => {
    const bench = new Bench([code(), tokens(), tokens()], { clientSecret: "s&=e" });
    bench.until(3);
    expect(bench.sent.map((sent) => fields(sent).client_secret)).toEqual([
      undefined,
      "s&=e",
      "s&=e",
    ]);
  });
});

describe("device doc §3", () => {
  it("device doc §3 row (none), Device code request: a code leads to pending", () => {
    const bench = new Bench([code()]);
    expect(bench.device.state).toBe(State.REQUESTING);
    bench.until(1);
    expect(bench.device.state).toBe(State.PENDING);
  });

  it("device doc §3 row pending, Poll: 428 authorization_pending changes nothing", () => {
    const bench = new Bench([code()]);
    bench.until(8);
    expect(bench.device.state).toBe(State.PENDING);
    expect(new Set(polls(bench).map(({ body }) => body)).size).toBe(1);
  });

  it("device doc §3 row pending, slow_down: still pending, polled less often", () => {
    const bench = new Bench([code(), error(403, "slow_down")]);
    bench.until(4);
    const [, first, second, third] = bench.sent;
    expect(second!.atMs - first!.atMs).toBe(10_000);
    expect(third!.atMs - second!.atMs).toBe(10_000);
  });

  it("device doc §3 row granted: the next poll's tokens sign the user in", () => {
    const bench = signedIn();
    expect(shown(bench)).toContain("Signed in");
    expect(shown(bench)).not.toContain("ABCD-EFGH");
  });

  it("device doc §3 row denied: 403 access_denied ends the attempt; signIn begins another", () => {
    const bench = new Bench([code(), error(403, "access_denied"), code({ user_code: "AGAIN" })]);
    bench.until(2);
    bench.pass(600_000);
    expect(bench.sent.length).toBe(2);
    bench.core.signIn(bench.device);
    bench.pass(0);
    expect(shown(bench)).toContain("AGAIN");
  });

  it("device doc §3 row expired: the device restarts from the device code request by itself", () => {
    const bench = new Bench([code({ expires_in: 3 }), code({ user_code: "SECOND" })]);
    bench.until(2);
    expect(bench.sent.map(({ endpoint }) => endpoint)).toEqual([0, 0]);
    expect(shown(bench)).toContain("SECOND");
  });

  it("device doc §3 row expired: an expired code is neither displayed nor polled with", () => {
    const bench = new Bench([code({ expires_in: 12 }), null, null, null, null, null, null]);
    bench.until(2);
    bench.pass(13_000);
    expect(shown(bench)).not.toContain("ABCD-EFGH");
    const { length } = polls(bench);
    bench.pass(60_000);
    expect(polls(bench).length).toBe(length);
  });

  it.each(["expired_token", "invalid_grant"])(
    "device doc §3 row response to a poll after expiry, not shown: %s brings a new code",
    (name) => {
      const bench = new Bench([code(), error(400, name), code({ user_code: "SECOND" })]);
      bench.until(3);
      expect(shown(bench)).toContain("SECOND");
    },
  );

  it("device doc §3 row lifetimes: a dead access token is not sent, a refresh comes first", () => {
    const bench = signedIn({ expires_in: 60 });
    bench.answers = [null, null, null, null, null, null, null, null];
    bench.pass(120_000);
    const { core, device } = bench;
    expect(core.beginCall(device)).toBe(1);
    core.sendCall(device, 4, 1, null, 0, 0);
    bench.pass(60_000);
    expect(bench.sent.every(({ bearer }) => bearer === "")).toBe(true);
    bench.answers = [tokens({ access_token: "second" }), json(200, {})];
    bench.pass(200_000);
    expect(bench.sent.map(({ bearer }) => bearer)).toContain("second");
  });

  it("device doc §3 row lifetimes: the refresh token, if there is one, is what is revoked", () => {
    const bench = signedIn();
    bench.core.signOut(bench.device);
    bench.pass(0);
    expect(bench.sent.at(-1)!.target).toBe("?token=refresh");
    const without = signedIn({ refresh_token: undefined });
    without.core.signOut(without.device);
    without.pass(0);
    expect(without.sent.at(-1)!.target).toBe("?token=access");
  });
});

describe("device doc §4", () => {
  it("device doc §4: every body of the grant reads as a form", () => {
    const answers = [code(), tokens(), tokens(), error(400, "invalid_token"), json(200, {})];
    const bench = new Bench(answers, { clientSecret: "ä€😀 +&%", revokeInBody: 1 });
    bench.until(3);
    bench.core.signOut(bench.device);
    bench.pass(0);
    for (const { body } of bench.sent) expect(String(new URLSearchParams(body))).toBe(body);
  });

  it("device doc §4.1 row client_id: and row scope, and nothing else", () => {
    const scope = "email https://example.com/auth/video.readonly";
    const bench = new Bench([code()], { scope });
    bench.until(1);
    expect(bench.sent[0]).toMatchObject({ endpoint: 0, target: "", isGet: 0, bearer: "" });
    expect(fields(bench.sent[0]!)).toEqual({ client_id: "printer", scope });
  });

  it.each(["client_id", "client_secret", "device_code", "grant_type"])(
    "device doc §4.2 row %s: in every poll, nothing beside the four",
    (name) => {
      const bench = new Bench([code()]);
      bench.until(3);
      const expected: Record<string, string> = {
        client_id: "printer",
        client_secret: "secret",
        device_code: "dc",
        grant_type: GRANT,
      };
      for (const sent of polls(bench)) {
        expect(fields(sent)[name]).toBe(expected[name]);
        expect(fields(sent)).toEqual(expected);
        expect(sent).toMatchObject({ target: "", isGet: 0, bearer: "" });
      }
    },
  );

  it("device doc §4.2: polls every interval until a final answer, then never again", () => {
    const bench = new Bench([code(), ...Array(20).fill(error(428, "authorization_pending"))]);
    bench.answers.push(error(403, "access_denied"));
    bench.pass(1_700_000);
    expect(polls(bench).length).toBe(21);
  });

  it.each(["client_id", "client_secret", "refresh_token", "grant_type"])(
    "device doc §4.3 row %s: in a refresh, nothing beside the four",
    (name) => {
      const bench = signedIn();
      bench.until(3);
      const expected: Record<string, string> = {
        client_id: "printer",
        client_secret: "secret",
        refresh_token: "refresh",
        grant_type: "refresh_token",
      };
      expect(fields(bench.sent[2]!)[name]).toBe(expected[name]);
      expect(fields(bench.sent[2]!)).toEqual(expected);
      expect(bench.sent[2]).toMatchObject({ endpoint: 1, target: "", isGet: 0, bearer: "" });
    },
  );

  it("device doc §4.3: the response's four fields are enough", () => {
    const bench = signedIn();
    bench.answers = [
      json(200, { access_token: "new", expires_in: 3920, scope: "email", token_type: "Bearer" }),
    ];
    bench.until(3);
    expect(bench.text(Field.ACCESS_TOKEN)).toBe("new");
    expect(bench.device.state).toBe(State.SIGNED_IN);
  });

  it("device doc §4.4 row token: in the query string, a single parameter, body empty", () => {
    const bench = signedIn({ refresh_token: "1/a+b&c=d" });
    bench.core.signOut(bench.device);
    bench.pass(0);
    expect(bench.sent[2]).toMatchObject({ endpoint: 2, isGet: 0, body: "" });
    expect(bench.sent[2]!.target).toBe(`?${new URLSearchParams({ token: "1/a+b&c=d" })}`);
  });

  it.each(["", "{}", '{"anything":1}'])(
    "device doc §4.4: 200 with the body %j (not shown) is a success",
    (body) => {
      const bench = signedIn();
      bench.answers = [{ status: 200, body }];
      bench.core.signOut(bench.device);
      bench.pass(86_400_000);
      expect(bench.device.state).toBe(State.SIGNED_OUT);
      expect(bench.sent.length).toBe(3);
    },
  );
});

describe("device doc §5", () => {
  it("device doc §5.1: the device code request identifies the client by client_id only", () => {
    const bench = new Bench([code()]);
    bench.until(1);
    expect(fields(bench.sent[0]!)).not.toHaveProperty("client_secret");
  });

  it("device doc §5.2: polling and refreshing send client_id and client_secret", () => {
    const bench = signedIn();
    bench.until(3);
    for (const sent of polls(bench)) {
      expect(fields(sent)).toMatchObject({ client_id: "printer", client_secret: "secret" });
    }
  });

  it("device doc §5.4: invalid_client is final, and the maker's to put right", () => {
    for (const answers of [
      [error(401, "invalid_client")],
      [code(), error(401, "invalid_client")],
    ]) {
      const bench = new Bench(answers);
      bench.until(answers.length);
      expect(bench.device.state).toBe(State.FAILED);
      expect(bench.core.errorKind(bench.device, bench.device.error)).toBe("m".charCodeAt(0));
    }
  });

  it.each(["email", "openid", "profile", "https://example.com/auth/storage.appdata"])(
    "device doc §5.5: the scope %s goes out as it is",
    (scope) => {
      const bench = new Bench([code()], { scope });
      bench.until(1);
      expect(fields(bench.sent[0]!).scope).toBe(scope);
    },
  );

  it("device doc §5.5: a scope that is not allowed is final", () => {
    const bench = new Bench([error(400, "invalid_scope")]);
    bench.until(1);
    expect(bench.device.state).toBe(State.FAILED);
    expect(bench.device.error).toBe(ErrorCode.INVALID_SCOPE);
  });
});

describe("device doc §7", () => {
  it("device doc §7 Device code request: 403 rate_limit_exceeded backs off, longer each time", () => {
    const quota = json(403, { error_code: "rate_limit_exceeded" });
    const bench = new Bench([quota, quota, quota, quota, code()]);
    bench.until(5);
    const times = bench.sent.map(({ atMs }) => atMs);
    const waits = times.slice(1).map((time, i) => time - times[i]!);
    for (const [i, most] of [2000, 4000, 8000, 16_000].entries()) {
      expect(waits[i]).toBeGreaterThanOrEqual(most / 2);
      expect(waits[i]).toBeLessThanOrEqual(most);
    }
    expect(bench.device.state).toBe(State.PENDING);
  });

  it.each([
    [400, ""],
    [400, '{"error":"invalid_token"}'],
    [400, '{"error":{"code":400,"message":"no"}}'],
    [400, "<html>"],
  ])("device doc §7 Revoke: %i with %j is tried in the body too, then let be", (status, body) => {
    const bench = signedIn();
    bench.answers = Array(10).fill({ status, body });
    bench.core.signOut(bench.device);
    bench.pass(600_000);
    expect(bench.sent.slice(2).map(({ target }) => (target ? "query" : "body"))).toEqual([
      "query",
      "body",
      "query",
      "body",
    ]);
    expect(bench.device.state).toBe(State.SIGNED_OUT);
    expect(bench.slots.every((slot) => slot.length === 0)).toBe(true);
  });

  it.each([400, 401])(
    "device doc §7: %i for missing parameters or wrong values is final, and nothing to ask again",
    (status) => {
      const bench = new Bench([code(), error(status, "invalid_request")]);
      bench.pass(86_400_000);
      expect(bench.device.state).toBe(State.FAILED);
      expect(bench.sent.length).toBe(2);
    },
  );

  it.each([
    [json(400, { error: "invalid_grant" }), "the session ends"],
    [json(401, { error: "invalid_client" }), "the tokens are kept for a better setup"],
    [{ status: 400, body: "not shown" }, "the session goes on"],
  ])("device doc §7: a refresh failure's body is not shown; %j", (answer, outcome) => {
    const bench = signedIn();
    bench.answers = [answer, answer, answer];
    bench.until(3);
    const kept = bench.slots.some((slot) => slot.length > 0);
    if (outcome === "the session ends") {
      expect(bench.device.error).toBe(ErrorCode.SESSION_ENDED);
      expect(kept).toBe(false);
    } else {
      expect(kept).toBe(true);
      expect(bench.device.error).not.toBe(ErrorCode.SESSION_ENDED);
    }
  });
});

describe("device doc §8", () => {
  it("device doc §8 row Code lifetime: no poll with a code that has lived its time", () => {
    const bench = new Bench([code({ expires_in: 20 })]);
    bench.pass(60_000);
    const from = bench.sent[0]!.atMs;
    const first = polls(bench).filter((sent) => fields(sent).device_code === "dc");
    for (const { atMs } of first) expect(atMs - from).toBeLessThanOrEqual(20_000);
  });

  it("device doc §8 row Polling rate: never two polls within the interval, whatever comes", () => {
    const bench = new Bench([
      code(),
      null,
      error(403, "slow_down"),
      { status: 503, body: "" },
      { status: 200, body: "<html>" },
      error(428, "authorization_pending"),
      null,
    ]);
    bench.until(10);
    const times = polls(bench).map(({ atMs }) => atMs);
    for (const [i, time] of times.slice(1).entries()) {
      expect(time - times[i]!).toBeGreaterThanOrEqual(i < 2 ? 5000 : 10_000);
    }
  });

  it("device doc §8 row Device code request quota: asked for again ever more slowly, on end", () => {
    const quota = json(403, { error_code: "rate_limit_exceeded" });
    const bench = new Bench(Array(2000).fill(quota));
    bench.pass(3_600_000);
    expect(bench.sent.length).toBeLessThan(130);
    expect(bench.device.state).toBe(State.REQUESTING);
  });

  it("device doc §8 row Refresh tokens issued: one that died silently ends the session", () => {
    const bench = signedIn();
    bench.answers = [error(400, "invalid_grant")];
    bench.until(3);
    expect(bench.device.error).toBe(ErrorCode.SESSION_ENDED);
    expect(shown(bench)).toContain("Session ended");
  });

  it.each([16, 20, 32, 80])(
    "device doc §8 row user_code display: 15 wide characters on %i columns, on one line",
    (columns) => {
      const bench = new Bench([code({ user_code: "WWWWWWWWWWWWWWW" })], { columns });
      bench.until(1);
      expect(bench.frame().at(-1)).toContain("WWWWWWWWWWWWWWW");
    },
  );

  it.each([
    [16, 4],
    [20, 4],
    [40, 2],
    [80, 8],
  ])(
    "device doc §8 row verification_url display: 40 characters on %i x %i at once",
    (columns, rows) => {
      const address = "https://www.example.com/some/device/abcd";
      const bench = new Bench([code({ verification_url: address })], { columns, rows });
      bench.until(1);
      const text = bench
        .frame()
        .map((row) => row.trimEnd())
        .join("");
      expect(text).toContain(columns < 40 ? address.slice(8) : address);
    },
  );

  it.each(["http://", "https://"])(
    "device doc §8 row verification_url display: %s may be left away",
    (scheme) => {
      const bench = new Bench([code({ verification_url: `${scheme}example.com/12345678` })]);
      bench.until(1);
      expect(bench.frame().map((row) => row.trimEnd())).toContain("example.com/12345678");
    },
  );

  it("device doc §8 row Refresh token lifetime: when it has expired the user is asked", () => {
    const bench = signedIn({ refresh_token_expires_in: 3000 });
    bench.answers = [error(400, "invalid_grant")];
    bench.until(3);
    expect(bench.device.state).toBe(State.FAILED);
    expect(bench.device.error).toBe(ErrorCode.SESSION_ENDED);
  });
});
