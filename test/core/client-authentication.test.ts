// Tests client authentication (RFC 6749 §2.3) of device authorization, token and revocation requests, code challenges,
// and the revocation of both tokens.

import { expect, it } from "vitest";
import type * as core from "../../core/complete.ts";
import { ClientAuthentication, ErrorCode, Event, State } from "../../core/complete.ts";
import {
  config,
  fields,
  GRANT,
  Port,
  polls,
  type Reaction,
  type Sent,
} from "../environment/core-port.ts";
import { code, error, json, tokens } from "../environment/environment.ts";

const CLIENT = { clientId: "tv client/1", clientSecret: "s&cr=t é😀:" };
/** RFC 6749 §2.3.1: form-encodes a value. Does not use the core. */
const encoded = (text: string): string => String(new URLSearchParams({ v: text })).slice(2);
const BASIC = Buffer.from(`${encoded(CLIENT.clientId)}:${encoded(CLIENT.clientSecret)}`).toString(
  "base64",
);

function lifetime(settings: Partial<core.Config>): [Sent, Sent, Sent, Sent] {
  const responses = [code(), tokens(), tokens(), json(200, {}), json(200, {})];
  const bench = new Port(responses, { ...CLIENT, ...settings });
  bench.until(3);
  bench.core.signOut(bench.device);
  bench.pass(0);
  expect(bench.device.state).toBe(State.SIGNED_OUT);
  const { clientAuthentication = config.clientAuthentication } = settings;
  const isOne = clientAuthentication === ClientAuthentication.SPECIFICATION;
  const revocations = isOne ? [2] : [2, 2];
  expect(bench.sent.map(({ endpoint }) => endpoint)).toEqual([0, 1, 1, ...revocations]);
  return bench.sent as [Sent, Sent, Sent, Sent];
}

const ID = { client_id: CLIENT.clientId };
const BOTH = { ...ID, client_secret: CLIENT.clientSecret };
const POLL = { grant_type: GRANT, device_code: "dc" };
const REFRESH = { grant_type: "refresh_token", refresh_token: "refresh" };

it.each([
  ["none, RFC 8628 §3.1, §3.4, RFC 6749 §3.2.1", ClientAuthentication.NONE, ID, ID, ""],
  ["client_secret_post", ClientAuthentication.CLIENT_SECRET_POST, BOTH, BOTH, ""],
  ["client_secret_basic, RFC 6749 §2.3.1", ClientAuthentication.CLIENT_SECRET_BASIC, ID, ID, BASIC],
  ["documents: the token to revoke in the query", ClientAuthentication.SPECIFICATION, ID, BOTH, ""],
])(
  "RFC 6749 §2.3, device doc §2.4 row client_id and row client_secret: device doc §4 row bodies are forms: %s (RFC 7009 §2.1)",
  (_, clientAuthentication, atDevice, atToken, basic) => {
    const sent = lifetime({ clientAuthentication });
    const [request, poll, refresh, revocation] = sent;
    expect(fields(request)).toEqual({ scope: "email", ...atDevice });
    expect(fields(poll)).toEqual({ ...atToken, ...POLL });
    expect(fields(refresh)).toEqual({ ...atToken, ...REFRESH });
    const isInQuery = clientAuthentication === ClientAuthentication.SPECIFICATION;
    expect(revocation.target).toBe(isInQuery ? "?token=refresh" : "");
    expect(fields(revocation)).toEqual(isInQuery ? {} : { ...atToken, token: "refresh" });
    for (const { text } of sent) expect(String(new URLSearchParams(text))).toBe(text);
    for (const each of sent)
      expect(each).toMatchObject({ authorization: basic && `Basic ${basic}` });
  },
);

it("RFC 7636 §4.3, §4.5 Appendix B: the code request contains the challenge, and each poll the verifier", () => {
  const verifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk";
  const responses = [code(), error(400, "authorization_pending"), tokens()];
  const bench = new Port(responses, { pkce: 2, verifier });
  bench.until(3);
  expect(bench.sent[0]!.text).toBe(
    "code_challenge_method=S256&code_challenge=E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM" +
      "&scope=email&client_id=printer",
  );
  for (const poll of polls(bench)) expect(fields(poll).code_verifier).toBe(verifier);
  expect(polls(bench)).toHaveLength(2);
  expect(bench.device.state).toBe(State.SIGNED_IN);
});

const DONE = json(200, {});
const INVALID = error(400, "invalid_token");
const UNSUPPORTED = error(400, "unsupported_token_type");

it.each<[string, Reaction[], ErrorCode]>([
  ["both are revoked", [DONE, DONE], ErrorCode.NONE],
  [
    "RFC 7009 §2.2: a token that is invalid already needs no revocation",
    [INVALID, INVALID],
    ErrorCode.NONE,
  ],
  [
    "RFC 7009 §2.2.1: a token type that the server does not revoke is not retried; the other token is revoked",
    [UNSUPPORTED, DONE],
    ErrorCode.UNSUPPORTED_TOKEN_TYPE,
  ],
  [
    "RFC 7009 §2.2.1: an access token that cannot be revoked stays valid until it expires",
    [DONE, UNSUPPORTED],
    ErrorCode.NONE,
  ],
])(
  "RFC 7009 §2.1: a server may fail to end the access token together with the refresh token: %s",
  (_, responses, outcome) => {
    const bench = new Port([code(), tokens()], { clientAuthentication: ClientAuthentication.NONE });
    bench.until(2);
    bench.run();
    bench.responses = responses;
    bench.core.signOut(bench.device);
    bench.pass(800_000);
    const revocations = bench.sent.filter(({ endpoint }) => endpoint === 2);
    expect(revocations.map((sent) => fields(sent).token)).toEqual(["refresh", "access"]);
    expect(bench.device.state).toBe(State.SIGNED_OUT);
    expect(bench.device.event).toBe(Event.REVOKED);
    expect(ErrorCode[bench.device.error]).toBe(ErrorCode[outcome]);
    expect(bench.stored).toBe("");
  },
);
