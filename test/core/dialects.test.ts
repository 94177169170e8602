// Gives recorded responses (../servers/recordings.http) to the core alone: those that are not part of a conversation,
// and two that the platform would translate. test/servers/conversations.test.ts plays the conversations.

import { describe, expect, it } from "vitest";
import { ErrorCode, ErrorKind, Field, State } from "../../core/complete.ts";
import { Port, type Reaction } from "../environment/core-port.ts";
import { code } from "../environment/environment.ts";
import {
  type ExchangeName,
  type HttpResponse as RecordedResponse,
  recordedServers,
  recording,
} from "../servers/recording.ts";

type Outcome = (bench: Port) => void;

const next = (bench: Port): number => {
  const count = bench.sent.length;
  bench.until(count + 1);
  return bench.sent[count]!.atMs - bench.sent[count - 1]!.atMs;
};

const showsCode =
  (userCode: string, address: string, intervalS: number): Outcome =>
  (bench) => {
    expect(bench.device.state).toBe(State.PENDING);
    expect(bench.text(Field.USER_CODE)).toBe(userCode);
    expect(bench.text(Field.VERIFICATION_URI)).toBe(address);
    expect(bench.frame().at(-1)).toContain(userCode);
    expect(next(bench)).toBe(intervalS * 1000);
    expect(bench.sent.at(-1)!.endpoint).toBe(1);
  };
const triesAgain =
  (state: State, atLeastS: number): Outcome =>
  (bench) => {
    const last = bench.sent.at(-1)!;
    expect(bench.device.state).toBe(state);
    const waited = next(bench);
    expect(waited).toBeGreaterThanOrEqual(atLeastS * 1000);
    expect(waited).toBeLessThanOrEqual(Math.max(atLeastS, 64) * 1000);
    expect(bench.sent.at(-1)).toMatchObject({ endpoint: last.endpoint, text: last.text });
  };
const renewsCode: Outcome = (bench) => {
  expect(bench.device.state).toBe(State.REQUESTING);
  bench.responses = [code({ user_code: "NEXT-CODE" })];
  expect(next(bench)).toBeLessThanOrEqual(5000);
  expect(bench.sent.at(-1)!.endpoint).toBe(0);
  expect(bench.frame().join("")).toContain("NEXT-CODE");
};
const fails =
  (number: ErrorCode, kind: ErrorKind, shown: string): Outcome =>
  (bench) => {
    expect(bench.device.state).toBe(State.FAILED);
    expect(bench.device.error).toBe(number);
    expect(bench.core.errorKind(bench.device, number)).toBe(kind);
    expect(bench.frame().join(" ")).toContain(shown);
    const { length } = bench.sent;
    bench.pass(86_400_000);
    expect(bench.sent.length).toBe(length);
    expect(bench.stored).toBe("");
  };
const signsIn =
  (access: string, refresh: string, withinS: number): Outcome =>
  (bench) => {
    expect(bench.device.state).toBe(State.SIGNED_IN);
    expect(bench.text(Field.ACCESS_TOKEN)).toBe(access);
    if (!refresh) {
      const { length } = bench.sent;
      bench.pass(withinS * 1000);
      expect(bench.sent.length).toBe(length);
      expect(bench.device.state).toBe(State.SIGNED_IN);
      return;
    }
    const { length } = bench.sent;
    // After a refresh, the device waits ten minutes before the next refresh, unless the application calls an API.
    const endMs = bench.environment.clock.elapsedMs + Math.max(withinS, 600) * 1000;
    while (bench.sent.length === length && bench.environment.clock.elapsedMs < endMs)
      bench.pass(60_000);
    expect(bench.sent[length]?.form.get("refresh_token")).toBe(refresh);
  };

const BAD_CLIENT = fails(ErrorCode.INVALID_CLIENT, ErrorKind.DEVELOPER, "Device refused");
const INVALID_SETUP = (number: ErrorCode): Outcome =>
  fails(number, ErrorKind.DEVELOPER, "Wrong setup");
const A_MONTH_S = 2_592_000;

const outcomes: Record<string, Outcome> = {
  "documents-service/code quota": triesAgain(State.REQUESTING, 1),
  "rauthy/code hasty": triesAgain(State.REQUESTING, 1),
  "documents-service/poll org_internal": fails(
    ErrorCode.ORG_INTERNAL,
    ErrorKind.ADMINISTRATOR,
    "Wrong",
  ),
  "documents-service/poll admin_policy_enforced": fails(
    ErrorCode.ADMIN_POLICY_ENFORCED,
    ErrorKind.ADMINISTRATOR,
    "Not allowed",
  ),
  "documents-service/poll invalid_client": BAD_CLIENT,
  "documents-service/poll unsupported_grant_type": INVALID_SETUP(ErrorCode.UNSUPPORTED_GRANT_TYPE),
  "documents-service/poll time-based": signsIn(
    "1/fFAGRNJru1FTz70BzhT3Zg",
    "1/xEoDL4iW3cxlI7yDbSRFYNG01kVKM2C-259HOF2aQbI",
    3920,
  ),
  "rfc8628/code no-interval": showsCode("WDJB-MJHT", "https://example.com/device", 5),
  "oidc-provider/code invalid_client": BAD_CLIENT,
  "oidc-provider/poll invalid_grant": renewsCode,
  // GitHub sends this format only to clients that do not request JSON. The device requests JSON, and accepts only JSON.
  "github/code form-encoded": triesAgain(State.REQUESTING, 1),
  "github/code device_flow_disabled": fails(
    ErrorCode.UNAUTHORIZED_CLIENT,
    ErrorKind.DEVELOPER,
    "Device refused",
  ),
  "github/poll incorrect_device_code": renewsCode,
  "github/poll token_expired": renewsCode,
  "github/poll incorrect_client_credentials": BAD_CLIENT,
  "github/poll unsupported_grant_type": INVALID_SETUP(ErrorCode.UNSUPPORTED_GRANT_TYPE),
  // Without a lifetime and a refresh token, the token is valid until a server refuses it.
  "github/poll tokens-without-end": signsIn(
    "gho_16C7e42F292c6912E7710c838347Ae178B4a",
    "",
    A_MONTH_S,
  ),
  "github/poll tokens-form-encoded": triesAgain(State.PENDING, 5),
  "microsoft/poll bad_verification_code": renewsCode,
  "auth0/poll invalid_grant": renewsCode,
  "pingam/code openam": showsCode("Vg5AxMAN", "https://openam.example.com/oauth2/device/user", 5),
  "pingam/code response_type": INVALID_SETUP(ErrorCode.INVALID_REQUEST),
  "anywhere/poll bad-gateway": triesAgain(State.PENDING, 5),
  "anywhere/poll maintenance": triesAgain(State.PENDING, 5),
  "anywhere/poll retry-after": triesAgain(State.PENDING, 40),
  "anywhere/poll captive-portal": triesAgain(State.PENDING, 5),
  "anywhere/poll captive-portal-redirect": triesAgain(State.PENDING, 5),
  "anywhere/poll nothing": triesAgain(State.PENDING, 5),
  "anywhere/poll cut-off": triesAgain(State.PENDING, 5),
};

/** The core processes these responses without the platform's translation. */
const UNTRANSLATED: Record<string, Outcome> = {
  "salesforce/code": (bench) => {
    expect(bench.device.state).toBe(State.PENDING);
    expect(bench.text(Field.USER_CODE)).toBe("FL3PL2K7");
    // The lifetime is ten minutes, of which up to one second has passed.
    expect(bench.device.codeLifetimeS).toBeGreaterThanOrEqual(599);
    expect(bench.device.codeLifetimeS).toBeLessThanOrEqual(600);
  },
  "amazon/expired": renewsCode,
};

/** @param name for example "github/code" or "github/poll token_expired" */
function recorded(name: string): RecordedResponse {
  const [server, response] = name.split("/") as [string, ExchangeName];
  const { exchanges, others } = recording(server);
  return (exchanges.get(response) ?? others.get(response))!;
}

const others = recordedServers().flatMap((server) =>
  [...recording(server).others.keys()].map((name) => `${server}/${name}`),
);

function having(name: string): Port {
  const reactions: Reaction[] = /\/code\b/.test(name) ? [] : [code()];
  const bench = new Port([...reactions, recorded(name)]);
  bench.until(reactions.length + 1);
  return bench;
}

describe("each recorded response has one test", () => {
  it("either a conversation uses it, or a row of this file", () => {
    expect(Object.keys(outcomes).sort()).toEqual(others.sort());
  });

  it.each(Object.entries({ ...outcomes, ...UNTRANSLATED }))("dialects, %s", (name, outcome) => {
    outcome(having(name));
  });
});
