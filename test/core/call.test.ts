// One request beyond the grant at a time: what another one, the session and its end do to it.
// Complete build only.

import { describe, expect, it } from "vitest";
import { ErrorCode, Field, Region, State } from "../../core/complete.ts";
import { Bench, code, config, json, publicState, tokens } from "./bench.ts";
import { bytesOf, call, LIST, outcome, RESOURCE, session } from "./session.ts";
import { isSources, makeCore, scarce } from "./subject.ts";

describe("one call at a time", () => {
  it.each(["discover", "nextPage", "pollEvents", "beginCall"] as const)(
    "%s while a call is under way is refused and changes nothing for the call",
    (begin) => {
      const bench = session([json(200, { nextPageToken: "next" }), "hang"]);
      call(bench, LIST);
      bench.pass(0);
      call(bench, LIST);
      bench.pass(0);
      const before = publicState(bench);
      const issuer = bytesOf("https://issuer.example");
      const begun =
        begin === "discover"
          ? bench.core.discover(bench.device, issuer, 0, issuer.length)
          : bench.core[begin](bench.device);
      expect(begun).toBe(0);
      expect(publicState(bench)).toEqual(before);
      bench.give(bench.sent.at(-1)!.id, json(200, {}));
      bench.pass(60_000);
      expect(outcome(bench)).toEqual({ error: 0, status: 200 });
      expect(bench.sent).toHaveLength(2);
    },
  );

  it.skipIf(!isSources)(
    "what was lent is the host's again once the call is done: it may be freed",
    () => {
      const bench = session([json(200, {})]);
      call(bench, "/insert", '{"snippet":{}}');
      expect(bench.device.lent).not.toBeNull();
      bench.pass(0);
      expect(outcome(bench)).toEqual({ error: 0, status: 200 });
      expect(bench.device.lent).toBeNull();
    },
  );

  it("of what is no byte the low eight bits count: in a target, on the display, in an answer", () => {
    const settings = { ...config, clientId: "c", clientSecret: "" };
    const memory: number[] = new Array(8192).fill(0);
    const { core } = session();
    const device = core.create(memory, settings)!;
    const odd = [300, -1, 256 + 65, 256 + 34];
    core.setStatus(device, odd, 0, odd.length);
    const at = device.start[Region.STATUS]!;
    expect(memory.slice(at, at + 4)).toEqual([44, 255, 65, 34]);

    const bench = session([json(200, {})]);
    core.beginCall(bench.device);
    core.addPath(bench.device, odd, 2, 4);
    expect(bench.text(Region.CALL)).toBe('A"');
    core.addSegment(bench.device, [256 + 47], 0, 1);
    expect(bench.text(Region.CALL)).toBe('A"%2F');
  });

  it("a page token of something within the list is not the list's", () => {
    const bench = session([
      json(200, { items: [{ nextPageToken: "x" }], of: { nextPageToken: "y" } }),
    ]);
    call(bench, LIST);
    bench.pass(0);
    expect(outcome(bench).error).toBe(0);
    expect(bench.device.hasNextPage).toBe(0);
  });

  it("a refusal names its error alike for all: of another call than a call too", () => {
    for (const begin of ["discover", "pollEvents"] as const) {
      const errors = [{ reason: "rateLimitExceeded" }];
      const bench = session([json(403, { error: { status: "QUOTA", message: "later", errors } })]);
      bench.core[begin](bench.device, bytesOf("https://issuer.example"), 0, 22);
      bench.pass(0);
      expect(outcome(bench)).toEqual({ error: ErrorCode.UNKNOWN_ERROR, status: 403 });
      expect(bench.text(Field.VALUE_A)).toBe("QUOTA");
      expect(bench.text(Field.VALUE_B)).toBe("rateLimitExceeded");
      expect(bench.text(Field.VALUE_C)).toBe("later");
    }
  });

  it.each([
    [{ error: "invalid_token", status: 400 }, "invalid_token", ErrorCode.INVALID_TOKEN],
    [{ status: 400, error: "invalid_token" }, "invalid_token", ErrorCode.INVALID_TOKEN],
    [{ status: "400", error: "invalid_token" }, "invalid_token", ErrorCode.INVALID_TOKEN],
    [{ error: "invalid_token", status: "QUOTA" }, "invalid_token", ErrorCode.INVALID_TOKEN],
    [{ error: { status: "QUOTA" }, status: 400 }, "QUOTA", ErrorCode.UNKNOWN_ERROR],
    [{ error: "", status: "QUOTA" }, "QUOTA", ErrorCode.UNKNOWN_ERROR],
    [{ error: null, status: "QUOTA" }, "QUOTA", ErrorCode.UNKNOWN_ERROR],
    [{ title: "Gone", status: 410 }, "410", ErrorCode.UNKNOWN_ERROR],
  ])("SPEC Calls: the first that is a name is a refusal's, before any number: %j", (...row) => {
    const [body, name, number] = row;
    const bench = session([json(400, body)]);
    call(bench, LIST);
    bench.pass(0);
    expect(bench.text(Field.VALUE_A)).toBe(name);
    expect(outcome(bench)).toEqual({ error: number, status: 400 });
  });

  it("a page of members named like an error's is no error, nor kept for one", () => {
    const bench = session([json(200, { error: "x", status: "x", message: "y", reason: "z" })]);
    call(bench, LIST);
    bench.pass(0);
    expect(outcome(bench)).toEqual({ error: 0, status: 200 });
    for (const field of [Field.VALUE_A, Field.VALUE_B, Field.VALUE_C, Field.VALUE_D]) {
      expect(bench.text(field)).toBe("");
    }
  });

  it("nor is anything that nobody looks for, whatever its escapes", () => {
    const bench = session([{ status: 200, body: '{"x":"\\u0065\\n","y":"\\u0065rror"}' }]);
    call(bench, LIST);
    bench.pass(0);
    expect(outcome(bench)).toEqual({ error: 0, status: 200 });
  });

  it("sendCall while another call is under way is refused and changes nothing for that", () => {
    const bench = session(["hang", json(200, {})]);
    const { core, device } = bench;
    expect(core.beginCall(device)).toBe(1);
    core.addPath(device, bytesOf("/x"), 0, 2);
    expect(core.pollEvents(device)).toBe(1);
    const before = publicState(bench);
    expect(core.sendCall(device, RESOURCE, 1, null, 0, 0)).toBe(0);
    expect(publicState(bench)).toEqual(before);
    bench.pass(0);
    expect(bench.sent[0]).toMatchObject({ endpoint: 4, target: "" });
  });

  it("sendCall for nobody is refused", () => {
    const bench = new Bench([code()]);
    bench.until(1);
    const before = publicState(bench);
    expect(bench.core.beginCall(bench.device)).toBe(0);
    expect(bench.core.sendCall(bench.device, RESOURCE, 1, null, 0, 0)).toBe(0);
    expect(publicState(bench)).toEqual(before);
  });

  it("SPEC Calls: a request of the grant in the middle of a target leaves that whole", () => {
    const bench = session([tokens({ access_token: "second" }), json(200, {})]);
    const { core, device } = bench;
    bench.until(0);
    core.beginCall(device);
    core.addPath(device, bytesOf("/x"), 0, 2);
    bench.pass(3_600_000);
    expect(bench.sent.map(({ endpoint }) => endpoint)).toEqual([1]);
    core.addPath(device, bytesOf("y"), 0, 1);
    expect(core.sendCall(device, RESOURCE, 1, null, 0, 0)).toBe(1);
    bench.pass(0);
    expect(bench.sent[1]).toMatchObject({ endpoint: RESOURCE, target: "/xy", bearer: "second" });
  });

  it("the pages end with the session: the next user's codes lie where the target was", () => {
    const bench = session([json(200, { nextPageToken: "next" })]);
    const { core, device } = bench;
    call(bench, LIST);
    bench.pass(0);
    expect(device.hasNextPage).toBe(1);
    core.signOut(device);
    expect(core.nextPage(device)).toBe(0);
    bench.answers = [{ status: 200, body: "" }, code(), tokens({ access_token: "other" })];
    bench.run(0);
    expect(device.hasNextPage).toBe(0);
    core.signIn(device);
    bench.until(4);
    expect(device.state).toBe(State.SIGNED_IN);
    expect(core.nextPage(device)).toBe(0);
    bench.pass(1000);
    expect(bench.sent).toHaveLength(4);
  });

  it("a POST has no pages: its body is the host's again", () => {
    const bench = session([json(200, { nextPageToken: "next" })]);
    call(bench, "/search", "{}");
    bench.pass(0);
    expect(outcome(bench).error).toBe(0);
    expect(bench.core.nextPage(bench.device)).toBe(0);
    expect(bench.device.hasNextPage).toBe(0);
  });

  it("a page token that does not fit behind the target is no next page", () => {
    const bench = session([json(200, { nextPageToken: "p".repeat(300) }), json(200, {})]);
    call(bench, LIST);
    bench.pass(0);
    expect(bench.device.hasNextPage).toBe(0);
    expect(bench.core.nextPage(bench.device)).toBe(0);
  });

  it("a page token longer than the room for a value is no next page, and is not cut to it", () => {
    let smallest = scarce(2200);
    while (!makeCore().create(new Uint8Array(smallest), config)) smallest++;
    for (const memoryBytes of [smallest, smallest + 50, smallest + 350]) {
      const bench = new Bench([code(), tokens()], { memoryBytes });
      bench.until(2);
      bench.answers = [json(200, {})];
      call(bench, "/x");
      bench.run(0);
      const room = bench.device.capacity[Field.VALUE_A]!;
      for (const over of [0, 1, 9]) {
        bench.answers = [json(200, { nextPageToken: "p".repeat(room + over) })];
        call(bench, "/x");
        bench.run(0);
        expect(bench.device.hasNextPage).toBe(over || room > 311 ? 0 : 1);
      }
    }
  });

  it("a value that is too long leaves the one beside it as it is", () => {
    const refusal = { error: { errors: [{ reason: "abcdef" }] }, nextPageToken: "p".repeat(5000) };
    const bench = session([json(403, refusal)]);
    call(bench, LIST);
    bench.pass(0);
    expect(bench.text(Field.VALUE_B)).toBe("abcdef");
  });

  it("a target and its page token may fill their room to the last byte", () => {
    const first = session();
    expect(call(first, LIST)).toBe(1);
    const room = first.device.capacity[Region.CALL]!;
    for (const [spare, pages] of [
      [0, 1],
      [-1, 0],
    ] as const) {
      const nextPageToken = "p".repeat(room - LIST.length - "&pageToken=".length - spare);
      const bench = session([json(200, { nextPageToken }), json(200, {})]);
      call(bench, LIST);
      bench.pass(0);
      expect(bench.device.hasNextPage).toBe(pages);
    }
    expect(call(session(), `/${"x".repeat(room - 1)}`)).toBe(1);
    expect(call(session(), `/${"x".repeat(room)}`)).toBe(0);
  });

  it("tokens that fill their room are whole behind a call with every value", () => {
    const { capacity } = session().device;
    const access_token = "a".repeat(capacity[Field.ACCESS_TOKEN]!);
    const reason = "r".repeat(60);
    const answer = json(403, { error: { message: "m", errors: [{ reason }] }, nextPageToken: "p" });
    const bench = session([answer, json(200, {})], { access_token });
    call(bench, LIST);
    bench.pass(0);
    expect(bench.text(Field.VALUE_B)).toBe(reason);
    call(bench, LIST);
    bench.pass(0);
    expect(bench.sent.at(-1)!.bearer).toBe(access_token);
  });
});
