// Who gets in where: sessions of browsers, host names, proxies, push addresses, broken connections.
import { once } from "node:events";
import { connect, Server } from "node:net";
import { describe, expect, test, vi } from "vitest";
import { clientAddress } from "../../targets/service/addresses.ts";
import {
  createService,
  type FixtureInput,
  nodeEnvironment,
  readFixture,
  type ServiceEvent,
  serve,
} from "../../targets/service/index.ts";
import { PATIENCE_MS } from "../patience.ts";
import { Bench, FIXTURE } from "./harness.ts";

const cookieOf = (response: Response): string | undefined =>
  response.headers.get("set-cookie")?.split(";", 1)[0];

function open(bench: Bench, path: string, cookie?: string): Promise<Response> {
  const headers: Record<string, string> = cookie === undefined ? {} : { cookie };
  return bench.service.fetch(new Request(bench.service.baseUrl + path, { headers }));
}

async function choose(bench: Bench, cookie: string, account: string): Promise<Response> {
  const html = await (await open(bench, "/account", cookie)).text();
  const csrf = /name="csrf" value="([^"]+)"/.exec(html)![1]!;
  const body = new URLSearchParams({ csrf, account }).toString();
  const headers = { cookie, "content-type": "application/x-www-form-urlencoded" };
  const url = `${bench.service.baseUrl}/account/choose`;
  return bench.service.fetch(new Request(url, { method: "POST", body, headers }));
}

describe("sessions of the pages cannot be fixed by somebody else", () => {
  test("an id that the browser made up is replaced by one of the service's", async () => {
    const planted = `picogrant_session=${"a".repeat(22)}`;
    const given = cookieOf(await open(new Bench(), "/account", planted));
    expect(given).toMatch(/^picogrant_session=/);
    expect(given).not.toBe(planted);
  });

  test("signing in gives a new id, and the old one knows nobody", async () => {
    const bench = new Bench();
    const before = cookieOf(await open(bench, "/account"))!;
    const after = cookieOf(await choose(bench, before, "ada"))!;
    expect(after).not.toBe(before);
    expect(await (await open(bench, "/account", after)).text()).toContain("Ada Brook");
    expect(await (await open(bench, "/account", before)).text()).toContain("Choose an account");
  });

  test("an id of another service is not taken", async () => {
    const foreign = new Bench({}, { random: (count) => new Uint8Array(count).fill(7) });
    const cookie = cookieOf(await open(foreign, "/account"))!;
    expect(cookieOf(await open(new Bench(), "/account", cookie))).toBeDefined();
  });
});

describe("pages answer under the service's own names only (DNS rebinding)", () => {
  const options = { baseUrl: "https://auth.example.test" };
  test.each([
    ["https://auth.example.test/device", 200],
    ["http://127.0.0.1:8080/device", 200],
    ["http://192.168.1.7:8080/account", 200],
    ["http://[::1]:8080/device", 200],
    ["http://localhost:8080/", 200],
    ["http://evil.example/device", 403],
    ["http://auth.example.test.evil.example/account", 403],
  ])("%s: %i", async (url, status) => {
    const { service } = new Bench(options);
    const answer = await service.fetch(new Request(url));
    expect(answer.status).toBe(status);
    if (status === 403) expect(answer.headers.get("set-cookie")).toBeNull();
  });
});

describe("whose wrong codes are counted behind a proxy", () => {
  const proxies = ["10.0.0.1", "10.0.0.2"];
  test.each([
    ["no proxy is trusted: the header is anybody's", "10.0.0.1", "203.0.113.9", [], "10.0.0.1"],
    ["one proxy", "10.0.0.1", "203.0.113.9", proxies, "203.0.113.9"],
    ["two proxies", "10.0.0.1", "203.0.113.9, 10.0.0.2", proxies, "203.0.113.9"],
    [
      "what the client wrote itself does not count",
      "10.0.0.1",
      "1.1.1.1, 203.0.113.9",
      proxies,
      "203.0.113.9",
    ],
    ["a stranger's header", "203.0.113.9", "1.1.1.1", proxies, "203.0.113.9"],
    ["no header", "10.0.0.1", undefined, proxies, "10.0.0.1"],
    ["nonsense in the header", "10.0.0.1", "unknown", proxies, "10.0.0.1"],
    ["IPv4 on an IPv6 socket", "::ffff:10.0.0.1", "203.0.113.9", proxies, "203.0.113.9"],
  ])("%s", (_, socket, header, trusted, address) => {
    expect(clientAddress(socket, header, trusted)).toBe(address);
  });
});

describe("RFC 8935: events are pushed over https, or to this machine", () => {
  const headers = { authorization: "Bearer tv-backend-token", "content-type": "application/json" };
  test.each([
    ["https://events.example/push", 200],
    ["http://127.0.0.1:9000/push", 200],
    ["http://[::1]:9000/push", 200],
    ["http://localhost/push", 200],
    ["http://169.254.169.254/latest/meta-data", 400],
    ["http://events.example/push", 400],
    ["http://127.0.0.1.evil.example/push", 400],
    ["ftp://127.0.0.1/push", 400],
  ])("%s: %i", (url, status) => {
    const delivery = { delivery_method: "urn:ietf:rfc:8935", url };
    const answer = new Bench().send(
      "POST",
      "/events/v1/stream:update",
      JSON.stringify({ delivery }),
      headers,
    );
    expect(answer.status).toBe(status);
  });
});

describe("RFC 6750 §3.1: challenges", () => {
  test.each([
    ["no token: no error", {}, 'Bearer realm="events"'],
    [
      "an unknown one",
      { authorization: "Bearer nobody" },
      'Bearer realm="events", error="invalid_token"',
    ],
  ])("a receiver with %s", (_, headers, challenge) => {
    const answer = new Bench().send("GET", "/events/v1/stream", "", headers);
    expect([answer.status, answer.headers["www-authenticate"]]).toEqual([401, challenge]);
  });

  test("a token given twice: invalid_request", () => {
    const bench = new Bench();
    const answer = bench.get("/video/v3/liveBroadcasts?part=id&mine=true&access_token=a", "a");
    expect(answer.status).toBe(400);
    expect(answer.headers["www-authenticate"]).toBe('Bearer realm="api", error="invalid_request"');
  });
});

describe("a fixture that could not do what it says is refused with the place", () => {
  const base = FIXTURE as Required<FixtureInput>;
  test.each([
    [
      "a blocked scope that does not exist",
      {
        ...base,
        organizations: [{ id: "o", name: "O", blockedScopes: ["vidoe"] }],
        accounts: [],
        clients: [],
        broadcasts: [],
        applications: [],
        receivers: [],
      },
      /organizations\[0\]\.blockedScopes\[0\]: is no scope; the scopes are email, /,
    ],
    [
      "two receivers with one token",
      {
        ...base,
        receivers: base.receivers?.map((receiver) => ({ ...receiver, token: "one-token" })),
      },
      'receivers "publisher-backend" token: is that of "tv-backend" too',
    ],
  ])("%s", (_, fixture, message) => {
    expect(() => readFixture(fixture)).toThrow(message);
  });
});

test.each(["/token", "/device"])(
  "a client that goes away while it posts to %s is told of once, and not as a fault",
  async (path) => {
    const service = createService({ ...nodeEnvironment(), fixture: FIXTURE });
    const seen: ServiceEvent[] = [];
    service.observe((event) => seen.push(event));
    const server = await serve(service);
    const socket = connect(server.port, "127.0.0.1");
    await once(socket, "connect");
    const type = "Content-Type: application/x-www-form-urlencoded";
    socket.write(
      `POST ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\n${type}\r\nContent-Length: 9\r\nExpect: 100-continue\r\n\r\n`,
    );
    // What says that the request has arrived, before it is cut off.
    const [answer] = (await once(socket, "data")) as [Buffer];
    expect(answer.toString("latin1")).toMatch(/^HTTP\/1\.1 100 /);
    socket.write("abc");
    socket.destroy();
    await vi.waitFor(() => expect(seen).not.toEqual([]), PATIENCE_MS);
    await server.close();
    expect(seen).toMatchObject([{ type: "gone", method: "POST", path }]);
  },
);

test("a fault of the listening socket is told of, and the service goes on", async () => {
  let listening: Server | undefined;
  const listen = Server.prototype.listen;
  vi.spyOn(Server.prototype, "listen").mockImplementation(function (
    this: Server,
    ...args: unknown[]
  ) {
    listening = this;
    return listen.apply(this, args as Parameters<typeof listen>);
  } as typeof listen);
  const told: string[] = [];
  const service = createService({ ...nodeEnvironment(), fixture: FIXTURE });
  const server = await serve(service, { onError: ({ message }) => told.push(message) });
  vi.restoreAllMocks();
  // As Node reports an accept that fails for want of file descriptors.
  listening!.emit("error", new Error("accept EMFILE"));
  expect(told).toEqual(["accept EMFILE"]);
  expect((await fetch(`${server.url}/device`)).status).toBe(200);
  await server.close();
});
