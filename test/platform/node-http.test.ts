// Runs the conformance suite on Node's HTTP adapter with real sockets.

import { readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { httpDuties } from "../../platform/conformance/http-duties.ts";
import { httpConformance } from "../../platform/conformance/index.ts";
import { parseHttpDate, retryAfterSeconds } from "../../platform/exchange/retry-after.ts";
import { NodeHttp } from "../../platform/node/http.ts";
import { makeTlsIdentities } from "../../targets/command/certificates.ts";
import { startConformanceServer } from "../../targets/command/conform/conformance-server.ts";
import { rows as benchRows } from "../../targets/command/conform/device-rows.ts";
import { realEnvironment, rows } from "./conformance-bench.ts";

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

describe("Node HTTP adapter: conformance", () => {
  it.each(rows(cases))("%s", (_, one) => one.run());
});

it("the page lists each duty with its section and exactly the suites that have cases and rows for it", () => {
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

  it.each([
    ["10", "nonsense", undefined, 10],
    ["Tue, 15 Nov 1994 12:00:45 GMT", undefined, undefined, -1],
    ["Tue, 15 Nov 1994 12:00:45 GMT", undefined, Date.UTC(1994, 10, 15, 12, 0, 0), 45],
    ["Tue, 15 Nov 1994 12:00:45 GMT", "nonsense", undefined, -1],
    ["Tue, 15 Nox 1994 12:00:45 GMT", "Tue, 15 Nov 1994 12:00:00 GMT", undefined, -1],
    ["Tue, 15 Nov 1994 25:00:45 GMT", "Tue, 15 Nov 1994 12:00:00 GMT", undefined, -1],
    // Retry-After is relative to the response's own Date, even a wrong one.
    [
      "Tue, 15 Nov 1994 12:00:45 GMT",
      "Thu, 01 Jan 1970 00:00:00 GMT",
      785_000_000_000,
      134_217_727,
    ],
    ["Sun, 31 Dec 1950 23:59:59 GMT", "Thu, 01 Jan 1970 00:00:00 GMT", undefined, -1],
    ["1.5", undefined, undefined, -1],
    ["0x10", undefined, undefined, -1],
    ["134217728", undefined, undefined, 134_217_727],
  ])("%s with Date %s and clock %s", (value, date, clock, seconds) => {
    expect(retryAfterSeconds(value, date, clock)).toBe(seconds);
  });
});
