// Tests that service and simulator handle each framing of a body (RFC 9112 §6) at each address.
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { PATHS } from "../../targets/service/metadata.ts";
import { type RunningSimulator, startSimulator } from "../desktop/bench.ts";
import { isFullRun } from "../full-run.ts";
import { responseTo } from "../listening.ts";
import { TV } from "./harness.ts";

const BEFORE = [Request, Response];
let simulator: RunningSimulator;
beforeAll(async () => {
  simulator = await startSimulator();
});
afterAll(() => simulator.close());

const hex = (text: string) => text.length.toString(16);

const WITH_BODY: Record<string, (body: string) => string> = {
  "a length": (body) => `Content-Length: ${body.length}\r\n\r\n${body}`,
  chunked: (body) => `Transfer-Encoding: chunked\r\n\r\n${hex(body)}\r\n${body}\r\n0\r\n\r\n`,
  "chunked in pieces, with a trailer": (body) =>
    `Transfer-Encoding: chunked\r\n\r\n1\r\n${body[0]}\r\n${hex(body.slice(1))};x=y\r\n${body.slice(1)}\r\n0\r\nX-T: 1\r\n\r\n`,
  "a declared length": (body) =>
    `Expect: 100-continue\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
};
const WITHOUT_BODY: Record<string, string> = {
  "neither length nor body": "\r\n",
  "a length of 0": "Content-Length: 0\r\n\r\n",
  "chunked, and empty": "Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
};
const FORM = "application/x-www-form-urlencoded";
const JSON_TYPE = "application/json\r\nX-Picogrant-Panel: 1";
const CODE_FIELDS = `client_id=${TV.client_id}&scope=email`;

/** Sends a request on a plain socket. Returns the final response. */
async function request(line: string, rest: string, type = FORM, version = "1.1") {
  const { port, host } = new URL(simulator.url);
  // HTTP/1.0 needs no Host (RFC 9112 section 3.2).
  const name = version === "1.1" ? `Host: ${host}\r\n` : "";
  const head = `${line} HTTP/${version}\r\n${name}Connection: close\r\nContent-Type: ${type}\r\n`;
  const text = await responseTo(head + rest, Number(port));
  const last = text.replace(/^HTTP\/1\.1 100 .*?\r\n\r\n/s, "");
  const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(last)?.[1]);
  return { status, body: last.slice(last.indexOf("\r\n\r\n") + 4) };
}

it.each(Object.entries(WITH_BODY))("a body with %s is read", async (_, framed) => {
  expect((await request("POST /device/code", framed(CODE_FIELDS))).status).toBe(200);
});

const PANEL = ["command", "exchange/1", "panel.css", "nothing"];
const ADDRESSES = [
  ...Object.values(PATHS),
  ...["/", "/device", "/device/account", "/device/decision", "/account", "/account/choose", "/d"],
  ...["/.well-known/openid-configuration", "/assets/pages.css", "/nothing", "/panel"],
  ...PANEL.map((name) => `/panel/${name}`),
];
/** Addresses as they are, and in forms that no client should send. */
const SPELLINGS: ((path: string) => string)[] = [
  (path) => path,
  (path) => `${path}/`,
  (path) => path.replace(/[a-z]/, (letter) => `%${letter.charCodeAt(0).toString(16)}`),
  (path) => `${path}%`,
];
it.each(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "BREW"])(
  "%s at any address, in any spelling and framing, does not make the service fail",
  async (method) => {
    const bodies = Object.values(WITH_BODY).map((framed) => framed("a=b"));
    const framings = [...bodies, ...Object.values(WITHOUT_BODY)];
    for (const [at, path] of ADDRESSES.entries()) {
      // A full run combines each address with all spellings and framings, and each framing with one HTTP version.
      // Otherwise each address has one spelling and two framings.
      const spellings = isFullRun ? SPELLINGS : [SPELLINGS[at % SPELLINGS.length]!];
      for (const spelled of spellings) {
        const line = `${method} ${spelled(path)}`;
        const requested = framings.flatMap((rest, one) =>
          ["1.1", "1.0"]
            .filter((_, other) => (2 * one + other - at) % (isFullRun ? 2 : framings.length) === 0)
            .map((version) => request(line, rest, FORM, version)),
        );
        for (const { status } of await Promise.all(requested)) {
          expect(status, line).toBeLessThan(500);
          expect(status, line).toBeGreaterThanOrEqual(200);
        }
      }
    }
  },
);

it("RFC 3986 §6.2.2.2: percent-encoded letters do not change an address, an additional slash does (except on the page)", async () => {
  const framed = WITH_BODY["a length"]!(CODE_FIELDS);
  const statuses = async (...lines: string[]): Promise<number[]> =>
    (await Promise.all(lines.map((line) => request(line, framed)))).map(({ status }) => status);
  expect(await statuses("POST /%64evice/c%6fde", "GET /%64evice")).toEqual([200, 200]);
  expect(await statuses("POST /device/code/", "GET /device/")).toEqual([404, 303]);
});

it.each([
  ["POST /token", FORM],
  ["POST /panel/command", JSON_TYPE],
])("%s beyond the limit is a 413 in any framing", async (line, type) => {
  for (const framed of Object.values(WITH_BODY).slice(0, 2))
    expect(await request(line, framed("x".repeat(2_500_000)), type)).toMatchObject({ status: 413 });
});

it("a program with service and simulator in its own process keeps Node's Request and Response", async () => {
  const response = await fetch(simulator.url);
  expect(response.constructor).toBe(Response);
  // Fetch standard: a Response has a status of 200 to 599.
  expect(() => new Response("", { status: 999 })).toThrow(RangeError);
  expect([Request, Response]).toEqual(BEFORE);
});

it("a request without chunks does not create Node's Request, which costs more than the response", async () => {
  // The adapter creates a controller with each Request.
  const made = [vi.spyOn(globalThis, "Request"), vi.spyOn(globalThis, "AbortController")];
  const count = () => made.reduce((sum, { mock }) => sum + mock.calls.length, 0);
  const body = WITH_BODY["a length"]!(CODE_FIELDS);
  await request("POST /device/code", body);
  await request("GET /keys", "\r\n");
  expect(count()).toBe(0);
  await request("POST /device/code", WITH_BODY.chunked!(CODE_FIELDS));
  expect(count()).toBeGreaterThan(0);
});

it("HTTP/1.0 has no chunks: its response ends with the connection (RFC 9112 section 9.3)", async () => {
  const body = CODE_FIELDS;
  const response = await request("POST /device/code", WITH_BODY["a length"]!(body), FORM, "1.0");
  expect(response.status).toBe(200);
  expect(JSON.parse(response.body)).toHaveProperty("device_code");
});
