// Exchanges as the log has them: as they were with a real server, given up with the power, without their secrets.
import { createServer, get } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, test } from "vitest";
import type { Http, HttpSink } from "../../platform/contracts.ts";
import { NodeHttp } from "../../platform/node/index.ts";
import { ExchangeLog } from "../../targets/desktop/simulator/log/exchanges.ts";
import { clean, describeAnswer, describeForm } from "../../targets/desktop/simulator/log/mask.ts";
import { Moments } from "../../targets/desktop/simulator/log/timeline.ts";
import { Network } from "../../targets/desktop/simulator/world/network.ts";
import { HeardHttp } from "../../targets/desktop/simulator/world/world.ts";
import { WorldClock } from "../../targets/desktop/simulator/world/world-clock.ts";

test("answers and forms are shown without their secrets and without control characters", () => {
  const answer = { access_token: "s1", refresh_token: "s2", device_code: "s3", user_code: "s4" };
  expect(describeAnswer(JSON.stringify({ ...answer, expires_in: 5 }))).toBe(
    "access_token=*** refresh_token=*** device_code=*** user_code=*** expires_in=5",
  );
  expect(describeForm("client_secret=x&token=y&grant_type=z")).not.toMatch(/=[xy](&|$)/);
  expect(describeAnswer("<html>")).toBe("(6 characters that are not JSON)");
  expect(describeAnswer('{"error":"\\u001b[2J"}')).toBe("error=?[2J");
  expect(clean("a\x1b\n\x7fb")).toBe("a???b");
});

test("with a real adapter the headers are those of the answer, and of no other request", async () => {
  const server = createServer((request, response) => {
    response.writeHead(429, { "retry-after": "7", "x-for": request.url, "set-cookie": "a=b" });
    response.end("{}");
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", () => done()));
  const at = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const node = new NodeHttp();
  const log = new ExchangeLog(new Moments(() => 0), () => {});
  const clock = new WorldClock({ paused: true });
  const network = new Network(new HeardHttp(node), clock, log, false);
  const body = new Uint8Array(0);
  const asked = { method: "GET", contentType: "", authorization: "", body } as const;
  try {
    await new Promise<void>((end) => {
      const sink = { status: () => {}, body: () => {}, failed: () => {}, end };
      network.send({ ...asked, url: `${at}/token?part=id`, bodyFrom: 0, bodyTo: 0 }, sink);
      get(`${at}/other?part=id`).on("response", (other) => other.resume());
    });
    const { answer, said } = log.detailOf(1)!;
    const [head] = answer.split("\n\n");
    expect(head).toMatch(/^HTTP status 429\nRetry-After: 7\nX-For: \/token\?part=id\n/);
    expect(head).toMatch(/\nSet-Cookie: \*\*\*\nDate: .* GMT/);
    expect(said[0]).toMatchObject({
      name: "Retry-After",
      means: expect.stringContaining("RFC 9110"),
    });
  } finally {
    node.dispose();
    server.close();
    await clock.close();
  }
});

test("a power cut in the middle of a real exchange lets the world go on", async () => {
  const clock = new WorldClock({ paused: true });
  const log = new ExchangeLog(new Moments(() => clock.nowMs()), () => {});
  const silent: Http = { send: () => {}, abort: () => {} };
  const network = new Network(silent, clock, log);
  const heard: string[] = [];
  const sink: HttpSink = {
    status: () => heard.push("status"),
    body: () => heard.push("body"),
    end: () => heard.push("end"),
    failed: () => heard.push("failed"),
  };
  const nothing = new Uint8Array(0);
  const request = { method: "POST", url: "http://127.0.0.1/token", contentType: "" } as const;
  network.send({ ...request, authorization: "", body: nothing, bodyFrom: 0, bodyTo: 0 }, sink);
  const jump = clock.advance(1000);
  network.abort();
  await jump;
  expect(clock.nowMs()).toBe(1000);
  expect(heard).toEqual([]);
  expect(log.entries[0]?.answer).toBe("given up");
});
