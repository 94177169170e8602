// The three builds of the core, as sources: each keeps the names that its own requests and answers need, and no others.

import { describe, expect, it } from "vitest";
import * as api from "../../core/api.ts";
import * as complete from "../../core/complete.ts";
import { LiteralEnd } from "../../core/device/tables.ts";
import * as grant from "../../core/index.ts";
import { code, config, tokens } from "./bench.ts";

describe("SPEC.md, Regions: the display's texts stand behind the last name", () => {
  it.each([
    ["grant", grant.create, LiteralEnd.GRANT],
    ["api", api.create, LiteralEnd.API],
    ["complete", complete.create, LiteralEnd.COMPLETE],
  ] as const)("of the %s build", (_, create, firstText) => {
    const memory = new Uint8Array(8192);
    const { start, length } = create(memory, config)!;
    const from = start[firstText]!;
    expect(from).toBe(start[firstText - 1]! + length[firstText - 1]!);
    expect(new TextDecoder().decode(memory.slice(from, from + length[firstText]!))).toBe(
      "Starting",
    );
    expect(start).toHaveLength(firstText + grant.MESSAGES.split("\n").length);
  });
});

it("the grant alone signs in, shows its own texts, and has no room for calls", () => {
  const memory = new Uint8Array(4096);
  const device = grant.create(memory, config)!;
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
        texts.push(String.fromCharCode(...memory.slice(at, at + config.columns)).trim());
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
