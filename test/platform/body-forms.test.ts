// Servers that take JSON where RFC 6749 has forms, and what an answer of 415 leads to (RFC 9110 §15.5.16).

import { describe, expect, it } from "vitest";
import * as core from "../../core/complete.ts";
import { ClientAuthentication, ErrorCode, State } from "../../core/complete.ts";
import { Driver, type DriverOptions, noEndpoints } from "../../platform/driver.ts";
import { driverConfig } from "../../platform/fake/config.ts";
import {
  type FakeAnswer,
  type FakeFault,
  fakePlatform,
  MemoryStorage,
  type SeenRequest,
} from "../../platform/fake/index.ts";
import { BODY_FORM_CASES, FORM, JSON_TYPE } from "./body-form-cases.ts";

const HOST = "https://auth.example";
const CODE = {
  device_code: "d&c +ä",
  user_code: "WDJB-MJHT",
  verification_uri: `${HOST}/go`,
  expires_in: 600,
  interval: 5,
};
const TOKENS = { access_token: "at", refresh_token: "rt", token_type: "Bearer", expires_in: 3600 };

interface Bench {
  driver: Driver;
  requests: readonly SeenRequest[];
  clock: { advance(ms: number): void };
  storage: MemoryStorage;
}

/** A device at a server that takes these types, and answers every other with 415. */
function bench(
  takes: readonly string[],
  more: Partial<DriverOptions> = {},
  storage = new MemoryStorage({ capacity: 8192 }),
  pendingPolls = 1,
  faultFor: (count: number) => FakeFault | undefined = () => undefined,
  secondSend?: () => unknown,
): Bench {
  let polls = 0;
  let sent = 0;
  const handler = (request: SeenRequest): FakeAnswer => {
    if (!takes.includes(request.contentType)) return { status: 415, body: "no" };
    const { pathname } = new URL(request.url);
    if (pathname === "/code") return { body: CODE };
    if (pathname === "/revoke") return {};
    const isPoll = request.text.includes("device_code");
    if (isPoll && polls++ < pendingPolls) {
      return { status: 400, body: { error: "authorization_pending" } };
    }
    return { body: TOKENS };
  };
  const platform = fakePlatform({
    http: { handler, faultFor: () => faultFor(sent++) },
    storage,
  });
  const { http } = platform;
  const send = http.send.bind(http);
  let sends = 0;
  http.send = (request, sink) => {
    if (++sends === 2 && secondSend) return secondSend() as undefined;
    return send(request, sink);
  };
  const driver = new Driver({
    core,
    platform,
    config: {
      ...driverConfig,
      ...{ clientId: "tv 1", clientSecret: "s", scope: "a b" },
      clientAuthentication: ClientAuthentication.CLIENT_SECRET_POST,
      deviceParameters: "&audience=a%26b",
    },
    endpoints: {
      ...noEndpoints,
      ...{
        deviceAuthorization: `${HOST}/code`,
        token: `${HOST}/token`,
        revocation: `${HOST}/revoke`,
      },
    },
    memoryBytes: 8192,
    ...more,
  });
  driver.start();
  return { driver, requests: platform.http.requests, clock: platform.clock, storage };
}

/** Lets the device sign in, refresh, and sign out. */
function wholeLife({ driver, clock }: Bench): void {
  clock.advance(60_000);
  expect(driver.isSignedIn).toBe(true);
  clock.advance(3_600_000);
  expect(driver.isSignedIn).toBe(true);
  driver.signOut();
  clock.advance(1000);
  expect(State[driver.device.state]).toBe("SIGNED_OUT");
  expect(driver.device.error).toBe(ErrorCode.NONE);
}

const types = ({ requests }: Bench): string[] => requests.map(({ contentType }) => contentType);

describe("a server that takes JSON alone", () => {
  it.each(["form", "json"] as const)(
    "beginning with %s: a whole life, one 415 at the most",
    (bodies) => {
      const device = bench([JSON_TYPE], { bodies });
      wholeLife(device);
      const refused = types(device).filter((type) => type === FORM);
      expect(refused).toHaveLength(bodies === "form" ? 1 : 0);
      const sent = device.requests.filter(({ contentType }) => contentType === JSON_TYPE);
      const client = { client_id: "tv 1", client_secret: "s" };
      expect(sent.map(({ text }) => JSON.parse(text) as object).slice(0, 2)).toEqual([
        { scope: "a b", audience: "a&b", ...client },
        {
          ...client,
          grant_type: "urn:ietf:params:oauth:grant-type:device_code",
          device_code: CODE.device_code,
        },
      ]);
      const [refresh] = sent.filter(({ text }) => text.includes('"refresh_token":'));
      expect(JSON.parse(refresh!.text)).toEqual({
        ...client,
        ...{ grant_type: "refresh_token", refresh_token: "rt" },
      });
      expect(sent.slice(-2).map(({ text }) => JSON.parse(text) as object)).toEqual([
        { ...client, token: "rt" },
        { ...client, token: "at" },
      ]);
    },
  );

  it("a restart finds it out anew, with a pending code and with tokens", () => {
    const first = bench([JSON_TYPE], {}, undefined, 99);
    first.clock.advance(20_000);
    first.driver.stop();
    const second = bench([JSON_TYPE], {}, first.storage.clone());
    second.clock.advance(60_000);
    expect(second.driver.isSignedIn).toBe(true);
    second.driver.stop();
    const third = bench([JSON_TYPE], {}, second.storage.clone());
    third.clock.advance(60_000);
    expect(third.driver.isSignedIn).toBe(true);
    for (const device of [second, third]) expect(types(device).indexOf(FORM, 1)).toBe(-1);
  });
});

describe("RFC 9110 §15.5.16: servers by the types that they take", () => {
  it.each(BODY_FORM_CASES)("$what", ({ takes, bodies, first, afterwards }) => {
    const device = bench(takes, bodies === undefined ? {} : { bodies });
    if (afterwards !== undefined) wholeLife(device);
    else device.clock.advance(600_000);
    const sent = types(device);
    expect(sent.slice(0, first.length)).toEqual(first);
    expect(new Set(sent.slice(first.length))).toEqual(
      new Set(afterwards === undefined ? [] : [afterwards]),
    );
  });
});

describe("RFC 9110 §15.5.16: a 415 to both forms is final, and the maker's", () => {
  it("each is tried once; the next attempt begins with the one that was meant", () => {
    const device = bench([]);
    device.clock.advance(600_000);
    expect(types(device)).toEqual([FORM, JSON_TYPE]);
    expect(State[device.driver.device.state]).toBe("FAILED");
    expect(device.driver.device.error).toBe(ErrorCode.REQUEST_REFUSED);
    device.driver.signIn();
    device.clock.advance(600_000);
    expect(types(device)).toEqual([FORM, JSON_TYPE, FORM]);
    expect(State[device.driver.device.state]).toBe("FAILED");
  });
});

describe("what goes wrong in between", () => {
  it.each<[string, FakeFault, number]>([
    ["the 415 breaks off", { kind: "truncate", atByte: 1 }, 0],
    ["the second try is reset", { kind: "reset-after" }, 1],
    ["the second try hangs", { kind: "hang" }, 1],
    ["the 415 comes twice", { kind: "duplicate" }, 0],
    ["the second answer comes twice", { kind: "duplicate" }, 1],
    ["the second answer comes twice, late", { kind: "duplicate", afterMs: 3000 }, 1],
  ])("%s: the device comes through", (_, fault, at) => {
    const device = bench([JSON_TYPE], {}, undefined, 1, (count) =>
      count === at ? fault : undefined,
    );
    device.clock.advance(60_000);
    wholeLife(device);
    expect(types(device).filter((type) => type === FORM).length).toBeLessThanOrEqual(2);
  });

  it("cancel during the second try: its late answer is nobody's", () => {
    const deaf: FakeFault = { kind: "deaf-to-abort" };
    const device = bench([JSON_TYPE], {}, undefined, 1, (count) =>
      count === 1 ? deaf : undefined,
    );
    device.driver.cancel();
    device.driver.signIn();
    wholeLife(device);
  });

  it.each([
    [
      "throws",
      () => {
        throw new Error("adapter");
      },
    ],
    ["rejects", () => Promise.reject(new Error("adapter"))],
  ] as const)(
    "an adapter that %s when it is asked again: told, and tried again",
    async (_, fails) => {
      const errors: unknown[] = [];
      const device = bench(
        [JSON_TYPE],
        { onError: (error) => errors.push(error) },
        undefined,
        1,
        undefined,
        fails,
      );
      device.clock.advance(10_000);
      await new Promise(setImmediate);
      wholeLife(device);
      expect(errors.map(String)).toEqual(["Error: adapter"]);
    },
  );
});
