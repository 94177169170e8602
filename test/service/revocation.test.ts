// Revocation: device doc §4.4, §3 (last sentence), the row "Revoke" of §7; RFC 7009.
import { describe, expect, test } from "vitest";
import { Bench, CONSOLE, TV } from "./harness.ts";

const API = "/video/v3/liveBroadcasts?part=id&mine=true";
const inQuery = (token: unknown) => `/revoke?${new URLSearchParams({ token: String(token) })}`;

describe("device doc §4.4 revocation", () => {
  test("device doc §4.4 row success: a refresh token in the query, 200, and both tokens are dead (RFC 7009 §2)", () => {
    const bench = new Bench();
    const { access_token, refresh_token } = bench.signIn();
    expect(bench.post(inQuery(refresh_token), {}).status).toBe(200);
    expect(bench.refresh(refresh_token).json.error).toBe("invalid_grant");
    expect(bench.get(API, access_token).status).toBe(401);
  });

  test("device doc §3: revoking an access token also revokes its refresh token", () => {
    const bench = new Bench();
    const { access_token, refresh_token } = bench.signIn();
    expect(bench.post(inQuery(access_token), {}).status).toBe(200);
    expect(bench.refresh(refresh_token).json.error).toBe("invalid_grant");
  });

  test("device doc §3: revoking one of two sign-ins leaves the other alone", () => {
    const bench = new Bench();
    const [one, two] = [bench.signIn(), bench.signIn()];
    bench.post(inQuery(one.refresh_token), {});
    expect(bench.refresh(two.refresh_token).status).toBe(200);
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

  test("awkward tokens in the query are revoked all the same", () => {
    const bench = new Bench({ tokenCharacters: "awkward" });
    expect(bench.post(inQuery(bench.signIn().access_token), {}).status).toBe(200);
  });
});

describe("device doc §7: what revokes nothing", () => {
  test.each(["none", "pgr.", "\u0000", "é"])(
    "device doc §7 row Revoke 400: invalid_token for %j",
    (token) => {
      const answer = new Bench().post(inQuery(token), {});
      expect(answer.status).toBe(400);
      expect(answer.json.error).toBe("invalid_token");
      expect(answer.headers["content-type"]).toMatch(/^application\/json/);
    },
  );

  test("device doc §7 row Revoke 400: when the token was revoked before or has expired", () => {
    const bench = new Bench();
    const { refresh_token } = bench.signIn();
    bench.post(inQuery(refresh_token), {});
    expect(bench.post(inQuery(refresh_token), {}).json.error).toBe("invalid_token");
    const { access_token } = bench.signIn();
    bench.wait(3600);
    expect(bench.post(inQuery(access_token), {}).json.error).toBe("invalid_token");
  });

  test("device doc §7 row Revoke 400: invalid_request without a token, or with two (RFC 7009 §2.2.1)", () => {
    const bench = new Bench();
    expect(bench.post("/revoke", {}).json.error).toBe("invalid_request");
    expect(bench.post("/revoke?token=a&token=b", {}).json.error).toBe("invalid_request");
    expect(bench.post("/revoke?token=a", { token: "b" }).json.error).toBe("invalid_request");
  });

  test("RFC 7009 §2.1: wrong credentials are 401; another client's token is not revoked", () => {
    const bench = new Bench();
    const token = String(bench.signIn().refresh_token);
    const wrong = bench.post("/revoke", { token, ...TV, client_secret: "wrong" });
    expect(wrong).toMatchObject({ status: 401, json: { error: "invalid_client" } });
    expect(bench.post("/revoke", { token, ...CONSOLE }).json.error).toBe("invalid_token");
    expect(bench.refresh(token).status).toBe(200);
  });

  test("device doc §4.4: GET is 405", () => {
    expect(new Bench().get("/revoke?token=x").status).toBe(405);
  });
});
