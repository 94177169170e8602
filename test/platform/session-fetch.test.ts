// `session.fetch` over real connections: whose certificates count. To whom the token goes, whatever a program or a server
// says, is the business of random lives (session-model/api.ts).

import http from "node:http";
import https from "node:https";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { nodeFetch } from "../../platform/node/fetch.ts";
import { type FetchSettings, fetchWithToken } from "../../platform/session/fetch.ts";
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

// RFC 9110 section 15.4: with which methods a redirect is followed, and where to.
it.each([
  ["HEAD", 303, "/y", ["HEAD", "HEAD"]],
  ["HEAD", 303, "https://b.test/", ["HEAD", "HEAD"]],
  ["POST", 303, "/y", ["POST", "GET"]],
  ["POST", 302, "https://b.test/", ["POST", "GET"]],
  ["PUT", 301, "/y", ["PUT", "PUT"]],
  ["PUT", 303, "/y", ["PUT", "GET"]],
  ["DELETE", 302, "https://b.test/", ["DELETE"]],
])("%s and a %i to %s", async (method, status, location, then) => {
  const answers = [new Response(null, { status, headers: { location } })];
  const methods: unknown[] = [];
  const scripted = (_: unknown, init?: RequestInit) => {
    methods.push(init?.method);
    return Promise.resolve(answers.shift() ?? new Response("end"));
  };
  await fetchWithToken(source, { fetch: scripted }, "https://a.test/x", { method });
  expect(methods).toEqual(then);
});
