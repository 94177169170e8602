// Answers out of the ordinary, met by the program in stock qjs: what it says of them on its events, for whoever looks
// after the device.

import { expect, it } from "vitest";
import { QuickJsWorld } from "./world.ts";

it("RFC 9470: an API's demand is told, costs no refresh, and goes into the next request for a code", async () => {
  const acr = "urn:picogrant:acr:two-factor";
  const world = await QuickJsWorld.open();
  const { service } = world;
  service.service.setOptions({ stepUp: { acr, maxAge: 300 } });
  const device = world.start();
  await world.allow(device);
  const asked = service.log.length;
  device.send("get 0 /liveBroadcasts?part=id&mine=true");
  const answer = await device.event("the answer", ({ event }) => event === "answer");
  expect(answer).toMatchObject({ status: 401, acr_values: acr, max_age: "300" });
  expect(service.log.slice(asked)).toEqual(["GET /video/v3/liveBroadcasts 401"]);

  device.send("sign-out");
  await device.state("signed-out");
  const from = device.events.length;
  device.send("sign-in");
  await world.allow(device, from);
  device.send("get 0 /liveBroadcasts?part=id&mine=true");
  const second = await device.event("an answer", ({ event }) => event === "answer", from);
  expect(second).toMatchObject({ status: 200 });
  expect(second).not.toHaveProperty("acr_values");
  device.send("quit");
  expect((await device.end()).code).toBe(0);
});

it("RFC 6749 §5.1: the member that an answer lacks is named", async () => {
  const world = await QuickJsWorld.open();
  world.service.service.setOptions({ provoke: { poll: "id-token-alone" } });
  const device = world.start();
  const told = await device.event("what is wrong", ({ error }) => error === "malformed-response");
  expect(told).toMatchObject({
    state: "pending",
    lack: "there is no access_token in the answer that can be used",
  });
  device.send("quit");
  expect((await device.end()).code).toBe(0);
});

it("RFC 8628 §3.5: three codes that nobody knows are the maker's", async () => {
  const world = await QuickJsWorld.open();
  const { service } = world;
  service.service.setOptions({ provoke: { poll: "invalid_grant" } });
  const device = world.start();
  const failed = await device.event("its end", ({ state }) => state === "failed");
  expect(failed).toMatchObject({ error: "useless-answers" });
  const codes = service.log.filter((line) => line.startsWith("POST /device/code"));
  expect(codes).toHaveLength(3);
  device.send("quit");
  expect((await device.end()).code).toBe(0);
});
