// Tests how the session validates ID tokens (platform/session/claims.ts) by OpenID Connect Core 1.0 section 3.1.3.7. The
// tests sign with jose.

import { createHash, createHmac } from "node:crypto";
import { type CryptoKey, exportJWK, generateKeyPair, type JWK, SignJWT } from "jose";
import { describe, expect, it } from "vitest";
import {
  checkedClaims,
  type IdTokenExpectations,
  IdTokenProblem,
} from "../../platform/session/claims.ts";
import { isFullRun } from "../full-run.ts";

const NOW_S = 1_800_000_000;
const SECRET = "client-secret-of-thirty-two-bytes!";
const expected: IdTokenExpectations = {
  issuer: "https://login.example.com",
  clientId: "cli",
  clientSecret: "",
  receivedAtMs: NOW_S * 1000,
};
const valid = { iss: expected.issuer, sub: "ada", aud: "cli", exp: NOW_S + 300, iat: NOW_S };
type Claims = Record<string, unknown>;

async function signed(
  claims: Claims,
  key: CryptoKey | Uint8Array,
  header: { alg: string; kid?: string; crit?: string[]; b64?: boolean },
): Promise<string> {
  return await new SignJWT(claims).setProtectedHeader(header).sign(key);
}

async function verdict(
  token: string,
  keys: readonly JWK[],
  more: Partial<IdTokenExpectations> = {},
): Promise<string> {
  try {
    const claims = await checkedClaims(token, { ...expected, ...more }, () =>
      Promise.resolve(keys as JsonWebKey[]),
    );
    return `sub ${claims.sub}`;
  } catch (error) {
    expect(error).toBeInstanceOf(IdTokenProblem);
    return (error as Error).message;
  }
}

const pair = (alg: string) => generateKeyPair(alg, { extractable: true, modulusLength: 2048 });
const base64url = (value: string): string => Buffer.from(value).toString("base64url");

describe("signatures (3.1.3.7, 6 to 8)", () => {
  // Generating RSA keys takes long, so most algorithms with RSA are only tested in the full run.
  const slow = ["PS256", "RS384", "RS512", "PS512"];
  it.each([...(isFullRun ? slow : []), "RS256", "ES256", "ES384", "ES512", "EdDSA"])(
    "%s: only by the issuer's key",
    async (alg) => {
      const { privateKey, publicKey } = await pair(alg);
      const other = await exportJWK((await pair(alg)).publicKey);
      const jwk = await exportJWK(publicKey);
      const token = await signed(valid, privateKey, { alg, kid: "one" });
      const whole = { ...jwk, kid: "one", use: "sig", alg, key_ops: ["verify"] };
      expect(await verdict(token, [other, whole])).toBe("sub ada");
      expect(await verdict(token, [jwk])).toBe("sub ada");
      const unnamed = await signed(valid, privateKey, { alg });
      expect(await verdict(unnamed, [{ ...jwk, kid: "one" }])).toBe("sub ada");
      const none = "is signed by none of the issuer's keys";
      for (const keys of [
        [],
        [other],
        [{ ...jwk, kid: "two" }],
        [{ ...jwk, use: "enc" }],
        [{ ...jwk, kty: "oct" }],
        [{ ...jwk, key_ops: ["sign"] }],
        [{ ...jwk, alg: "RS1" }],
      ]) {
        expect(await verdict(token, keys)).toBe(none);
      }
      const [head, body, signature] = token.split(".") as [string, string, string];
      const forged = base64url(JSON.stringify({ ...valid, sub: "eve" }));
      for (const wrong of [
        `${head}.${forged}.${signature}`,
        `${head}.${body}.`,
        `${head}.${body}.${signature.slice(0, -4)}`,
        `${head}.${body}.${signature}!`,
        `${head}.${body}.A`,
      ]) {
        expect(await verdict(wrong, [jwk])).toBe(none);
      }
    },
  );

  it("HS256: valid with the client's secret, and invalid if there is none", async () => {
    const secret = new TextEncoder().encode(SECRET);
    const token = await signed(valid, secret, { alg: "HS256" });
    expect(await verdict(token, [], { clientSecret: SECRET })).toBe("sub ada");
    expect(await verdict(token, [], { clientSecret: `${SECRET}?` })).toMatch(/signed by none/);
    expect(await verdict(token, [])).toBe("is signed with a secret that there is not");
  });

  it("HS256: neither a public key (RFC 8725 section 2.1) nor a short key counts as a secret", async () => {
    const { publicKey } = await pair("RS256");
    const jwk = await exportJWK(publicKey);
    const token = await signed(valid, Buffer.from(jwk.n!, "base64url"), { alg: "HS256" });
    expect(await verdict(token, [jwk])).toBe("is signed with a secret that there is not");
    const weak = await globalThis.crypto.subtle.generateKey(
      {
        ...{ name: "RSASSA-PKCS1-v1_5", hash: "SHA-256" },
        ...{ modulusLength: 1024, publicExponent: Uint8Array.of(1, 0, 1) },
      },
      true,
      ["sign", "verify"],
    );
    const unsigned = `${base64url('{"alg":"RS256"}')}.${base64url(JSON.stringify(valid))}`;
    const bytes = await globalThis.crypto.subtle.sign(
      "RSASSA-PKCS1-v1_5",
      weak.privateKey,
      new TextEncoder().encode(unsigned),
    );
    const short = `${unsigned}.${Buffer.from(bytes).toString("base64url")}`;
    const own = await exportJWK(weak.publicKey);
    const zeros = Buffer.concat([Buffer.alloc(128), Buffer.from(own.n!, "base64url")]);
    for (const n of [own.n!, zeros.toString("base64url")]) {
      expect(await verdict(short, [{ ...own, n }])).toMatch(/signed by none/);
    }
  });

  it("keys with which anybody can sign are refused: an exponent of 1, points of small order (RFC 8032 §5.1.7)", async () => {
    const of = (alg: string): string =>
      `${base64url(`{"alg":"${alg}"}`)}.${base64url(JSON.stringify(valid))}`;
    // With an exponent of 1, the padded hash itself is the signature.
    const hash = createHash("sha256").update(of("RS256")).digest();
    const algorithm = Buffer.from("3031300d060960864801650304020105000420", "hex");
    const padding = Buffer.concat([Buffer.of(0, 1), Buffer.alloc(202, 255), Buffer.of(0)]);
    const text = Buffer.concat([padding, algorithm, hash]).toString("base64url");
    const { n } = await exportJWK((await pair("RS256")).publicKey);
    for (const e of ["AQ", "AAAB"]) {
      const keys = [{ kty: "RSA", n: n!, e }];
      expect(await verdict(`${of("RS256")}.${text}`, keys)).toMatch(/signed by none/);
    }
    // With the neutral point as key and in the signature, any text has a valid signature.
    const neutral = Buffer.concat([Buffer.of(1), Buffer.alloc(63)]).toString("base64url");
    for (const [first, sign] of [[1, 0] as const, [1, 128] as const, [0, 0] as const]) {
      const point = Buffer.concat([Buffer.of(first), Buffer.alloc(30), Buffer.of(sign)]);
      const keys = [{ kty: "OKP", crv: "Ed25519", x: point.toString("base64url") }];
      expect(await verdict(`${of("EdDSA")}.${neutral}`, keys)).toMatch(/signed by none/);
    }
  });

  const unsigned = (header: string): string =>
    `${base64url(header)}.${base64url(JSON.stringify(valid))}.AA`;
  const noUtf8 = Buffer.from('{"alg":"HS256","x":"\xff"}', "latin1").toString("base64url");
  it.each([
    ["not taken", [unsigned('{"alg":"none"}').slice(0, -2), unsigned("{}")]],
    ["not taken", [unsigned('{"alg":"XHS256"}'), unsigned('{"alg":"HS2560"}')]],
    ["not taken", [unsigned('{"alg":["HS256"]}')]],
    ["encrypted", ["a.b.c.d.e"]],
    ["is none", ["text"]],
    ["no JSON object", ["[]", "7", "null", '"text"'].map((json) => `${base64url(json)}.x.y`)],
    ["no JSON object", [`${base64url('\ufeff{"alg":"HS256"}')}.x.y`]],
    ["no JSON object", [noUtf8, "+", btoa('{"alg":"HS256" }')].map((head) => `${head}.x.y`)],
    ["extensions", [unsigned('{"alg":"ES256","crit":["x"],"x":1}')]],
  ])("refused: %s", async (problem, tokens) => {
    for (const token of tokens) expect(await verdict(token, [])).toContain(problem);
  });
});

describe("claims (3.1.3.7, 2 to 5, 9, 10; 12.2)", () => {
  it.each<[string, Claims, string]>([
    ["as it must be", {}, "sub ada"],
    ["another issuer", { iss: "https://login.example.com/x" }, "is of another issuer"],
    ["another issuer in a list", { iss: ["https://login.example.com"] }, "is of another issuer"],
    ["its issuer, spelled with a slash", { iss: "https://login.example.com/" }, "sub ada"],
    ["no issuer", { iss: undefined }, "is of another issuer"],
    ["another audience", { aud: "other" }, "is for another client"],
    ["no audience", { aud: undefined }, "is for another client"],
    ["a list of this client", { aud: ["cli"] }, "sub ada"],
    ["a list without this client", { aud: ["one", "two"] }, "is for another client"],
    ["others, too", { aud: ["cli", "other"] }, "is for others, too"],
    ["others, too, and given to this one", { aud: ["other", "cli"], azp: "cli" }, "sub ada"],
    ["given to another", { azp: "other" }, "is for another client"],
    ["nobody", { sub: "" }, "names nobody"],
    ["no name", { sub: 7 }, "names nobody"],
    ["a name that is too long", { sub: "x".repeat(256) }, "names nobody"],
    ["the longest name", { sub: "x".repeat(255) }, `sub ${"x".repeat(255)}`],
    ["within the skew", { exp: NOW_S - 59 }, "sub ada"],
    ["at the end of the skew", { exp: NOW_S - 60 }, "has expired"],
    ["an end that is a text", { exp: `${NOW_S + 300}` }, "has no time as exp"],
    ["no end", { exp: undefined }, "has no time as exp"],
    ["not yet, within the skew", { nbf: NOW_S + 59 }, "sub ada"],
    ["not yet", { nbf: NOW_S + 60 }, "does not count yet"],
    ["not yet, as a text", { nbf: "now" }, "has no time as nbf"],
    ["a little later", { iat: NOW_S + 59 }, "sub ada"],
    ["later by the whole skew", { iat: NOW_S + 60 }, "is of a later time"],
    ["a beginning that is a text", { iat: `${NOW_S}` }, "has no time as iat"],
    ["no beginning", { iat: undefined }, "has no time as iat"],
  ])("%s", async (_, corrupted, outcome) => {
    const { privateKey, publicKey } = await pair("ES256");
    const token = await signed({ ...valid, ...corrupted }, privateKey, { alg: "ES256" });
    expect(await verdict(token, [await exportJWK(publicKey)])).toBe(outcome);
  });

  it("an infinite expiry is invalid", async () => {
    const secret = new TextEncoder().encode(SECRET);
    const body = base64url(JSON.stringify(valid).replace(`${valid.exp}`, "1e999"));
    const head = `${base64url('{"alg":"HS256"}')}.${body}`;
    const token = `${head}.${createHmac("sha256", secret).update(head).digest("base64url")}`;
    expect(await verdict(token, [], { clientSecret: SECRET })).toBe("has no time as exp");
  });

  it("a later token must name the same user", async () => {
    const { privateKey, publicKey } = await pair("ES256");
    const token = await signed(valid, privateKey, { alg: "ES256" });
    const keys = [await exportJWK(publicKey)];
    expect(await verdict(token, keys, { sub: "ada" })).toBe("sub ada");
    expect(await verdict(token, keys, { sub: "eve" })).toBe("names another user than before");
  });
});
