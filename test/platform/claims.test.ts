// How an issuer is asked for the keys that have signed an ID token (platform/session/claims.ts): its metadata by OpenID
// Connect Discovery 1.0 sections 3 and 4, and what is said where they are of no use.

import { type CryptoKey, exportJWK, generateKeyPair, type JWK, SignJWT } from "jose";
import { beforeAll, describe, expect, it, vi } from "vitest";
import { type ClaimsSettings, claimsOf } from "../../platform/session/claims.ts";
import type { IdTokenClaims } from "../../platform/session/id-token.ts";
import { SignInError } from "../../platform/session/sign-in-error.ts";

const ISSUER = "https://login.example.com/tenant";
const OPENID = `${ISSUER}/.well-known/openid-configuration`;
const OAUTH = "https://login.example.com/.well-known/oauth-authorization-server/tenant";
const KEYS = "https://keys.example.com/jwks";
const NOW_MS = 1_800_000_000_000;

let privateKey: CryptoKey;
let jwk: JWK;
beforeAll(async () => {
  const pair = await generateKeyPair("ES256", { extractable: true });
  privateKey = pair.privateKey;
  jwk = await exportJWK(pair.publicKey);
});

const json = (value: unknown): Response => new Response(JSON.stringify(value));
const metadata = (issuer = ISSUER): Response => json({ issuer, jwks_uri: KEYS });
const keys = (...others: unknown[]): Response => json({ keys: [...others, jwk] });
type Answers = Readonly<Record<string, () => Response | Promise<Response>>>;
/** What an issuer answers that does as it should. */
const good: Answers = { [OPENID]: () => metadata(), [KEYS]: () => keys() };

/** What comes of the claims at servers that answer so, and 404 everywhere else. */
async function claimed(
  answers: Answers,
  more: Partial<ClaimsSettings> = {},
  before?: IdTokenClaims,
): Promise<{ claims?: IdTokenClaims; error?: SignInError; asked: string[] }> {
  const { issuer = ISSUER } = more;
  const times = { exp: NOW_MS / 1000 + 300, iat: NOW_MS / 1000 };
  const token = await new SignJWT({ iss: issuer, sub: "ada", aud: "cli", ...times })
    .setProtectedHeader({ alg: "ES256" })
    .sign(privateKey);
  const asked: string[] = [];
  const settings: ClaimsSettings = {
    ...{ issuer, clientId: "cli", clientSecret: "", allowHttp: false },
    fetch: async (input, init) => {
      asked.push(`${input}`);
      expect(new Headers(init?.headers).get("accept")).toBe("application/json");
      // A redirect would lead to keys that nobody has named.
      expect(init?.redirect).toBe("error");
      expect(init?.signal).toBeInstanceOf(AbortSignal);
      return await (answers[`${input}`]?.() ?? new Response("", { status: 404 }));
    },
    ...more,
  };
  try {
    return { claims: await claimsOf({ token, atMs: NOW_MS }, settings, before), asked };
  } catch (error) {
    expect(error).toBeInstanceOf(SignInError);
    return { error: error as SignInError, asked };
  }
}

describe("the keys are those that the issuer's metadata name", () => {
  it.each<[what: string, answers: () => Answers, asked: string[]]>([
    ["in the first document", () => good, [OPENID, KEYS]],
    [
      "in the second one, where there is no first",
      () => ({ [OAUTH]: () => metadata(), [KEYS]: () => keys() }),
      [OPENID, OAUTH, KEYS],
    ],
    [
      "in the second one, where the first is another's (Discovery section 4.3)",
      () => ({ ...good, [OPENID]: () => metadata("https://other.example.com"), [OAUTH]: metadata }),
      [OPENID, OAUTH, KEYS],
    ],
    [
      "in the second one, where the first names no keys",
      () => ({ ...good, [OPENID]: () => json({ issuer: ISSUER, jwks_uri: 7 }), [OAUTH]: metadata }),
      [OPENID, OAUTH, KEYS],
    ],
    [
      "in the second one, where the first is no success, whatever is in it",
      () => ({
        ...good,
        [OPENID]: () =>
          new Response(JSON.stringify({ issuer: ISSUER, jwks_uri: `${KEYS}/of-others` }), {
            status: 203,
          }),
        [OAUTH]: metadata,
      }),
      [OPENID, OAUTH, KEYS],
    ],
    [
      "in the second one, where the first answer has no body",
      () => ({
        [OPENID]: () => new Response(null, { status: 204 }),
        [OAUTH]: () => metadata(),
        [KEYS]: () => keys(),
      }),
      [OPENID, OAUTH, KEYS],
    ],
    [
      "beside what is no key",
      () => ({ ...good, [KEYS]: () => keys(null, 7, "x", {}, { kty: "EC", crv: "P-256" }) }),
      [OPENID, KEYS],
    ],
  ])("%s", async (_, answers, asked) => {
    const outcome = await claimed(answers());
    expect(outcome.error).toBeUndefined();
    expect([outcome.claims?.sub, outcome.asked]).toEqual(["ada", asked]);
  });

  it("at an issuer of plain http only where that is allowed, and not for keys on the machine itself", async () => {
    const issuer = "http://login.example.com";
    const answers: Answers = {
      [`${issuer}/.well-known/openid-configuration`]: () =>
        json({ issuer, jwks_uri: `${issuer}/keys` }),
      [`${issuer}/keys`]: () => keys(),
    };
    const refused = await claimed(answers, { issuer });
    expect([refused.error?.code, refused.asked]).toEqual(["no_metadata", []]);
    expect((await claimed(answers, { issuer, allowHttp: true })).claims?.sub).toBe("ada");
  });
});

describe("what is of no use is said, and by whom it is mended", () => {
  const silent = `${ISSUER} does not say what it signs with; check the server's address`;
  it.each<[what: string, answers: () => Answers, message: string]>([
    ["no document at all", () => ({}), silent],
    ["a document that is no JSON", () => ({ [OPENID]: () => new Response("<html>") }), silent],
    ["a document that is null", () => ({ [OPENID]: () => json(null) }), silent],
    ["a document that is a text", () => ({ [OPENID]: () => json("text") }), silent],
    ["an answer without a body", () => ({ [OPENID]: () => new Response(null) }), silent],
    [
      "keys over plain http",
      () => ({ [OPENID]: () => json({ issuer: ISSUER, jwks_uri: "http://keys.example.com/" }) }),
      "the issuer's jwks_uri must be an https address: anybody on the way can read http " +
        "(allowHttp takes it as it is); check the server's address",
    ],
    [
      "keys on the machine itself",
      () => ({ [OPENID]: () => json({ issuer: ISSUER, jwks_uri: "http://127.0.0.1/" }) }),
      "the issuer's jwks_uri is on this machine; check the server's address",
    ],
    [
      "a document without keys",
      () => ({ ...good, [KEYS]: () => json({ keys: {} }) }),
      "the issuer publishes no keys; check the server's address",
    ],
  ])("%s", async (_, answers, message) => {
    const { error } = await claimed(answers());
    expect(error).toMatchObject({ code: "no_metadata", remedy: "maker", message });
  });

  it("a server that is away: another try may go better", async () => {
    const cause = new TypeError("away");
    const { error, asked } = await claimed({ ...good, [KEYS]: () => Promise.reject(cause) });
    const message = `${KEYS}: not reachable; try again`;
    expect(error).toMatchObject({ code: "unreachable", remedy: "nobody", message, cause });
    expect(asked).toEqual([OPENID, KEYS]);
  });

  it("a token that is not to be believed: what is wrong with it", async () => {
    const before = { iss: ISSUER, sub: "eve", aud: "cli", exp: 0, iat: 0 };
    const another = await claimed(good, {}, before);
    expect(another.error).toMatchObject({
      ...{ code: "wrong_id_token", remedy: "maker" },
      message: "the ID token names another person than before",
    });
    expect((await claimed(good, {}, { ...before, sub: "ada" })).claims?.sub).toBe("ada");
    expect((await claimed(good, { clientId: "other" })).error?.code).toBe("wrong_id_token");
  });
});

describe("documents are read whole, and not without end", () => {
  /** Keys in a document of so many characters. */
  const padded = (length: number): string => {
    const text = JSON.stringify({ keys: [jwk], padding: "" });
    return text.replace('""', `"${"x".repeat(length - text.length)}"`);
  };

  it("262,144 characters are enough for anybody's keys, and more are not read", async () => {
    const most = await claimed({ ...good, [KEYS]: () => new Response(padded(262_144)) });
    expect(most.claims?.sub).toBe("ada");
    const more = await claimed({ ...good, [KEYS]: () => new Response(padded(262_145)) });
    expect(more.error?.message).toContain("the issuer publishes no keys");
  });

  it("in pieces that part a character", async () => {
    const issuer = "https://login.example.com/caf\u00e9";
    const bytes = new TextEncoder().encode(JSON.stringify({ issuer, jwks_uri: KEYS }));
    const inPieces = new ReadableStream<Uint8Array>({
      start(controller) {
        for (const byte of bytes) controller.enqueue(Uint8Array.of(byte));
        controller.close();
      },
    });
    const document = "https://login.example.com/.well-known/oauth-authorization-server/caf%C3%A9";
    const answers = { [KEYS]: () => keys(), [document]: () => new Response(inPieces) };
    expect((await claimed(answers, { issuer })).claims?.sub).toBe("ada");
  });

  it("within ten seconds", async () => {
    const limit = vi.spyOn(AbortSignal, "timeout");
    try {
      await claimed(good);
      expect(limit.mock.calls).toEqual([[10_000], [10_000]]);
    } finally {
      limit.mockRestore();
    }
  });

  it("what is not read is let go of: the connection is not kept for it", async () => {
    let isCancelled = false;
    const body = new ReadableStream({
      cancel: () => {
        isCancelled = true;
      },
    });
    await claimed({ ...good, [OPENID]: () => new Response(body, { status: 500 }) });
    expect(isCancelled).toBe(true);
  });
});
