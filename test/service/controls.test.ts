// The programmatic controls, options and fixtures: what tests and simulators rely on.
import { describe, expect, test } from "vitest";
import { accessLogLine } from "../../targets/service/access-log.ts";
import {
  createService,
  type FixtureInput,
  type ServiceEvent,
} from "../../targets/service/index.ts";
import { Sessions } from "../../targets/service/pages/sessions.ts";
import { Bench, FIXTURE, seededRandom, TV } from "./harness.ts";
import { Visitor } from "./visitor.ts";

describe("controls", () => {
  test("pending lists what waits, oldest first, until decided or expired", () => {
    const bench = new Bench({ codeLifetime: 60 });
    const first = bench.requestCodes().json.user_code;
    bench.wait(30);
    const second = bench.requestCodes().json.user_code;
    const codes = () => bench.service.pending().map((attempt) => attempt.userCode);
    expect(codes()).toEqual([first, second]);
    expect(bench.service.pending()[0]).toMatchObject({
      clientId: TV.client_id,
      clientName: "Living Room TV",
      expiresAtMs: bench.nowMs + 30_000,
    });
    bench.service.deny(String(second));
    expect(codes()).toEqual([first]);
    bench.wait(30);
    expect(codes()).toEqual([]);
  });

  test("restart forgets quotas and browser sessions", async () => {
    const bench = new Bench({ deviceCodeQuota: { requests: 1, windowSeconds: 60 } });
    const visitor = new Visitor(bench.service);
    await visitor.submit(await visitor.get("/account"), "/account/choose", { account: "ada" });
    expect((await visitor.get("/account")).html).toContain("Your account");
    bench.requestCodes();
    expect(bench.requestCodes().status).toBe(403);
    bench.service.restart({ loseCodes: false });
    expect(bench.requestCodes().status).toBe(200);
    expect((await visitor.get("/account")).html).toContain("Choose an account");
  });

  test("browser sessions are bounded: the oldest is forgotten", () => {
    const sessions = new Sessions({ now: () => 0, random: seededRandom() });
    const ids = Array.from({ length: 10_001 }, () => sessions.signIn(sessions.create(), "ada"));
    expect(ids.slice(0, 2).map((id) => sessions.accountOf(id))).toEqual([undefined, "ada"]);
  });

  test("one service's policies and disabled accounts do not reach another made of the same fixture", () => {
    const [one, two] = [new Bench(), new Bench()];
    one.service.setPolicy("northwind", ["video.readonly"]);
    one.service.disableAccount("ada");
    expect(two.signIn({ account: "nora" }).token_type).toBe("Bearer");
    expect(two.signIn().token_type).toBe("Bearer");
  });

  test("restart forgets pending codes if asked to, never tokens", () => {
    const bench = new Bench();
    const { refresh_token } = bench.signIn();
    const { device_code } = bench.requestCodes().json;
    bench.service.restart({ loseCodes: false });
    expect(bench.poll(device_code).status).toBe(428);
    bench.service.restart({ loseCodes: true });
    expect(bench.poll(device_code).json.error).toBe("invalid_grant");
    expect(bench.refresh(refresh_token).status).toBe(200);
  });

  test("setOptions changes what comes, not what was issued", () => {
    const bench = new Bench();
    const { device_code } = bench.requestCodes().json;
    bench.service.setOptions({ interval: 30, codeLifetime: 60 });
    expect(bench.requestCodes().json).toMatchObject({ interval: 30, expires_in: 60 });
    bench.poll(device_code);
    bench.wait(5);
    expect(bench.poll(device_code).status).toBe(428);
    bench.wait(1000);
    expect(bench.poll(device_code).status).toBe(428);
    expect(() => bench.service.setOptions({ interval: 0 })).toThrow(/^option interval: /);
    expect(bench.service.options.interval).toBe(30);
  });

  test("observers hear of attempts, grants and exchanges until they leave", () => {
    const bench = new Bench();
    const events: ServiceEvent[] = [];
    const stop = bench.service.observe((event) => events.push(event));
    bench.refresh(bench.signIn().refresh_token);
    bench.service.revokeAllFor("ada");
    const told = events.map((event) =>
      event.type === "attempt" ? event.state : event.type === "grant" ? event.change : event.type,
    );
    expect(told).toEqual([
      "pending",
      "exchange",
      "granted",
      "issued",
      "claimed",
      "exchange",
      "refreshed",
      "exchange",
      "revoked",
    ]);
    stop();
    bench.requestCodes();
    expect(events).toHaveLength(9);
  });

  test("a service with the same seed and clock answers the same bytes", () => {
    expect(new Bench().signIn()).toEqual(new Bench().signIn());
  });

  test("a random source that repeats itself is reported, not looped over", () => {
    const bench = new Bench({}, { random: (count) => new Uint8Array(count) });
    bench.requestCodes();
    expect(() => bench.requestCodes()).toThrow("no free user code");
  });
});

describe("fixture", () => {
  const create = (fixture: unknown) =>
    createService({ now: () => 0, random: seededRandom(), fixture: fixture as FixtureInput });

  test.each([
    [null, /^fixture: /],
    [{ clients: [{ id: "a" }] }, /^fixture: clients\[0\]\.name: /],
    [
      { clients: [{ id: "a", name: "A", typ: "web" }] },
      /clients\[0\].*"typ"; did you mean "type"\?$/,
    ],
    [{ client: [] }, /^fixture: .*"client"; did you mean "clients"\?$/],
    [{ clients: [{ id: "a", name: "A", type: "toaster" }] }, /clients\[0\]\.type/],
    [{ accounts: [1, 2].map(() => ({ id: "a", name: "", email: "" })) }, /"a" appears twice/],
    [{ accounts: [{ id: "a", name: "", email: "", organization: "x" }] }, /"x" is not defined/],
    [{ clients: [{ id: "a", name: "A", internalTo: "x" }] }, /"x" is not defined/],
    [{ receivers: [{ id: "r", name: "R", token: "12345678", clients: ["x"] }] }, /"x"/],
    [{ applications: [{ packageName: "a.b", publishers: ["x"], subscriptions: [] }] }, /"x"/],
  ])("a wrong fixture is one line that says where: %j", (fixture, message) => {
    expect(() => create(fixture)).toThrow(message);
    try {
      create(fixture);
    } catch (error) {
      expect((error as Error).message).not.toContain("\n");
    }
  });

  test("an empty fixture is a service that knows nobody", () => {
    const service = create({});
    expect(service.pending()).toEqual([]);
  });

  test.each([
    [{ interval: 0 }, "interval"],
    [{ codeLifetime: 1.5 }, "codeLifetime"],
    [{ baseUrl: "ftp://x" }, "baseUrl"],
    [{ baseUrl: "nonsense" }, "baseUrl"],
    [{ baseUrl: "http://x.test/base" }, "baseUrl: is an address without a path"],
    [{ intervall: 5 }, '"intervall"; did you mean "interval"?'],
    [{ stepUp: { maxage: 5 } }, 'stepUp: Unrecognized key: "maxage"; did you mean "maxAge"?'],
    [{ colour: "red" }, 'option Unrecognized key: "colour"'],
    [{ userCodeFormat: "abc" }, "userCodeFormat"],
  ])("a wrong option is one line that names it: %j", (options, name) => {
    expect(() => new Bench(options as object)).toThrow(name);
  });

  test("the fixture given is not changed", () => {
    const before = JSON.stringify(FIXTURE);
    const bench = new Bench();
    bench.service.disableAccount("ada");
    bench.service.setPolicy("ben", ["video"]);
    expect(JSON.stringify(FIXTURE)).toBe(before);
  });
});

describe("access log", () => {
  test("one line per exchange: time, method, path, status, client, error", () => {
    const bench = new Bench();
    const lines: (string | undefined)[] = [];
    bench.service.observe((event) => lines.push(accessLogLine(event)));
    bench.poll("none");
    bench.requestCodes({ client_id: "nobody" });
    expect(lines).toEqual([
      "00:00:00 POST /token 400 client=living-room-tv invalid_grant",
      "00:00:00 POST /device/code 401 client=nobody invalid_client",
    ]);
  });

  test("control characters do not reach the terminal", () => {
    const bench = new Bench();
    const lines: (string | undefined)[] = [];
    bench.service.observe((event) => lines.push(accessLogLine(event)));
    bench.get("/\u001b[31mred\r\nPOST /token 200");
    expect(lines[0]).toBe("00:00:00 GET /?[31mred??POST /token 200 404");
  });
});
