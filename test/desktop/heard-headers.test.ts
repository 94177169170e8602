// An exchange with a real server is taken down as it was; that each is explained is seen in scenarios.test.ts.
import { createServer, get } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, test } from "vitest";
import { NodeHttp } from "../../platform/node/index.ts";
import { ExchangeLog } from "../../targets/desktop/simulator/log/exchanges.ts";
import { Moments } from "../../targets/desktop/simulator/log/moments.ts";
import { HeardHttp } from "../../targets/desktop/simulator/world/heard-http.ts";
import { Network } from "../../targets/desktop/simulator/world/network.ts";
import { WorldClock } from "../../targets/desktop/simulator/world/world-clock.ts";

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
