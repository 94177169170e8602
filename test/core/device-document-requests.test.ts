// The device document row by row, as the device sees it: what it sends in which state, and as whom.
// A test's name begins with the section, and the row where the section is a table.

import { describe, expect, it } from "vitest";
import { ClientAuthentication, ErrorCode, ErrorKind, Field, State } from "../../core/complete.ts";
import { fields, GRANT, Port, polls, signedIn } from "../world/core-port.ts";
import { code, error, json, tokens } from "../world/world.ts";

describe("device doc §3", () => {
  it("device doc §3 row device code request: a code leads to pending", () => {
    const bench = new Port([code()]);
    expect(bench.device.state).toBe(State.REQUESTING);
    bench.until(1);
    expect(bench.device.state).toBe(State.PENDING);
  });

  it("device doc §3 row pending: a poll with 428 authorization_pending changes nothing", () => {
    const bench = new Port([code()]);
    bench.until(8);
    expect(bench.device.state).toBe(State.PENDING);
    expect(new Set(polls(bench).map(({ text }) => text)).size).toBe(1);
  });

  it("device doc §3 row slow_down: still pending, polled less often", () => {
    const bench = new Port([code(), error(403, "slow_down")]);
    bench.until(4);
    const [, first, second, third] = bench.sent;
    expect(second!.atMs - first!.atMs).toBe(10_000);
    expect(third!.atMs - second!.atMs).toBe(10_000);
  });

  it("device doc §3 row granted: the next poll's tokens sign the user in", () => {
    const bench = signedIn();
    expect(bench.frame().join("\n")).toContain("Signed in");
    expect(bench.frame().join("\n")).not.toContain("ABCD-EFGH");
  });

  it("device doc §3 row denied: 403 access_denied ends the attempt; signIn begins another", () => {
    const bench = new Port([code(), error(403, "access_denied"), code({ user_code: "AGAIN" })]);
    bench.until(2);
    bench.pass(600_000);
    expect(bench.sent.length).toBe(2);
    bench.core.signIn(bench.device);
    bench.pass(0);
    expect(bench.frame().join("\n")).toContain("AGAIN");
  });

  it("device doc §3 row expired: the device restarts from the device code request by itself", () => {
    const over = error(400, "expired_token");
    const bench = new Port([code({ expires_in: 3 }), over, code({ user_code: "SECOND" })]);
    bench.until(3);
    expect(bench.sent.map(({ endpoint }) => endpoint)).toEqual([0, 1, 0]);
    expect(bench.frame().join("\n")).toContain("SECOND");
  });

  it("device doc §3 row token lifetimes: the refresh token, if there is one, is what is revoked", () => {
    const bench = signedIn();
    bench.core.signOut(bench.device);
    bench.pass(0);
    expect(bench.sent.at(-1)!.target).toBe("?token=refresh");
    const without = signedIn({ refresh_token: undefined });
    without.core.signOut(without.device);
    without.pass(0);
    expect(without.sent.at(-1)!.target).toBe("?token=access");
  });
});

describe("device doc §4", () => {
  it("device doc §4 row bodies are forms: every body of the grant reads as a form", () => {
    const answers = [code(), tokens(), tokens(), error(400, "invalid_token"), json(200, {})];
    const bench = new Port(answers, {
      clientSecret: "ä€😀 +&%",
      clientAuthentication: ClientAuthentication.CLIENT_SECRET_POST,
    });
    bench.until(3);
    bench.core.signOut(bench.device);
    bench.pass(0);
    for (const { text } of bench.sent) expect(String(new URLSearchParams(text))).toBe(text);
  });

  it("device doc §4.1 row client_id and row scope: and nothing else", () => {
    const scope = "email https://example.com/auth/video.readonly";
    const bench = new Port([code()], { scope });
    bench.until(1);
    expect(bench.sent[0]).toMatchObject({
      endpoint: 0,
      target: "",
      method: "POST",
      authorization: "",
    });
    expect(fields(bench.sent[0]!)).toEqual({ client_id: "printer", scope });
  });

  it.each(["client_id", "client_secret", "device_code", "grant_type"])(
    "device doc §4.2 row %s: in every poll, nothing beside the four (RFC 8628 §3.4)",
    (name) => {
      const bench = new Port([code()]);
      bench.until(3);
      const expected: Record<string, string> = {
        client_id: "printer",
        client_secret: "secret",
        device_code: "dc",
        grant_type: GRANT,
      };
      for (const sent of polls(bench)) {
        expect(fields(sent)[name]).toBe(expected[name]);
        expect(fields(sent)).toEqual(expected);
        expect(sent).toMatchObject({ target: "", method: "POST", authorization: "" });
      }
    },
  );

  it("device doc §4.2 row every interval: polls until a final answer, then never again", () => {
    const bench = new Port([code(), ...Array(20).fill(error(428, "authorization_pending"))]);
    bench.answers.push(error(403, "access_denied"));
    bench.pass(1_700_000);
    const times = bench.sent.map(({ atMs }) => atMs);
    expect(times.slice(1).map((time, at) => time - times[at]!)).toEqual(Array(21).fill(5000));
  });

  it.each(["client_id", "client_secret", "refresh_token", "grant_type"])(
    "device doc §4.3 row %s: in a refresh, nothing beside the four (RFC 6749 §6)",
    (name) => {
      const bench = signedIn();
      bench.until(3);
      const expected: Record<string, string> = {
        client_id: "printer",
        client_secret: "secret",
        refresh_token: "refresh",
        grant_type: "refresh_token",
      };
      expect(fields(bench.sent[2]!)[name]).toBe(expected[name]);
      expect(fields(bench.sent[2]!)).toEqual(expected);
      expect(bench.sent[2]).toMatchObject({
        endpoint: 1,
        target: "",
        method: "POST",
        authorization: "",
      });
    },
  );

  it("device doc §4.3 row answer: its four fields are enough", () => {
    const bench = signedIn();
    bench.answers = [
      json(200, { access_token: "new", expires_in: 3920, scope: "email", token_type: "Bearer" }),
    ];
    bench.until(3);
    expect(bench.text(Field.ACCESS_TOKEN)).toBe("new");
    expect(bench.device.state).toBe(State.SIGNED_IN);
  });

  it("device doc §4.4 row token: in the query string, a single parameter, body empty", () => {
    const bench = signedIn({ refresh_token: "1/a+b&c=d" });
    bench.core.signOut(bench.device);
    bench.pass(0);
    expect(bench.sent[2]).toMatchObject({ endpoint: 2, method: "POST", text: "" });
    expect(bench.sent[2]!.target).toBe(`?${new URLSearchParams({ token: "1/a+b&c=d" })}`);
  });

  it.each(["", "{}", '{"anything":1}'])(
    "device doc §4.4 row success: 200 with the body %j, which is not shown (RFC 7009 §2.2)",
    (body) => {
      const bench = signedIn();
      bench.answers = [{ status: 200, body }];
      bench.core.signOut(bench.device);
      bench.pass(86_400_000);
      expect(bench.device.state).toBe(State.SIGNED_OUT);
      expect(bench.sent.length).toBe(3);
    },
  );
});

describe("device doc §5", () => {
  it("device doc §5.1 row client_id alone: it identifies the client in the device code request", () => {
    const bench = new Port([code()]);
    bench.until(1);
    expect(fields(bench.sent[0]!)).toHaveProperty("client_id", "printer");
    expect(fields(bench.sent[0]!)).not.toHaveProperty("client_secret");
  });

  it("device doc §5.2 row client_id and client_secret: polling and refreshing send both", () => {
    const bench = signedIn();
    bench.until(3);
    for (const sent of polls(bench)) {
      expect(fields(sent)).toMatchObject({ client_id: "printer", client_secret: "secret" });
    }
  });

  it("device doc §5.4 row client type: invalid_client is final, and the maker's to put right", () => {
    for (const answers of [
      [error(401, "invalid_client")],
      [code(), error(401, "invalid_client")],
    ]) {
      const bench = new Port(answers);
      bench.until(answers.length);
      expect(bench.device.state).toBe(State.FAILED);
      expect(bench.core.errorKind(bench.device, bench.device.error)).toBe(ErrorKind.MAKER);
    }
  });

  it.each(["email", "openid", "profile", "https://example.com/auth/storage.appdata"])(
    "device doc §5.5 row allowed scopes: %s goes out as it is",
    (scope) => {
      const bench = new Port([code()], { scope });
      bench.until(1);
      expect(fields(bench.sent[0]!).scope).toBe(scope);
    },
  );

  it("device doc §5.5 row allowed scopes: one that is not is final", () => {
    const bench = new Port([error(400, "invalid_scope")]);
    bench.until(1);
    expect(bench.device.state).toBe(State.FAILED);
    expect(bench.device.error).toBe(ErrorCode.INVALID_SCOPE);
  });
});
