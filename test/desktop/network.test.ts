// The simulated network between a device and a real server.
import { expect, test } from "vitest";
import type { Http, HttpSink } from "../../platform/contracts.ts";
import { ExchangeLog } from "../../targets/desktop/simulator/log/exchanges.ts";
import { Moments } from "../../targets/desktop/simulator/log/moments.ts";
import { Network } from "../../targets/desktop/simulator/world/network.ts";
import { WorldClock } from "../../targets/desktop/simulator/world/world-clock.ts";

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
