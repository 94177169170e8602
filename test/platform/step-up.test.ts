// Step-up (RFC 9470): the API demands a stronger sign-in. The program gets the demand, which it can add to the next
// sign-in. The session does not refresh because of it. Random sessions test `session.fetch` (session-model/api.ts).

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import * as core from "../../core/complete.ts";
import { stepUpOf } from "../../platform/exchange/step-up.ts";
import type { FakeResponse } from "../../platform/testing/index.ts";
import { driverConfig } from "../../platform/testing/index.ts";
import { call, ENDPOINTS, type SignedIn, signedIn, signsIn } from "../environment/driver-port.ts";

const DEMAND = 'error="insufficient_user_authentication"';
const responded = (header: string | undefined, status = 401): Response =>
  new Response("", { status, headers: header === undefined ? {} : { "www-authenticate": header } });

describe("RFC 9470 §3: the demand in a response", () => {
  it.each<[string, object | undefined]>([
    [
      `Bearer ${DEMAND}, error_description="A different level", acr_values="myACR"`,
      { acr_values: "myACR" },
    ],
    [`Bearer ${DEMAND}, max_age="5"`, { max_age: "5" }],
    [
      `Bearer realm="a, b=c", ${DEMAND},acr_values="urn:a urn:b",max_age=300`,
      { acr_values: "urn:a urn:b", max_age: "300" },
    ],
    [`bearer MAX_AGE = "0" , ERROR = insufficient_user_authentication`, { max_age: "0" }],
    [`DPoP algs="ES256", ${DEMAND}, max_age="1"`, { max_age: "1" }],
    [`Basic realm="x", Bearer ${DEMAND}, acr_values="a"`, { acr_values: "a" }],
    [`Bearer ${DEMAND}, acr_values="a", Basic realm="max_age=7"`, { acr_values: "a" }],
    [`Negotiate YWJjZA==, Bearer ${DEMAND}`, {}],
    [`Bearer ${DEMAND}, acr_values="a\\"b\\\\c"`, { acr_values: 'a"b\\c' }],
    // The parser drops values that a code request cannot contain.
    [`Bearer ${DEMAND}, acr_values="", max_age="soon"`, {}],
    [`Bearer ${DEMAND}, acr_values="a\tb", max_age="-1"`, {}],
    [`Bearer ${DEMAND}, acr_values="${"a".repeat(257)}", max_age="9999999999"`, {}],
    // Parameters of another challenge are not part of the demand.
    [`Bearer error="invalid_token", acr_values="a"`, undefined],
    [`Bearer error="insufficient_scope", Basic max_age="1"`, undefined],
    [`Bearer error_description="insufficient_user_authentication"`, undefined],
    [`Bearer realm="error=insufficient_user_authentication"`, undefined],
    ["", undefined],
  ])("%s", (header, required) => {
    expect(stepUpOf(responded(header))).toEqual(required);
  });

  it("a response with another status or without the header contains no demand", () => {
    expect(stepUpOf(responded(`Bearer ${DEMAND}`, 403))).toBeUndefined();
    expect(stepUpOf(responded(undefined))).toBeUndefined();
  });

  it("RFC 9110 §11.6.1: all forms of quoting are parsed", () => {
    const text = fc.stringMatching(/^[!-~]( ?[!-~]){0,20}$/);
    const quoted = (value: string): string => `"${value.replace(/["\\]/g, "\\$&")}"`;
    fc.assert(
      fc.property(text, text, fc.nat(999_999_999), fc.boolean(), (realm, acr, age, isFirst) => {
        const other = `Custom realm=${quoted(realm)}`;
        const own = `Bearer realm=${quoted(realm)}, ${DEMAND}, acr_values=${quoted(acr)}, max_age=${age}`;
        const header = isFirst ? `${own}, ${other}` : `${other}, ${own}`;
        expect(stepUpOf(responded(header))).toEqual({ acr_values: acr, max_age: String(age) });
      }),
    );
  });

  it("any header text is parsed quickly and without exceptions", () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[ -~]{0,300}$/), (header) => {
        stepUpOf({ status: 401, headers: { get: () => header } });
      }),
    );
    for (const part of ["a", 'a="', "a=", "a ", '\\"', "=,", 'a="\\']) {
      stepUpOf({ status: 401, headers: { get: () => `${part.repeat(500_000)};` } });
    }
  });
});

describe("calls through the core", () => {
  const API = ENDPOINTS.resources[0]!;
  const responses: FakeResponse[] = [];
  const demanding = { status: 401, authenticate: `Bearer ${DEMAND}, acr_values="a b", max_age=5` };
  const device = (deviceParameters = ""): SignedIn =>
    signedIn(
      { config: { ...driverConfig, deviceParameters } },
      signsIn({}, {}, () => responses.shift() ?? {}),
    );
  /** Calls the API, which sends these responses in turn. @returns the addresses of the requests for this call */
  const requested = (caller: SignedIn, ...its: FakeResponse[]): string[] => {
    responses.splice(0, responses.length, ...its);
    return call(caller);
  };

  it("RFC 9470 §3: the program gets the demand, and the device does not refresh", () => {
    const caller = device();
    expect(requested(caller, demanding)).toEqual([API]);
    const { stepUp } = caller.driver;
    expect(stepUp).toEqual({ acr_values: "a b", max_age: "5" });
    const { callState, callStatus } = caller.driver.device;
    expect([callState, callStatus]).toEqual([core.CallState.DONE, 401]);
    expect(caller.driver.isSignedIn).toBe(true);
    // The demand is available until the next call starts.
    requested(caller);
    expect(caller.driver.stepUp).toBeUndefined();
    // RFC 9470 §4: the new sign-in contains the demand.
    const second = device(`&${new URLSearchParams({ ...stepUp })}`);
    expect(second.platform.http.requests[0]!.text).toMatch(/acr_values=a\+b&max_age=5/);
  });
});
