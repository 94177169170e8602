// What codes and tokens are made of, and what of a request is read: beyond the rows (rows.test.ts) and the client's
// credentials (client-credentials.test.ts).
import { describe, expect, test } from "vitest";
import { createUserCode } from "../../targets/service/codes.ts";
import { optionsSchema } from "../../targets/service/options.ts";
import { Bench, seededRandom, TV } from "./harness.ts";

const inQuery = (token: unknown) => `/revoke?${new URLSearchParams({ token: String(token) })}`;

describe("codes and tokens", () => {
  test("RFC 8628 §6.1: user codes have no glyph that can be taken for another", () => {
    const bench = new Bench({ deviceCodeQuota: null });
    const seen = new Set<string>();
    for (let i = 0; i < 500; i++) {
      const code = String(bench.requestCodes().json.user_code);
      expect(code).toMatch(/^[BCDFGHJKLMNPQRSTVWXZ]{4}-[BCDFGHJKLMNPQRSTVWXZ]{4}$/);
      expect(seen).not.toContain(code);
      seen.add(code);
    }
  });

  test("RFC 8628 §6.1: every letter is equally likely, to within five deviations", () => {
    const random = seededRandom(7);
    const counts = new Map<string, number>();
    const codes = 20_000;
    const format = "X".repeat(15);
    for (let i = 0; i < codes; i++)
      for (const letter of createUserCode({ now: () => 0, random }, format))
        counts.set(letter, (counts.get(letter) ?? 0) + 1);
    const letters = codes * format.length;
    const deviation = Math.sqrt(letters * (1 / 20) * (19 / 20));
    expect(counts.size).toBe(20);
    for (const count of counts.values())
      expect(Math.abs(count - letters / 20)).toBeLessThan(5 * deviation);
  });

  test("RFC 8628 §5.2: a device code has at least 128 bits and shares nothing with the user code", () => {
    const { device_code, user_code } = new Bench().requestCodes().json;
    const text = String(device_code).replace(/^pgd\./, "");
    expect(Buffer.from(text, "base64url").length).toBeGreaterThanOrEqual(16);
    expect(text).not.toContain(String(user_code).replace("-", ""));
  });

  test("awkward codes reach the poll unharmed: / # & % + and a backquote", () => {
    const bench = new Bench({ tokenCharacters: "awkward" });
    const { device_code } = bench.requestCodes().json;
    expect(device_code).toMatch(/\/.*#.*&.*%.*\+.*`/);
    expect(bench.poll(device_code).status).toBe(428);
  });

  test("awkward tokens in the query are revoked all the same", () => {
    const bench = new Bench({ tokenCharacters: "awkward" });
    expect(bench.post(inQuery(bench.signIn().access_token), {}).status).toBe(200);
  });

  test("device doc §8 row user_code display: it fits 15 wide characters, whatever its format", () => {
    const bench = new Bench({ userCodeFormat: "XXXXX-XXX-XXXXX" });
    expect(bench.requestCodes().json.user_code).toHaveLength(15);
    expect(() => optionsSchema.parse({ userCodeFormat: "XXXXXXXX-XXXXXXX" })).toThrow();
    expect(() => optionsSchema.parse({ userCodeFormat: "XX-XX" })).toThrow();
  });

  test("device doc §8 row verification_url display: it fits 40 characters on usual bases", () => {
    for (const baseUrl of ["http://127.0.0.1:65535", "https://192.168.100.200:65535"]) {
      const { verification_url } = new Bench({ baseUrl }).requestCodes().json;
      expect(String(verification_url).length).toBeLessThanOrEqual(40);
    }
  });

  test("device doc §2.2: a clock that ticks while the answer is made shortens no lifetime", () => {
    let ms = 0;
    const bench = new Bench({}, { now: () => ms++ });
    expect(bench.signIn({ accessSeconds: 60 })).toMatchObject({
      expires_in: 60,
      refresh_token_expires_in: 60,
    });
  });
});

describe("requests", () => {
  test("device doc §4.1: parameters in the query are understood, as some clients send them", () => {
    const query = new URLSearchParams({ client_id: TV.client_id, scope: "email" });
    expect(new Bench().send("POST", `/device/code?${query}`).status).toBe(200);
  });

  test("RFC 8628 §3.1: a parameter given twice is 400 invalid_request, an empty one counts as missing", () => {
    const bench = new Bench();
    const twice = bench.send(
      "POST",
      "/device/code",
      "client_id=living-room-tv&scope=email&scope=x",
    );
    expect(twice).toMatchObject({ status: 400, json: { error: "invalid_request" } });
    const empty = bench.send("POST", "/device/code", "client_id=&scope=email");
    expect(empty.json.error_description).toBe("Missing required parameter: client_id");
  });

  test("device doc §4 row bodies are forms: one that is not a form is 400 invalid_request", () => {
    const json = JSON.stringify({ client_id: TV.client_id, scope: "email" });
    const headers = { "content-type": "application/json" };
    const answer = new Bench().send("POST", "/device/code", json, headers);
    expect(answer).toMatchObject({ status: 400, json: { error: "invalid_request" } });
  });

  test("device doc §4: a form with a charset and with odd capitals is a form", () => {
    const headers = { "content-type": "Application/X-WWW-Form-Urlencoded;charset=UTF-8" };
    const body = "client_id=living-room-tv&scope=email";
    expect(new Bench().send("POST", "/device/code", body, headers).status).toBe(200);
  });

  test("device doc §5.1: client_id is the client; a header that names another is 400", () => {
    const bench = new Bench();
    const basic = (id: string) => ({ authorization: `Basic ${btoa(`${id}:secret`)}` });
    const ask = (id: string, headers: Record<string, string>) =>
      bench.post("/device/code", { client_id: id, scope: "email" }, headers);
    const answer = ask("living-room-tv", basic("game-console"));
    expect([answer.status, answer.json.error]).toEqual([400, "invalid_request"]);
    expect(bench.service.pending()).toEqual([]);
    expect(ask("living-room-tv", basic("living-room-tv")).status).toBe(200);
    expect(bench.service.pending().map(({ clientId }) => clientId)).toEqual(["living-room-tv"]);
  });

  test("device doc §5.1: client_id identifies the client, whatever an Authorization header holds", () => {
    const fields = { client_id: TV.client_id, scope: "email" };
    for (const authorization of ["Basic !!!", "Basic YWJj", "Bearer x", "Basic"])
      expect(new Bench().post("/device/code", fields, { authorization }).status).toBe(200);
  });

  test("device doc §4.4: an empty body without a content type will do", () => {
    const bench = new Bench();
    expect(bench.send("POST", inQuery(bench.signIn().access_token)).status).toBe(200);
  });

  test("RFC 7009 §2.1: the token may come in the body, with a hint and with credentials", () => {
    const bench = new Bench();
    const token = String(bench.signIn().refresh_token);
    const fields = { token, token_type_hint: "access_token", ...TV };
    expect(bench.post("/revoke", fields).status).toBe(200);
    expect(bench.refresh(token).status).toBe(400);
  });

  test("device doc §7: a token given twice is invalid_request, wherever (RFC 7009 §2.2.1)", () => {
    const bench = new Bench();
    expect(bench.post("/revoke?token=a&token=b", {}).json.error).toBe("invalid_request");
    expect(bench.post("/revoke?token=a", { token: "b" }).json.error).toBe("invalid_request");
    for (const token of ["\u0000", "é"])
      expect(bench.post(inQuery(token), {}).json.error).toBe("invalid_token");
  });
});
