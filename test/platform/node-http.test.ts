import { readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { httpDuties } from "../../platform/conformance/http-bench.ts";
import { httpConformance } from "../../platform/conformance/index.ts";
import { parseHttpDate, retryAfterSeconds } from "../../platform/exchange/limits.ts";
import { NodeHttp } from "../../platform/node/http.ts";
import { startConformanceServer } from "../../targets/command/conform/conformance-server.ts";
import { rows as benchRows } from "../../targets/command/conform/device-rows.ts";
import { makeTlsIdentities } from "../../targets/service/certificates.ts";
import { RETRY_AFTER } from "../refused-responses.ts";
import { itConforms, realEnvironment } from "./conformance-bench.ts";

const { ca, identities } = makeTlsIdentities();

const cases = httpConformance(
  (limits) => {
    const http = new NodeHttp({ ...limits, ca });
    return { http, dispose: () => http.dispose() };
  },
  {
    wire: true,
    tls: true,
    environment: realEnvironment,
    start: () => startConformanceServer(identities),
  },
);

itConforms("Node HTTP adapter", () => cases, undefined);

it("the page lists each duty with its section, and with exactly the suites that test it", () => {
  const named = new Set(cases.map(({ name }) => /^http: (\w+): /.exec(name)?.[1]));
  const benched = new Set(benchRows.map(({ section }) => section));
  const table = Object.entries(httpDuties).map(([name, { section, tried }]) => {
    const isIn = { suite: named.has(name), bench: benched.has(section) };
    expect(
      Object.entries(isIn).flatMap(([one, isSo]) => (isSo ? one : [])),
      name,
    ).toEqual(tried);
    return [name, section, tried.join(", ")];
  });
  const page = readFileSync(
    new URL("../../targets/docs/firmware-in-c.md", import.meta.url),
    "utf8",
  );
  const rows = page.matchAll(/^\| (\w+) \| ([^|]*§[^|]*) \| [^|]+ \| ([a-z, ]*) \|$/gm);
  expect([...rows].map(([, ...cells]) => cells.map((cell) => cell.trim()))).toEqual(table);
});

describe("Retry-After, RFC 9110 §10.2.3", () => {
  it("parses every date in all three formats of §5.6.7", () => {
    const day = ["Sun", "Mon", "Tues", "Wednes", "Thurs", "Fri", "Satur"];
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 3_155_759_999 }), (seconds) => {
        const date = new Date(seconds * 1000);
        const imf = date.toUTCString();
        const [, dd, mon, yyyy, time] = imf.split(" ") as [string, string, string, string, string];
        const rfc850 = `${day[date.getUTCDay()]}day, ${dd}-${mon}-${yyyy.slice(2)} ${time} GMT`;
        const dayOfMonth = String(date.getUTCDate()).padStart(2);
        const asctime = `${imf.slice(0, 3)} ${mon} ${dayOfMonth} ${time} ${yyyy}`;
        expect(parseHttpDate(imf)).toBe(seconds * 1000);
        expect(parseHttpDate(rfc850)).toBe(seconds * 1000);
        expect(parseHttpDate(asctime)).toBe(seconds * 1000);
      }),
    );
  });

  it.each(RETRY_AFTER)("%s", (_, value, date, clockS, seconds) => {
    const clock = clockS === 0 ? undefined : clockS * 1000;
    expect(retryAfterSeconds(value, date === "" ? undefined : date, clock)).toBe(seconds);
  });
});
