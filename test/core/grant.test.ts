// The grant alone (core/index.ts): signs in as the complete build does, with nothing of a call in it.

import { expect, it } from "vitest";
import * as grant from "../../core/index.ts";
import { deviceConfig } from "../../platform/fake/config.ts";
import { code, tokens } from "./bench.ts";

it("the grant alone signs in, shows its own texts, and has no room for calls", () => {
  const memory = new Uint8Array(4096);
  const device = grant.create(memory, deviceConfig)!;
  const { Command, Region, State } = grant;
  const answers = [code(), tokens()];
  const texts: string[] = [];
  for (let second = 0; second < 30; second++) {
    let command = grant.tick(device, 1000);
    for (; command !== Command.NONE; command = grant.tick(device, 0)) {
      if (command === Command.LOAD) grant.storageDone(device, 0);
      else if (command === Command.STORE) grant.storageDone(device, 1);
      else if (command === Command.SHOW) {
        const at = device.start[Region.FRAME]!;
        texts.push(String.fromCharCode(...memory.slice(at, at + deviceConfig.columns)).trim());
      } else if (command === Command.SEND) {
        const { body } = answers.shift()!;
        const bytes = new TextEncoder().encode(body);
        grant.responseStart(device, device.requestId, 200, -1);
        grant.responseBody(device, device.requestId, bytes, 0, bytes.length);
        grant.responseEnd(device, device.requestId);
      }
    }
  }
  expect(device.state).toBe(State.SIGNED_IN);
  expect(texts[0]).toBe("Getting a code");
  expect(texts.at(-1)).toBe("Signed in");
  expect(device.capacity[Region.CALL]).toBeLessThanOrEqual(0);
});
