// Tests formats of codes and tokens, client authentication, and malformed requests.

import { describe, expect, test } from "vitest";
import { createUserCode } from "../../targets/service/attempts.ts";
import { optionsSchema } from "../../targets/service/options.ts";
import { testRows, testRowsWith } from "./dialogue.ts";
import { Bench, DEVICE_GRANT, FIXTURE, seededRandom, TV } from "./harness.ts";

const POLL = { device_code: "x", grant_type: DEVICE_GRANT };
const FIELDS = { client_id: TV.client_id, scope: "email" };
const basicOf = (pair: string) => `Basic ${Buffer.from(pair).toString("base64")}`;

describe("codes and tokens", () => {
  test("RFC 8628 §6.1: user codes have no ambiguous characters, and each letter is equally likely", () => {
    const random = seededRandom(7);
    const counts = new Map<string, number>();
    const [codes, format] = [20_000, "X".repeat(15)];
    for (let i = 0; i < codes; i++)
      for (const letter of createUserCode({ now: () => 0, random }, format))
        counts.set(letter, (counts.get(letter) ?? 0) + 1);
    const letters = codes * format.length;
    const deviation = Math.sqrt(letters * (1 / 20) * (19 / 20));
    expect([...counts.keys()].sort().join("")).toBe("BCDFGHJKLMNPQRSTVWXZ");
    for (const count of counts.values())
      expect(Math.abs(count - letters / 20)).toBeLessThan(5 * deviation);
    expect(new Bench().requestCodes().json.user_code).toMatch(/^[A-Z]{4}-[A-Z]{4}$/);
  });

  test("RFC 8628 §5.2: a device code has at least 128 bits and shares nothing with the user code", () => {
    const { device_code, user_code } = new Bench().requestCodes().json;
    const text = String(device_code).replace(/^pgd\./, "");
    expect(Buffer.from(text, "base64url").length).toBeGreaterThanOrEqual(16);
    expect(text).not.toContain(String(user_code).replace("-", ""));
  });

  test("codes and tokens with special characters reach their endpoints unchanged: / # & % + and a backquote", () => {
    const bench = new Bench({ tokenCharacters: "awkward" });
    const { device_code } = bench.requestCodes().json;
    expect(device_code).toMatch(/\/.*#.*&.*%.*\+.*`/);
    expect(bench.poll(device_code).status).toBe(428);
    const token = String(bench.signIn().access_token);
    expect(bench.post(`/revoke?${new URLSearchParams({ token })}`, {}).status).toBe(200);
  });

  test("device doc §8 row user_code display: in any format it fits 15 wide characters", () => {
    const bench = new Bench({ userCodeFormat: "XXXXX-XXX-XXXXX" });
    expect(bench.requestCodes().json.user_code).toHaveLength(15);
    for (const userCodeFormat of ["XXXXXXXX-XXXXXXX", "XX-XX"])
      expect(() => optionsSchema.parse({ userCodeFormat })).toThrow();
  });

  test("device doc §8 row verification_url display: with usual base URLs it fits 40 characters", () => {
    for (const baseUrl of ["http://127.0.0.1:65535", "https://192.168.100.200:65535"]) {
      const { verification_url } = new Bench({ baseUrl }).requestCodes().json;
      expect(String(verification_url).length).toBeLessThanOrEqual(40);
    }
  });

  test("device doc §2.2: a clock that ticks while the service builds the response does not shorten a lifetime", () => {
    let ms = 0;
    const tokens = new Bench({}, { now: () => ms++ }).signIn({ accessSeconds: 60 });
    expect(tokens).toMatchObject({ expires_in: 60, refresh_token_expires_in: 60 });
  });
});

// curl -u and many other clients do not encode id and secret.
const PLUS = { id: "a+b", secret: "s+t%20u" };
const BLANK = { id: "a b", secret: "s t" };
test.each([
  ["both encoded", PLUS, "a%2Bb:s%2Bt%2520u", "invalid_grant"],
  ["both unencoded", PLUS, "a+b:s+t%20u", "invalid_grant"],
  ["only the secret encoded", PLUS, "a+b:s%2Bt%2520u", "invalid_client"],
  ["only the id encoded", PLUS, "a%2Bb:s+t%20u", "invalid_client"],
  ["decoded twice", PLUS, "a+b:s+t u", "invalid_client"],
  ["no secret", PLUS, "a+b:", "invalid_request"],
  ["a lone percent sign", { id: "tv", secret: "100%" }, "tv:100%", "invalid_grant"],
  ["a space as a plus", BLANK, "a+b:s+t", "invalid_grant"],
  ["a space as it is", BLANK, "a b:s t", "invalid_grant"],
  ["a colon", { id: "a:b", secret: "p:" }, "a%3Ab:p%3A", "invalid_grant"],
])(
  "RFC 6749 §2.3.1: HTTP Basic may be encoded or not, in the same way for both parts: %s",
  (_name, client, sent, error) => {
    const bench = new Bench({}, { fixture: { clients: [{ ...client, name: "Odd" }] } });
    const headers = { authorization: basicOf(sent) };
    for (const form of [POLL, { ...POLL, client_id: client.id }])
      expect(bench.post("/token", form, headers).json.error).toBe(error);
    const other = bench.post("/token", { ...POLL, client_id: "somebody-else" }, headers);
    expect(other.json.error).toBe("invalid_request");
    const revoked = error === "invalid_grant" ? "invalid_token" : error;
    expect(bench.post("/revoke", { token: "x" }, headers).json.error).toBe(revoked);
    // This endpoint checks the scope only for a client that the service knows. It does not check the secret.
    const { error_description } = bench.post("/device/code", {}, headers).json;
    expect(error_description).toBe("Missing required parameter: scope");
  },
);

test("RFC 6749 §5.2: unreadable HTTP Basic is a failed authentication: 401 with a challenge, whatever the form contains", () => {
  const bench = new Bench();
  for (const authorization of ["Basic", "Basic ", "basic !!!", "Basic YWJj", "BASIC OnR2"]) {
    for (const [path, sent] of [
      ["/token", { ...TV, ...POLL }],
      ["/revoke", { token: "x" }],
    ] as const) {
      const { status, json, headers } = bench.post(path, sent, { authorization });
      expect([status, json.error]).toEqual([401, "invalid_client"]);
      expect(headers["www-authenticate"]).toMatch(/^Basic /);
    }
    // This endpoint identifies the client by its client_id alone (device spec §5.1).
    expect(bench.post("/device/code", FIELDS, { authorization }).status).toBe(200);
  }
});

test("RFC 6749 §5.2: an error_description has no quote, backslash, control or other character", () => {
  const name = encodeURIComponent(`a"\\\n\u00e9\u{1F600}${"x".repeat(1000)}`);
  for (const path of ["/token", "/device/code", "/revoke"]) {
    const { json } = new Bench().send("POST", path, `${name}=1&${name}=2`);
    expect(json.error).toBe("invalid_request");
    expect(json.error_description).toMatch(
      /^Parameter given twice: a[\x20\x21\x23-\x5b\x5d-\x7e]{1,50}$/,
    );
  }
});

const FORM = "application/x-www-form-urlencoded";
const CODE = "client_id=living-room-tv&scope=email";
const TOKEN = `${new URLSearchParams({ ...TV, ...POLL })}`;
test.each([
  ["device doc §4.1: parameters in the query", `/device/code?${CODE}`, "", FORM, 200],
  ["RFC 8628 §3.1: a scope given twice", "/device/code", `${CODE}&scope=x`, FORM, 400],
  ["RFC 8628 §3.1: an empty client_id", "/device/code", "client_id=&scope=email", FORM, 400],
  [
    "device doc §4 row bodies are forms: JSON",
    "/device/code",
    JSON.stringify(FIELDS),
    "application/json",
    400,
  ],
  [
    "device doc §4: odd capitals and a charset",
    "/device/code",
    CODE,
    `${FORM.toUpperCase()};charset=UTF-8`,
    200,
  ],
  ["RFC 6749 §3.2: a secret given twice", "/token", `${TOKEN}&client_secret=x`, FORM, 400],
  ["RFC 6749 §3.2: credentials in the query are not read", `/token?${TOKEN}`, "", FORM, 400],
  ["device doc §7: a token given twice", "/revoke?token=a&token=b", "", FORM, 400],
  [
    "RFC 7009 §2.2.1: a token in the query and in the body",
    "/revoke?token=a",
    "token=b",
    FORM,
    400,
  ],
])("%s", (_, target, body, type, status) => {
  const response = new Bench().send("POST", target, body, { "content-type": type });
  expect(response.status).toBe(status);
  if (status === 400) expect(response.json.error).toBe("invalid_request");
});

testRows`
device doc §4.4: an empty body is accepted, and RFC 7009 §2.1: the token may come in the body, with a hint and credentials
  sign-in -> 200
  post /revoke?token=none -> 400 invalid_token
  post /revoke token=$access token_type_hint=refresh_token client=tv -> 200
  refresh -> 400 invalid_grant
device doc §5.1: client_id identifies the client; a header that names another is rejected
  code basic=game-console:x -> 400 invalid_request
  code basic=living-room-tv:x -> 200
RFC 6749 §2.3: HTTP Basic and the form may not name two clients
  poll client_id=game-console basic=living-room-tv:tv-secret -> 400 invalid_request
  poll client_id=living-room-tv basic=living-room-tv:tv-secret -> 400 invalid_grant
RFC 7636 §4.1, §4.2, §4.3, §4.4, §4.4.1: an invalid challenge, or an unsupported method, brings no code
  code code_challenge=$verifier code_challenge_method=plain -> 400 invalid_request
  code code_challenge=$verifier -> 400 invalid_request
  code code_challenge=abc code_challenge_method=S256 -> 400 invalid_request
  code code_challenge_method=S256 -> 400 invalid_request
RFC 7636 §4.1, §4.6: plain is compared as it is, if the metadata name it, and must have the required length
  ${{ codeChallengeMethods: ["S256", "plain"] }}
  code code_challenge=${"v".repeat(42)} -> 400 invalid_request
  code code_challenge=$verifier -> 200
  allow ada -> granted
  poll code_verifier=${"w".repeat(43)} -> 400 invalid_grant
  poll code_verifier=$verifier -> 200
`;

const ofStrictClient = testRowsWith({
  ...FIXTURE,
  clients: [{ id: TV.client_id, name: "TV", pkce: "required" }],
  receivers: [],
});
ofStrictClient`
RFC 7636 §4.4.1: a client that must send a challenge gets no code without one, in Keycloak's words
  code -> 400 invalid_request error_description='Missing~parameter:~code_challenge_method'
  code code_challenge=$challenge code_challenge_method=S256 -> 200
`;
