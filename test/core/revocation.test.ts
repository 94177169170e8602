// Signing out: which tokens are revoked, in which order, and what is said where a server does not (RFC 7009).

import { describe, expect, it } from "vitest";
import { ClientAuthentication, ErrorCode, Event, State } from "../../core/complete.ts";
import { type Answer, Bench, code, error, json, tokens } from "./bench.ts";

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

  it("an access token of a type that is not revoked, alone: said at once", () => {
    const bench = signedOut([UNSUPPORTED], { refresh_token: undefined });
    expect(revoked(bench)).toEqual(["access"]);
    expect(bench.device.error).toBe(ErrorCode.UNSUPPORTED_TOKEN_TYPE);
  });

  it("an access token that counts as expired is not revoked", () => {
    const bench = new Bench([code(), tokens()], {
      clientAuthentication: ClientAuthentication.NONE,
    });
    bench.until(2);
    bench.run(0);
    bench.answers = [null];
    bench.core.accessTokenRefused(bench.device);
    bench.run(0);
    bench.answers = [DONE];
    bench.core.signOut(bench.device);
    bench.pass(60_000);
    expect(revoked(bench)).toEqual(["refresh"]);
  });

  it("half an access token that was arriving is not sent", () => {
    const bench = new Bench([code(), tokens({ expires_in: 60 }), "hang"], {
      clientAuthentication: ClientAuthentication.NONE,
    });
    bench.until(3);
    bench.run(0);
    const { core, device } = bench;
    const half = new TextEncoder().encode('{"access_token":"hal');
    core.responseStart(device, device.requestId, 200, -1);
    core.responseBody(device, device.requestId, half, 0, half.length);
    bench.answers = [DONE];
    core.signOut(device);
    bench.pass(60_000);
    expect(revoked(bench)).toEqual(["refresh"]);
    expect(device.state).toBe(State.SIGNED_OUT);
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

  it("after a restart in between the refresh token is revoked once more", () => {
    const before = new Bench([code(), tokens()], {
      clientAuthentication: ClientAuthentication.NONE,
    });
    before.until(2);
    before.run(0);
    before.answers = [DONE, "hang"];
    before.core.signOut(before.device);
    before.run(0);
    expect(revoked(before)).toEqual(["refresh", "access"]);
    const bench = new Bench([DONE], {
      slots: before.slots,
      clientAuthentication: ClientAuthentication.NONE,
    });
    bench.pass(10_000);
    expect(revoked(bench)).toEqual(["refresh"]);
    expect(bench.device.state).toBe(State.SIGNED_OUT);
    expect(bench.device.error).toBe(ErrorCode.NONE);
  });
});
