// SPEC.md, Errors: a person has a way out of every refusal, at any time: by the commands of the program in stock qjs.

import { expect, it } from "vitest";
import { PATIENCE_MS } from "../patience.ts";
import { type SilentServer, silentServer } from "../silent-server.ts";
import { pressUntil, WAYS_OUT, wayOutName } from "../ways-out.ts";
import { QuickJsWorld } from "./world.ts";

const named = (state: string): string => state.toLowerCase().replaceAll("_", "-");

it.each(WAYS_OUT.map((way) => [wayOutName(way), way] as const))("%s", async (_, way) => {
  const world = await QuickJsWorld.open();
  const { service } = world;
  let device = world.start();
  await world.allow(device);
  device.send("quit");
  expect((await device.end()).code).toBe(0);

  const asked = service.log.length;
  let silent: SilentServer | undefined;
  if (way.meets === "silent") {
    await service.stop();
    silent = await silentServer(Number(new URL(service.url).port));
  } else service.service.setOptions({ provoke: { refresh: way.meets } });
  device = world.start();
  await expect
    .poll(() => silent?.connections() ?? service.log.length - asked, { timeout: PATIENCE_MS })
    .not.toBe(0);
  const isThere = (): boolean => device.events.some(({ state }) => state === named(way.ends));
  await pressUntil(way.keys, (key) => device.send(key), isThere, PATIENCE_MS);
  if (silent !== undefined) {
    await silent.close();
    await service.start();
  }
  // And in again.
  service.service.setOptions({ provoke: {} });
  if (way.ends === "SIGNED_OUT") device.send("sign-in");
  await world.allow(device);
  device.send("quit");
  expect((await device.end()).code).toBe(0);
});
