// The device document row by row, as the device sees it: the grant as a whole and the fields of its
// answers. A test's name begins with the section, and the row where the section is a table: test/coverage
// makes the table of tests from them.

import { describe, expect, it, test } from "vitest";
import { ClientAuthentication, ErrorCode, Field, State } from "../../core/complete.ts";
import { fields, Port, polls, signedIn } from "../world/core-port.ts";
import { code, error, json, tokens } from "../world/world.ts";

test("device doc §1 row the six steps: then refresh and revocation", () => {
  const pending = error(428, "authorization_pending");
  const bench = new Port([code(), pending, pending, tokens(), tokens({ access_token: "second" })]);
  bench.until(1);
  expect(bench.frame().join("\n")).toContain("example.com/device");
  expect(bench.frame().join("\n")).toContain("ABCD-EFGH");
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

describe("device doc §2.1", () => {
  const unusable = { device_code: ["", 0], user_code: ["", 0], verification_url: ["", 0] };
  it.each(Object.keys(unusable))(
    "device doc §2.1 row %s: without it there is no code, and it is asked for again",
    (member) => {
      const bench = new Port([code({ [member]: undefined }), code({ [member]: "" }), code()]);
      bench.until(1);
      expect(bench.device.state).toBe(State.REQUESTING);
      expect(bench.device.error).toBe(ErrorCode.MALFORMED_RESPONSE);
      bench.until(3);
      expect(bench.device.state).toBe(State.PENDING);
    },
  );

  it("device doc §2.1 row device_code: goes into every poll exactly as it came", () => {
    const awkward = "AH-1Ng/#&%+ =é";
    const bench = new Port([code({ device_code: awkward })]);
    bench.until(3);
    expect(polls(bench).map((sent) => fields(sent).device_code)).toEqual([awkward, awkward]);
  });

  it.each(["GQVQ-JKEC", "gqvQjkec", "0OoIl1", "~!\"#$%&'()*+,-./", "AB CD"])(
    "device doc §2.1 row user_code: %s is displayed as it is, capitals and all (RFC 8628 §3.3)",
    (userCode) => {
      const bench = new Port([code({ user_code: userCode })], { columns: 32 });
      bench.until(1);
      expect(bench.frame().at(-1)).toContain(userCode);
    },
  );

  it.each(["ABé", "A\u0007B", "   "])(
    "device doc §2.1 row user_code: %j is not printable ASCII, so it is not displayed altered",
    (userCode) => {
      const bench = new Port([code({ user_code: userCode })]);
      bench.until(1);
      expect(bench.device.state).toBe(State.REQUESTING);
    },
  );

  it.each(["verification_url", "verification_uri"])(
    "RFC 8628 §3.3, device doc §2.1 row verification_url: displayed, whether it is named %s",
    (name) => {
      const address = "https://example.com/activate";
      const bench = new Port([code({ verification_url: undefined, [name]: address })], {
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
    const bench = new Port([code({ expires_in: lifetime })]);
    bench.answers.push(...Array(17).fill(error(428, "authorization_pending")));
    bench.until(1);
    const from = bench.sent[0]!.atMs;
    while (bench.sent.at(-1)!.endpoint === 1 || bench.sent.length === 1) bench.pass(1000);
    const livedMs = bench.sent.at(-1)!.atMs - from;
    expect(livedMs).toBeGreaterThan(89_000);
    expect(livedMs).toBeLessThanOrEqual(95_000);
  });

  it("device doc §2.1 row interval: the least wait between two polls", () => {
    const bench = new Port([code({ interval: 13 })]);
    bench.until(4);
    const times = bench.sent.map(({ atMs }) => atMs);
    expect(times.slice(1).map((time, i) => time - times[i]!)).toEqual([13_000, 13_000, 13_000]);
  });
});

describe("device doc §2.2", () => {
  it("device doc §2.2 row access_token: without it there is no session", () => {
    const bench = new Port([code(), tokens({ access_token: undefined }), tokens()]);
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

  it("device doc §2.2 row refresh_token_expires_in: the user is told three days ahead", () => {
    const bench = signedIn({ refresh_token_expires_in: 300_000 });
    bench.answers = Array(200).fill(tokens({ refresh_token: undefined }));
    bench.pass(300_000_000 - 259_200_000 - 60_000);
    expect(bench.frame().join("\n")).not.toContain("Sign in again soon");
    // With the refresh that follows at the latest.
    bench.pass(3_660_000);
    expect(bench.frame().join("\n")).toContain("Sign in again soon");
  });

  it.each([
    ["as text", "email https://example.com/auth/video", "email https://example.com/auth/video"],
    ["with commas", "repo,gist", "repo,gist"],
    [
      "with its capitals",
      "Email https://Example.com/auth/Video",
      "Email https://Example.com/auth/Video",
    ],
  ])("device doc §2.2 row scope: what was granted can be read, %s", (_, scope, kept) => {
    expect(signedIn({ scope }).text(Field.SCOPE)).toBe(kept);
  });

  it.each(["mac", "DPoP", "bearer2", ""])(
    "device doc §2.2 row token_type: %j is not, and its token is not used (RFC 6749 §7.1)",
    (type) => {
      const bench = new Port([code(), tokens({ token_type: type })]);
      bench.until(2);
      expect(bench.device.state).toBe(State.FAILED);
      expect(bench.device.error).toBe(ErrorCode.UNSUPPORTED_TOKEN_TYPE);
      expect(bench.device.length[Field.ACCESS_TOKEN]).toBe(-1);
    },
  );
});

describe("device doc §2.3 and §2.4", () => {
  it("device doc §2.3 row Polling error: error decides, error_description is not needed", () => {
    const bench = new Port([
      code(),
      json(428, { error: "authorization_pending", error_description: "Precondition Required" }),
      json(428, { error: "authorization_pending" }),
      json(403, { error_description: "Forbidden", error: "access_denied" }),
    ]);
    bench.until(4);
    expect(bench.device.error).toBe(ErrorCode.ACCESS_DENIED);
  });

  it("device doc §2.3 row Quota error: error_code is read as the error", () => {
    const bench = new Port([json(403, { error_code: "rate_limit_exceeded" })]);
    bench.until(1);
    expect(bench.device.state).toBe(State.REQUESTING);
    expect(bench.device.error).toBe(ErrorCode.RATE_LIMIT_EXCEEDED);
  });

  it("device doc §2.4 row client_id: sent at all three endpoints, form-encoded", () => {
    const clientId = "a b&c=d/é";
    const answers = [code(), tokens(), tokens(), error(400, "invalid_token"), json(200, {})];
    const bench = new Port(answers, {
      clientId,
      clientAuthentication: ClientAuthentication.CLIENT_SECRET_POST,
    });
    bench.until(3);
    bench.core.signOut(bench.device);
    bench.until(5);
    const named = bench.sent.filter(({ target }) => !target);
    expect(named.slice(0, 5).map((sent) => fields(sent).client_id)).toEqual(
      Array(5).fill(clientId),
    );
  });

  it("device doc §2.4 row client_secret: sent when polling and refreshing, not before", () => {
    const bench = new Port([code(), tokens(), tokens()], { clientSecret: "s&=e" });
    bench.until(3);
    expect(bench.sent.map((sent) => fields(sent).client_secret)).toEqual([
      undefined,
      "s&=e",
      "s&=e",
    ]);
  });
});

// The device document row by row, as the device sees it: errors and limits. A test's name begins with the
// section, and the row where the section is a table.

describe("device doc §7", () => {
  it("device doc §7 row Device code request 403 rate_limit_exceeded: backs off, longer each time", () => {
    const quota = json(403, { error_code: "rate_limit_exceeded" });
    const bench = new Port([quota, quota, quota, quota, code()]);
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
  ])("device doc §7 row Revoke 400: %j is tried again, then let be", (status, body) => {
    const bench = signedIn();
    bench.answers = Array(10).fill({ status, body });
    bench.core.signOut(bench.device);
    bench.pass(600_000);
    expect(bench.sent.slice(2).map(({ target }) => (target ? "query" : "body"))).toEqual([
      ...Array(4).fill("query"),
    ]);
    expect(bench.device.state).toBe(State.SIGNED_OUT);
    expect(bench.kept).toBe("");
  });

  it.each([400, 401])(
    "device doc §7 row missing parameters or wrong values: %i is final, and nothing to ask again",
    (status) => {
      const bench = new Port([code(), error(status, "invalid_request")]);
      bench.pass(86_400_000);
      expect(bench.device.state).toBe(State.FAILED);
      expect(bench.sent.length).toBe(2);
    },
  );
});

describe("device doc §8", () => {
  it("device doc §8 row Code lifetime: no poll with a code that has lived its time", () => {
    const bench = new Port([code({ expires_in: 20 })]);
    bench.pass(60_000);
    const from = bench.sent[0]!.atMs;
    const first = polls(bench).filter((sent) => fields(sent).device_code === "dc");
    for (const { atMs } of first) expect(atMs - from).toBeLessThanOrEqual(20_000);
  });

  it("device doc §8 row Polling rate: never two polls within the interval, whatever comes", () => {
    const bench = new Port([
      code(),
      "refuse",
      error(403, "slow_down"),
      { status: 503, body: "" },
      { status: 200, body: "<html>" },
      error(428, "authorization_pending"),
      "refuse",
    ]);
    bench.until(10);
    const times = polls(bench).map(({ atMs }) => atMs);
    for (const [i, time] of times.slice(1).entries()) {
      expect(time - times[i]!).toBeGreaterThanOrEqual(i < 2 ? 5000 : 10_000);
    }
  });

  it("device doc §8 row Device code request quota: asked for again ever more slowly, on end", () => {
    const quota = json(403, { error_code: "rate_limit_exceeded" });
    const bench = new Port(Array(2000).fill(quota));
    bench.pass(3_600_000);
    expect(bench.sent.length).toBeLessThan(130);
    expect(bench.device.state).toBe(State.REQUESTING);
  });

  it("device doc §8 row Refresh tokens issued: one that died silently ends the session", () => {
    const bench = signedIn();
    bench.answers = [error(400, "invalid_grant")];
    bench.until(3);
    expect(bench.device.error).toBe(ErrorCode.SESSION_ENDED);
    expect(bench.frame().join("\n")).toContain("Session ended");
  });

  it.each([16, 20, 32, 80])(
    "device doc §8 row user_code display: 15 wide characters on %i columns, on one line",
    (columns) => {
      const bench = new Port([code({ user_code: "WWWWWWWWWWWWWWW" })], { columns });
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
      const bench = new Port([code({ verification_url: address })], { columns, rows });
      bench.until(1);
      const text = bench
        .frame()
        .map((row) => row.trimEnd())
        .join("");
      expect(text).toContain(columns < 40 ? address.slice(8) : address);
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
