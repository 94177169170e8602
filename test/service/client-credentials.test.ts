// How a client says who it is at the token endpoint, and what a malformed request is: RFC 6749 §2.3, §3.2, §5.2.
import { describe, expect, test } from "vitest";
import { Bench, DEVICE_GRANT, pendingCode, TV } from "./harness.ts";

describe("RFC 6749 §2.3.1 client credentials", () => {
  test("RFC 6749 §2.3.1: HTTP Basic works, encoded or not, without client_id in the form", () => {
    const bench = new Bench();
    const { device, user } = pendingCode(bench);
    bench.service.approve(user, "ada");
    const basic = `Basic ${Buffer.from("living-room-tv:tv-secret").toString("base64")}`;
    const fields = { device_code: device, grant_type: DEVICE_GRANT };
    const answer = bench.post("/token", fields, { authorization: basic });
    expect(answer.status).toBe(200);
  });

  test("RFC 6749 §2.3.1: HTTP Basic is form-encoded: ids and secrets may hold anything", () => {
    const odd = { id: "a:b c", secret: "p%+ü:", name: "Odd" };
    const bench = new Bench({}, { fixture: { clients: [odd] } });
    const encode = (text: string) => new URLSearchParams({ x: text }).toString().slice(2);
    const pair = `${encode(odd.id)}:${encode(odd.secret)}`;
    const authorization = `Basic ${Buffer.from(pair).toString("base64")}`;
    const fields = { device_code: "x", grant_type: DEVICE_GRANT };
    expect(bench.post("/token", fields, { authorization }).json.error).toBe("invalid_grant");
  });

  // curl -u and many others send the two halves as they are.
  const plus = { id: "a+b", secret: "s+t%20u" };
  const percent = { id: "tv", secret: "100%" };
  test.each([
    ["both encoded", plus, "a%2Bb:s%2Bt%2520u", "invalid_grant"],
    ["both as they are", plus, "a+b:s+t%20u", "invalid_grant"],
    ["only the secret encoded", plus, "a+b:s%2Bt%2520u", "invalid_client"],
    ["only the id encoded", plus, "a%2Bb:s+t%20u", "invalid_client"],
    ["decoded once too often", plus, "a+b:s+t u", "invalid_client"],
    ["a wrong one", plus, "a+b:s+t%20v", "invalid_client"],
    ["no secret", plus, "a+b:", "invalid_request"],
    ["a lone percent sign", percent, "tv:100%", "invalid_grant"],
    ["a blank as a plus", { id: "a b", secret: "s t" }, "a+b:s+t", "invalid_grant"],
    ["a blank as it is", { id: "a b", secret: "s t" }, "a b:s t", "invalid_grant"],
  ])(
    "RFC 6749 §2.3.1: HTTP Basic may be encoded or not, both halves alike: %s",
    (_name, client, sent, error) => {
      const bench = new Bench({}, { fixture: { clients: [{ ...client, name: "Odd" }] } });
      const authorization = `Basic ${Buffer.from(sent).toString("base64")}`;
      const fields = { device_code: "x", grant_type: DEVICE_GRANT };
      for (const form of [fields, { ...fields, client_id: client.id }])
        expect(bench.post("/token", form, { authorization }).json.error).toBe(error);
      const token = { ...fields, client_id: "somebody-else" };
      expect(bench.post("/token", token, { authorization }).json.error).toBe("invalid_request");
      const revoked = error === "invalid_grant" ? "invalid_token" : error;
      expect(bench.post("/revoke", { token: "x" }, { authorization }).json.error).toBe(revoked);
      // The client is known whatever its secret: no scope is what is missed.
      const codes = bench.post("/device/code", {}, { authorization });
      expect(codes.json.error_description).toBe("Missing required parameter: scope");
    },
  );

  test("RFC 6749 §5.2: failed HTTP Basic is answered with a challenge", () => {
    const basic = `Basic ${Buffer.from("living-room-tv:wrong").toString("base64")}`;
    const fields = { device_code: "x", grant_type: DEVICE_GRANT };
    const answer = new Bench().post("/token", fields, { authorization: basic });
    expect(answer.status).toBe(401);
    expect(answer.headers["www-authenticate"]).toMatch(/^Basic /);
  });

  test.each(["Basic", "Basic ", "basic !!!", "Basic YWJj", "BASIC OnR2"])(
    "RFC 6749 §5.2: %j is failed HTTP Basic: 401 with a challenge, whatever the form says",
    (authorization) => {
      const bench = new Bench();
      const fields = { device_code: "x", grant_type: DEVICE_GRANT };
      for (const sent of [fields, { ...TV, ...fields }]) {
        const answer = bench.post("/token", sent, { authorization });
        expect(answer.status).toBe(401);
        expect(answer.json.error).toBe("invalid_client");
        expect(answer.headers["www-authenticate"]).toMatch(/^Basic /);
      }
      expect(bench.post("/revoke", { token: "x" }, { authorization }).status).toBe(401);
    },
  );

  test("RFC 6749 §2.3: HTTP Basic and the form may not name two clients", () => {
    const basic = `Basic ${Buffer.from("living-room-tv:tv-secret").toString("base64")}`;
    const fields = { device_code: "x", grant_type: DEVICE_GRANT };
    const answer = (clientId: string) =>
      new Bench().post("/token", { ...fields, client_id: clientId }, { authorization: basic });
    expect(answer("game-console").json.error).toBe("invalid_request");
    expect(answer("living-room-tv").json.error).toBe("invalid_grant");
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

  test("RFC 6749 §3.2: a parameter given twice is refused, credentials in the query are not read", () => {
    const bench = new Bench();
    const { device } = pendingCode(bench);
    const twice = `client_id=living-room-tv&client_secret=tv-secret&client_secret=x&device_code=${device}&grant_type=${DEVICE_GRANT}`;
    expect(bench.send("POST", "/token", twice).json.error).toBe("invalid_request");
    const query = new URLSearchParams({ ...TV, device_code: device, grant_type: DEVICE_GRANT });
    expect(bench.send("POST", `/token?${query}`).json.error).toBe("invalid_request");
  });
});
