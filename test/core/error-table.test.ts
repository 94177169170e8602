// The core's table of errors, held against the rows that are written out by hand: numbers, kinds, names on the wire,
// and what the display says.

import { describe, expect, it } from "vitest";
import { ErrorCode, ErrorKind, Field, State } from "../../core/complete.ts";
import { errorRows } from "../../core/tables/errors.ts";
import { ERROR_ROWS, isShown, type Kind, WORDS } from "../error-rows.ts";
import { Bench, code, error, json, tokens } from "./bench.ts";

const KINDS: Record<Kind, ErrorKind> = {
  transient: ErrorKind.TRANSIENT,
  renewable: ErrorKind.RENEWABLE,
  user: ErrorKind.USER,
  administrator: ErrorKind.ADMINISTRATOR,
  maker: ErrorKind.MAKER,
};

const WIDE = { columns: 60, autoStart: 0 };
/** Has got this answer to its first request. */
function asked(answer: ConstructorParameters<typeof Bench>[0], settings: object = WIDE): Bench {
  const bench = new Bench(answer, settings);
  bench.core.signIn(bench.device);
  bench.run(0);
  return bench;
}
const shown = (bench: Bench): string[] => bench.frame().map((row) => row.trimEnd());

describe("the error table", () => {
  it("has 33 errors, by these numbers", () => {
    const numbers = Object.values(ErrorCode).filter((value) => typeof value === "number");
    expect(numbers).toEqual(Array.from({ length: 34 }, (_, i) => i));
  });

  it.each(ERROR_ROWS)("$number is $name, of the kind $kind", (row) => {
    expect(ErrorCode[row.number]).toBe(row.name);
    const { core, device } = new Bench([], { autoStart: 0 });
    expect(core.errorKind(device, row.number)).toBe(KINDS[row.kind]);
  });

  it("knows no other names", () => {
    const known = errorRows().flatMap(({ names }) => names);
    const here = ERROR_ROWS.flatMap(({ wire }) => wire);
    expect(known.toSorted()).toEqual(here.toSorted());
  });

  const named = ERROR_ROWS.flatMap((row) => row.wire.map((wire) => ({ ...row, wire })));
  it.each(named)("$wire is read as $name", ({ wire, number }) => {
    expect(asked([error(400, wire)]).device.error).toBe(number);
    expect(asked([json(403, { error_code: wire })]).device.error).toBe(number);
  });

  const shownOnes = ERROR_ROWS.filter((row) => row.wire.length > 0 && isShown(row));
  it.each(shownOnes)("$name is shown as $text", (row) => {
    const bench = asked([error(400, row.wire[0]!)]);
    expect(shown(bench)).toEqual([WORDS[row.text], "", "", ""]);
    expect(bench.device.state).toBe(row.kind === "transient" ? State.REQUESTING : State.FAILED);
  });

  it.each([
    "",
    "authorization_pendin",
    "authorization_pending2",
    "uthorization_pending",
    "expired_token|token_expired",
    "token_expired ",
    "slow_down rSexpired_token",
    "|",
    "tL",
    "unreachable",
    "unsupported_token_typ",
    "1",
  ])("%j names none of them", (name) => {
    const expected = name === "" ? ErrorCode.MALFORMED_RESPONSE : ErrorCode.UNKNOWN_ERROR;
    expect(asked([error(200, name)]).device.error).toBe(expected);
  });

  it.each(["Access_Denied", "ACCESS_DENIED", "access_denieD"])(
    "SPEC.md, Errors: %j is access_denied: capitals count as small letters",
    (name) => expect(asked([error(200, name)]).device.error).toBe(ErrorCode.ACCESS_DENIED),
  );

  it.each([
    [500, "invalid_client", ErrorCode.INVALID_CLIENT],
    [599, "invalid_client", ErrorCode.INVALID_CLIENT],
    [500, "no_such_name", ErrorCode.UNAVAILABLE],
    [499, "no_such_name", ErrorCode.UNKNOWN_ERROR],
    [429, "invalid_client", ErrorCode.RATE_LIMIT_EXCEEDED],
    [429, "no_such_name", ErrorCode.RATE_LIMIT_EXCEEDED],
    [429, "access_denied", ErrorCode.ACCESS_DENIED],
  ])(
    "SPEC.md, Errors: what is final with the status %i and the name %s",
    (status, name, number) => {
      expect(ErrorCode[asked([error(status, name)]).device.error]).toBe(ErrorCode[number]);
    },
  );

  it("SPEC.md, Errors: an underscore is no capital, nor is what lies beside the letters", () => {
    for (const name of ["access@denied", "access[denied", "ACCESS\u007fDENIED"]) {
      const bench = asked([error(200, name)]);
      expect(bench.device.error).toBe(ErrorCode.UNKNOWN_ERROR);
      expect(bench.text(Field.ERROR)).toBe(name.toLowerCase());
    }
  });

  it.each([0, "0", false, null, ""])("RFC 6749 §5.1: %j beside tokens is no error", (none) => {
    for (const name of ["error", "error_code"]) {
      const bench = asked([code(), tokens({ [name]: none })]);
      bench.pass(5000);
      expect(bench.device.state).toBe(State.SIGNED_IN);
    }
  });

  it.each([0, "0", false, null, ""])("of two members %j takes no error back", (none) => {
    for (const members of [
      { error: "slow_down", error_code: none },
      { error_code: none, error: "slow_down" },
      { error_code: "slow_down", error: none },
      { error: none, error_code: "slow_down" },
    ]) {
      const bench = asked([code(), json(400, members)]);
      bench.pass(5000);
      expect(bench.device.error).toBe(ErrorCode.SLOW_DOWN);
    }
  });

  it("of two errors the first one counts", () => {
    const both = { error: "invalid_client", error_code: "invalid_request" };
    expect(asked([json(400, both)]).device.error).toBe(ErrorCode.INVALID_CLIENT);
  });

  it.each([31, "31", 9, 1e9, -1])(
    "a name counts before a number, %j, wherever it stands",
    (number) => {
      for (const members of [
        { error_code: number, error: "authorization_pending" },
        { error: "authorization_pending", error_code: number },
        { error: number, error_code: "authorization_pending" },
        { error_code: "authorization_pending", error: number },
      ]) {
        const bench = asked([code(), json(400, members)]);
        bench.pass(5000);
        expect(bench.device.error).toBe(ErrorCode.AUTHORIZATION_PENDING);
        expect(bench.device.state).toBe(State.PENDING);
      }
      expect(asked([json(400, { error: number })]).device.error).toBe(ErrorCode.UNKNOWN_ERROR);
    },
  );

  it.each([0, "0", "", false, null])(
    "a number counts where there is no name: %j names none and takes none back",
    (none) => {
      for (const number of [17, "17", -1]) {
        for (const members of [
          { error: number, error_code: none },
          { error_code: none, error: number },
          { error_code: number, error: none },
        ]) {
          for (const status of [200, 400]) {
            const { device } = asked([json(status, members)]);
            expect([members, status, device.error]).toEqual([
              members,
              status,
              ErrorCode.UNKNOWN_ERROR,
            ]);
          }
        }
      }
      // Two that name none are no error.
      for (const other of [0, "0", "", false, null]) {
        const { device } = asked([code({ error: none, error_code: other })]);
        expect([other, device.state]).toEqual([other, State.PENDING]);
      }
      // And what names none in the one answer says nothing of the next.
      const bench = asked([json(503, { error: 17, error_code: none }), code()]);
      bench.until(2);
      expect(bench.device.state).toBe(State.PENDING);
    },
  );

  it("one that the table does not know is shown with the server's word for it", () => {
    const bench = asked([error(400, "quota-7")]);
    expect(shown(bench)).toEqual([WORDS.FAILED, "quota-7", "", ""]);
    const next = asked([error(400, "invalid_scope")]);
    expect(shown(next)).toEqual([WORDS.SETUP, "", "", ""]);
  });

  it.each([
    [500, "quota-7", ErrorCode.UNAVAILABLE],
    [503, "quota-7", ErrorCode.UNAVAILABLE],
    [499, "quota-7", ErrorCode.UNKNOWN_ERROR],
    [429, "quota-7", ErrorCode.RATE_LIMIT_EXCEEDED],
    [428, "quota-7", ErrorCode.UNKNOWN_ERROR],
    [430, "quota-7", ErrorCode.UNKNOWN_ERROR],
    [500, "access_denied", ErrorCode.ACCESS_DENIED],
    [429, "access_denied", ErrorCode.ACCESS_DENIED],
    // RFC 6585 §4: it is the haste that is refused, whatever a server calls it (Rauthy: invalid_request).
    [429, "invalid_request", ErrorCode.RATE_LIMIT_EXCEEDED],
    [429, "unauthorized_client", ErrorCode.RATE_LIMIT_EXCEEDED],
    [429, "slow_down", ErrorCode.SLOW_DOWN],
    [200, "access_denied", ErrorCode.ACCESS_DENIED],
  ])("%i with %s", (status, name, number) => {
    expect(asked([error(status, name)]).device.error).toBe(number);
  });

  it.each([
    [199, ErrorCode.UNAVAILABLE],
    [200, ErrorCode.MALFORMED_RESPONSE],
    [299, ErrorCode.MALFORMED_RESPONSE],
    [300, ErrorCode.UNAVAILABLE],
    [302, ErrorCode.UNAVAILABLE],
    [404, ErrorCode.UNAVAILABLE],
    [428, ErrorCode.UNAVAILABLE],
    [429, ErrorCode.RATE_LIMIT_EXCEEDED],
    [500, ErrorCode.UNAVAILABLE],
  ])("%i with a body that says nothing", (status, number) => {
    for (const body of ["", "<html>", "{"]) {
      expect(asked([{ status, body }]).device.error).toBe(number);
    }
  });

  it("UNREACHABLE is shown without a code, and not instead of one", () => {
    expect(shown(asked([null]))).toEqual(["No connection", "", "", ""]);
    const bench = asked([code(), null]);
    bench.pass(6000);
    expect(shown(bench)[3]).toMatch(/^Code ABCD-EFGH +29:54$/);
  });

  it("a failed refresh is shown once the access token is over, not before", () => {
    const bench = asked([code(), tokens({ expires_in: 600 }), ...Array(60).fill(null)]);
    bench.pass(5000 + 570_000);
    expect(bench.device.state).toBe(State.REFRESHING);
    expect(bench.device.error).toBe(ErrorCode.UNREACHABLE);
    expect(shown(bench)[0]).toBe("Signed in");
    // With the next failure, at the latest.
    bench.pass(100_000);
    expect(bench.device.length[Field.ACCESS_TOKEN]).toBeGreaterThan(0);
    expect(shown(bench)[0]).toBe("No connection");
  });

  it.each([
    [{ ...WIDE, storageHangs: true }, "Starting"],
    [WIDE, "Not signed in"],
    [{ columns: 60 }, "Getting a code"],
  ])("before anything has gone wrong, %j: %s", (settings, message) => {
    expect(shown(new Bench(["hang"], settings))).toEqual([message, "", "", ""]);
  });

  it("after a restart the tokens have to be renewed first: Connecting; then Signing out", () => {
    const before = asked([code(), tokens()]);
    before.pass(6000);
    const bench = new Bench(["hang"], { ...WIDE, slots: before.slots });
    bench.pass(6000);
    expect(shown(bench)).toEqual(["Connecting", "", "", ""]);
    bench.core.signOut(bench.device);
    bench.run(0);
    expect(shown(bench)).toEqual(["Signing out", "", "", ""]);
  });
});
