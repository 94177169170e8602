// What a session is good for, over the border: API calls, the offer document row by row, discovery, and
// security events. Complete build only.

import { describe, expect, it } from "vitest";
import { ErrandState, ErrorCode, Field, OfferError, State } from "../../core/complete.ts";
import { Bench, code, error, json, type Reaction, tokens } from "./bench.ts";

const VIDEO_API = 4;
const PUBLISHER_API = 5;
const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);

/** Signed in, with these answers to come. */
function session(answers: Reaction[] = [], members: object = {}): Bench {
  const bench = new Bench([code(), tokens(members)]);
  bench.until(2);
  bench.answers = answers;
  bench.sent.length = 0;
  return bench;
}

/** Begins a call with this target; what sendCall says. */
function call(bench: Bench, target: string, body?: string, endpoint = VIDEO_API): number {
  const { core, device } = bench;
  if (core.beginCall(device) === 0) return 0;
  const path = bytesOf(target);
  core.addPath(device, path, 0, path.length);
  const lent = body === undefined ? null : bytesOf(body);
  return core.sendCall(device, endpoint, lent ? 0 : 1, lent, 0, lent ? lent.length : 0);
}

/** How the errand ended; it has to have. */
function outcome({ device }: Bench): { error: number; status: number } {
  expect(device.errandState).toBe(ErrandState.DONE);
  return { error: device.errandError, status: device.errandStatus };
}

const LIST = "/video/v3/liveBroadcasts?part=id%2Csnippet&mine=true";

describe("device doc §4.5 and §5.3: a call to an API", () => {
  it("device doc §4.5 row part: and mine; GET with the token in the header only", () => {
    const bench = session([json(200, { items: [] })]);
    const { core, device } = bench;
    expect(core.beginCall(device)).toBe(1);
    const add = (write: typeof core.addPath, text: string): void => {
      write(device, bytesOf(text), 0, bytesOf(text).length);
    };
    add(core.addPath, "/video/v3/liveBroadcasts?part=");
    add(core.addQueryValue, "id,snippet");
    add(core.addPath, "&mine=");
    add(core.addQueryValue, "true");
    expect(core.sendCall(device, VIDEO_API, 1, null, 0, 0)).toBe(1);
    bench.pass(0);
    expect(bench.sent).toHaveLength(1);
    expect(bench.sent[0]).toMatchObject({ target: LIST, isGet: 1, bearer: "access", body: "" });
    expect(bench.sent[0]!.target).not.toContain("access_token");
    expect(outcome(bench)).toEqual({ error: 0, status: 200 });
  });

  it.each([
    ["addSegment", "a/b c%é?#", "a%2Fb%20c%25%C3%A9%3F%23"],
    ["addQueryValue", "a/b c%é&=+", "a%2Fb+c%25%C3%A9%26%3D%2B"],
  ] as const)("device doc §4.5: %s encodes %s", (name, text, encoded) => {
    const bench = session([json(200, {})]);
    bench.core.beginCall(bench.device);
    bench.core[name](bench.device, bytesOf(text), 0, bytesOf(text).length);
    bench.core.sendCall(bench.device, VIDEO_API, 1, null, 0, 0);
    bench.pass(0);
    expect(bench.sent[0]!.target).toBe(encoded);
  });

  it("device doc §5.3 row 401: refreshed and sent again once, with the new token", () => {
    const bench = session([
      json(401, { error: { code: 401, message: "Invalid Credentials" } }),
      tokens({ access_token: "second" }),
      json(200, { items: [] }),
    ]);
    call(bench, LIST);
    bench.pass(5000);
    expect(bench.sent.map(({ endpoint, bearer }) => [endpoint, bearer])).toEqual([
      [VIDEO_API, "access"],
      [1, ""],
      [VIDEO_API, "second"],
    ]);
    expect(bench.sent[2]!.target).toBe(LIST);
    expect(outcome(bench)).toEqual({ error: 0, status: 200 });
  });

  it("device doc §5.3 row 401: a second one ends the call, not the session, and no third is sent", () => {
    const bench = session([json(401, {}), tokens({ access_token: "second" }), json(401, {})]);
    call(bench, LIST);
    bench.pass(60_000);
    expect(bench.sent).toHaveLength(3);
    expect(outcome(bench)).toEqual({ error: ErrorCode.INVALID_TOKEN, status: 401 });
    expect(bench.device.state).toBe(State.SIGNED_IN);
  });

  it("device doc §5.3 row 401: without a refresh token the session is over", () => {
    const bench = session([json(401, {})], { refresh_token: undefined });
    call(bench, LIST);
    bench.pass(5000);
    expect(outcome(bench)).toEqual({ error: ErrorCode.INVALID_TOKEN, status: 401 });
    expect(bench.device.state).toBe(State.FAILED);
    expect(bench.device.error).toBe(ErrorCode.SESSION_ENDED);
  });

  it("device doc §5.3 row 401: a refresh that is refused ends call and session", () => {
    const bench = session([json(401, {}), error(400, "invalid_grant")]);
    call(bench, LIST);
    bench.pass(5000);
    expect(outcome(bench).error).toBe(ErrorCode.SESSION_ENDED);
    expect(bench.device.state).toBe(State.FAILED);
  });

  it("device doc §5.3 row 401: a POST with a lent body is sent again with the same body", () => {
    const bench = session([json(401, {}), tokens({ access_token: "second" }), json(200, {})]);
    call(bench, "/x", '{"a":1}', PUBLISHER_API);
    bench.pass(5000);
    const posts = bench.sent.filter(({ endpoint }) => endpoint === PUBLISHER_API);
    expect(posts.map(({ body }) => body)).toEqual(['{"a":1}', '{"a":1}']);
  });

  it("device doc §5.7 row NoLinkedVideoAccount: told to the application, the session stays", () => {
    const message = "The user is not enabled for live streaming.";
    const reason = "NoLinkedVideoAccount";
    const bench = session([
      json(401, {}),
      tokens({ access_token: "second" }),
      json(403, { error: { code: 403, message, errors: [{ message, domain: "video", reason }] } }),
    ]);
    call(bench, LIST);
    bench.pass(5000);
    expect(outcome(bench).status).toBe(403);
    expect(bench.text(Field.VALUE_B)).toBe(reason);
    expect(bench.text(Field.MESSAGE)).toBe(message);
    expect(bench.device.state).toBe(State.SIGNED_IN);
  });

  it("device doc §4.5 row pages: nextPage repeats the call with the token, until there is none", () => {
    const bench = session([
      json(200, { items: [], nextPageToken: "p/2&+" }),
      json(200, { nextPageToken: "p3" }),
      json(200, {}),
    ]);
    call(bench, LIST);
    bench.pass(0);
    expect(bench.device.hasNextPage).toBe(1);
    expect(bench.core.nextPage(bench.device)).toBe(1);
    bench.pass(0);
    expect(bench.core.nextPage(bench.device)).toBe(1);
    bench.pass(0);
    expect(bench.device.hasNextPage).toBe(0);
    expect(bench.core.nextPage(bench.device)).toBe(0);
    expect(bench.sent.map(({ target }) => target)).toEqual([
      LIST,
      `${LIST}&pageToken=p%2F2%26%2B`,
      `${LIST}&pageToken=p3`,
    ]);
  });

  it("device doc §4.5: one at a time, and only for somebody who is signed in", () => {
    const bench = session(["hang"]);
    expect(call(bench, LIST)).toBe(1);
    bench.pass(0);
    expect(call(bench, LIST)).toBe(0);
    const nobody = new Bench([code()]);
    nobody.until(1);
    expect(call(nobody, LIST)).toBe(0);
  });

  it("device doc §4.5: a target that does not fit is not sent, nor cut", () => {
    const bench = session();
    expect(call(bench, `/${"x".repeat(4000)}`)).toBe(0);
    bench.pass(1000);
    expect(bench.sent).toHaveLength(0);
  });

  it.each([
    [null, ErrorCode.UNREACHABLE, 0],
    [json(500, {}), ErrorCode.UNAVAILABLE, 500],
    [{ status: 200, body: "<html>" }, ErrorCode.MALFORMED_RESPONSE, 200],
    [{ status: 204, body: "" }, ErrorCode.NONE, 204],
    [{ status: 302, body: "" }, ErrorCode.UNAVAILABLE, 302],
  ])("device doc §4.5: the call's answer %j is told and not repeated", (answer, number, status) => {
    const bench = session([answer]);
    call(bench, LIST);
    bench.pass(60_000);
    expect(bench.sent).toHaveLength(1);
    expect(outcome(bench)).toEqual({ error: number, status });
    expect(bench.device.state).toBe(State.SIGNED_IN);
  });

  it("device doc §9: the path goes out with its version, as the application gives it", () => {
    const bench = session([json(200, {})]);
    call(bench, LIST);
    bench.pass(0);
    expect(bench.sent[0]!.target).toContain("/v3/");
  });
});

const NAMES = ["test.picogrant.player", "premium", "monthly", "intro-1", "2022/02"];
const BODY = {
  packageName: NAMES[0],
  productId: NAMES[1],
  basePlanId: NAMES[2],
  offerId: NAMES[3],
};

/** Asks for an offer; what createOffer says. */
function offer(bench: Bench, names: string[] = NAMES, body: unknown = BODY): OfferError {
  const lines = bytesOf(names.join("\n"));
  const text = bytesOf(typeof body === "string" ? body : JSON.stringify(body));
  return bench.core.createOffer(bench.device, lines, 0, lines.length, text, 0, text.length);
}
const made = (members: object = {}): Reaction => json(200, { ...BODY, state: "DRAFT", ...members });
/** The five names with one of them changed. */
const withName = (which: number, value: string): string[] =>
  NAMES.map((name, i) => (i === which ? value : name));

describe("offer doc", () => {
  it("offer doc §4 row method and path: POST with the bearer token, segments in their places", () => {
    const bench = session([made()]);
    expect(offer(bench)).toBe(OfferError.NONE);
    bench.pass(0);
    expect(bench.sent[0]).toMatchObject({ endpoint: PUBLISHER_API, isGet: 0, bearer: "access" });
    expect(bench.sent[0]!.target).toBe(
      "/publisher/v3/applications/test.picogrant.player/subscriptions/premium/basePlans/monthly" +
        "/offers?offerId=intro-1&regionsVersion.version=2022%2F02",
    );
    expect(outcome(bench)).toEqual({ error: 0, status: 200 });
  });

  it("offer doc §4 row request body: one SubscriptionOffer, byte for byte", () => {
    const bench = session([made()]);
    const body = JSON.stringify({ phases: [{ duration: "P1M" }], ...BODY, note: "é€" }, null, 2);
    expect(offer(bench, NAMES, body)).toBe(OfferError.NONE);
    bench.pass(0);
    expect(bench.sent[0]!.body).toBe(body);
  });

  it("offer doc §4 row response body: the offer's own members are taken for no error", () => {
    const bench = session([made({ error: "none", message: "text", reason: "x" })]);
    offer(bench);
    bench.pass(0);
    expect(outcome(bench)).toEqual({ error: 0, status: 200 });
  });

  const missing: [string, number, OfferError][] = [
    ["packageName", 0, OfferError.PACKAGE_NAME],
    ["productId", 1, OfferError.PRODUCT_ID],
    ["basePlanId", 2, OfferError.BASE_PLAN_ID],
    ["offerId", 3, OfferError.OFFER_ID],
    ["regionsVersion", 4, OfferError.REGIONS_VERSION],
  ];
  it.each(missing)(
    "offer doc §4 row %s: required, checked before anything is sent",
    (_, which, number) => {
      const bench = session();
      expect(offer(bench, withName(which, ""))).toBe(number);
      expect(offer(bench, NAMES.slice(0, which))).toBe(number);
      bench.pass(1000);
      expect(bench.sent).toHaveLength(0);
    },
  );

  it.each([
    [0, "a b", OfferError.PACKAGE_NAME],
    [0, "a/b", OfferError.PACKAGE_NAME],
    [0, "x".repeat(256), OfferError.PACKAGE_NAME],
    [1, "Premium", OfferError.PRODUCT_ID],
    [1, "a-b", OfferError.PRODUCT_ID],
    [1, "x".repeat(41), OfferError.PRODUCT_ID],
    [2, "a_b", OfferError.BASE_PLAN_ID],
    [2, "x".repeat(64), OfferError.BASE_PLAN_ID],
    [3, "-a", OfferError.OFFER_ID],
    [3, "A", OfferError.OFFER_ID],
    [3, "a.b", OfferError.OFFER_ID],
    [3, "x".repeat(64), OfferError.OFFER_ID],
    [4, "2022 02", OfferError.REGIONS_VERSION],
  ])("offer doc §2: name %i as %s breaks its format", (which, value, number) => {
    const bench = session();
    expect(offer(bench, withName(which, value))).toBe(number);
    bench.pass(1000);
    expect(bench.sent).toHaveLength(0);
  });

  it.each([
    [1, "x".repeat(40)],
    [2, "-"],
    [3, "0"],
    [3, "a--1"],
  ])("offer doc §2: name %i as %s is well formed", (which, value) => {
    const names = withName(which, value);
    const bench = session([made()]);
    const body = {
      packageName: names[0],
      productId: names[1],
      basePlanId: names[2],
      offerId: names[3],
    };
    expect(offer(bench, names, body)).toBe(OfferError.NONE);
  });

  const parents: [string, OfferError][] = [
    ["packageName", OfferError.BODY_PACKAGE_NAME],
    ["productId", OfferError.BODY_PRODUCT_ID],
    ["basePlanId", OfferError.BODY_BASE_PLAN_ID],
    ["offerId", OfferError.BODY_OFFER_ID],
  ];
  it.each(parents)("offer doc §2 row %s: the body's must equal the address's", (member, number) => {
    const bench = session();
    expect(offer(bench, NAMES, { ...BODY, [member]: "other" })).toBe(number);
    expect(offer(bench, NAMES, { ...BODY, [member]: undefined })).toBe(number);
    expect(
      offer(bench, NAMES, { ...BODY, [member]: `${BODY[member as keyof typeof BODY]}x` }),
    ).toBe(number);
    // A nested one does not count.
    const nested = { ...BODY, [member]: undefined, phases: [{ [member]: "x" }] };
    expect(offer(bench, NAMES, nested)).toBe(number);
    bench.pass(1000);
    expect(bench.sent).toHaveLength(0);
  });

  it.each(["", "{", `${JSON.stringify(BODY)} x`])(
    "offer doc §4 row request body: %j is no JSON",
    (body) => {
      expect(offer(session(), NAMES, body)).toBe(OfferError.BODY);
    },
  );

  it.each(["[]", "null", '"x"', "[{}]", "{}"])(
    "offer doc §4 row request body: %j has no identifiers",
    (body) => {
      expect(offer(session(), NAMES, body)).toBe(OfferError.BODY_PACKAGE_NAME);
    },
  );

  it("offer doc §4: NOT_NOW without a session, and while another errand is under way", () => {
    const nobody = new Bench([code()]);
    nobody.until(1);
    expect(offer(nobody)).toBe(OfferError.NOT_NOW);
    const bench = session(["hang"]);
    expect(offer(bench)).toBe(OfferError.NONE);
    expect(offer(bench)).toBe(OfferError.NOT_NOW);
    bench.pass(0);
    expect(offer(bench)).toBe(OfferError.NOT_NOW);
  });

  it("offer doc §4: TOO_LONG where the address does not fit, and nothing is sent cut", () => {
    const bench = session();
    expect(
      offer(
        bench,
        withName(4, "9".repeat(63)).map((name, i) => (i ? name : "x".repeat(250))),
      ),
    ).toBe(OfferError.TOO_LONG);
    bench.pass(1000);
    expect(bench.sent).toHaveLength(0);
  });

  it.each(["ACTIVE", "INACTIVE", "draft", "", undefined, 1, "DRAFTED"])(
    "offer doc §2 row state: %j after creation is an error of its own",
    (state) => {
      const bench = session([made({ state })]);
      offer(bench);
      bench.pass(0);
      expect(outcome(bench)).toEqual({ error: ErrorCode.UNEXPECTED_STATE, status: 200 });
    },
  );

  it("offer doc §3 row (none), Create offer: DRAFT is the success, and nothing more is sent", () => {
    const bench = session([made()]);
    offer(bench);
    bench.pass(600_000);
    expect(outcome(bench)).toEqual({ error: 0, status: 200 });
    expect(bench.sent).toHaveLength(1);
  });

  it("offer doc §1: a base plan that cannot have offers is refused by the service; its reason is told", () => {
    const message = "Offers need an auto-renewing base plan.";
    const refusal = json(400, { error: { code: 400, message, status: "FAILED_PRECONDITION" } });
    const bench = session([refusal]);
    offer(bench);
    bench.pass(0);
    expect(outcome(bench)).toEqual({ error: ErrorCode.UNKNOWN_ERROR, status: 400 });
    expect(bench.text(Field.ERROR)).toBe("FAILED_PRECONDITION");
    expect(bench.text(Field.MESSAGE)).toBe(message);
  });

  it("offer doc §5: a dead token is renewed and the offer sent again, once", () => {
    const bench = session([json(401, {}), tokens({ access_token: "second" }), made()]);
    offer(bench);
    bench.pass(5000);
    const posts = bench.sent.filter(({ endpoint }) => endpoint === PUBLISHER_API);
    expect(posts.map(({ bearer }) => bearer)).toEqual(["access", "second"]);
    expect(posts[1]!.body).toBe(JSON.stringify(BODY));
    expect(outcome(bench).error).toBe(0);
  });

  it("offer doc §5: a missing scope (403) is told, and ends no session", () => {
    const bench = session([json(403, { error: { code: 403, status: "PERMISSION_DENIED" } })]);
    offer(bench);
    bench.pass(5000);
    expect(outcome(bench).status).toBe(403);
    expect(bench.device.state).toBe(State.SIGNED_IN);
  });

  it.each([null, json(409, { error: { status: "ALREADY_EXISTS" } }), { status: 500, body: "" }])(
    "offer doc §7: whatever the refusal %j, the offer is not sent twice",
    (answer) => {
      const bench = session([answer]);
      offer(bench);
      bench.pass(600_000);
      expect(bench.sent).toHaveLength(1);
      expect(outcome(bench).error).not.toBe(0);
    },
  );

  it("offer doc §9: the path carries the version v3", () => {
    const bench = session([made()]);
    offer(bench);
    bench.pass(0);
    expect(bench.sent[0]!.target.startsWith("/publisher/v3/")).toBe(true);
  });
});

const ISSUER = "https://issuer.example/tenant";
const METADATA = {
  issuer: ISSUER,
  device_authorization_endpoint: "https://issuer.example/device",
  token_endpoint: "https://issuer.example/token",
  revocation_endpoint: "https://issuer.example/revoke",
};

/** The error that discovery ends with. */
function discovered(metadata: unknown, issuer = ISSUER): { bench: Bench; number: number } {
  const answer = typeof metadata === "string" ? metadata : JSON.stringify(metadata);
  const bench = new Bench([{ status: 200, body: answer }], { autoStart: 0, memoryBytes: 12_288 });
  const bytes = bytesOf(issuer);
  expect(bench.core.discover(bench.device, bytes, 0, bytes.length)).toBe(1);
  bench.pass(0);
  expect(bench.sent[0]).toMatchObject({ endpoint: 3, isGet: 1, bearer: "", body: "" });
  return { bench, number: outcome(bench).error };
}

describe("device doc §4.1: discovery", () => {
  it("device doc §4.1 row discovery: the metadata's device_authorization_endpoint is taken over", () => {
    const { bench, number } = discovered({ extra: [1], ...METADATA });
    expect(number).toBe(0);
    expect(bench.text(Field.VALUE_B)).toBe(METADATA.device_authorization_endpoint);
    expect(bench.text(Field.VALUE_C)).toBe(METADATA.token_endpoint);
    expect(bench.text(Field.VALUE_D)).toBe(METADATA.revocation_endpoint);
  });

  it("device doc §4.1 row discovery: a server without revocation will do", () => {
    const { bench, number } = discovered({ ...METADATA, revocation_endpoint: undefined });
    expect(number).toBe(0);
    expect(bench.device.length[Field.VALUE_D]).toBe(-1);
  });

  it.each([
    `${ISSUER}/`,
    "https://issuer.example",
    "https://ISSUER.example/tenant",
    "https://evil.example/tenant",
    "",
    undefined,
  ])("device doc §4.1 row discovery: the issuer %j is not exactly the one asked for", (issuer) => {
    expect(discovered({ ...METADATA, issuer }).number).toBe(ErrorCode.MALFORMED_RESPONSE);
  });

  it.each(["device_authorization_endpoint", "token_endpoint"])(
    "device doc §4.1 row discovery: without %s it is refused",
    (member) => {
      expect(discovered({ ...METADATA, [member]: undefined }).number).not.toBe(0);
      expect(discovered({ ...METADATA, [member]: "" }).number).not.toBe(0);
    },
  );

  const bad = [
    "http://issuer.example/token",
    "http://127.0.0.1.evil.example/",
    "http://localhost.evil.example/",
    "http://localhost:80@evil.example/",
    "http://127.0.0.1@evil.example/",
    "https://user@evil.example/",
    "HTTP://issuer.example/",
    "ftp://issuer.example/",
    "//issuer.example/token",
    "/token",
    "https:/issuer.example",
    "https://issuer.example/a b",
    "https://issuer.example/\r\nX: y",
    "javascript:alert(1)",
  ];
  it.each(bad)("device doc §4.1 row discovery: %j is no address for a secret", (address) => {
    for (const member of [
      "device_authorization_endpoint",
      "token_endpoint",
      "revocation_endpoint",
    ]) {
      expect(discovered({ ...METADATA, [member]: address }).number).toBe(
        ErrorCode.MALFORMED_RESPONSE,
      );
    }
  });

  it.each([
    "http://127.0.0.1:8080/t",
    "http://localhost/t",
    "http://[::1]:1/t",
    "http://localhost",
  ])("device doc §4.1 row discovery: %s stays on the device itself and is accepted", (address) => {
    expect(discovered({ ...METADATA, token_endpoint: address }).number).toBe(0);
  });

  it.each(["", "{", "<html>", "[]", "null"])(
    "device doc §4.1 row discovery: %j is no document",
    (body) => {
      expect(discovered(body).number).not.toBe(0);
    },
  );

  it("device doc §4.1 row discovery: an address that does not fit is refused, not cut", () => {
    const token_endpoint = `https://issuer.example/${"x".repeat(9000)}`;
    expect(discovered({ ...METADATA, token_endpoint }).number).toBe(ErrorCode.VALUE_TOO_LONG);
  });

  it("device doc §4.1 row discovery: an issuer of more than 96 bytes is refused at once", () => {
    const bench = new Bench([], { autoStart: 0 });
    const bytes = bytesOf("x".repeat(97));
    expect(bench.core.discover(bench.device, bytes, 0, bytes.length)).toBe(0);
  });
});

const TYPES = "https://schemas.openid.net/secevent/";
const SESSIONS_REVOKED = `${TYPES}risc/event-type/sessions-revoked`;
const TOKEN_REVOKED = `${TYPES}oauth/event-type/token-revoked`;
const ACCOUNT_DISABLED = `${TYPES}risc/event-type/account-disabled`;
const VERIFICATION = `${TYPES}risc/event-type/verification`;
const SUBJECT = { subject_type: "iss-sub", iss: "https://issuer.example", sub: "123" };
let count = 0;

const claims = (type: string, event: object = { subject: SUBJECT }, jti = `event-${count++}`) => ({
  iss: "https://issuer.example",
  aud: "printer",
  iat: 1508184845,
  jti,
  events: { [type]: event },
});
const tokenSubject = (token: string, alg = "prefix") => ({
  subject: {
    subject_type: "oauth_token",
    token_type: "refresh_token",
    token_identifier_alg: alg,
    token,
  },
});

/** Hands a verified event in; what applySecurityEvent says. */
function hand(bench: Bench, event: unknown): number {
  const bytes = bytesOf(typeof event === "string" ? event : JSON.stringify(event));
  const said = bench.core.applySecurityEvent(bench.device, bytes, 0, bytes.length);
  bench.run(0);
  return said;
}
const wiped = (bench: Bench): boolean => bench.slots.every((slot) => slot.length === 0);

describe("device doc §6: security events", () => {
  it("device doc §6 row sessions-revoked: the access token is dropped and the refresh tried", () => {
    const bench = session(["hang"]);
    expect(hand(bench, claims(SESSIONS_REVOKED))).toBe(1);
    expect(bench.device.length[Field.ACCESS_TOKEN]).toBe(-1);
    expect(bench.sent[0]!.body).toContain("refresh_token=refresh");
  });

  it("device doc §6 row sessions-revoked: a refresh that works keeps the session", () => {
    const bench = session([tokens({ access_token: "second" })]);
    hand(bench, claims(SESSIONS_REVOKED));
    bench.pass(1000);
    expect(bench.device.state).toBe(State.SIGNED_IN);
    expect(bench.text(Field.ACCESS_TOKEN)).toBe("second");
  });

  it("device doc §6 row sessions-revoked: a refresh that is refused ends it", () => {
    const bench = session([error(400, "invalid_grant")]);
    hand(bench, claims(SESSIONS_REVOKED));
    bench.pass(1000);
    expect(bench.device.error).toBe(ErrorCode.SESSION_ENDED);
    expect(wiped(bench)).toBe(true);
  });

  it("device doc §6 row token-revoked: without an identifier it means this session's", () => {
    const bench = session();
    hand(bench, claims(TOKEN_REVOKED));
    expect(bench.device.error).toBe(ErrorCode.TOKEN_REVOKED);
    expect(wiped(bench)).toBe(true);
  });

  it.each([
    ["the refresh token", "1/refresh-tok"],
    ["the access token", "1/access-toke"],
  ])("device doc §6 row token-revoked: the prefix of %s ends the session", (_, prefix) => {
    const bench = session([], { refresh_token: "1/refresh-token", access_token: "1/access-token" });
    hand(bench, claims(TOKEN_REVOKED, tokenSubject(prefix)));
    expect(bench.device.state).toBe(State.FAILED);
    expect(bench.device.error).toBe(ErrorCode.TOKEN_REVOKED);
    expect(wiped(bench)).toBe(true);
  });

  it.each(["1/another-token", "1/refresh-token-and-more", ""])(
    "device doc §6 row token-revoked: the prefix %j of another token changes nothing",
    (prefix) => {
      const bench = session([], { refresh_token: "1/refresh-token" });
      expect(hand(bench, claims(TOKEN_REVOKED, tokenSubject(prefix)))).toBe(1);
      bench.pass(1000);
      expect(bench.device.state).toBe(State.SIGNED_IN);
      expect(bench.text(Field.ACCESS_TOKEN)).toBe("access");
      expect(bench.sent).toHaveLength(0);
    },
  );

  it.each(["hash_base64_sha512_sha512", "something_new"])(
    "device doc §6 row token-revoked: %s cannot be compared here; the refresh tells",
    (alg) => {
      const event = claims(TOKEN_REVOKED, tokenSubject("c29tZSBoYXNo", alg));
      const dead = session([error(400, "invalid_grant")]);
      hand(dead, event);
      dead.pass(1000);
      expect(dead.device.error).toBe(ErrorCode.SESSION_ENDED);
      const alive = session([tokens({ access_token: "second" })]);
      hand(alive, event);
      alive.pass(1000);
      expect(alive.text(Field.ACCESS_TOKEN)).toBe("second");
    },
  );

  it.each(["hijacking", "bulk-account", undefined])(
    "device doc §6 row account-disabled: reason %s ends the session, an administrator can help",
    (reason) => {
      const bench = session();
      hand(bench, claims(ACCOUNT_DISABLED, { subject: SUBJECT, reason }));
      expect(bench.device.error).toBe(ErrorCode.ACCOUNT_DISABLED);
      expect(bench.frame().join(" ")).toContain("Account disabled");
      expect(wiped(bench)).toBe(true);
    },
  );

  it.each([VERIFICATION, `${TYPES}risc/event-type/account-enabled`, "https://new.example/type"])(
    "device doc §6 row further types: %s changes nothing",
    (type) => {
      const bench = session();
      expect(hand(bench, claims(type, { state: "abc" }))).toBe(1);
      bench.pass(1000);
      expect(bench.device.state).toBe(State.SIGNED_IN);
      expect(bench.sent).toHaveLength(0);
    },
  );

  it("device doc §6: a duplicate by its jti is applied once", () => {
    const event = claims(SESSIONS_REVOKED, { subject: SUBJECT }, "the-same");
    const bench = session([tokens({ access_token: "second" })]);
    hand(bench, event);
    bench.pass(1000);
    expect(hand(bench, event)).toBe(1);
    bench.pass(1000);
    expect(bench.sent).toHaveLength(1);
    expect(hand(bench, { ...event, jti: "another" })).toBe(1);
    bench.pass(1000);
    expect(bench.sent).toHaveLength(2);
  });

  it.each(["", "{", "[]", "<html>", '{"events":{}}', '{"jti":"a\\"b","events":{}}', '{"jti":""}'])(
    "device doc §6: %j is no event and changes nothing",
    (text) => {
      const bench = session();
      expect(hand(bench, text)).toBe(0);
      expect(bench.device.state).toBe(State.SIGNED_IN);
    },
  );

  it("device doc §6: a type's name elsewhere in the claims is no event", () => {
    const bench = session();
    hand(bench, { jti: "elsewhere", aud: ACCOUNT_DISABLED, note: [ACCOUNT_DISABLED], events: {} });
    expect(bench.device.state).toBe(State.SIGNED_IN);
  });
});

const jws = (payload: unknown): string =>
  ["eyJhbGciOiJSUzI1NiJ9", Buffer.from(JSON.stringify(payload)).toString("base64url"), "c2ln"].join(
    ".",
  );
const delivery = (payload: { jti: string }): Reaction =>
  json(200, { sets: { [payload.jti]: jws(payload) }, moreAvailable: false });
const EMPTY = json(200, { sets: {}, moreAvailable: false });

describe("RFC 8936: events by polling", () => {
  it("RFC 8936 §2.4: one at a time, acknowledged with the next request, until none is left", () => {
    const first = claims(VERIFICATION, { state: "x" });
    const second = claims(VERIFICATION, { state: "y" });
    const bench = session([delivery(first), delivery(second), EMPTY]);
    expect(bench.core.pollEvents(bench.device)).toBe(1);
    bench.pass(0);
    expect(bench.verified).toEqual([jws(first), jws(second)]);
    const poll = { maxEvents: 1, returnImmediately: true };
    expect(bench.sent.map(({ body }) => JSON.parse(body))).toEqual([
      poll,
      { ...poll, ack: [first.jti] },
      { ...poll, ack: [second.jti] },
    ]);
    expect(bench.sent.every(({ endpoint, bearer }) => endpoint === 6 && bearer === "")).toBe(true);
    expect(outcome(bench)).toEqual({ error: 0, status: 200 });
  });

  it("RFC 8936 §2.4.4: a failed signature is reported and changes nothing", () => {
    const event = claims(ACCOUNT_DISABLED);
    const bench = session([delivery(event), EMPTY]);
    bench.genuine = false;
    bench.core.pollEvents(bench.device);
    bench.pass(0);
    expect(JSON.parse(bench.sent[1]!.body).setErrs).toEqual({
      [event.jti]: { err: "authentication_failed" },
    });
    expect(JSON.parse(bench.sent[1]!.body)).not.toHaveProperty("ack");
    expect(bench.device.state).toBe(State.SIGNED_IN);
  });

  it("RFC 8936 §2.4: the same event again is acknowledged again and applied once", () => {
    const event = claims(SESSIONS_REVOKED);
    const refreshed = tokens({ access_token: "second" });
    const bench = session([delivery(event), delivery(event), EMPTY, refreshed]);
    bench.core.pollEvents(bench.device);
    bench.pass(5000);
    const polls = bench.sent.filter(({ endpoint }) => endpoint === 6);
    expect(polls.map(({ body }) => JSON.parse(body).ack)).toEqual([
      undefined,
      [event.jti],
      [event.jti],
    ]);
    expect(bench.sent.filter(({ endpoint }) => endpoint === 1)).toHaveLength(1);
    expect(bench.text(Field.ACCESS_TOKEN)).toBe("second");
  });

  it("device doc §6 row account-disabled: fetched by polling, it ends the session and the poll", () => {
    const bench = session([delivery(claims(ACCOUNT_DISABLED))]);
    bench.core.pollEvents(bench.device);
    bench.pass(1000);
    expect(bench.device.error).toBe(ErrorCode.ACCOUNT_DISABLED);
    expect(bench.device.errandState).toBe(ErrandState.DONE);
    expect(bench.sent).toHaveLength(1);
  });

  it("RFC 8936 §2.4: a server that always has the same event does not keep the device for ever", () => {
    const bench = session(Array(1000).fill(delivery(claims(VERIFICATION, {}))));
    bench.core.pollEvents(bench.device);
    for (let i = 0; i < 40; i++) bench.pass(1);
    expect(bench.sent.length).toBeLessThan(50);
    expect(bench.device.errandState).toBe(ErrandState.DONE);
  });

  it.each([
    ["no JWS", "abc"],
    ["a payload that is no JSON", "a.YWJj.c"],
    ["a payload that is no base64url", "a.*.c"],
    ["without jti", jws({ events: { [ACCOUNT_DISABLED]: {} } })],
  ])("RFC 8417 §2: %s ends the poll with an error and changes nothing", (_, set) => {
    const bench = session([json(200, { sets: { x: set } })]);
    bench.core.pollEvents(bench.device);
    bench.pass(1000);
    expect(outcome(bench).error).toBe(ErrorCode.MALFORMED_RESPONSE);
    expect(bench.device.state).toBe(State.SIGNED_IN);
  });
});
