// Tests signing keys at the service: DPoP (RFC 9449) and private_key_jwt (RFC 7523). In the two tables, each proof or
// assertion has one fault.

import { createHash } from "node:crypto";
import { describe, expect, test } from "vitest";
import type { SigningKey } from "../../targets/service/environment.ts";
import type { ServiceOptionsInput } from "../../targets/service/index.ts";
import { makeKey } from "../../targets/service/node-environment.ts";
import { Bench, DEVICE_GRANT, FIXTURE, type HttpResponse, TV, VIDEO_READONLY } from "./harness.ts";

const KEY = makeKey("ES256");
const THIEF = makeKey("ES256");
const PRINTER = { client_id: "public-printer" };
const KEYED = { client_id: "keyed" };
const LISTING = "/video/v3/liveBroadcasts?part=id&mine=true";
const NOW = Date.UTC(2026, 0, 1) / 1000;
const keyed = { id: "keyed", name: "Keyed", jwks: KEY.publicJwk };
const fixture = { ...FIXTURE, clients: [...FIXTURE.clients!, keyed] };

type Json = Record<string, unknown>;
/** How a JWT differs from a valid one. An undefined member is omitted. */
interface Change {
  readonly header?: Json;
  readonly claims?: Json;
  readonly key?: SigningKey;
  readonly text?: (jwt: string) => string;
  readonly fields?: Json;
}

const encode = (value: Json): string => Buffer.from(JSON.stringify(value)).toString("base64url");
const hash = (text: string): string => createHash("sha256").update(text).digest("base64url");

class Keys extends Bench {
  nonce: string | undefined;
  #count = 0;

  constructor(options: ServiceOptionsInput = {}) {
    super({ dpop: "allowed", interval: 0, ...options }, { fixture });
  }

  #signed(header: Json, usual: Json, { key = KEY, text, claims, ...change }: Change): string {
    const all = { jti: `jti-${++this.#count}`, ...usual, ...claims };
    const input = `${encode({ alg: "ES256", ...header, ...change.header })}.${encode(all)}`;
    const jwt = `${input}.${Buffer.from(key.sign(Buffer.from(input))).toString("base64url")}`;
    return text ? text(jwt) : jwt;
  }

  #proof(htm: string, path: string, change: Change, token?: string): string {
    const htu = this.service.baseUrl + path.split("?")[0];
    const iat = Math.floor(this.nowMs / 1000);
    const usual = { htm, htu, iat, nonce: this.nonce, ath: token && hash(token) };
    return this.#signed({ typ: "dpop+jwt", jwk: (change.key ?? KEY).publicJwk }, usual, change);
  }

  token(fields: Json): HttpResponse {
    return this.post("/token", fields as Record<string, string>);
  }

  prove(fields: Json, change: Change = {}): HttpResponse {
    const dpop = this.#proof("POST", "/token", change);
    return this.post("/token", fields as Record<string, string>, { dpop });
  }

  call(path: string, { access_token }: Json, change: Change = {}): HttpResponse {
    const token = String(access_token);
    const dpop = this.#proof("GET", path, change, token);
    return this.send("GET", path, "", { authorization: `DPoP ${token}`, dpop });
  }

  asserted(fields: Json, change: Change = {}): Record<string, string> {
    const exp = this.nowMs / 1000 + 60;
    const usual = { iss: "keyed", sub: "keyed", aud: this.service.issuer, exp };
    const client_assertion_type = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer";
    const client_assertion = this.#signed({}, usual, change);
    return { ...fields, client_assertion_type, client_assertion, ...change.fields };
  }

  granted(client: Json = PRINTER): Json {
    const scope = `openid ${VIDEO_READONLY}`;
    const { device_code, user_code } = this.requestCodes({ ...client, scope }).json;
    this.service.approve(String(user_code), "ada");
    return { ...client, device_code, grant_type: DEVICE_GRANT };
  }

  get metadata(): Json {
    return this.get("/.well-known/openid-configuration").json;
  }
}

function refreshOf({ refresh_token }: Json, client: Json = PRINTER): Json {
  return { ...client, refresh_token, grant_type: "refresh_token" };
}

const outcome = ({ status, json, headers }: HttpResponse): string => {
  const inHeader = /DPoP [^"]*"[^"]*", error="(\w+)"/.exec(headers["www-authenticate"] ?? "")?.[1];
  return `${status} ${inHeader ?? json.error ?? json.token_type ?? ""}`.trim();
};

const each = (name: string, ...values: unknown[]): Change[] =>
  values.map((value) => ({ claims: { [name]: value } }));
const heads = (name: string, ...values: unknown[]): Change[] =>
  values.map((value) => ({ header: { [name]: value } }));
const texts = (...all: string[]): Change[] => all.map((one) => ({ text: () => one }));
const UNSIGNED: Change = { text: (jwt) => jwt.slice(0, -86) };
const OFF_CURVE = { kty: "EC", crv: "P-256", x: "A".repeat(43), y: "A".repeat(43) };

type Refused = readonly [rule: string, ...faults: readonly Change[]][];
const PROOFS: Refused = [
  ["rule 1: several fields", { text: (jwt) => `${jwt}, ${jwt}` }],
  ["rule 2: no JWT", ...texts("", "a.b.c", "e30.W10.AA", "e30.e30", "e30.e30.AA.AA", "e30.e30.=")],
  ["rule 3: htm, htu, jti", ...["htm", "htu", "jti"].flatMap((one) => each(one, undefined, "", 1))],
  ["rule 3: iat, and ath", ...each("iat", undefined, "0", null), ...each("ath", undefined)],
  ["rule 4: typ", ...heads("typ", undefined, "JWT")],
  ["rule 5: alg", ...heads("alg", undefined, "none", "HS256", "RS256")],
  ["rule 6: jwk", ...heads("jwk", undefined, "x", {}, OFF_CURVE, THIEF.publicJwk), UNSIGNED],
  ["rule 7: a private key", ...heads("jwk", { ...KEY.publicJwk, d: "A" })],
  ["rule 8: htm", ...each("htm", "PUT", "get", "post")],
  ["rule 9: htu", ...each("htu", "http://127.0.0.1:8080", "http://evil.test/token", "/token")],
  ["rule 11: iat", ...each("iat", 0, NOW - 61, NOW + 61, 1e300)],
  ["rule 12: ath", ...each("ath", hash("another"))],
];

describe("RFC 9449", () => {
  test.each(PROOFS)(
    "RFC 9449 §4.3 %s: refused, with a challenge (RFC 9449 §7.1)",
    (_, ...faults) => {
      const bench = new Keys();
      const poll = bench.granted();
      for (const fault of faults.filter(({ claims = {} }) => !("ath" in claims)))
        expect(outcome(bench.prove(poll, fault))).toBe("400 invalid_dpop_proof");
      const { json } = bench.prove(poll);
      for (const fault of faults)
        for (const path of ["/userinfo", LISTING])
          expect(outcome(bench.call(path, json, fault))).toBe("401 invalid_dpop_proof");
    },
  );

  test("RFC 9449 §11.1: a jti is accepted once per key, as long as its proof could be accepted", () => {
    const bench = new Keys();
    const wrong = { ...bench.granted(), device_code: "wrong" };
    const send = (claims: Json, key = KEY) =>
      outcome(bench.prove(wrong, { key, claims: { jti: "same", ...claims } }));
    expect(send({ iat: NOW + 60 })).toBe("400 invalid_grant");
    expect(send({}, THIEF)).toBe("400 invalid_grant");
    for (const seconds of [0, 60, 60]) {
      bench.wait(seconds);
      expect(send({ iat: NOW + 60 })).toBe("400 invalid_dpop_proof");
    }
    bench.wait(1);
    expect(send({})).toBe("400 invalid_grant");
  });

  test("RFC 9449 §4.3 rule 9, §4.3 rule 12, §5, §7.2: tokens of a public client are bound to its key; without a proof nothing changes", () => {
    const bench = new Keys();
    const { json } = bench.prove(bench.granted());
    expect(json.token_type).toBe("DPoP");
    for (const path of ["/userinfo", LISTING]) {
      const stolen = bench.get(path, json.access_token);
      const both = /^Bearer [^,]+, error="invalid_token".*, DPoP [^,]+, algs="ES256"$/;
      expect(stolen.headers["www-authenticate"]).toMatch(both);
      expect(outcome(bench.call(path, json, { key: THIEF }))).toBe("401 invalid_token");
      // Rule 9: htu is normalized, without its query and fragment.
      const htu = `HTTP://127.0.0.1:8080/x/..${path}#fragment`;
      expect(bench.call(path, json, { claims: { htu } }).status).toBe(200);
    }
    expect(bench.get(`/userinfo?access_token=${json.access_token}`).status).toBe(401);
    expect(outcome(bench.token(refreshOf(json)))).toBe("400 invalid_grant");
    expect(outcome(bench.prove(refreshOf(json), { key: THIEF }))).toBe("400 invalid_grant");
    expect(outcome(bench.prove(refreshOf(json)))).toBe("200 DPoP");
    const free = bench.token(bench.granted());
    expect(outcome(free)).toBe("200 Bearer");
    expect(outcome(bench.call("/userinfo", free.json))).toBe("401 invalid_token");
    expect(bench.get("/userinfo", free.json.access_token).status).toBe(200);
    // A proof binds the new tokens, even if the earlier ones were not bound.
    expect(outcome(bench.prove(refreshOf(free.json)))).toBe("200 DPoP");
    expect(outcome(bench.token(refreshOf(free.json)))).toBe("400 invalid_grant");
  });

  test("RFC 9449 §5, §6.2: a confidential client may change its key; introspection names the key, to this client alone", () => {
    const bench = new Keys();
    const { json } = bench.prove(bench.granted(TV));
    const token = String(json.access_token);
    const { crv, kty, x, y } = KEY.publicJwk;
    const cnf = { jkt: hash(JSON.stringify({ crv, kty, x, y })) };
    const inspect = (client: { client_id: string }) =>
      bench.post("/introspect", { ...client, token }).json;
    expect(inspect(TV)).toMatchObject({ active: true, token_type: "DPoP", cnf });
    expect(inspect(PRINTER)).toEqual({ active: false });
    expect(outcome(bench.prove(refreshOf(json, TV), { key: THIEF }))).toBe("200 DPoP");
    expect(outcome(bench.token(refreshOf(json, TV)))).toBe("200 Bearer");
  });

  test("RFC 9449 §5.1: DPoP is off by default; where it is required, each token request and each call needs a proof", () => {
    const bench = new Keys({ dpop: "off" });
    expect(bench.metadata).not.toHaveProperty("dpop_signing_alg_values_supported");
    expect(bench.post("/introspect", { ...TV, token: "x" }).status).toBe(404);
    const { access_token, token_type } = bench.prove(bench.granted()).json;
    expect([token_type, bench.get("/userinfo", access_token).status]).toEqual(["Bearer", 200]);
    bench.service.setOptions({ dpop: "required" });
    expect(bench.metadata.dpop_signing_alg_values_supported).toEqual(["ES256"]);
    expect(bench.get("/userinfo", access_token).status).toBe(401);
    expect(outcome(bench.token(bench.granted()))).toBe("400 invalid_dpop_proof");
    const { json } = bench.prove(bench.granted());
    const snapshot = JSON.parse(JSON.stringify(bench.service.snapshot()));
    const again = new Bench({ dpop: "required" }, { fixture, snapshot });
    expect(again.get("/userinfo", json.access_token).status).toBe(401);
    expect(again.service.snapshot().grants).toEqual(bench.service.snapshot().grants);
  });

  test("RFC 9449 §4.3 rule 10, §8, §8.1, §8.2, §9: a nonce is required, changes, and dates the proof (RFC 9449 §4.3 rule 11)", () => {
    const bench = new Keys({ dpopNonces: true });
    const poll = bench.granted();
    const renew = (response: HttpResponse): string => {
      bench.nonce = response.headers["dpop-nonce"];
      expect(bench.nonce).toMatch(/^[\x21\x23-\x5b\x5d-\x7e]+$/);
      return outcome(response);
    };
    expect(renew(bench.prove(poll))).toBe("400 use_dpop_nonce");
    const first = bench.nonce;
    const { json } = bench.prove(poll, { claims: { iat: 0 } });
    bench.wait(60);
    // The previous nonce is still valid, and the response has the new one.
    expect(renew(bench.call("/userinfo", json))).toBe("200");
    expect(bench.nonce).not.toBe(first);
    bench.wait(60);
    for (const path of ["/userinfo", LISTING]) {
      bench.nonce = first;
      expect(renew(bench.call(path, json))).toBe("401 use_dpop_nonce");
      expect(renew(bench.call(path, json))).toBe("200");
    }
    bench.service.restart({ loseCodes: false });
    expect(renew(bench.prove(refreshOf(json)))).toBe("400 use_dpop_nonce");
    expect(renew(bench.prove(refreshOf(json)))).toBe("200 DPoP");
  });
});

const fields = (...all: Json[]): Change[] => all.map((one) => ({ fields: one }));
const ASSERTIONS: Refused = [
  ["§3 rule 1: iss", ...each("iss", undefined, "public-printer", ["keyed"])],
  ["§3 rule 2: sub", ...each("sub", "public-printer", 1)],
  ["§3 rule 3: aud", ...each("aud", undefined, [], "keyed", "http://127.0.0.1:8080/", { a: 1 })],
  ["§3 rule 4: exp", ...each("exp", undefined, NOW, NOW - 1, NOW + 3601, `${NOW + 60}`)],
  ["§3 rule 5: nbf", ...each("nbf", NOW + 61, "0")],
  ["§3 rule 6: iat", ...each("iat", NOW + 61, NOW - 3601, "0")],
  ["§3 rule 7: jti", ...each("jti", undefined, "", 1)],
  ["§3 rule 9: alg", ...heads("alg", undefined, "none", "HS256", "RS256")],
  ["§3 rule 9: key", { key: THIEF }, ...heads("kid", "another"), UNSIGNED],
  ["§3 rule 10: no JWT", ...texts("x", "a.b.c", "e30.W10.AA")],
  ["§2.2: no assertion", ...fields({ client_assertion: "" }, { client_assertion_type: "x" })],
  ["§2.2: nothing", ...fields({ client_assertion: "", client_assertion_type: "" })],
  ["§2.2: no key", ...fields({ client_id: "public-printer" }, { client_id: "nobody" })],
];

describe("RFC 7523", () => {
  test.each(ASSERTIONS)("RFC 7523 %s: invalid_client (RFC 7523 §3.2)", (_, ...faults) => {
    const bench = new Keys();
    const poll = bench.granted(KEYED);
    for (const fault of faults) {
      const response = bench.token(bench.asserted(poll, fault));
      expect([outcome(response), fault]).toEqual(["401 invalid_client", fault]);
      expect(response.headers).not.toHaveProperty("www-authenticate");
    }
    expect(outcome(bench.token(bench.asserted(poll)))).toBe("200 Bearer");
  });

  test("RFC 7523 §2.2, §3 rule 3, §3 rule 8: for the issuer, the token endpoint or the endpoint itself; without client_id", () => {
    const bench = new Keys();
    expect(bench.metadata.token_endpoint_auth_methods_supported).toContain("private_key_jwt");
    expect(JSON.stringify(new Bench().get("/.well-known/openid-configuration"))).not.toMatch(
      /private_key_jwt|auth_signing/,
    );
    const { client_id: _, ...poll } = bench.granted(KEYED);
    const { baseUrl } = bench.service;
    const as = (path: string, aud: unknown, sent: Json): number =>
      bench.post(path, bench.asserted(sent, { claims: { aud, nbf: NOW, other: [1] } })).status;
    expect(as("/device/code", `${baseUrl}/device/code`, { scope: "openid" })).toBe(200);
    expect(as("/token", ["x", `${baseUrl}/token`], poll)).toBe(200);
    expect(as("/introspect", `${baseUrl}/introspect`, { token: "x" })).toBe(200);
    expect(as("/revoke", baseUrl, { token: "x" })).toBe(400);
    for (const path of ["/device/code", "/introspect", "/revoke"])
      expect(as(path, "https://other.test", { scope: "openid", token: "x" })).toBe(401);
    const two = bench.token(bench.asserted({ ...poll, client_secret: "x" }));
    expect(outcome(two)).toBe("400 invalid_request");
  });

  test("RFC 7523 §3 rule 7: a jti is accepted once, until its assertion has expired", () => {
    const bench = new Keys();
    const poll = { ...bench.granted(KEYED), device_code: "wrong" };
    const send = (exp: number) =>
      outcome(bench.token(bench.asserted(poll, { claims: { jti: "same", exp } })));
    expect(send(NOW + 60)).toBe("400 invalid_grant");
    bench.wait(59);
    expect(send(NOW + 60)).toBe("401 invalid_client");
    bench.wait(2);
    expect(send(NOW + 120)).toBe("400 invalid_grant");
  });
});
