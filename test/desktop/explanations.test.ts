// An exchange that is opened says of each header, field and member what it is, and nothing secret is in it; through
// all scenarios, so that whatever the device ever sends or hears has been met.
import { createServer, get } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, test } from "vitest";
import { NodeHttp } from "../../platform/node/index.ts";
import { findScenario, scenarioNames } from "../../targets/desktop/scenarios/library.ts";
import { play } from "../../targets/desktop/scenarios/play.ts";
import { ExchangeLog } from "../../targets/desktop/simulator/log/exchanges.ts";
import { Moments } from "../../targets/desktop/simulator/log/moments.ts";
import type { Simulation } from "../../targets/desktop/simulator/simulation.ts";
import { HeardHttp } from "../../targets/desktop/simulator/world/heard-http.ts";
import { Network } from "../../targets/desktop/simulator/world/network.ts";
import { WorldClock } from "../../targets/desktop/simulator/world/world-clock.ts";

const SECRET = /pg[adr]\.[\w-]{10}|tv-secret/;

test("every name in an opened exchange is explained, with its section", async () => {
  const unexplained = new Set<string>();
  let opened = 0;
  for (const name of scenarioNames()) {
    let world: Simulation | undefined;
    await play(findScenario(name), {
      created(simulation) {
        world = simulation;
      },
    });
    for (const { id, purpose } of world!.exchanges.entries) {
      const { asked, said, curl, request, answer } = world!.exchanges.detailOf(id)!;
      opened++;
      // Whole: the headers, too, of whatever has a body (RFC 9110 §8.3).
      expect(request).toContain("\nAccept: application/json");
      if (/^HTTP.*\n\n(?!\(empty\))/s.test(answer)) expect(answer).toMatch(/\nContent-Type: /);
      for (const { name: one, means } of [...asked, ...said]) {
        if (!/§|appendix|OpenID/.test(means)) unexplained.add(`${one} (${purpose})`);
      }
      expect(`${request}${answer}${curl}`).not.toMatch(SECRET);
      expect(curl).toMatch(/^curl -X (GET|POST) '/);
      if (purpose === "poll") expect(curl).toContain('"device_code=$DEVICE_CODE"');
    }
  }
  expect(opened).toBeGreaterThan(300);
  expect([...unexplained]).toEqual([]);
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
