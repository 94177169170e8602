// Tests calls to an API, the pages of lists, and the handling of a 401.

import { describe, expect, it } from "vitest";
import { Endpoint, Field, State } from "../../core/complete.ts";
import { bytesOf } from "../../platform/text/text.ts";
import { call, LIST, outcome, session } from "../environment/core-port.ts";
import { json, tokens } from "../environment/environment.ts";

describe("device doc §4.5 and §5.3: a call to an API", () => {
  it("device doc §4.5 row part and mine: GET with the token in the header only (RFC 6750 §2, §2.1)", () => {
    const bench = session([json(200, { items: [] })]);
    const { core, device } = bench;
    expect(core.beginCall(device)).toBe(1);
    const add = (write: typeof core.addPath, text: string): void => {
      write(device, bytesOf(text), 0, bytesOf(text).length);
    };
    add(core.addPath, "/video/v3/liveBroadcasts?part=");
    add(core.addQueryValue, "id,snippet");
    add(core.addPath, "&mine=");
    add(core.addQueryValue, "true");
    expect(core.sendCall(device, Endpoint.RESOURCE, 1, null, 0, 0)).toBe(1);
    bench.pass(0);
    expect(bench.sent).toHaveLength(1);
    expect(bench.sent[0]).toMatchObject({
      target: LIST,
      method: "GET",
      authorization: "Bearer access",
      text: "",
    });
    expect(bench.sent[0]!.target).not.toContain("access_token");
    expect(outcome(bench)).toEqual({ error: 0, status: 200 });
  });

  it("device doc §5.3 row bearer credential: refreshed after 401, and retried once with the new token (RFC 6750 §3, §3.1)", () => {
    const bench = session([
      json(401, { error: { code: 401, message: "Invalid Credentials" } }),
      tokens({ access_token: "second" }),
      json(200, { items: [] }),
    ]);
    call(bench, LIST);
    bench.pass(5000);
    expect(bench.sent.map(({ endpoint, authorization }) => [endpoint, authorization])).toEqual([
      [Endpoint.RESOURCE, "Bearer access"],
      [1, ""],
      [Endpoint.RESOURCE, "Bearer second"],
    ]);
    expect(bench.sent[2]!.target).toBe(LIST);
    expect(outcome(bench)).toEqual({ error: 0, status: 200 });
  });

  it("device doc §5.7 row NoLinkedVideoAccount: it is reported to the application, and the session continues", () => {
    const message = "The user is not enabled for live streaming.";
    const reason = "NoLinkedVideoAccount";
    const bench = session([
      json(401, {}),
      tokens({ access_token: "second" }),
      json(403, { error: { code: 403, message, errors: [{ message, domain: "video", reason }] } }),
    ]);
    call(bench, LIST);
    bench.pass(5000);
    expect(outcome(bench).status).toBe(403);
    expect(bench.text(Field.VALUE_B)).toBe(reason);
    expect(bench.text(Field.VALUE_C)).toBe(message);
    expect(bench.device.state).toBe(State.SIGNED_IN);
    expect(bench.text(Field.ACCESS_TOKEN)).toBe("second");
  });

  it("device doc §9 row the path carries v3: the application's path is sent with its version", () => {
    const bench = session([json(200, {})]);
    call(bench, LIST);
    bench.pass(0);
    expect(bench.sent[0]!.target).toContain("/v3/");
  });
});
