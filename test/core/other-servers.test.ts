// What authorization servers that nobody here wrote send: values that are long or missing, answers of no
// use, intervals beyond an hour. Nothing optional ends a sign-in; what is needed and cannot be had says
// what is missing, and who can put it right.

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import * as core from "../../core/complete.ts";
import { ErrorCode, Field, Region, State } from "../../core/complete.ts";
import { isFullRun } from "../full-run.ts";
import { Bench, code, error, json, tokens } from "./bench.ts";

/** Signed in, or whatever became of these answers. */
function had(answers: ConstructorParameters<typeof Bench>[0], settings: object = {}): Bench {
  const bench = new Bench(answers, settings);
  bench.until(answers!.length);
  bench.pass(0);
  return bench;
}
const shown = (bench: Bench): string => bench.frame().join(" ").replace(/ +/g, " ");

describe("RFC 6749 §3.3, §5.1: scope is information, of any length", () => {
  const scopeOf = (scope: unknown): string => {
    const bench = had([code(), tokens({ scope })]);
    expect(bench.device.state).toBe(State.SIGNED_IN);
    expect(bench.text(Field.ACCESS_TOKEN)).toBe("access");
    return bench.text(Field.SCOPE);
  };

  it("what fits is kept, in whole scopes", () => {
    const room = new Bench([], { autoStart: 0 }).device.capacity[Field.SCOPE]!;
    fc.assert(
      fc.property(
        fc.array(fc.string({ unit: fc.constantFrom("a", ":", "/", "."), minLength: 1 }), {
          minLength: 1,
          maxLength: 60,
          // Without it lists stay so short that all of them fit.
          size: "max",
        }),
        (scopes) => {
          const kept = scopeOf(scopes.join(" "));
          const whole = scopes.join(" ");
          expect(kept.length).toBeLessThanOrEqual(room);
          const count = kept ? kept.split(" ").length : 0;
          expect(kept).toBe(scopes.slice(0, count).join(" "));
          const next = scopes.slice(0, count + 1).join(" ");
          expect(kept === whole || next.length > room).toBe(true);
        },
      ),
      { numRuns: 60 },
    );
  });

  it.each([160, 161, 202, 512, 5000, 60_000])("%i bytes of one scope, or of many", (length) => {
    scopeOf("s".repeat(length));
    scopeOf("https://scope.example/a ".repeat(length).slice(0, length).trim());
    scopeOf(["email", "s".repeat(length)]);
  });

  it("of one that does not fit nothing is kept, but that there was one", () => {
    const bench = had([code(), tokens({ scope: "s".repeat(5000) })]);
    expect(bench.device.length[Field.SCOPE]).toBe(0);
  });

  it("a refresh that names a long one goes on, too", () => {
    const bench = had([code(), tokens(), tokens({ scope: "x ".repeat(500) })]);
    expect(bench.device.state).toBe(State.SIGNED_IN);
    expect(bench.sent).toHaveLength(3);
  });

  it.each(["id_token", "session_state", "not-before-policy"])("so is %s", (name) => {
    const bench = had([code(), tokens({ [name]: "e".repeat(20_000), nested: { a: [1, {}] } })]);
    expect(bench.device.state).toBe(State.SIGNED_IN);
  });
});

describe("SPEC.md Memory: a value that is needed and does not fit says how much memory would hold it", () => {
  /** A code or tokens with this member, as a device of so much memory has them. */
  function having(member: string, length: number, memoryBytes: number): Bench {
    const members = { [member]: "t".repeat(length) };
    const answers = member === "device_code" ? [code(members)] : [code(), tokens(members)];
    return had(answers, { memoryBytes });
  }

  const rows: [member: string, field: number, kept: number, memoryBytes: number][] = [];
  for (const memoryBytes of isFullRun ? [4096, 24_544, 24_576, 32_768] : [4096, 24_544]) {
    rows.push(["access_token", Field.ACCESS_TOKEN, Field.ACCESS_TOKEN, memoryBytes]);
    rows.push(["refresh_token", Field.RECEIVED_REFRESH_TOKEN, Region.REFRESH_TOKEN, memoryBytes]);
    rows.push(["device_code", Field.DEVICE_CODE, Field.DEVICE_CODE, memoryBytes]);
  }

  it.each(rows)("%s (field %i, kept in %i) with %i bytes", (member, field, kept, memoryBytes) => {
    const room = new Bench([], { autoStart: 0, memoryBytes }).device.capacity[field]!;
    // More than a 32-byte step has of any share; 640 steps from 4096 on the room for long addresses begins.
    const more = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 900, 5000];
    if (memoryBytes === 4096)
      for (let less = 0; less < 10; less++) more.push(640 * 9 - less, 640 * 5 - less);
    for (const length of more.map((bytes) => room + bytes)) {
      const { device } = having(member, length, memoryBytes);
      expect(device.error).toBe(ErrorCode.VALUE_TOO_LONG);
      expect(device.errorField).toBe(field);
      expect(device.errorLength).toBe(length);
      expect(having(member, length, device.memoryNeeded).text(kept)).toBe("t".repeat(length));
      const { error } = having(member, length, device.memoryNeeded - 32).device;
      expect([length, error]).toEqual([length, ErrorCode.VALUE_TOO_LONG]);
    }
  });

  it.each([
    [2600, 1700],
    [6600, 1700],
  ])("of two that do not fit, %i and %i bytes, what both of them need", (access, refresh) => {
    const members = { access_token: "a".repeat(access), refresh_token: "r".repeat(refresh) };
    const small = had([code(), tokens(members)], { memoryBytes: 4096 });
    const enough = had([code(), tokens(members)], { memoryBytes: small.device.memoryNeeded });
    expect(enough.device.state).toBe(State.SIGNED_IN);
  });

  it("the display says that it is memory, and the session's refresh token stays", () => {
    const bench = had([code(), tokens({ access_token: "a".repeat(9000) })]);
    expect(shown(bench)).toContain("Too little memory. Ask the maker");
    const refreshed = had([code(), tokens(), tokens({ access_token: "a".repeat(9000) })]);
    expect(refreshed.device.state).toBe(State.REFRESHING);
    expect(refreshed.text(Region.REFRESH_TOKEN)).toBe("refresh");
    expect(shown(refreshed)).toContain("Too little memory");
  });

  it("a code wider than the display is no matter of memory", () => {
    const bench = had([code({ user_code: "C".repeat(21) })], { columns: 20 });
    expect(bench.device.error).toBe(ErrorCode.VALUE_TOO_LONG);
    expect(bench.device.errorField).toBe(Field.USER_CODE);
    expect(bench.device.errorLength).toBe(21);
    expect(bench.device.memoryNeeded).toBe(0);
    expect(shown(bench)).toContain("Failed");
  });

  it.each([129, 200, 512])(
    "a verification_uri of %i characters: as many as 512 with 24 KiB",
    (length) => {
      const verification_uri = `https://example.com/${"v".repeat(600)}`.slice(0, length);
      const complete = `${verification_uri}?user_code=ABCD-EFGH`;
      const answer = code({ verification_uri, verification_uri_complete: complete });
      const small = had([answer], { memoryBytes: 4096 });
      expect(small.device.error).toBe(ErrorCode.VALUE_TOO_LONG);
      expect(small.device.errorField).toBe(Field.VERIFICATION_URI);
      expect(small.device.errorLength).toBe(length);
      expect(small.device.memoryNeeded).toBe(24_576);
      const enough = had([answer, tokens()], { memoryBytes: small.device.memoryNeeded });
      expect(enough.device.state).toBe(State.SIGNED_IN);
      const pending = had([answer], { memoryBytes: small.device.memoryNeeded });
      expect(pending.text(Field.VERIFICATION_URI)).toBe(verification_uri);
      expect(pending.text(Field.VERIFICATION_URI_COMPLETE)).toBe(complete);
    },
  );

  it.each([4096, 32_768])("a longer one is no matter of memory: %i bytes", (memoryBytes) => {
    const verification_uri = `https://example.com/${"v".repeat(600)}`.slice(0, 513);
    const bench = had([code({ verification_uri })], { memoryBytes });
    expect(bench.device.error).toBe(ErrorCode.VALUE_TOO_LONG);
    expect(bench.device.memoryNeeded).toBe(0);
  });

  it("a request that does not fit says so as well", () => {
    const room = new Bench([], { autoStart: 0 }).device.capacity[Field.DEVICE_CODE]!;
    const device_code = "/".repeat(room);
    const bench = had([code({ device_code })]);
    bench.pass(6000);
    expect(bench.device.error).toBe(ErrorCode.MEMORY_TOO_SMALL);
    const { memoryNeeded } = bench.device;
    const enough = had([code({ device_code })], { memoryBytes: memoryNeeded });
    enough.pass(6000);
    expect(enough.device.state).toBe(State.PENDING);
    expect(enough.sent).toHaveLength(2);
    const less = had([code({ device_code })], { memoryBytes: memoryNeeded - 32 });
    less.pass(6000);
    expect(less.device.error).toBe(ErrorCode.MEMORY_TOO_SMALL);
  });
});

describe("RFC 8628 §3.2: answers to the code request that are no code", () => {
  const useless: [string, object][] = [
    ["wrapped in another object", { data: JSON.parse(code().body) }],
    ["a lifetime below zero", JSON.parse(code({ expires_in: -1 }).body)],
    ["no address", JSON.parse(code({ verification_url: undefined }).body)],
    ["an address of another scheme", JSON.parse(code({ verification_url: "javascript:x" }).body)],
    [
      "an address that is relative to another",
      JSON.parse(code({ verification_url: "/device" }).body),
    ],
    [
      "the complete address alone",
      JSON.parse(
        code({ verification_url: undefined, verification_uri_complete: "https://x/?c" }).body,
      ),
    ],
    ["a code in a list", JSON.parse(code({ device_code: ["dc"] }).body)],
    ["nothing", {}],
  ];
  it.each(useless)("%s: asked for again a few times, then the setup is wrong", (_, body) => {
    const bench = new Bench(Array(100).fill(json(200, body)));
    bench.pass(86_400_000);
    expect(bench.sent).toHaveLength(5);
    expect(bench.device.state).toBe(State.FAILED);
    expect(bench.device.error).toBe(ErrorCode.USELESS_ANSWERS);
    expect(shown(bench)).toContain("Wrong setup. Ask the maker");
  });

  it("failures of the network between them do not count, and do not make them forgotten", () => {
    const answers = [json(200, {}), null, error(503, ""), { status: 200, body: "<html>" }];
    const bench = new Bench([...answers, ...Array(3).fill(json(200, {})), code()]);
    bench.pass(600_000);
    expect(bench.device.codeShown).toBe(1);
    const failing = new Bench([...answers, ...Array(4).fill(json(200, {})), code()]);
    failing.pass(3_600_000);
    expect(failing.device.error).toBe(ErrorCode.USELESS_ANSWERS);
  });

  it.each(["", "<html>", '{"device_code"'])("%j is the network's, and never final", (body) => {
    const bench = new Bench(Array(3000).fill({ status: 200, body }));
    bench.pass(7_200_000);
    expect(bench.device.state).toBe(State.REQUESTING);
    expect(bench.sent.length).toBeGreaterThan(60);
  });

  it("the user may try again, and a code starts the count anew", () => {
    const bench = new Bench(Array(5).fill(json(200, {})));
    bench.pass(600_000);
    bench.answers = [...Array(4).fill(json(200, {})), code({ expires_in: 1 })];
    bench.answers.push(...Array(4).fill(json(200, {})), code());
    bench.core.signIn(bench.device);
    bench.pass(400_000);
    expect(bench.device.codeShown).toBe(1);
  });
});

describe("verification addresses", () => {
  it.each([
    "javascript:alert(1)",
    "data:text/html,x",
    "ftp://example.com/device",
    "file:///etc/passwd",
    "https:example.com",
    "http://",
    "x-app:open",
    "app.example:open",
    // A port looks like what follows a scheme.
    "example.com:8443/device",
    // Relative to an address that nobody sees (RFC 3986 §4.2).
    "/device",
    "//example.com/device",
    "./device.html",
    "device",
    "device/in.html",
    // Not one letter of the scheme may be another.
    "xttps://example.com",
    "hxtps://example.com",
    "htxps://example.com",
    "httxs://example.com",
    "httpx://example.com",
  ])("%s is none, and in verification_uri_complete it is left out", (address) => {
    const refused = had([code({ verification_url: address })]);
    expect(refused.device.error).toBe(ErrorCode.MALFORMED_RESPONSE);
    const bench = had([code({ verification_uri_complete: address })]);
    expect(bench.device.state).toBe(State.PENDING);
    expect(bench.device.length[Field.VERIFICATION_URI_COMPLETE]).toBe(-1);
  });

  it.each(["https://x", "HTTP://x", "hTTps://example.com/device", "https://x.example:8443/a:b"])(
    "%s is one",
    (address) => {
      const bench = had([code({ verification_url: address })]);
      expect(bench.text(Field.VERIFICATION_URI)).toBe(address);
    },
  );

  it.each(["example.com/device", "example.com", "1.example/a:b", "192.0.2.7/go"])(
    "SPEC.md: %s, as one types it, is shown; a link or QR code is not made of it",
    (address) => {
      const bench = had([code({ verification_url: address, verification_uri_complete: address })]);
      expect(bench.text(Field.VERIFICATION_URI)).toBe(address);
      expect(shown(bench)).toContain(address);
      expect(bench.device.length[Field.VERIFICATION_URI_COMPLETE]).toBe(-1);
    },
  );
});

describe("SPEC.md: errorField names the member that an answer lacks", () => {
  it.each<[object, number]>([
    [{ device_code: undefined }, Field.DEVICE_CODE],
    [{ device_code: "", user_code: "" }, Field.DEVICE_CODE],
    [{ user_code: undefined }, Field.USER_CODE],
    [{ user_code: "\u00e4" }, Field.USER_CODE],
    [{ verification_url: undefined }, Field.VERIFICATION_URI],
    [{ verification_url: "javascript:x" }, Field.VERIFICATION_URI],
    [{ expires_in: "soon" }, Field.EXPIRES_IN],
  ])("of a code, %j", (members, field) => {
    const bench = had([code(members)]);
    expect(bench.device.error).toBe(ErrorCode.MALFORMED_RESPONSE);
    expect(bench.device.errorField).toBe(field);
    bench.answers = Array(4).fill(code(members));
    bench.until(5);
    bench.pass(0);
    expect(bench.device.error).toBe(ErrorCode.USELESS_ANSWERS);
    expect(bench.device.errorField).toBe(field);
  });

  it.each<[object, number]>([
    [{ access_token: undefined, id_token: "e30.e30.e30" }, Field.ACCESS_TOKEN],
    [{ access_token: "a b" }, Field.ACCESS_TOKEN],
    [{ refresh_token: "a b" }, Field.RECEIVED_REFRESH_TOKEN],
  ])("of tokens, %j", (members, field) => {
    const bench = had([code(), tokens(members)]);
    expect(bench.device.error).toBe(ErrorCode.MALFORMED_RESPONSE);
    expect(bench.device.errorField).toBe(field);
  });

  it.each<ReturnType<typeof json> | null>([
    { status: 200, body: "<html>" },
    error(503, ""),
    error(400, "slow_down"),
    null,
  ])("an answer that lacks none takes it back: %j", (answer) => {
    const bench = had([code(), tokens({ access_token: undefined }), answer]);
    expect(bench.device.errorField).toBe(Field.NONE);
  });
});

describe("RFC 6749 §5.1: JSON without an access token", () => {
  const alone = json(200, { id_token: "e30.e30.e30", token_type: "Bearer", expires_in: 3600 });

  it("is not polled for without end: the tenth in a row is the maker's", () => {
    const bench = new Bench([code({ expires_in: 86_400 }), ...Array(100).fill(alone)]);
    bench.pass(86_400_000);
    expect(bench.sent).toHaveLength(11);
    expect(bench.device.state).toBe(State.FAILED);
    expect(bench.device.error).toBe(ErrorCode.USELESS_ANSWERS);
    expect(bench.device.errorField).toBe(Field.ACCESS_TOKEN);
    expect(shown(bench)).toContain("Wrong setup. Ask the maker");
  });

  it("counts together with refusals that name nothing, until the server says something of use", () => {
    const some = [...Array(5).fill(alone), ...Array(4).fill({ status: 404, body: "" })];
    const bench = new Bench([code({ expires_in: 86_400 }), ...some, error(400, "slow_down")]);
    bench.answers.push(...some, tokens());
    bench.until(21);
    bench.pass(0);
    expect(bench.device.state).toBe(State.SIGNED_IN);
  });

  it("costs no session: a refresh is tried again with growing waits", () => {
    const bench = new Bench([code(), tokens({ expires_in: 60 }), ...Array(30).fill(alone)]);
    bench.pass(40_000_000);
    expect(bench.device.state).toBe(State.REFRESHING);
    expect(bench.device.error).toBe(ErrorCode.USELESS_ANSWERS);
    bench.answers = [tokens()];
    bench.pass(4_096_000);
    expect(bench.device.state).toBe(State.SIGNED_IN);
  });
});

describe("RFC 8259 §8.1: a byte order mark in front of an answer is passed over", () => {
  const marked = ({ status, body }: ReturnType<typeof json>) => ({ status, body: `\ufeff${body}` });

  it("of a code, a refusal, tokens", () => {
    const pending = error(400, "authorization_pending");
    const bench = had([marked(code()), marked(pending), marked(tokens())]);
    expect(bench.device.state).toBe(State.SIGNED_IN);
    expect(bench.text(Field.ACCESS_TOKEN)).toBe("access");
  });

  it("behind the beginning it is none", () => {
    const { status, body } = code();
    for (const wrong of [`{\ufeff${body.slice(1)}`, `${body}\ufeff`, `    \ufeff${body}`]) {
      const bench = had([{ status, body: wrong }]);
      expect(bench.device.error).toBe(ErrorCode.MALFORMED_RESPONSE);
    }
  });

  it.each<[string, number[], string, ErrorCode]>([
    ["three bytes", [0xef, 0xbb, 0xbf], '{"error":"access_denied"}', ErrorCode.ACCESS_DENIED],
    ["a fourth", [0xef, 0xbb, 0xbf, 0xbf], '{"error":"access_denied"}', ErrorCode.UNAVAILABLE],
    ["a byte of no mark", [0xba], '{"error":"access_denied"}', ErrorCode.UNAVAILABLE],
    [
      "a byte of it in a name",
      [0x7b, 0x22, 0xbf],
      'error":"access_denied"}',
      ErrorCode.UNAVAILABLE,
    ],
  ])("byte by byte: %s", (_, first, rest, expected) => {
    const bench = new Bench(["hang"]);
    bench.until(1);
    const { core, device } = bench;
    const bytes = Uint8Array.of(...first, ...new TextEncoder().encode(rest));
    core.responseStart(device, device.requestId, 400, -1);
    core.responseBody(device, device.requestId, bytes, 0, bytes.length);
    core.responseEnd(device, device.requestId);
    expect(ErrorCode[device.error]).toBe(ErrorCode[expected]);
  });
});

describe("SPEC.md Storage: tokens that storage does not erase", () => {
  it("signing out says so, tries again every minute, and is content when it is done", () => {
    const bench = had([code(), tokens()]);
    const stored = bench.slots.map((slot) => slot.slice());
    bench.storageFails = true;
    bench.answers = [json(200, {})];
    bench.core.signOut(bench.device);
    bench.pass(0);
    expect(bench.device.state).toBe(State.SIGNED_OUT);
    expect(bench.device.notErased).toBe(1);
    expect(shown(bench)).toContain("Not signed in");
    expect(shown(bench)).toContain("Tokens not erased");
    expect(bench.slots.map((slot) => slot.slice())).toEqual(stored);
    bench.pass(300_000);
    expect(bench.device.notErased).toBe(1);
    bench.storageFails = false;
    bench.pass(61_000);
    expect(bench.device.notErased).toBe(0);
    expect(bench.slots.every((slot) => slot.length === 0)).toBe(true);
    expect(shown(bench)).not.toContain("Tokens not erased");
  });

  it("a session that ended says so, too, until the user signs in again", () => {
    const bench = had([code(), tokens({ expires_in: 60 })]);
    bench.storageFails = true;
    bench.answers = [error(400, "invalid_grant")];
    bench.pass(61_000);
    expect(bench.device.state).toBe(State.FAILED);
    expect(bench.device.notErased).toBe(1);
    expect(shown(bench)).toContain("Tokens not erased");
    bench.answers = ["hang"];
    bench.core.signIn(bench.device);
    bench.pass(0);
    expect(bench.device.state).toBe(State.REQUESTING);
    expect(bench.device.notErased).toBe(1);
    expect(shown(bench)).not.toContain("Tokens not erased");
  });

  it("at the next start the revoked session is refused by its server, and erased", () => {
    const bench = had([code(), tokens()]);
    bench.storageFails = true;
    bench.answers = [json(200, {})];
    bench.core.signOut(bench.device);
    bench.pass(0);
    const next = new Bench([error(400, "invalid_grant")], { slots: bench.slots });
    next.until(1);
    next.pass(0);
    expect(next.device.state).toBe(State.FAILED);
    expect(next.slots.every((slot) => slot.length === 0)).toBe(true);
  });
});

describe("SPEC.md Display: whose characters reach it", () => {
  const TEXTS = core.MESSAGES.split("\n");
  const bytes = (text: string): string => text.replace(/[^\n]/g, "\u00e4");

  it("the maker's texts may have any byte but line feed", () => {
    for (let c = 1; c < 256; c++) {
      if (c === 10) continue;
      const own = ["x", `<${String.fromCharCode(c)}>`, ...TEXTS.slice(2)].join("\n");
      const bench = new Bench([], { autoStart: 0, messages: own });
      expect(bench.frame()[0]!.slice(0, 3)).toBe(`<${String.fromCharCode(c)}>`);
    }
    const bench = new Bench(["hang"], { messages: bytes(core.MESSAGES) });
    bench.pass(6000);
    expect(bench.frame()[0]!.trimEnd()).toBe("\u00e4".repeat("Getting a code".length));
  });

  it("what a server or the application sends is printable ASCII", () => {
    const refused = had([error(400, "qu\u00f6ta\u0007")]);
    expect(shown(refused)).toContain("qu??ta?");
    const bench = had([code(), tokens()]);
    const status = new TextEncoder().encode("K\u00f6ln");
    bench.core.setStatus(bench.device, status, 0, status.length);
    bench.pass(0);
    expect(shown(bench)).toContain("K??ln");
  });
});
