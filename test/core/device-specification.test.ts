// Tests the device against the device authorization specification, row by row. test/coverage finds the tests of a row
// by their names.

import { describe, expect, it } from "vitest";
import { type Config, ErrorCode, ErrorKind, Field, State } from "../../core/complete.ts";
import { fields, GRANT, Port, polls, type Reaction, signedIn } from "../environment/core-port.ts";
import { code, error, json, tokens } from "../environment/environment.ts";

const PENDING = error(428, "authorization_pending");
const QUOTA = json(403, { error_code: "rate_limit_exceeded" });
const DENIED = error(403, "access_denied");
const OVER = error(400, "invalid_grant");
const SLOWER = error(403, "slow_down");
const DAY_MS = 86_400_000;

interface Then {
  readonly state: State;
  readonly error?: ErrorCode;
  readonly shows?: string;
  readonly token?: string;
}
const { FAILED, REQUESTING, SIGNED_IN } = State;
const waiting: Then = { state: State.PENDING };
const signed: Then = { state: SIGNED_IN, shows: "Signed in", token: "access" };
const failed = (number: ErrorCode, shows = ""): Then => ({ state: FAILED, error: number, shows });
const ended = failed(ErrorCode.SESSION_ENDED, "Session ended.");
const setUpWrong = failed(ErrorCode.INVALID_REQUEST, "Wrong setup");

/** The server's responses, the expected requests (with the seconds between them, where they matter), and the result. */
type Story = [
  row: string,
  description: Reaction[],
  arrives: string,
  then: Then,
  on?: Partial<Config>,
];

const lacking = (member: string): Story => [
  `§2.1 row ${member}: without it there is no code, and the device requests another`,
  [code({ [member]: undefined }), code({ [member]: "" }), code()],
  "code, code, code",
  waiting,
];
const unprintable = (user_code: string): Story => [
  `§2.1 row user_code: ${JSON.stringify(user_code)} is not printable ASCII: it is not displayed altered`,
  [code({ user_code })],
  "code",
  { state: REQUESTING, error: ErrorCode.MALFORMED_RESPONSE },
];
const ran = (expires_in: unknown): Story => [
  `§2.1 row expires_in: ${JSON.stringify(expires_in)} seconds, then a new code`,
  [code({ expires_in }), ...Array(18).fill(PENDING), code()],
  `code, ${"poll 5, ".repeat(18)}code`,
  waiting,
];
const unusable = (token_type: string): Story => [
  `§2.2 row token_type: ${JSON.stringify(token_type)} is not used (RFC 6749 §7.1)`,
  [code(), tokens({ token_type })],
  "code, poll",
  { ...failed(ErrorCode.UNSUPPORTED_TOKEN_TYPE), token: "" },
];
const polled = (status: number, name: string, then: Then, more = ""): Story => [
  `${more}§7 row Poll ${status} ${name}: the state that it leads to`,
  [code(), error(status, name)],
  "code, poll 5",
  then,
];
const wide = (columns: number): Story => [
  `§8 row user_code display: 15 wide characters on ${columns} columns, on one line`,
  [code({ user_code: "W".repeat(15) })],
  "code",
  { ...waiting, shows: "W".repeat(15) },
  { columns },
];

const stories: Story[] = [
  ["§3 row device code request: a code leads to pending", [code()], "code", waiting],
  [
    "§3 row pending: device doc §7 row Poll 428 authorization_pending: a poll changes nothing",
    [code()],
    "code, poll 5, poll 5, poll 5",
    { ...waiting, error: ErrorCode.AUTHORIZATION_PENDING },
  ],
  [
    "§3 row slow_down: device doc §7 row Poll 403 slow_down: still pending, polled less often",
    [code(), SLOWER, SLOWER, SLOWER],
    "code, poll 5, poll 10, poll 15",
    { ...waiting, error: ErrorCode.SLOW_DOWN },
  ],
  [
    "§3 row granted: the next poll's tokens sign the user in",
    [code(), PENDING, tokens()],
    "code, poll 5, poll 5",
    signed,
  ],
  [
    "§3 row expired: the device restarts from the device code request automatically",
    [code({ expires_in: 3 }), error(400, "expired_token"), code({ user_code: "SECOND" })],
    "code, poll, code",
    { ...waiting, shows: "SECOND" },
  ],
  ...["device_code", "user_code", "verification_url"].map(lacking),
  ...["ABé", "A\u0007B", "   "].map(unprintable),
  [
    "§2.1 row verification_url: displayed (RFC 8628 §3.3: as verification_uri)",
    [code({ verification_url: undefined, verification_uri: "https://example.com/activate" })],
    "code",
    { ...waiting, shows: "https://example.com/activate" },
    { columns: 40 },
  ],
  ...[90, "90"].map(ran),
  [
    "§2.1 row interval: the least wait between two polls (RFC 8628 §3.5)",
    [code({ interval: 13 })],
    "code, poll 13, poll 13, poll 13",
    waiting,
  ],
  [
    "§2.2 row access_token: without it there is no session",
    [code(), tokens({ access_token: undefined }), tokens()],
    "code, poll, poll",
    signed,
  ],
  ...["mac", "DPoP", "bearer2"].map(unusable),
  [
    "§2.3 row Polling error: device doc §3 row denied: device doc §7 row Poll 403 access_denied: error decides (RFC 6749 §5.2)",
    [
      code(),
      json(428, { error: "authorization_pending", error_description: "Precondition Required" }),
      PENDING,
      json(403, { error_description: "Forbidden", error: "access_denied" }),
    ],
    "code, poll 5, poll 5, poll 5",
    failed(ErrorCode.ACCESS_DENIED, "Access refused"),
  ],
  [
    "§2.3 row Quota error: error_code is read as the error",
    [QUOTA],
    "code",
    { state: REQUESTING, error: ErrorCode.RATE_LIMIT_EXCEEDED },
  ],
  [
    "§4.2 row every interval: polls until a final response, then never again",
    [code(), ...Array(20).fill(PENDING), DENIED],
    `code${", poll 5".repeat(21)}`,
    failed(ErrorCode.ACCESS_DENIED),
  ],
  [
    "§4.3 row response: its four fields are enough",
    [code(), tokens(), tokens({ access_token: "new", refresh_token: undefined })],
    "code, poll, refresh",
    { ...signed, token: "new" },
  ],
  [
    "§5.5 row allowed scopes: another one is final",
    [error(400, "invalid_scope")],
    "code",
    failed(ErrorCode.INVALID_SCOPE, "Wrong setup"),
  ],
  polled(400, "admin_policy_enforced", failed(ErrorCode.ADMIN_POLICY_ENFORCED, "Not allowed")),
  polled(
    401,
    "invalid_client",
    failed(ErrorCode.INVALID_CLIENT, "Device refused"),
    "§5.4 row client type: device doc ",
  ),
  polled(400, "unsupported_grant_type", failed(ErrorCode.UNSUPPORTED_GRANT_TYPE)),
  polled(403, "org_internal", failed(ErrorCode.ORG_INTERNAL)),
  [
    "§7 row Poll 400 invalid_grant: a new code automatically",
    [code(), OVER, code({ user_code: "NEW" })],
    "code, poll 5, code",
    { ...waiting, shows: "NEW" },
  ],
  ...[400, 401].map(
    (status): Story => [
      `§7 row missing parameters or wrong values: ${status} is final, and nothing to ask again`,
      [code(), error(status, "invalid_request")],
      "code, poll 5",
      setUpWrong,
    ],
  ),
  [
    "§8 row Polling rate: never two polls within the interval, for any responses",
    [code(), PENDING, SLOWER, { status: 503 }, { body: "<html>" }, PENDING],
    "code, poll 5, poll 5, poll 10, poll 10, poll 10, poll 10",
    waiting,
  ],
  [
    "§8 row Refresh tokens issued: one that was revoked without notice ends the session",
    [code(), tokens(), OVER],
    "code, poll, refresh",
    ended,
  ],
  [
    "§8 row Refresh token lifetime: after its expiry the user must sign in",
    [code(), tokens({ refresh_token_expires_in: 3000 }), OVER],
    "code, poll, refresh",
    ended,
  ],
  ...[16, 20, 32, 80].map(wide),
];

it.each(stories)("device doc %s", (_, description, arrives, then, on) => {
  const port = new Port([...description], on);
  const expected = arrives.split(", ");
  port.until(expected.length);
  const exact = port.environment.arrived.map((one, at) =>
    expected[at]?.includes(" ") ? one : one.split(" ")[0],
  );
  expect(exact).toEqual(expected);
  expect(State[port.device.state]).toBe(State[then.state]);
  if (then.error) expect(ErrorCode[port.device.error]).toBe(ErrorCode[then.error]);
  expect(
    port
      .frame()
      .map((row) => row.trim())
      .join("\n"),
  ).toContain(then.shows ?? "");
  if (then.token !== undefined) expect(port.text(Field.ACCESS_TOKEN)).toBe(then.token);
  if (then.state !== FAILED) return;
  expect(port.core.errorKind(port.device, port.device.error)).toBeGreaterThanOrEqual(
    ErrorKind.USER,
  );
  expect(port.stored).toBe("");
  port.pass(DAY_MS);
  expect(port.sent).toHaveLength(expected.length);
  port.core.signIn(port.device);
  port.pass(0);
  expect(port.sent).toHaveLength(expected.length + 1);
});

describe("the exact requests", () => {
  const CLIENT = { client_id: "printer", client_secret: "secret" };
  const POLL = { ...CLIENT, device_code: "dc", grant_type: GRANT };
  const REFRESH = { ...CLIENT, refresh_token: "refresh", grant_type: "refresh_token" };
  it.each([
    [
      "§4.1 row client_id and row scope: device doc §5.1 row client_id alone: device doc §2.4 row client_secret",
      0,
      { client_id: "printer", scope: "email" },
    ],
    [
      "§4.2 row client_id and row client_secret and row device_code and row grant_type: RFC 8628 §3.4",
      1,
      POLL,
    ],
    [
      "§4.3 row client_id and row client_secret and row refresh_token and row grant_type: device doc §5.2 row client_id and client_secret: RFC 6749 §6",
      2,
      REFRESH,
    ],
  ])("device doc %s", (_, request, body) => {
    const port = signedIn();
    port.until(3);
    expect(fields(port.sent[request]!)).toEqual(body);
    expect(port.sent[request]).toMatchObject({ target: "", method: "POST", authorization: "" });
  });

  it("device doc §2.1 row device_code: every poll contains it unchanged", () => {
    const awkward = "AH-1Ng/#&%+ =é";
    const port = new Port([code({ device_code: awkward })]);
    port.until(3);
    expect(polls(port).map((sent) => fields(sent).device_code)).toEqual([awkward, awkward]);
  });
});

describe("a session", () => {
  const signedOut = (members: object, responses: Reaction[] = []): Port => {
    const port = signedIn(members, responses);
    port.core.signOut(port.device);
    port.pass(DAY_MS);
    expect(port.device.state).toBe(State.SIGNED_OUT);
    expect(port.stored).toBe("");
    return port;
  };

  it("device doc §1 row the six steps: and then refresh and revocation", () => {
    const second = tokens({ access_token: "second" });
    const port = new Port([code(), PENDING, PENDING, tokens(), second, { body: "" }]);
    port.until(1);
    expect(port.frame().join("\n")).toMatch(/example.com\/device\s+Code ABCD-EFGH/);
    port.until(5);
    expect(port.text(Field.ACCESS_TOKEN)).toBe("second");
    port.core.signOut(port.device);
    port.pass(0);
    expect(port.device.state).toBe(State.SIGNED_OUT);
    expect(port.environment.arrived.map((one) => one.split(" ")[0])).toEqual([
      ...["code", "poll", "poll", "poll", "refresh", "revocation"],
    ]);
  });

  it.each([
    ["the refresh token, if there is one", "1/a+b&c=d", "?token=1%2Fa%2Bb%26c%3Dd"],
    ["else the access token", undefined, "?token=access"],
  ])(
    "device doc §3 row token lifetimes: device doc §4.4 row token: in the query string, %s, body empty",
    (_, refresh_token, target) => {
      const { sent } = signedOut({ refresh_token }, [{ body: "" }]);
      expect(sent[2]).toMatchObject({ endpoint: 2, method: "POST", target, text: "" });
    },
  );

  it.each(["", "{}", '{"anything":1}'])(
    "device doc §4.4 row success: a 200 with the body %j is not shown (RFC 7009 §2.2)",
    (body) => {
      expect(signedOut({}, [{ body }]).sent).toHaveLength(3);
    },
  );

  it.each(["", '{"error":"invalid_request"}', '{"error":{"code":400,"message":"no"}}', "<html>"])(
    "device doc §7 row Revoke 400: %j is retried, then dropped",
    (body) => {
      const { sent } = signedOut({}, Array(10).fill({ status: 400, body }));
      expect(sent.slice(2).map(({ target }) => target)).toEqual(Array(4).fill("?token=refresh"));
    },
  );

  it.each([3920, "3920"])(
    "device doc §2.2 row expires_in: %j; the token is refreshed before its expiry",
    (expires_in) => {
      const port = signedIn({ expires_in });
      port.until(3);
      const afterS = (port.sent[2]!.atMs - port.sent[1]!.atMs) / 1000;
      expect(afterS).toBeGreaterThanOrEqual(3920 - 600);
      expect(afterS).toBeLessThan(3920);
    },
  );

  it("device doc §2.2 row refresh_token: the old one stays if a refresh response has none", () => {
    const port = signedIn({}, Array(2).fill(tokens({ refresh_token: undefined })));
    port.until(4);
    expect(fields(port.sent[3]!).refresh_token).toBe("refresh");
  });

  it("device doc §2.2 row refresh_token_expires_in: the user is warned three days before", () => {
    const responses = Array(200).fill(tokens({ refresh_token: undefined }));
    const port = signedIn({ refresh_token_expires_in: 300_000 }, responses);
    port.pass(300_000_000 - 3 * DAY_MS - 60_000);
    expect(port.frame().join("\n")).not.toContain("Sign in again soon");
    port.pass(3_660_000);
    expect(port.frame().join("\n")).toContain("Sign in again soon");
  });

  it.each(["email https://example.com/auth/video", "repo,gist", "Email https://Example.com/Video"])(
    "device doc §2.2 row scope: the host can read the granted scope: %s",
    (scope) => {
      expect(signedIn({ scope }).text(Field.SCOPE)).toBe(scope);
    },
  );
});

it("device doc §7 row Device code request 403 rate_limit_exceeded: device doc §8 row Device code request quota: retried with growing waits, without end", () => {
  const port = new Port(Array(2000).fill(QUOTA));
  port.until(5);
  const waits = port.environment.arrived.slice(1).map((one) => Number(one.split(" ")[1]));
  for (const [i, most] of [2, 4, 8, 16].entries()) {
    expect(waits[i]).toBeGreaterThanOrEqual(most / 2);
    expect(waits[i]).toBeLessThanOrEqual(most);
  }
  port.pass(3_600_000);
  expect(port.sent.length).toBeLessThan(130);
  expect(port.device.state).toBe(REQUESTING);
});

it("device doc §8 row Code lifetime: an expired code is not polled", () => {
  const port = new Port([code({ expires_in: 20 })]);
  port.pass(60_000);
  const first = polls(port).filter((sent) => fields(sent).device_code === "dc");
  for (const { atMs } of first) expect(atMs - port.sent[0]!.atMs).toBeLessThanOrEqual(20_000);
});

it.each([
  [16, 4],
  [20, 4],
  [40, 2],
  [80, 8],
])(
  "device doc §8 row verification_url display: 40 characters on one page of %i x %i",
  (columns, rows) => {
    const address = "https://www.example.com/some/device/abcd";
    const port = new Port([code({ verification_url: address })], { columns, rows });
    port.until(1);
    const text = port.frame().map((row) => row.trimEnd());
    expect(text.join("")).toContain(columns < 40 ? address.slice(8) : address);
  },
);
