// platform/driver: what goes out for what the core has laid out, which headers and addresses a maker may give, and what
// is said of a configuration, a memory or a storage that does not do.

import { describe, expect, it } from "vitest";
import * as core from "../../core/complete.ts";
import { Authorization, Endpoint, Field, Region } from "../../core/index.ts";
import type { Header } from "../../platform/contracts.ts";
import { makeDevice } from "../../platform/driver/device.ts";
import { checkHeaders, headersProblems } from "../../platform/driver/headers.ts";
import { Requests, type ReusedRequest } from "../../platform/driver/requests.ts";
import { type Driver, type DriverOptions, noEndpoints } from "../../platform/driver.ts";
import { driverConfig } from "../../platform/fake/config.ts";
import { fakePlatform, MemoryStorage, NoEntropy } from "../../platform/fake/index.ts";

const GRANT: readonly Header[] = [["X-Grant", "g"]];
const RESOURCE: readonly Header[] = [["X-Api", "r"]];
const FORM = "application/x-www-form-urlencoded";
const JSON_TYPE = "application/json";
const OWN_BODY = Uint8Array.from([9, 9, 9, 9]);
const TARGET = "/v1?x=1";
const TOKEN = "the-token";
const CREDENTIALS = "aWQ6c2VjcmV0";

/** A memory as the core would have laid it out. */
function laidOut(): { memory: Uint8Array; start: number[]; length: number[]; target: number } {
  const memory = new Uint8Array(256);
  const start = new Array<number>(64).fill(0);
  const length = new Array<number>(64).fill(0);
  let at = 10;
  const put = (text: string, region?: number): number => {
    const from = at;
    for (const character of text) memory[at++] = character.charCodeAt(0);
    if (region !== undefined) {
      start[region] = from;
      length[region] = text.length;
    }
    return from;
  };
  put(TOKEN, Field.ACCESS_TOKEN);
  put(CREDENTIALS, Region.CLIENT_CREDENTIALS);
  return { memory, start, length, target: put(TARGET) };
}

interface Row {
  readonly endpoint: Endpoint;
  readonly isGet?: 0 | 1;
  readonly bodyLength?: number;
  readonly callBody?: Uint8Array;
  readonly target?: boolean;
  readonly authorization?: Authorization;
}

interface Sent {
  readonly method: "GET" | "POST";
  readonly contentType: string;
  readonly headers: readonly Header[];
  readonly authorization?: string;
  readonly body?: "own";
  readonly url?: string;
}

const own = { callBody: OWN_BODY };
const form = { method: "POST", contentType: FORM, headers: GRANT } as const;
const json = { method: "POST", contentType: JSON_TYPE, headers: RESOURCE } as const;
const url = `https://a.test${TARGET}`;
const { BASIC, BEARER } = Authorization;
const {
  DEVICE_AUTHORIZATION,
  TOKEN: POLL,
  REVOCATION,
  METADATA,
  EVENTS,
  RESOURCE: CALL,
} = Endpoint;

/** RFC 6749 and 8628 for the grant, RFC 8936 for events, RFC 6750 for what a call carries. */
const ROWS: [string, Row, Sent][] = [
  ["a request for a code", { endpoint: DEVICE_AUTHORIZATION, bodyLength: 5 }, form],
  [
    "RFC 6749 §3.2: a poll with HTTP Basic",
    { endpoint: POLL, bodyLength: 5, authorization: BASIC },
    { ...form, authorization: `Basic ${CREDENTIALS}` },
  ],
  ["not what a call would send", { endpoint: POLL, bodyLength: 5, ...own }, form],
  ["a revocation", { endpoint: REVOCATION, bodyLength: 5, ...own }, form],
  ["one with its token in the query", { endpoint: REVOCATION, target: true }, { ...form, url }],
  [
    "metadata",
    { endpoint: METADATA, isGet: 1, target: true },
    { method: "GET", contentType: "", headers: [], url },
  ],
  [
    "a poll for events has the receiver's own authorization",
    { endpoint: EVENTS, bodyLength: 5, authorization: BEARER },
    { ...json, headers: [], authorization: "Bearer receiver" },
  ],
  [
    "a call that reads",
    { endpoint: CALL, isGet: 1, authorization: BEARER },
    { ...json, method: "GET", contentType: "", authorization: `Bearer ${TOKEN}` },
  ],
  ["the same with a body", { endpoint: CALL, isGet: 1, bodyLength: 5 }, { ...json, method: "GET" }],
  ["a body of the host's", { endpoint: CALL + 1, isGet: 0, ...own }, { ...json, body: "own" }],
  ["a call that writes nothing", { endpoint: CALL, isGet: 0 }, json],
];

/** What stood there before: each request overwrites all of it. */
const stale = (): ReusedRequest => ({
  method: "GET",
  url: "old",
  contentType: "old",
  authorization: "old",
  headers: [["Old", "old"]],
  body: [],
  bodyFrom: -1,
  bodyTo: -1,
});

function deviceFor(row: Row): { device: core.Device; memory: Uint8Array } {
  const { memory, start, length, target } = laidOut();
  const device = {
    ...{ start, length, target, targetLength: row.target ? TARGET.length : 0 },
    ...{ endpoint: row.endpoint, isGet: row.isGet ?? 0 },
    ...{ authorization: row.authorization ?? Authorization.NONE },
    ...{ body: 100, bodyLength: row.bodyLength ?? 0 },
    ...{ callBody: row.callBody ?? null, callBodyFrom: 1, callBodyTo: 3 },
  };
  return { device: device as unknown as core.Device, memory };
}

const optionsWith = (more: Partial<DriverOptions> = {}): DriverOptions =>
  ({
    headers: { grant: GRANT, resource: RESOURCE },
    eventsAuthorization: "Bearer receiver",
    ...more,
  }) as DriverOptions;

describe("a request of the core's, as the adapter gets it", () => {
  it.each(ROWS)("%s", (_, row, sent) => {
    const { device, memory } = deviceFor(row);
    const request = stale();
    new Requests(device, memory, optionsWith()).write(request, "https://a.test");
    const { body, ...rest } = sent;
    const bytes = body
      ? { body: OWN_BODY, bodyFrom: 1, bodyTo: 3 }
      : { body: memory, bodyFrom: 100, bodyTo: 100 + (row.bodyLength ?? 0) };
    expect(request).toEqual({ url: "https://a.test", authorization: "", ...rest, ...bytes });
  });

  it("RFC 8936 §2.4: without a receiver's authorization a poll for events carries none", () => {
    const { device, memory } = deviceFor({ endpoint: Endpoint.EVENTS, bodyLength: 5 });
    const request = stale();
    const { eventsAuthorization: _, ...without } = optionsWith();
    new Requests(device, memory, without).write(request, "https://a.test");
    expect(request.authorization).toBe("");
  });
});

describe("headers of the host's own", () => {
  it.each([
    ...["Accept", "authorization", "CONNECTION", "Content-Length", "Content-Type", "Expect"],
    ...["Host", "Transfer-Encoding", "User-Agent", "X Own", ""],
  ])("%s is refused", (name) => {
    const why = /^[\w-]+$/.test(name) ? "host's to set" : "token of RFC 9110";
    expect(headersProblems([[name, "v"]])).toEqual([expect.stringContaining(why)]);
    for (const headers of [{ grant: [[name, "v"]] }, { resource: [[name, "v"]] }] as const) {
      expect(() => checkHeaders(headers as never)).toThrow(why);
    }
  });

  it("RFC 9110 §5.1: a name is there once, in whatever case; a value is printable", () => {
    const twice = headersProblems([
      ["X-Api", "1"],
      ["Y", "2"],
      ["x-api", "3"],
    ]);
    expect(twice).toEqual(["x-api is there twice"]);
    expect(headersProblems([["X", "a\r\nb"]])).toEqual(["the value of X must be printable ASCII"]);
    expect(headersProblems([["X", ""]])).toEqual([]);
    for (const good of [undefined, {}, { grant: GRANT }, { resource: RESOURCE }]) {
      checkHeaders(good);
    }
  });
});

describe("what a driver is made of does not do", () => {
  const optionsFor = (more: Partial<DriverOptions> = {}): DriverOptions => ({
    core,
    platform: fakePlatform(),
    config: driverConfig,
    endpoints: { ...noEndpoints, token: "https://a.test" },
    ...more,
  });
  const made = (more: Partial<DriverOptions> = {}, bytes = 8192): Driver["device"] =>
    makeDevice(optionsFor(more), new Uint8Array(bytes));

  it("core/SPEC.md: the member that is missing or out of range is named as it is spelled", () => {
    const config = { ...driverConfig, renewalsMax: -1 };
    expect(() => made({ config })).toThrow(
      /^the configuration: renewalsMax is missing or out of range$/,
    );
    const { configError: _, ...small } = core;
    expect(() => made({ config, core: small })).toThrow(/^8192 bytes of memory are too few/);
  });

  it("a memory that is too small says how small it is", () => {
    expect(() => made({}, 300)).toThrow(
      /^300 bytes of memory are too few for this configuration; give more$/,
    );
  });

  it("RFC 7636: where a challenge is the maker's wish a memory without room for it is refused", () => {
    const least = (more: Partial<DriverOptions>): number => {
      let [tooFew, enough] = [300, 8192];
      while (enough - tooFew > 1) {
        const bytes = (tooFew + enough) >> 1;
        try {
          made(more, bytes);
          enough = bytes;
        } catch {
          tooFew = bytes;
        }
      }
      return enough;
    };
    // The verifier and the challenge, 43 characters each, and their names in the requests.
    expect(least({ pkce: "S256" })).toBeGreaterThan(least({}) + 86);
  });

  it("a device without entropy has the same jitter as all its like, one with it has its own", () => {
    const seeds: number[] = [];
    const noting = {
      ...core,
      create: (memory: core.Bytes, config: core.Config) => {
        seeds.push(config.seed);
        return core.create(memory, config);
      },
    };
    const sure = (bytes: readonly number[]) => ({
      fill: (into: { [at: number]: number }, from: number, to: number) => {
        for (let at = from; at < to; at++) into[at] = bytes[at - from]!;
        return true;
      },
    });
    made({ core: noting, platform: fakePlatform({ entropy: new NoEntropy() }) });
    made({ core: noting, platform: fakePlatform({ entropy: sure([1, 2, 3, 255]) as never }) });
    // 26 bits, the first byte is the lowest.
    expect(seeds).toEqual([0, 1 + 2 * 256 + 3 * 65_536 + 3 * 16_777_216]);
  });

  it("core/SPEC.md, Records: the storage is to take the longest of the records, and no more", () => {
    // With 5000 a pending code is the longest, with more an access token is; with 4096 both are cut.
    for (const bytes of [4096, 5000, 8192, 20_000]) {
      const taking = (size: number) => ({
        platform: { ...fakePlatform(), storage: new MemoryStorage({ capacity: size }) },
      });
      const { capacity } = made(taking(65_536), bytes);
      const room = (region: number): number => 2 + Math.max(0, capacity[region]!);
      const code = [Field.DEVICE_CODE, Field.USER_CODE, Field.VERIFICATION_URI];
      code.push(Field.VERIFICATION_URI_COMPLETE, Region.CODE_VERIFIER as number);
      const tokens = [room(Field.ACCESS_TOKEN), room(Region.REFRESH_TOKEN)];
      const longest = Math.max(
        code.map(room).reduce((sum, one) => sum + one),
        ...tokens,
      );
      const needed = Math.min(19 + longest, capacity[Region.OUTPUT]!);
      expect(() => made(taking(needed - 1), bytes)).toThrow(`may write ${needed}: give`);
      expect(() => made(taking(needed), bytes)).not.toThrow();
    }
  });
});
