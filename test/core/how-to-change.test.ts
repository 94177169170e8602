// The worked example of core/HOW-TO-CHANGE.md: a new request beyond the grant, OpenID Connect's userinfo (Core 1.0
// §5.3). What stands between the marks is what the page shows.

import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { Endpoint } from "../../core/device/command.ts";
import type { Config } from "../../core/device/config.ts";
import { ErrorCode } from "../../core/device/errors.ts";
import { type Bytes, type CallKind, type Device, holds } from "../../core/device/memory.ts";
import { clearTarget } from "../../core/device/regions.ts";
import {
  DOCUMENT_LITERALS,
  Field,
  LiteralEnd,
  REQUEST_LITERALS,
} from "../../core/device/tables.ts";
import * as grant from "../../core/index.ts";
import { createDevice } from "../../core/loop/create.ts";
import { isResponseTooLong, startCall } from "../../core/requests/call.ts";
import { scanByte } from "../../core/text/json-scanner.ts";
import { packedNames } from "../../targets/bundle/core-tables.ts";
import { outcome, Port } from "../environment/core-port.ts";
import { code, json, tokens } from "../environment/environment.ts";
import type { Core } from "../model/subject.ts";

const ROW = [{ place: Field.VALUE_A, names: ["sub"] }];
const Literal = { USERINFO_MEMBERS: LiteralEnd.COMPLETE as number };

// example: begin
// What its answer is searched for, and has to hold.
var USERINFO: CallKind = {
  names: Literal.USERINFO_MEMBERS,
  depth: 1,
  values: 1,
  scan: scanByte,
  take: takeUserInfo,
};

// The function that asks: a protected resource without a path of its own.
function requestUserInfo(device: Device): number {
  if (!startCall(device, USERINFO, Endpoint.RESOURCE, 1)) return 0;
  clearTarget(device);
  return 1;
}

// What its answer leads to; the host reads the subject from Field.VALUE_A.
function takeUserInfo(device: Device): ErrorCode {
  // A subject that was cut short would look like another one.
  if (isResponseTooLong(device)) return ErrorCode.VALUE_TOO_LONG;
  return holds(device, Field.VALUE_A) ? ErrorCode.NONE : ErrorCode.MALFORMED_RESPONSE;
}
// example: end

function create(memory: Bytes, config: Config): Device | null {
  const literals = `${REQUEST_LITERALS + DOCUMENT_LITERALS + packedNames(ROW)}\n`;
  return createDevice(memory, config, literals, LiteralEnd.COMPLETE + 1);
}

const part = (file: string, begin: string, end: string): string => {
  const text = readFileSync(new URL(file, import.meta.url), "utf8");
  const from = text.indexOf(begin);
  expect(from, `${begin} in ${file}`).toBeGreaterThanOrEqual(0);
  return text.slice(from + begin.length, text.indexOf(end, from + begin.length)).trim();
};

it("the example of HOW-TO-CHANGE.md is the one that runs here", () => {
  const shown = part("../../core/HOW-TO-CHANGE.md", "```ts\n// What its", "```");
  // Put together from two halves: else the search would find itself.
  expect(shown).toBe(
    part("how-to-change.test.ts", `// ${"example"}: begin\n// What its`, `// ${"example"}: end`),
  );
});

it("asks with the access token, tells the subject, and is refused without a session", () => {
  const bench = new Port([code(), tokens()], {
    core: { ...grant, create } as unknown as Core,
  });
  expect(requestUserInfo(bench.device)).toBe(0);
  bench.until(2);
  bench.responses = [json(200, { name: "n", sub: "248289761001" })];
  expect(requestUserInfo(bench.device)).toBe(1);
  bench.pass(0);
  expect(bench.sent.at(-1)).toMatchObject({
    endpoint: 5,
    method: "GET",
    target: "",
    authorization: "Bearer access",
  });
  expect(outcome(bench)).toEqual({ error: ErrorCode.NONE, status: 200 });
  expect(bench.text(Field.VALUE_A)).toBe("248289761001");
  bench.responses = [json(200, { name: "n" })];
  requestUserInfo(bench.device);
  bench.pass(0);
  expect(outcome(bench).error).toBe(ErrorCode.MALFORMED_RESPONSE);
  bench.responses = [json(200, { sub: "s".repeat(8192) })];
  requestUserInfo(bench.device);
  bench.pass(0);
  expect(outcome(bench).error).toBe(ErrorCode.VALUE_TOO_LONG);
});
