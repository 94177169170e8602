// SPEC.md, Errors: a person has a way out of every refusal, at any time: by the keys of the host in C.

import { afterEach, expect, it } from "vitest";
import { programOf } from "../../targets/workbench/host/build.ts";
import { PATIENCE_MS } from "../patience.ts";
import { type SilentServer, silentServer } from "../silent-server.ts";
import { type Key, pressUntil, WAYS_OUT, wayOutName } from "../ways-out.ts";
import { HostProcess } from "./host-process.ts";
import { World } from "./host-world.ts";

const KEYS: Readonly<Record<Key, string>> = { "sign-in": "s", cancel: "c", "sign-out": "o" };

let world: World;
let silent: SilentServer | undefined;
afterEach(async () => {
  await silent?.close();
  silent = undefined;
  await world.end();
});

it.each(WAYS_OUT.map((way) => [wayOutName(way), way] as const))("%s", async (_, way) => {
  world = new World("http");
  await world.open();
  const command = [programOf("release"), "--config", world.configure()];
  let host = new HostProcess(command);
  await host.state("PENDING");
  world.service.approve(world.pendingCode, "ada");
  await host.state("SIGNED_IN");
  expect(await host.quit()).toBe(0);

  const asked = world.answers("/token").length;
  if (way.meets === "silent") {
    await world.close();
    silent = await silentServer(world.port);
  } else world.service.setOptions({ provoke: { refresh: way.meets } });
  host = new HostProcess(command);
  await host.until("a refresh", () =>
    silent ? silent.connections() > 0 : world.answers("/token").length > asked,
  );
  const there = `state: ${way.ends},`;
  await pressUntil(
    way.keys,
    (key) => host.press(KEYS[key]),
    () => host.messages.includes(there),
    PATIENCE_MS,
  );
  if (silent) {
    await silent.close();
    silent = undefined;
    await world.open();
  }
  // And in again.
  world.service.setOptions({ provoke: {} });
  if (way.ends === "SIGNED_OUT") host.press("s");
  await host.state("PENDING");
  await host.until("a code", () => world.pendingCode !== "");
  world.service.approve(world.pendingCode, "ada");
  await host.state("SIGNED_IN");
  expect(await host.quit()).toBe(0);
});
