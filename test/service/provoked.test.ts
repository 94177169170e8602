// Answers that are provoked: each can be had from each request it is for, leaves the service as it was, and ends when it
// is taken back. JSON bodies in place of forms.
import { describe, expect, it, test } from "vitest";
import { PROVOKED_ANSWERS, PROVOKED_REQUESTS } from "../../targets/service/provoked.ts";
import { Bench, DEVICE_GRANT, TV } from "./harness.ts";

const API = "/video/v3/liveBroadcasts?part=id&mine=true";

/** What each request is answered without anything provoked. */
const ASK = {
  code: (bench: Bench) => bench.requestCodes(),
  poll: (bench: Bench) => bench.poll("unknown"),
  refresh: (bench: Bench) => bench.refresh("unknown"),
  revocation: (bench: Bench) => bench.post("/revoke", { token: "unknown" }),
  userinfo: (bench: Bench) => bench.get("/userinfo"),
  api: (bench: Bench) => bench.get(API),
};

describe.each(PROVOKED_REQUESTS)("provoked: %s", (request) => {
  it.each(Object.entries(PROVOKED_ANSWERS))("%s, and nothing else is touched", (name, wanted) => {
    const bench = new Bench();
    const before = ASK[request](bench).status;
    bench.service.setOptions({ provoke: { [request]: name } });
    const answer = ASK[request](bench);
    expect([answer.status, answer.text]).toEqual([
      wanted.status,
      new TextDecoder().decode(wanted.body),
    ]);
    for (const other of PROVOKED_REQUESTS.filter((one) => one !== request)) {
      expect([other, ASK[other](bench).headers]).toEqual([other, ASK[other](new Bench()).headers]);
    }
    bench.service.setOptions({ provoke: {} });
    expect(ASK[request](bench).status).toBe(before);
  });
});

test("a refusal that was provoked costs no grant: it was none of the service's own", () => {
  const bench = new Bench({ provoke: { refresh: "interaction_required" } });
  const { refresh_token } = bench.signIn();
  expect(bench.refresh(refresh_token)).toMatchObject({
    status: 400,
    json: { error: "interaction_required" },
  });
  bench.service.setOptions({ provoke: {} });
  expect(bench.refresh(refresh_token).status).toBe(200);
});

test("a name that is none is told with the option", () => {
  const provoke = { refresh: "nonsense" };
  expect(() => new Bench({ provoke })).toThrow(/^option provoke\.refresh: /);
  expect(() => new Bench({ provoke: { nonsense: "405" } as object })).toThrow(/^option provoke/);
});

describe("a server that takes JSON alone", () => {
  const ask = (bench: Bench, path: string, value: unknown) =>
    bench.send("POST", path, JSON.stringify(value), { "content-type": "application/json" });

  test("RFC 9110 §15.5.16: a form is 415 without a body, a JSON object is understood", () => {
    const bench = new Bench({ bodies: "json" });
    expect(bench.requestCodes()).toMatchObject({ status: 415, text: "" });
    expect(bench.post("/revoke", { token: "x" }).status).toBe(415);
    const { device_code, user_code } = ask(bench, "/device/code", {
      client_id: TV.client_id,
      scope: "openid",
    }).json;
    bench.service.approve(String(user_code), "ada");
    const polled = { ...TV, grant_type: DEVICE_GRANT, device_code };
    expect(bench.poll(device_code).status).toBe(415);
    const tokens = ask(bench, "/token", polled).json;
    expect(tokens).toHaveProperty("access_token");
    expect(ask(bench, "/revoke", { token: tokens.refresh_token }).status).toBe(200);
  });

  test.each(["", "[1]", "{", '{"a":1}', "null", '"text"'])("%j is invalid_request", (body) => {
    const bench = new Bench({ bodies: "json" });
    const headers = { "content-type": "application/json" };
    expect(bench.send("POST", "/token", body, headers).json.error).toBe("invalid_request");
  });

  test("the APIs and pages are as they were", () => {
    expect(new Bench({ bodies: "json" }).get(API).status).toBe(401);
  });
});
