// A device program in stock qjs at the simulated service, with commands on its standard input and a folder of its own.

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { PATIENCE_MS } from "../patience.ts";
import { TV, VIDEO_READONLY } from "../service/harness.ts";
import { RunningDevice, writeConfig } from "./device.ts";
import { enginesHere, temporaryFolder, writeProgram } from "./qjs.ts";
import { RunningService } from "./service.ts";

const [, qjs] = enginesHere()[0]!;

export class QuickJsWorld {
  readonly service = new RunningService();
  readonly #program: string;
  readonly #config: string;

  constructor(program: string, config: string) {
    this.#program = program;
    this.#config = config;
  }

  static async open(): Promise<QuickJsWorld> {
    const folder = temporaryFolder();
    const program = await writeProgram(folder);
    const world = new QuickJsWorld(program, join(folder, "device.json"));
    await world.service.start();
    mkdirSync(join(folder, "state"), { mode: 0o700 });
    writeFileSync(join(folder, "device.key"), "0123456789abcdef", { mode: 0o600 });
    const { url } = world.service;
    writeConfig(folder, {
      clientId: TV.client_id,
      clientSecret: TV.client_secret,
      scope: VIDEO_READONLY,
      endpoints: {
        deviceAuthorization: `${url}/device/code`,
        token: `${url}/token`,
        revocation: `${url}/revoke`,
        resources: [`${url}/video/v3`],
      },
      display: { kind: "text", path: join(folder, "display"), columns: 40, rows: 4 },
      storage: { directory: join(folder, "state"), deviceKeyFile: join(folder, "device.key") },
      control: { commands: "stdin", events: "stdout" },
    });
    return world;
  }

  /** The device is switched on. */
  start(): RunningDevice {
    return new RunningDevice(qjs, ["--std", "-m", this.#program, "--config", this.#config]);
  }

  /** Ada allows the code that is shown. @param from the event from which on the session counts */
  async allow(device: RunningDevice, from = 0): Promise<void> {
    const pending = () => this.service.service.pending();
    await expect.poll(() => pending().length, { timeout: PATIENCE_MS }).not.toBe(0);
    this.service.service.approve(pending().at(-1)!.userCode, "ada");
    await device.state("signed-in", from);
  }
}
