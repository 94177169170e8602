// How the client authenticates (RFC 6749 §2.3), at every endpoint of the authorization server, and what
// belongs to one client at one server alone: the records.

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import * as core from "../../core/complete.ts";
import { ClientAuthentication, ErrorCode, Event, State } from "../../core/complete.ts";
import { anyCharacter } from "../any-character.ts";
import {
  type Answer,
  Bench,
  code,
  config,
  error,
  fields,
  GRANT,
  json,
  polls,
  type Sent,
  tokens,
} from "./bench.ts";

const CLIENT = { clientId: "tv client/1", clientSecret: "s&cr=t é😀:" };
/** RFC 6749 §2.3.1 by other means: form-encode both, join them, base64. */
const encoded = (text: string): string => String(new URLSearchParams({ v: text })).slice(2);
const basicOf = (id: string, secret: string): string =>
  Buffer.from(`${encoded(id)}:${encoded(secret)}`).toString("base64");

/** The requests of a device's life: for a code, a poll, a refresh, and the first revocation. */
function life(settings: Partial<core.Config>): [Sent, Sent, Sent, Sent] {
  const answers = [code(), tokens(), tokens(), json(200, {}), json(200, {})];
  const bench = new Bench(answers, { ...CLIENT, ...settings });
  bench.until(3);
  bench.core.signOut(bench.device);
  bench.pass(0);
  expect(bench.device.state).toBe(State.SIGNED_OUT);
  const { clientAuthentication = config.clientAuthentication } = settings;
  const isOne = clientAuthentication === ClientAuthentication.DOCUMENTS;
  const revocations = isOne ? [2] : [2, 2];
  expect(bench.sent.map(({ endpoint }) => endpoint)).toEqual([0, 1, 1, ...revocations]);
  return bench.sent as [Sent, Sent, Sent, Sent];
}

const ID = { client_id: CLIENT.clientId };
const BOTH = { ...ID, client_secret: CLIENT.clientSecret };
const POLL = { grant_type: GRANT, device_code: "dc" };
const REFRESH = { grant_type: "refresh_token", refresh_token: "refresh" };

describe("RFC 6749 §2.3 client authentication", () => {
  it("none: a public client says its identifier in every body (RFC 8628 §3.1, §3.4, RFC 6749 §3.2.1, RFC 7009 §2.1)", () => {
    const [request, poll, refresh, revocation] = life({
      clientAuthentication: ClientAuthentication.NONE,
    });
    expect(fields(request)).toEqual({ scope: "email", ...ID });
    expect(fields(poll)).toEqual({ ...ID, ...POLL });
    expect(fields(refresh)).toEqual({ ...ID, ...REFRESH });
    expect(fields(revocation)).toEqual({ ...ID, token: "refresh" });
    for (const sent of [request, poll, refresh, revocation]) {
      expect(sent).toMatchObject({ target: "", basic: "", bearer: "" });
    }
  });

  it("client_secret_post: the secret is in every body, that of the device authorization request too (RFC 6749 §3.2.1)", () => {
    const [request, poll, refresh, revocation] = life({
      clientAuthentication: ClientAuthentication.CLIENT_SECRET_POST,
    });
    expect(fields(request)).toEqual({ scope: "email", ...BOTH });
    expect(fields(poll)).toEqual({ ...BOTH, ...POLL });
    expect(fields(refresh)).toEqual({ ...BOTH, ...REFRESH });
    expect(fields(revocation)).toEqual({ ...BOTH, token: "refresh" });
    for (const sent of [request, poll, refresh, revocation]) {
      expect(sent).toMatchObject({ target: "", basic: "", bearer: "" });
    }
  });

  it("client_secret_basic: the header is in every request, the secret in no body (RFC 6749 §2.3.1, §3.2.1)", () => {
    const [request, poll, refresh, revocation] = life({
      clientAuthentication: ClientAuthentication.CLIENT_SECRET_BASIC,
    });
    expect(fields(request)).toEqual({ scope: "email", ...ID });
    expect(fields(poll)).toEqual({ ...ID, ...POLL });
    expect(fields(refresh)).toEqual({ ...ID, ...REFRESH });
    expect(fields(revocation)).toEqual({ ...ID, token: "refresh" });
    const basic = basicOf(CLIENT.clientId, CLIENT.clientSecret);
    for (const sent of [request, poll, refresh, revocation]) {
      expect(sent).toMatchObject({ target: "", basic, bearer: "" });
    }
  });

  it("documents: the secret goes to the token endpoint alone, the token to revoke into the query", () => {
    const [request, poll, refresh, revocation] = life({
      clientAuthentication: ClientAuthentication.DOCUMENTS,
    });
    expect(fields(request)).toEqual({ scope: "email", ...ID });
    expect(fields(poll)).toEqual({ ...BOTH, ...POLL });
    expect(fields(refresh)).toEqual({ ...BOTH, ...REFRESH });
    expect(revocation).toMatchObject({ target: "?token=refresh", body: "" });
  });

  it("RFC 6749 §2.3.1: Basic encodes any identifier and secret, also of lengths that base64 pads", () => {
    const text = fc.string({ unit: anyCharacter, minLength: 1, maxLength: 20 });
    fc.assert(
      fc.property(text, text, (clientId, clientSecret) => {
        const bench = new Bench([], {
          ...{ clientId, clientSecret },
          clientAuthentication: ClientAuthentication.CLIENT_SECRET_BASIC,
        });
        bench.until(1);
        const wellFormed = Buffer.from(clientSecret).toString();
        expect(bench.sent[0]!.basic).toBe(basicOf(Buffer.from(clientId).toString(), wellFormed));
      }),
    );
  });

  it("RFC 6750 §2.1: requests to a resource server carry the access token, not the client's credentials", () => {
    const bench = new Bench([code(), tokens(), json(200, {})], {
      clientAuthentication: ClientAuthentication.CLIENT_SECRET_BASIC,
    });
    bench.until(2);
    expect(bench.core.beginCall(bench.device)).toBe(1);
    expect(bench.core.sendCall(bench.device, 5, 1, null, 0, 0)).toBe(1);
    bench.pass(0);
    expect(bench.sent[2]).toMatchObject({ endpoint: 5, basic: "", bearer: "access" });
  });

  it("RFC 7009 §2.1: each try of a revocation has the token in the body", () => {
    const bench = new Bench([code(), tokens()], {
      clientAuthentication: ClientAuthentication.NONE,
    });
    bench.until(2);
    bench.core.signOut(bench.device);
    bench.answers = Array(9).fill(json(400, { error: "invalid_request" }));
    bench.pass(600_000);
    const tries = bench.sent.slice(2);
    expect(tries).toHaveLength(4);
    for (const sent of tries) {
      expect(sent.target).toBe("");
      expect(fields(sent).token).toBe("refresh");
    }
  });
});

describe("parameters that the maker adds", () => {
  it("RFC 8707 §2.2: those of token requests go into polls and refreshes, not elsewhere", () => {
    const [request, poll, refresh, revocation] = life({
      deviceParameters: "&audience=a",
      tokenParameters: "&resource=https%3A%2F%2Fapi.example%2F",
    });
    expect(fields(request)).toMatchObject({ audience: "a" });
    expect(fields(request)).not.toHaveProperty("resource");
    expect(fields(poll)).toMatchObject({ resource: "https://api.example/", device_code: "dc" });
    expect(fields(refresh)).toMatchObject({ resource: "https://api.example/" });
    expect(revocation.body + revocation.target).not.toContain("resource");
    for (const { body } of [request, poll, refresh]) {
      expect(String(new URLSearchParams(body))).toBe(body);
    }
  });
});

describe("what is stored belongs to a client and a server", () => {
  const stored = (settings: Partial<core.Config>): Uint8Array[] => {
    const bench = new Bench([code(), tokens()], settings);
    bench.until(2);
    return bench.slots;
  };
  const stateAfter = (slots: Uint8Array[], settings: Partial<core.Config>): State =>
    new Bench([], { slots: slots.map((slot) => slot.slice()), autoStart: 0, ...settings }).device
      .state;
  const here = { clientId: "printer", server: "https://auth.example" };

  it("the same client at the same server goes on with its session", () => {
    expect(stateAfter(stored(here), here)).toBe(State.REFRESHING);
  });

  it.each([
    ["another server", { ...here, server: "https://auth.example.net" }],
    ["another port of it", { ...here, server: "https://auth.example:8443" }],
    ["no server named", { ...here, server: "" }],
    ["another client", { ...here, clientId: "scanner" }],
    ["a client whose name ends where the server's begins", { clientId: "printe", server: "r" }],
  ])("SPEC.md Records, RFC 6749 §10.4: %s finds nothing", (_, other) => {
    expect(stateAfter(stored(here), other)).toBe(State.SIGNED_OUT);
  });

  it("a server's name that does not fit the memory makes no device", () => {
    const server = "x".repeat(9000);
    expect(core.create(new Uint8Array(8192), { ...config, server })).toBeNull();
  });
});

describe("RFC 7636 §4.3, §4.5 proof key for code exchange", () => {
  it("Appendix B: the challenge with the request, the verifier with each poll", () => {
    const verifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk";
    const bench = new Bench([], { pkce: 2 });
    bench.challengeHangs = true;
    bench.pass(10_000);
    expect(bench.sent).toEqual([]);
    bench.challengeHangs = false;
    bench.answers = [code(), error(400, "authorization_pending"), tokens()];
    bench.makeChallenge(verifier);
    bench.until(3);
    expect(bench.sent[0]!.body).toBe(
      "code_challenge_method=S256&code_challenge=E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM" +
        "&scope=email&client_id=printer",
    );
    for (const poll of polls(bench)) expect(fields(poll).code_verifier).toBe(verifier);
    expect(polls(bench)).toHaveLength(2);
    expect(bench.device.state).toBe(State.SIGNED_IN);
  });
});

// Signing out: which tokens are revoked, in which order, and what is said where a server does not (RFC 7009).

const DONE = json(200, {});
const UNSUPPORTED = error(400, "unsupported_token_type");

/** A device that has signed in with these members, and signs out; the server answers revocations in this order. */
function signedOut(
  answers: (Answer | null)[],
  members: object = {},
  method = ClientAuthentication.NONE,
): Bench {
  const bench = new Bench([code(), tokens(members)], { clientAuthentication: method });
  bench.until(2);
  bench.run(0);
  bench.answers = answers;
  bench.core.signOut(bench.device);
  bench.pass(800_000);
  return bench;
}

/** The tokens that were sent to the revocation endpoint. */
function revoked(bench: Bench): (string | null)[] {
  const sent = bench.sent.filter(({ endpoint }) => endpoint === 2);
  return sent.map(({ body, target }) => new URLSearchParams(body || target).get("token"));
}

describe("RFC 7009 §2.1: the server only should end the access token with the refresh token", () => {
  it.each([
    ["both are revoked", [DONE, DONE], ["refresh", "access"], ErrorCode.NONE],
    [
      "RFC 7009 §2.2.1: a type that is not revoked is not tried again, and the other token is revoked",
      [UNSUPPORTED, DONE],
      ["refresh", "access"],
      ErrorCode.UNSUPPORTED_TOKEN_TYPE,
    ],
    [
      "RFC 7009 §2.2.1: an access token that cannot be revoked lives its minutes out",
      [DONE, UNSUPPORTED],
      ["refresh", "access"],
      ErrorCode.NONE,
    ],
    [
      "an access token that has ended with the refresh token is no error",
      [DONE, error(400, "invalid_token")],
      ["refresh", "access"],
      ErrorCode.NONE,
    ],
    [
      "neither type is revoked",
      [UNSUPPORTED, UNSUPPORTED],
      ["refresh", "access"],
      ErrorCode.UNSUPPORTED_TOKEN_TYPE,
    ],
    [
      "what passes is tried again, four times in all",
      [error(503, "server_error"), DONE, null, null, null],
      ["refresh", "refresh", "access", "access", "access"],
      ErrorCode.UNREACHABLE,
    ],
    [
      "a server that refuses the client is not told of the other token",
      Array<Answer>(9).fill(error(401, "invalid_client")),
      ["refresh", "refresh", "refresh", "refresh"],
      ErrorCode.INVALID_CLIENT,
    ],
  ] as const)("%s", (_, answers, sent, outcome) => {
    const bench = signedOut([...answers]);
    expect(revoked(bench)).toEqual(sent);
    expect(bench.device.state).toBe(State.SIGNED_OUT);
    expect(bench.device.event).toBe(Event.REVOKED);
    expect(ErrorCode[bench.device.error]).toBe(ErrorCode[outcome]);
    expect(bench.slots.every((slot) => slot.length === 0)).toBe(true);
  });

  it.each([
    [
      "by the documents' rule one revocation ends both",
      {},
      ClientAuthentication.DOCUMENTS,
      ["refresh"],
    ],
    [
      "without a refresh token",
      { refresh_token: undefined },
      ClientAuthentication.NONE,
      ["access"],
    ],
  ])("%s: one request", (_, members, method, sent) => {
    const bench = signedOut([DONE], members, method);
    expect(revoked(bench)).toEqual(sent);
    expect(bench.device.error).toBe(ErrorCode.NONE);
  });

  it.each([
    ["success", DONE.status],
    ["refusal that is tried again", 503],
  ])(
    "RFC 7009 §2.2: tokens in the answer to a revocation, a %s, are none of the device's",
    (_, status) => {
      const others = json(status, { access_token: "other", refresh_token: "another" });
      const bench = signedOut([others, DONE, DONE]);
      const refreshTokens = status === DONE.status ? ["refresh"] : ["refresh", "refresh"];
      expect(revoked(bench)).toEqual([...refreshTokens, "access"]);
    },
  );
});
