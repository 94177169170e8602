// Room: each value may fill its region to the last byte; one byte more is refused or left away, and
// never cut. What fits its region and not the request is told as a lack of memory.

import { describe, expect, it } from "vitest";
import * as core from "../../core/complete.ts";
import { ErrorCode, Field, State } from "../../core/complete.ts";
import { beginsWith } from "../../core/device/memory.ts";
import { damaged } from "../model/subject.ts";
import { type Answer, Bench, call, code, json, type Reaction, tokens } from "./bench.ts";
import { isSources } from "./subject.ts";

const capacityOf = (field: number, settings: object = {}): number =>
  new Bench([], { autoStart: 0, ...settings }).device.capacity[field]!;

function asked(answers: Reaction[], settings: object = {}): Bench {
  const bench = new Bench(answers, { autoStart: 0, ...settings });
  bench.core.signIn(bench.device);
  bench.run(0);
  return bench;
}

/** With a device_code of so many characters. */
const ofCode = (size: number): object => ({ device_code: "v".repeat(size) });

function signedIn(members: object, settings: object = {}): Bench {
  const bench = asked([code(), tokens(members)], settings);
  bench.pass(5000);
  return bench;
}

describe("values of a code", () => {
  it.each([
    ["device_code", Field.DEVICE_CODE],
    ["user_code", Field.USER_CODE],
    ["verification_uri", Field.VERIFICATION_URI],
  ])("%s may fill its region; one byte more is refused", (member, field) => {
    const room = capacityOf(field);
    const begin = member === "verification_uri" ? "https://" : "";
    const ofSize = (size: number) => ({
      verification_url: undefined,
      verification_uri: "https://x",
      [member]: begin.padEnd(size, "v"),
    });
    const full = asked([code(ofSize(room))]);
    expect(full.device.state).toBe(State.PENDING);
    expect(full.text(field)).toBe(begin.padEnd(room, "v"));
    const over = asked([code(ofSize(room + 1))]);
    expect(over.device.state).toBe(State.FAILED);
    expect(over.device.error).toBe(ErrorCode.VALUE_TOO_LONG);
    expect(over.device.errorField).toBe(field);
  });

  it("how long a value was is told of each answer anew", () => {
    const over = asked([code(ofCode(9000)), code(ofCode(5000))]);
    expect(over.device.errorLength).toBe(9000);
    over.core.signIn(over.device);
    over.run(0);
    expect(over.device.errorLength).toBe(5000);
  });

  it.skipIf(!isSources)(
    "a value of any length is counted no further than an answer may be long",
    () => {
      const bench = signedIn({});
      bench.answers = [json(200, { nextPageToken: "v".repeat(200_000) })];
      call(bench, "/list");
      bench.run(0);
      const { excess } = bench.device;
      expect(Math.max(...Array.from(excess))).toBe(65_536);
    },
  );

  it("of several that do not fit one is named", () => {
    const long = "v".repeat(3000);
    const over = asked([code({ verification_url: long, user_code: long })]);
    expect([Field.USER_CODE, Field.VERIFICATION_URI]).toContain(over.device.errorField);
  });

  it.each([
    ["https://example.com/device?code=ABCD", true],
    ["https://".padEnd(176, "v"), true],
    ["https://".padEnd(177, "v"), false],
    ["example.com/device?code=ABCD", false],
    ["a b", false],
    ["é", false],
    ["", false],
  ])("verification_uri_complete %s is a convenience: kept: %s", (address, isKept) => {
    const bench = asked([code({ verification_uri_complete: address })]);
    expect(bench.device.state).toBe(State.PENDING);
    expect(bench.text(Field.VERIFICATION_URI_COMPLETE)).toBe(isKept ? address : "");
    expect(bench.device.length[Field.VERIFICATION_URI_COMPLETE]! > 0).toBe(isKept);
  });

  it("a verification_uri_complete that is too long is left out at once, and not when the code is kept", () => {
    const bench = new Bench(["hang"], { autoStart: 0 });
    bench.core.signIn(bench.device);
    bench.run(0);
    bench.give(1, code({ verification_uri_complete: "https://".padEnd(177, "v") }));
    expect(bench.device.state).toBe(State.PENDING);
    expect(bench.device.length[Field.VERIFICATION_URI_COMPLETE]).toBe(-1);
  });

  it.each([33, 126])("characters as far as %i may stand in what is displayed", (c) => {
    const bench = asked([code({ user_code: String.fromCharCode(c).repeat(4) })]);
    expect(bench.device.state).toBe(State.PENDING);
  });

  it("RFC 8628 §6.1: a code may have spaces, and is shown with them", () => {
    const bench = asked([code({ user_code: "ABCD EFGH" })]);
    expect(bench.device.state).toBe(State.PENDING);
    expect(bench.frame().at(-1)).toContain("ABCD EFGH");
  });

  it("a space may not stand in an address, nor alone in a code", () => {
    for (const members of [{ verification_url: "https://a b" }, { user_code: "  " }]) {
      expect(asked([code(members)]).device.error).toBe(ErrorCode.MALFORMED_RESPONSE);
    }
  });

  it.each([31, 127])("%i may not", (c) => {
    for (const member of ["user_code", "verification_url"]) {
      for (const value of [String.fromCharCode(c), `A${String.fromCharCode(c)}`]) {
        const bench = asked([code({ [member]: value })]);
        expect(bench.device.error).toBe(ErrorCode.MALFORMED_RESPONSE);
      }
    }
  });
});

describe("values of a session", () => {
  it.each([
    ["access_token", Field.ACCESS_TOKEN],
    ["refresh_token", Field.RECEIVED_REFRESH_TOKEN],
  ])("%s may fill its region; one byte more is refused", (member, field) => {
    const room = capacityOf(field);
    const full = signedIn({ [member]: "v".repeat(room) });
    expect(full.device.state).toBe(State.SIGNED_IN);
    const over = signedIn({ [member]: "v".repeat(room + 1) });
    expect(over.device.state).toBe(State.FAILED);
    expect(over.device.error).toBe(ErrorCode.VALUE_TOO_LONG);
    expect(over.device.errorField).toBe(field);
    for (const token of [Field.ACCESS_TOKEN, Field.RECEIVED_REFRESH_TOKEN]) {
      expect(over.device.length[token]).toBe(-1);
    }
  });

  it("a refresh that brings a token too long keeps the session's refresh token", () => {
    const bench = signedIn({});
    bench.answers = [tokens({ refresh_token: "v".repeat(3000) })];
    bench.until(3);
    expect(bench.device.error).toBe(ErrorCode.VALUE_TOO_LONG);
    expect(bench.device.state).toBe(State.REFRESHING);
    bench.answers = [tokens()];
    bench.core.signIn(bench.device);
    bench.run(0);
    expect(bench.sent[3]!.body).toContain("refresh_token=refresh");
    expect(bench.device.state).toBe(State.SIGNED_IN);
  });

  it.each([
    [{ access_token: "" }, false],
    [{ access_token: "a b" }, false],
    [{ access_token: "é" }, false],
    [{ refresh_token: "a\nb" }, false],
    [{ refresh_token: "" }, true],
    [{ access_token: ["a"] }, false],
    [{ access_token: { access_token: "a" } }, false],
    [{ access_token: null }, false],
    [{ access_token: true }, false],
    [{ token_type: "bearer " }, false],
    [{ token_type: "bearerbearerbearer" }, false],
    [{ token_type: "beare" }, false],
    [{ token_type: null }, true],
    [{ token_type: "BeArEr" }, true],
  ])("%j makes a session: %s", (members, isOne) => {
    expect(signedIn(members).device.state === State.SIGNED_IN).toBe(isOne);
  });

  it.each([
    [{ access_token: "a b", refresh_token: undefined }, "", "refresh"],
    [{ access_token: undefined, refresh_token: "half" }, "access", "refresh"],
    [{ access_token: "a b", refresh_token: "half" }, "", "refresh"],
    [{ refresh_token: "r s" }, "", "refresh"],
  ])("a refresh answered with %j leaves no half of it behind", (members, access, present) => {
    const bench = signedIn({});
    bench.answers = [tokens(members), "hang"];
    bench.until(3);
    expect(bench.device.error).toBe(ErrorCode.MALFORMED_RESPONSE);
    expect(bench.device.state).toBe(State.REFRESHING);
    expect(bench.text(Field.ACCESS_TOKEN)).toBe(access);
    expect(bench.device.length[Field.ACCESS_TOKEN]).toBe(access ? access.length : -1);
    expect(bench.text(core.Region.REFRESH_TOKEN)).toBe(present);
    expect(bench.device.length[Field.RECEIVED_REFRESH_TOKEN]).toBe(-1);
  });

  it("half of a session from one poll does not complete the other half from the next", () => {
    const half = json(200, { refresh_token: "half", token_type: "Bearer", expires_in: 9 });
    const bench = asked([code(), half, tokens({ refresh_token: undefined })]);
    bench.pass(10_000);
    expect(bench.device.state).toBe(State.SIGNED_IN);
    expect(bench.text(core.Region.REFRESH_TOKEN)).toBe("");
  });

  it("tokens of an answer that is no session are forgotten", () => {
    const bench = signedIn({ token_type: "mac" });
    for (const field of [Field.ACCESS_TOKEN, Field.RECEIVED_REFRESH_TOKEN]) {
      expect(bench.device.length[field]).toBe(-1);
    }
  });
});

describe("RFC 6749 §3.3, §5.1: scope is information, of any length", () => {
  it.each<[scope: unknown, kept: string]>([
    ["email profile", "email profile"],
    [["email", "profile"], "email profile"],
    [`${"s".repeat(155)} t u v`, `${"s".repeat(155)} t u`],
    [`${"s".repeat(160)} t`, "s".repeat(160)],
    ["s".repeat(161), ""],
    ["x ".repeat(30_000), "x ".repeat(80).trim()],
  ])("%j: of more than fits whole scopes are kept", (scope, kept) => {
    const bench = new Bench([code(), tokens(), tokens({ scope })]);
    bench.until(3);
    expect(bench.device.state).toBe(State.SIGNED_IN);
    expect(bench.text(Field.SCOPE).trim()).toBe(kept);
  });
});

describe("bodies", () => {
  const padded = (answer: Answer, size: number): Answer => ({
    ...answer,
    body: answer.body.padEnd(size),
  });
  const LONGEST = 65_536;
  it.each([
    [LONGEST - 1, State.PENDING],
    [LONGEST, State.PENDING],
    [LONGEST + 1, State.REQUESTING],
    [3 * LONGEST, State.REQUESTING],
  ])("one of %i bytes", (size, state) => {
    for (const piece of [1000, 65_536, 1_000_000]) {
      const bench = asked([padded(code(), size)], { piece });
      expect(bench.device.state).toBe(state);
    }
  });

  it("a body is taken from where the host says, as far as it says", () => {
    const bench = asked(["hang"]);
    const { core: border, device } = bench;
    const text = code().body;
    const bytes = new TextEncoder().encode(`{"x":${text}}`);
    const id = bench.sent[0]!.id;
    border.responseStart(device, id, 200, -1);
    border.responseBody(device, id, bytes, 5, 5);
    border.responseBody(device, id, bytes, 5, bytes.length - 1);
    border.responseEnd(device, id);
    expect(device.state).toBe(State.PENDING);
  });
});

describe("a request that does not fit", () => {
  it("a device code whose poll does not fit is told, not polled with in part", () => {
    const device_code = "/".repeat(capacityOf(Field.DEVICE_CODE));
    const bench = asked([code({ device_code })]);
    bench.pass(60_000);
    expect(bench.sent).toHaveLength(1);
    expect(bench.device.state).toBe(State.FAILED);
    expect(bench.device.error).toBe(ErrorCode.MEMORY_TOO_SMALL);
  });

  it("a refresh token whose refresh does not fit is told, and kept", () => {
    const refresh_token = "/".repeat(capacityOf(Field.RECEIVED_REFRESH_TOKEN));
    const bench = signedIn({ refresh_token });
    bench.pass(3_600_000);
    expect(bench.sent).toHaveLength(2);
    expect(bench.device.state).toBe(State.REFRESHING);
    expect(bench.device.error).toBe(ErrorCode.MEMORY_TOO_SMALL);
    bench.core.signOut(bench.device);
    bench.pass(600_000);
    expect(bench.device.state).toBe(State.SIGNED_OUT);
    expect(bench.sent).toHaveLength(2);
  });

  it("a poll may fill its room to the last byte", () => {
    const room = capacityOf(core.Region.OUTPUT);
    const plain = asked([code({ device_code: "d" })]);
    plain.pass(5000);
    const rest = room - plain.sent[1]!.body.length;
    const codeRoom = capacityOf(Field.DEVICE_CODE);
    // A slash takes three bytes.
    const slashes = Math.floor((rest - codeRoom + 1) / 2) + 1;
    for (const [more, count] of [
      [0, 2],
      [1, 1],
    ]) {
      const letters = rest + 1 - 3 * slashes + more!;
      const bench = asked([code({ device_code: "/".repeat(slashes) + "d".repeat(letters) })]);
      expect(bench.device.state).toBe(State.PENDING);
      bench.pass(5000);
      expect(bench.sent).toHaveLength(count!);
      if (count === 2) expect(bench.sent[1]!.body).toHaveLength(room);
    }
  });
});

describe("what the maker sets", () => {
  it("a parameter that the maker adds goes out as it is", () => {
    const bench = asked([code()], { deviceParameters: "&access_type=offline&x=%2B" });
    expect(bench.sent[0]!.body).toContain("&access_type=offline&x=%2B");
    expect(new URLSearchParams(bench.sent[0]!.body).get("client_id")).toBe("printer");
  });

  it.each([
    [3, 4],
    [0, 1],
    [1, 2],
    [7, 8],
  ])("renewalsMax %i: %i codes, then the user is asked", (renewalsMax, requests) => {
    const bench = new Bench([], { renewalsMax });
    for (let i = 0; i < 10; i++) bench.answers.push(code({ expires_in: 0 }), null);
    bench.pass(600_000);
    expect(bench.sent.filter(({ endpoint }) => endpoint === 0)).toHaveLength(requests);
    expect(bench.device.error).toBe(ErrorCode.RENEWALS_EXHAUSTED);
  });
});

describe("SPEC The loop: memoryNeeded is 0 where more memory does not help", () => {
  const tooLong = { device_code: "d".repeat(7000), user_code: "U".repeat(41) };
  it.each([
    ["a user code wider than the display", tooLong],
    [
      "an address of 513 bytes",
      { ...tooLong, user_code: "U", verification_url: `https://${"a".repeat(505)}` },
    ],
  ])("also where something else is too long as well: %s", (_, members) => {
    const bench = new Bench([code(members)], { columns: 40, autoStart: 0 });
    bench.core.signIn(bench.device);
    bench.run(0);
    expect(bench.device.error).toBe(ErrorCode.VALUE_TOO_LONG);
    expect(bench.device.memoryNeeded).toBe(0);
    expect(bench.frame().join("")).toContain("Failed");
  });

  it.each([24_575, 24_576, 30_000])(
    "with %i bytes, as few as a device code needs, whichever room addresses have",
    (memoryBytes) => {
      const answer = code({ device_code: "d".repeat(7000) });
      const withMemory = (bytes: number): Bench => {
        const bench = new Bench([answer], { memoryBytes: bytes, autoStart: 0 });
        bench.core.signIn(bench.device);
        bench.run(0);
        return bench;
      };
      const needed = withMemory(memoryBytes).device.memoryNeeded;
      expect(withMemory(needed).device.codeShown).toBe(1);
      expect(withMemory(needed - 32).device.error).toBe(ErrorCode.VALUE_TOO_LONG);
    },
  );

  it("and more than 0 where all would fit", () => {
    const members = { ...tooLong, user_code: "U" };
    const bench = new Bench([code(members)], { columns: 40, autoStart: 0 });
    bench.core.signIn(bench.device);
    bench.run(0);
    const memoryBytes = bench.device.memoryNeeded;
    expect(memoryBytes).toBeGreaterThan(8192);
    const larger = new Bench([code(members)], { columns: 40, memoryBytes });
    larger.until(1);
    larger.run(0);
    expect(larger.device.codeShown).toBe(1);
  });
});

describe("comparing values", () => {
  it("one begins with no longer one, whatever lies behind it", () => {
    const { device } = new Bench([], { autoStart: 0 });
    const { memory, start, length } = damaged(device);
    const place = (region: number, text: string): void => {
      for (const [at, byte] of Buffer.from(text).entries()) memory[start[region]! + at] = byte;
      length[region] = text.length;
    };
    place(Field.VALUE_A, "https");
    place(Field.ACCESS_TOKEN, "https");
    expect(beginsWith(device, Field.ACCESS_TOKEN, Field.VALUE_A)).toBe(true);
    // The rest of it is still there, and belongs to nobody.
    length[Field.ACCESS_TOKEN] = "http".length;
    expect(beginsWith(device, Field.ACCESS_TOKEN, Field.VALUE_A)).toBe(false);
    expect(beginsWith(device, Field.VALUE_A, Field.ACCESS_TOKEN)).toBe(true);
  });
});
