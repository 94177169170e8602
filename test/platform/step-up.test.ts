// Step-up (RFC 9470): what an API wants of a sign-in reaches the program, a new sign-in carries it, and no refresh is
// wasted on it.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import * as core from "../../core/complete.ts";
import { formParameters } from "../../platform/configuration/client-settings.ts";
import { Driver, noEndpoints } from "../../platform/driver.ts";
import { driverConfig } from "../../platform/fake/config.ts";
import { type FakeAnswer, fakePlatform } from "../../platform/fake/index.ts";
import { type SignInOptions, signIn } from "../../platform/node/sign-in.ts";
import { fetchWithToken } from "../../platform/session/fetch.ts";
import { stepUpOf } from "../../platform/step-up.ts";
import { startSimulatedService } from "../../targets/service/simulated-service.ts";
import { CLIENT } from "../../targets/workbench/host/service-world.ts";

const DEMAND = 'error="insufficient_user_authentication"';
const answered = (header: string | undefined, status = 401): Response =>
  new Response("", { status, headers: header === undefined ? {} : { "www-authenticate": header } });

describe("RFC 9470 §3: what an answer demands", () => {
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
    // What no request for a code could carry is left out.
    [`Bearer ${DEMAND}, acr_values="", max_age="soon"`, {}],
    [`Bearer ${DEMAND}, acr_values="a\tb", max_age="-1"`, {}],
    [`Bearer ${DEMAND}, acr_values="${"a".repeat(257)}", max_age="9999999999"`, {}],
    // Another challenge's parameters are not this one's.
    [`Bearer error="invalid_token", acr_values="a"`, undefined],
    [`Bearer error="insufficient_scope", Basic max_age="1"`, undefined],
    [`Bearer error_description="insufficient_user_authentication"`, undefined],
    [`Bearer realm="error=insufficient_user_authentication"`, undefined],
    ["", undefined],
  ])("%s", (header, wanted) => {
    expect(stepUpOf(answered(header))).toEqual(wanted);
  });

  it("another status, or no header, demands nothing", () => {
    expect(stepUpOf(answered(`Bearer ${DEMAND}`, 403))).toBeUndefined();
    expect(stepUpOf(answered(undefined))).toBeUndefined();
  });

  it("RFC 9110 §11.6.1: quoted however it is, the demand is read as it was meant", () => {
    const text = fc.stringMatching(/^[!-~]( ?[!-~]){0,20}$/);
    const quoted = (value: string): string => `"${value.replace(/["\\]/g, "\\$&")}"`;
    fc.assert(
      fc.property(text, text, fc.nat(999_999_999), fc.boolean(), (realm, acr, age, isFirst) => {
        const other = `Custom realm=${quoted(realm)}`;
        const own = `Bearer realm=${quoted(realm)}, ${DEMAND}, acr_values=${quoted(acr)}, max_age=${age}`;
        const header = isFirst ? `${own}, ${other}` : `${other}, ${own}`;
        expect(stepUpOf(answered(header))).toEqual({ acr_values: acr, max_age: String(age) });
      }),
    );
  });

  it("a header of any text is read in a moment, and never throws", () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[ -~]{0,300}$/), (header) => {
        stepUpOf({ status: 401, headers: { get: () => header } });
      }),
    );
    for (const part of ['a="', "a=", "a ", '\\"', "=,", 'a="\\']) {
      stepUpOf({ status: 401, headers: { get: () => part.repeat(4000) } });
    }
  });
});

describe("session.fetch", () => {
  const asked = async (header: string): Promise<{ refused: number; sent: number }> => {
    let refused = 0;
    let sent = 0;
    const source = {
      accessToken: async () => `token-${refused}`,
      refused: () => {
        refused++;
      },
    };
    const fetch = async () => {
      sent++;
      return answered(header);
    };
    const answer = await fetchWithToken(source, { fetch }, "https://api.example/");
    expect(answer.status).toBe(401);
    return { refused, sent };
  };

  it("RFC 9470 §3: hands the demand on, and no refresh is wasted", async () => {
    expect(await asked(`Bearer ${DEMAND}, max_age="5"`)).toEqual({ refused: 0, sent: 1 });
  });

  it("RFC 6750 §3.1: a token that is refused is refreshed as before", async () => {
    expect(await asked('Bearer error="invalid_token"')).toEqual({ refused: 1, sent: 2 });
  });
});

describe("calls through the core", () => {
  const HOST = "https://s.example";
  const answers: FakeAnswer[] = [];
  const code = { device_code: "d", user_code: "ABCD", verification_uri: `${HOST}/go`, interval: 5 };
  const tokens = { access_token: "a", refresh_token: "r", token_type: "Bearer", expires_in: 3600 };

  interface Caller {
    driver: Driver;
    /** Address and body of each request so far. */
    asked(): string[];
    rest(): void;
  }

  function signedIn(deviceParameters = ""): Caller {
    const handler = ({ url }: { url: string }): FakeAnswer => {
      if (url.startsWith("https://api.example")) return answers.shift() ?? { body: {} };
      return { body: url === `${HOST}/code` ? code : tokens };
    };
    const platform = fakePlatform({ http: { handler } });
    const driver = new Driver({
      core,
      platform,
      config: { ...driverConfig, deviceParameters },
      endpoints: {
        ...noEndpoints,
        deviceAuthorization: `${HOST}/code`,
        token: `${HOST}/token`,
        resources: ["https://api.example"],
      },
    });
    driver.start();
    platform.clock.advance(30_000);
    expect(driver.isSignedIn).toBe(true);
    return {
      driver,
      asked: () => platform.http.requests.map(({ url, text }) => `${url} ${text}`),
      rest: () => platform.clock.advance(1000),
    };
  }

  /** Calls the API, with these answers of its; what was asked for it. */
  function call({ driver, asked, rest }: Caller, ...its: FakeAnswer[]): string[] {
    const before = asked().length;
    answers.splice(0, answers.length, ...its);
    core.beginCall(driver.device);
    core.addPath(driver.device, [47], 0, 1);
    expect(core.sendCall(driver.device, core.Endpoint.RESOURCE, 1, null, 0, 0)).toBe(1);
    driver.run();
    rest();
    return asked()
      .slice(before)
      .map((line) => line.split(" ")[0]!);
  }
  const demanding = { status: 401, authenticate: `Bearer ${DEMAND}, acr_values="a b", max_age=5` };

  it("RFC 9470 §3: the demand is the program's to read, and no refresh is wasted", () => {
    const device = signedIn();
    expect(call(device, demanding)).toEqual(["https://api.example/"]);
    const { stepUp } = device.driver;
    expect(stepUp).toEqual({ acr_values: "a b", max_age: "5" });
    expect(device.driver.device.callState).toBe(core.CallState.DONE);
    expect(device.driver.device.callStatus).toBe(403);
    expect(device.driver.isSignedIn).toBe(true);
    // Until the next call is begun.
    call(device);
    expect(device.driver.stepUp).toBeUndefined();
    const second = signedIn(formParameters(stepUp));
    expect(second.asked()[0]).toMatch(/acr_values=a\+b&max_age=5/);
  });

  it("RFC 6750 §3.1: another 401 has the token refreshed and the call sent again, once", () => {
    const api = "https://api.example/";
    for (const authenticate of ['Bearer error="invalid_token"', "", "Basic realm=x"]) {
      const device = signedIn();
      const refused = { status: 401, authenticate };
      expect(call(device, refused)).toEqual([api, `${HOST}/token`, api]);
      expect(device.driver.stepUp).toBeUndefined();
      // The demand may come with the second answer.
      expect(call(device, refused, demanding)).toEqual([api, `${HOST}/token`, api]);
      expect(device.driver.stepUp).toEqual({ acr_values: "a b", max_age: "5" });
    }
  });

  it("another status demands nothing of a sign-in", () => {
    const device = signedIn();
    call(device, { status: 403, authenticate: demanding.authenticate });
    expect(device.driver.stepUp).toBeUndefined();
  });
});

describe("RFC 9470 §4 at the simulated service", () => {
  const TWO_FACTOR = "urn:picogrant:acr:two-factor";

  it.each([
    [{ acr: TWO_FACTOR }, { acr_values: TWO_FACTOR }],
    [
      { acr: TWO_FACTOR, maxAge: 300 },
      { acr_values: TWO_FACTOR, max_age: "300" },
    ],
  ])(
    "%j: the demand is carried by a new sign-in, and no token is refreshed for it",
    async (stepUp, wanted) => {
      const state = mkdtempSync(path.join(tmpdir(), "picogrant-"));
      const service = await startSimulatedService({ options: { stepUp } });
      const paths: string[] = [];
      service.observe((event) => {
        if (event.type === "exchange") paths.push(event.path);
        if (event.type !== "attempt") return;
        for (const { userCode } of service.pending()) service.approve(userCode, "ada");
      });
      const options: SignInOptions = {
        ...CLIENT,
        server: service.url,
        scope: "https://auth.picogrant.test/auth/video.readonly",
        state,
      };
      const api = `${service.url}/video/v3/liveBroadcasts?part=id&mine=true`;
      try {
        const first = await signIn(options);
        paths.length = 0;
        const refused = await first.fetch(api);
        expect(refused.status).toBe(401);
        expect(paths).toEqual(["/video/v3/liveBroadcasts"]);
        const demand = stepUpOf(refused);
        expect(demand).toEqual(wanted);
        await first.signOut();
        const second = await signIn({ ...options, deviceParameters: demand });
        expect((await second.fetch(api)).status).toBe(200);
        await second.close();
      } finally {
        await service.close();
        rmSync(state, { recursive: true, force: true });
      }
    },
  );
});
