// Step-up (RFC 9470): what an API wants of a sign-in reaches the program, a new sign-in carries it, and no refresh is
// wasted on it.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type SignInOptions, signIn } from "../../platform/node/sign-in.ts";
import { fetchWithToken } from "../../platform/session/fetch.ts";
import { stepUpOf } from "../../platform/session/step-up.ts";
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
