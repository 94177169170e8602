// `session.fetch`: to whom the token goes, whatever a program or a server says (RFC 6750 §5.3, RFC 9700 §4.9.1, §4.11).

import http from "node:http";
import https from "node:https";
import type { AddressInfo } from "node:net";
import fc from "fast-check";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { nodeFetch } from "../../platform/node/fetch.ts";
import {
  type FetchSettings,
  fetchWithToken,
  type TokenSource,
} from "../../platform/session/fetch.ts";
import { makeTlsIdentities } from "./certificates.ts";

const TOKEN = "ya29.a-token-that-is-long-enough";
const source = {
  accessToken: () => Promise.resolve(TOKEN),
  refused: () => {},
};

interface Seen {
  readonly server: string;
  readonly method: string;
  readonly path: string;
  readonly headers: http.IncomingHttpHeaders;
  readonly body: string;
}

const { ca, identities } = makeTlsIdentities();
let seen: Seen[] = [];
let answers: (request: http.IncomingMessage) => { status: number; location?: string };
const servers: http.Server[] = [];
const at = { first: "", other: "", plain: "" };

async function listen(name: keyof typeof at, isSecure: boolean): Promise<void> {
  const serve: http.RequestListener = (request, response) => {
    let body = "";
    request.on("data", (chunk: Buffer) => {
      body += chunk.toString();
    });
    request.on("end", () => {
      const { method = "", url: path = "", headers } = request;
      seen.push({ server: name, method, path, headers, body });
      const { status, location } = path === "/end" ? { status: 200 } : answers(request);
      response.writeHead(status, location === undefined ? {} : { location }).end("body");
    });
  };
  const server = isSecure
    ? https.createServer(identities.trusted, serve)
    : http.createServer(serve);
  servers.push(server);
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  const { port } = server.address() as AddressInfo;
  at[name] = isSecure ? `https://localhost:${port}` : `http://127.0.0.1:${port}`;
}

beforeAll(async () => {
  await listen("first", true);
  await listen("other", true);
  await listen("plain", false);
});
afterAll(() => {
  for (const server of servers) server.close();
});
beforeEach(() => {
  seen = [];
  answers = () => ({ status: 200 });
});

const ask = (input: string | Request, init: RequestInit = {}, settings: FetchSettings = {}) =>
  fetchWithToken(source, { fetch: nodeFetch({ ca }), ...settings }, input, init);
const bearers = (): string[] =>
  seen.filter(({ headers }) => headers.authorization !== undefined).map(({ server }) => server);

describe("RFC 6750 §5.3: the last look of session.fetch", () => {
  it.each([
    ["plain http to another machine", () => "http://192.0.2.1/", {}, /anybody on the way can read/],
    ["a user in the address", () => at.first.replace("//", "//u@"), {}, /without user/],
    ["a scheme that is none", () => "data:text/plain,x", {}, /https address/],
    ["the token in the address", () => `${at.first}/?t=${TOKEN}`, {}, /secret/],
    [
      "a server that is no resource",
      () => at.other,
      { resources: ["https://a.example/v1"] },
      /another server's/,
    ],
    ["no resources at all", () => at.first, { resources: [] }, /another server's/],
  ])("%s", async (_, address, settings, message) => {
    await expect(ask(address(), {}, settings)).rejects.toThrow(message);
    expect(seen).toEqual([]);
  });

  it("an https address that the program passes is named by that, and loopback is the device itself", async () => {
    expect((await ask(`${at.first}/x#fragment`)).status).toBe(200);
    expect((await ask(`${at.plain}/x`)).status).toBe(200);
    expect((await ask(`${at.first}/y`, {}, { resources: [`${at.first}/v1`] })).status).toBe(200);
    expect(bearers()).toEqual(["first", "plain", "first"]);
  });
});

describe("redirects", () => {
  it.each([301, 302, 303, 307, 308])(
    "%i within the server: the token goes along",
    async (status) => {
      answers = () => ({ status, location: "/end" });
      const answer = await ask(`${at.first}/x`, { method: "POST", body: "text" });
      expect([answer.status, await answer.text()]).toEqual([200, "body"]);
      const repeats = status > 303;
      expect(seen.map(({ method, body }) => [method, body])).toEqual([
        ["POST", "text"],
        repeats ? ["POST", "text"] : ["GET", ""],
      ]);
      expect(seen[1]!.headers["content-type"] === undefined).toBe(!repeats);
      expect(bearers()).toEqual(["first", "first"]);
    },
  );

  it.each([301, 302, 303, 307, 308])(
    "RFC 6750 §5.3: %i to another server: without token, headers and body",
    async (status) => {
      answers = () => ({ status, location: `${at.other}/end` });
      const headers = { "x-api-key": "secret", cookie: "a=b", accept: "image/png" };
      const read = await ask(`${at.first}/x`, { headers });
      expect(read.status).toBe(200);
      expect(seen[1]).toMatchObject({ server: "other", method: "GET", body: "" });
      expect(seen[1]!.headers.accept).toBe("image/png");
      expect(Object.keys(seen[1]!.headers)).not.toContain("x-api-key");
      expect(Object.keys(seen[1]!.headers)).not.toContain("cookie");
      seen = [];
      const sent = await ask(`${at.first}/x`, { method: "POST", body: "text" });
      // What may not go there is not sent: the redirect is the answer.
      expect(sent.status).toBe(status > 303 ? status : 200);
      expect(
        seen
          .filter(({ server }) => server === "other")
          .map(({ body }) => body)
          .join(""),
      ).toBe("");
      expect(bearers()).toEqual(["first"]);
    },
  );

  it("to the device's own ports, to plain http, in a circle: refused", async () => {
    answers = () => ({ status: 302, location: `${at.plain}/end` });
    await expect(ask(`${at.first}/x`)).rejects.toThrow(/on this machine/);
    answers = () => ({ status: 302, location: "http://192.0.2.1/" });
    await expect(ask(`${at.first}/x`)).rejects.toThrow(/https address/);
    answers = () => ({ status: 302, location: "/again" });
    await expect(ask(`${at.first}/x`)).rejects.toThrow(/too many redirects/);
    expect(seen.map(({ server }) => server)).not.toContain("plain");
  });

  it("as the program wants them: handed over, or an error", async () => {
    answers = () => ({ status: 307, location: `${at.other}/end` });
    expect((await ask(`${at.first}/x`, { redirect: "manual" })).status).toBe(307);
    await expect(ask(new Request(`${at.first}/x`, { redirect: "error" }))).rejects.toThrow(
      /redirect/,
    );
    expect(bearers()).toEqual(["first", "first"]);
  });

  it("a 401 of another server refreshes nothing", async () => {
    let refused = 0;
    const counting = { ...source, refused: () => void refused++ };
    answers = ({ url }) =>
      url === "/x" ? { status: 302, location: `${at.other}/401` } : { status: 401 };
    const answer = await fetchWithToken(counting, { fetch: nodeFetch({ ca }) }, `${at.first}/x`);
    expect([answer.status, refused]).toEqual([401, 0]);
    expect(
      (await fetchWithToken(counting, { fetch: nodeFetch({ ca }) }, `${at.first}/y`)).status,
    ).toBe(401);
    expect(refused).toBe(1);
  });

  const ORIGIN = "https://a.test";
  const to = (status: number, location?: string): Response =>
    new Response(null, { status, headers: location === undefined ? {} : { location } });
  type Sent = RequestInit & { readonly url: string; readonly headers: Headers };
  /** What goes out where servers answer so, one answer after the other, and how often the token counts as refused. */
  async function sent(
    answers: Response[],
    init: RequestInit = {},
    settings: FetchSettings = {},
    input: string | Request = `${ORIGIN}/x`,
    tokens = [TOKEN, `${TOKEN}-2`],
  ): Promise<{ status: number; requests: Sent[]; refused: number }> {
    const requests: Sent[] = [];
    let refused = 0;
    const scripted = (url: string, given: RequestInit): Promise<Response> => {
      requests.push({ ...given, url, headers: new Headers(given.headers) });
      return Promise.resolve(answers.shift() ?? new Response("end"));
    };
    const given: TokenSource = {
      accessToken: () => {
        const token = tokens.shift();
        return token === undefined ? Promise.reject(new Error("ended")) : Promise.resolve(token);
      },
      refused: () => void refused++,
    };
    const own = { fetch: scripted as typeof fetch, ...settings };
    const { status } = await fetchWithToken(given, own, input, init);
    return { status, requests, refused };
  }

  it.each<[what: string, method: string, status: number, location: string, then: string[]]>([
    ["HEAD stays what it is", "HEAD", 303, "/y", ["HEAD", "HEAD"]],
    ["HEAD stays what it is, elsewhere, too", "HEAD", 303, "https://b.test/", ["HEAD", "HEAD"]],
    ["PUT is made again as it was", "PUT", 301, "/y", ["PUT", "PUT"]],
    ["PUT becomes GET where the answer says so", "PUT", 303, "/y", ["PUT", "GET"]],
    ["DELETE goes nowhere else", "DELETE", 302, "https://b.test/", ["DELETE"]],
    ["POST becomes GET elsewhere", "POST", 302, "https://b.test/", ["POST", "GET"]],
  ])("RFC 9110 section 15.4: %s", async (_, method, status, location, then) => {
    const { requests } = await sent([to(status, location)], { method });
    expect(requests.map((one) => one.method)).toEqual(then);
  });

  it("what describes a body does not go along without it; all else of one server does", async () => {
    const parts = ["encoding", "language", "location", "type", "length"];
    const own = Object.fromEntries(parts.map((part) => [`content-${part}`, "1"]));
    const headers = { ...own, "x-own": "1" };
    const { requests } = await sent([to(303, "/y")], { method: "POST", body: "text", headers });
    expect([...requests[1]!.headers.keys()]).toEqual(["authorization", "x-own"]);
    expect(requests[1]!.body).toBeNull();
  });

  it("an answer that leads nowhere is the answer", async () => {
    expect(await sent([to(302)])).toMatchObject({ status: 302, requests: [{}] });
    expect(await sent([to(201, "/made")])).toMatchObject({ status: 201, requests: [{}] });
    const error = await sent([to(200)], { redirect: "error" });
    expect(error).toMatchObject({ status: 200, requests: [{}] });
  });

  it("a server that the token is not for may be named by one that it is for: it gets none", async () => {
    const elsewhere = await sent([to(302, "https://b.test/")], {}, { resources: [ORIGIN] });
    expect(elsewhere.status).toBe(200);
    expect([...elsewhere.requests[1]!.headers.keys()]).toEqual([]);
  });

  it("RFC 6750 §3.1: the token is refreshed for an answer of 401 alone, and once", async () => {
    expect((await sent([to(200)])).refused).toBe(0);
    expect(await sent([to(401), to(401)])).toMatchObject({ status: 401, refused: 1 });
    const again = await sent([to(401)]);
    expect(again.requests.map(({ headers }) => headers.get("authorization"))).toEqual([
      `Bearer ${TOKEN}`,
      `Bearer ${TOKEN}-2`,
    ]);
    // It is still the same: asking once more would lead nowhere.
    const same = await sent([to(401)], {}, {}, `${ORIGIN}/x`, [TOKEN, TOKEN]);
    expect([same.status, same.requests.length]).toEqual([401, 1]);
    // The session has ended over it.
    const ended = await sent([to(401)], {}, {}, `${ORIGIN}/x`, [TOKEN]);
    expect([ended.status, ended.requests.length]).toEqual([401, 1]);
  });

  it("RFC 9470 section 3: where another sign-in is wanted no other token helps", async () => {
    const challenge = 'Bearer error="insufficient_user_authentication", max_age=60';
    const headers = { "www-authenticate": challenge };
    const { status, refused, requests } = await sent([
      new Response(null, { status: 401, headers }),
    ]);
    expect([status, refused, requests.length]).toEqual([401, 0, 1]);
  });

  it("what can give a request up is handed on, beside a Request or in it", async () => {
    const { signal } = new AbortController();
    expect((await sent([], { signal })).requests[0]!.signal).toBe(signal);
    const request = new Request(`${ORIGIN}/x`, { signal });
    expect((await sent([], {}, {}, request)).requests[0]!.signal).toBe(request.signal);
    expect((await sent([], { signal }, {}, request)).requests[0]!.signal).toBe(signal);
    expect((await sent([])).requests[0]!.signal).toBeNull();
  });

  it.each(["answered", "failed"])("the copy of a Request's body is let go of: %s", async (end) => {
    let isCancelled = false;
    const body = new ReadableStream({
      cancel: () => {
        isCancelled = true;
      },
    });
    const init = { method: "POST", body, duplex: "half" } as RequestInit;
    const answering = (_url: unknown, given?: RequestInit): Promise<Response> => {
      // Both of its readers have to, or the one keeps all bytes for the other.
      void (given!.body as ReadableStream).cancel();
      return end === "failed" ? Promise.reject(new TypeError("away")) : Promise.resolve(to(200));
    };
    await fetchWithToken(
      source,
      { fetch: answering as typeof fetch },
      new Request(`${ORIGIN}/x`, init),
    ).catch(() => {});
    await new Promise(setImmediate);
    expect(isCancelled).toBe(true);
  });

  it("whatever servers answer: the token never leaves the one that was asked", async () => {
    const place = fc.constantFrom(
      "https://a.test",
      "https://b.test",
      "https://b.test:8443",
      "http://a.test",
      "http://127.0.0.1:1",
      "//b.test",
      "\\\\b.test",
      "https://a.test@b.test",
      "https:b.test",
      "",
    );
    const path = fc.constantFrom(
      "/",
      "/x",
      "?q",
      "/..//b.test",
      "/%2e%2e",
      "@b.test",
      ":99",
      " x",
      "\t//b.test",
      "#f",
    );
    const hop = fc.record({
      status: fc.constantFrom(200, 301, 302, 303, 307, 308, 401),
      location: fc.tuple(place, path).map((parts) => parts.join("")),
    });
    const request = fc.record({
      method: fc.constantFrom("GET", "HEAD", "POST", "DELETE"),
      target: path,
      resources: fc.constantFrom(undefined, ["https://a.test/v1"], ["https://b.test"]),
      hops: fc.array(hop, { maxLength: 5 }),
    });
    let sentWithToken = 0;
    const property = fc.asyncProperty(request, async ({ method, target, resources, hops }) => {
      const asked = URL.canParse(`https://a.test${target}`)
        ? new URL(`https://a.test${target}`).origin
        : "none";
      const meant = resources ? new URL(resources[0]!).origin : asked;
      const left = [...hops];
      const scripted: typeof fetch = (input, init) => {
        const url = new URL(`${input}`);
        const headers = new Headers(init?.headers);
        expect(init?.redirect).toBe("manual");
        expect(url.href).not.toContain(TOKEN);
        if (headers.has("authorization")) {
          sentWithToken++;
          expect([url.origin, url.origin]).toEqual([asked, meant]);
        } else {
          expect(init?.body ?? null).toBeNull();
          expect(headers.get("x-own")).toBeNull();
        }
        expect(url.protocol).toBe("https:");
        const { status, location } = left.shift() ?? { status: 200, location: "" };
        return Promise.resolve(
          new Response(null, { status, headers: { location: encodeURI(location) } }),
        );
      };
      const body = method === "POST" ? "text" : null;
      await fetchWithToken(source, { fetch: scripted, resources }, `https://a.test${target}`, {
        method,
        body,
        headers: { "x-own": "1" },
      }).catch((error: unknown) => expect(error).toBeInstanceOf(TypeError));
    });
    await fc.assert(property, { numRuns: 500 });
    expect(sentWithToken).toBeGreaterThan(100);
  });
});

describe("certificates and agents of one's own", () => {
  it("http.ca counts for session.fetch, and what it does not sign is refused", async () => {
    expect((await ask(`${at.first}/x`)).status).toBe(200);
    await expect(ask(`${at.first}/x`, {}, { fetch: nodeFetch() })).rejects.toThrow("fetch failed");
    expect(seen).toHaveLength(1);
  });

  it("an agent makes the connections; one that checks nothing is refused", async () => {
    let made = 0;
    class Counting extends https.Agent {
      override createConnection(...args: Parameters<https.Agent["createConnection"]>) {
        made++;
        return super.createConnection(...args);
      }
    }
    const agent = new Counting();
    expect((await ask(`${at.first}/x`, {}, { fetch: nodeFetch({ ca, agent }) })).status).toBe(200);
    expect(made).toBe(1);
    agent.destroy();
    const blind = new https.Agent({ rejectUnauthorized: false });
    expect(() => nodeFetch({ agent: blind })).toThrow("http.agent must check certificates");
  });

  it("NODE_TLS_REJECT_UNAUTHORIZED=0 is refused, with and without a CA", async () => {
    process.env.NODE_TLS_REJECT_UNAUTHORIZED = "0";
    try {
      await expect(ask(at.first, {}, { fetch: nodeFetch() })).rejects.toThrow(
        "switches the checks",
      );
      const { ca: strangers } = makeTlsIdentities();
      const failing = ask(at.first, {}, { fetch: nodeFetch({ ca: strangers }) });
      await expect(failing).rejects.toThrow("fetch failed");
      expect(seen).toEqual([]);
    } finally {
      delete process.env.NODE_TLS_REJECT_UNAUTHORIZED;
    }
  });

  it("over Node's client all is as with the global fetch: bodies, streams, HEAD, giving up", async () => {
    const own = nodeFetch({ ca });
    for (const send of [own, fetch]) {
      const form = new URLSearchParams({ a: "b c" });
      await send(`${at.plain}/x`, { method: "POST", body: form });
      const stream = new Blob(["streamed"]).stream();
      await send(`${at.plain}/x`, { method: "PUT", body: stream, duplex: "half" } as RequestInit);
      await (await send(`${at.plain}/x`, { method: "HEAD" })).text();
      await send(`${at.plain}/x`, { method: "POST" });
      const signal = AbortSignal.abort();
      await expect(send(at.plain, { signal })).rejects.toMatchObject({ name: "AbortError" });
    }
    const parts = seen.map(({ method, body, headers }) => [
      method,
      body,
      headers["content-type"],
      headers["content-length"],
      headers["transfer-encoding"],
    ]);
    expect(parts.slice(0, 4)).toEqual(parts.slice(4));
  });
});
