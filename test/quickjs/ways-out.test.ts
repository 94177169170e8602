// SPEC.md, Errors: a person has a way out of every refusal, at any time: by the commands of the program in stock qjs.

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { PATIENCE_MS } from "../patience.ts";
import { TV, VIDEO_READONLY } from "../service/harness.ts";
import { type SilentServer, silentServer } from "../silent-server.ts";
import { pressUntil, WAYS_OUT, wayOutName } from "../ways-out.ts";
import { RunningDevice, writeConfig } from "./device.ts";
import { enginesHere, temporaryFolder, writeProgram } from "./qjs.ts";
import { RunningService } from "./service.ts";

const [, qjs] = enginesHere()[0]!;
const named = (state: string): string => state.toLowerCase().replaceAll("_", "-");

it.each(WAYS_OUT.map((way) => [wayOutName(way), way] as const))("%s", async (_, way) => {
  const folder = temporaryFolder();
  const program = await writeProgram(folder);
  const service = new RunningService();
  await service.start();
  mkdirSync(join(folder, "state"), { mode: 0o700 });
  writeFileSync(join(folder, "device.key"), "0123456789abcdef", { mode: 0o600 });
  const { url } = service;
  const config = writeConfig(folder, {
    clientId: TV.client_id,
    clientSecret: TV.client_secret,
    scope: VIDEO_READONLY,
    endpoints: {
      deviceAuthorization: `${url}/device/code`,
      token: `${url}/token`,
      revocation: `${url}/revoke`,
    },
    display: { kind: "text", path: join(folder, "display"), columns: 40, rows: 4 },
    storage: { directory: join(folder, "state"), deviceKeyFile: join(folder, "device.key") },
    control: { commands: "stdin", events: "stdout" },
  });
  const start = (): RunningDevice =>
    new RunningDevice(qjs, ["--std", "-m", program, "--config", config]);
  const allow = async (device: RunningDevice): Promise<void> => {
    await expect.poll(() => service.service.pending().length, { timeout: PATIENCE_MS }).not.toBe(0);
    service.service.approve(service.service.pending().at(-1)!.userCode, "ada");
    await device.state("signed-in");
  };
  let device = start();
  await allow(device);
  device.send("quit");
  expect((await device.end()).code).toBe(0);

  const asked = service.log.length;
  let silent: SilentServer | undefined;
  if (way.meets === "silent") {
    await service.stop();
    silent = await silentServer(Number(new URL(url).port));
  } else service.service.setOptions({ provoke: { refresh: way.meets } });
  device = start();
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
  await allow(device);
  device.send("quit");
  expect((await device.end()).code).toBe(0);
});
