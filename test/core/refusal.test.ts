// Tests which rejections of a refresh end a session after a day (SPEC.md, Errors; core/grant/refusal.ts). The model
// tests the other rules.

import { expect, it } from "vitest";
import { ErrorCode, State } from "../../core/complete.ts";
import type { FakeResponse } from "../../platform/testing/index.ts";
import { Port } from "../environment/core-port.ts";
import { code, error, json, tokens } from "../environment/environment.ts";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const PUBLIC_CLIENT = { clientAuthentication: 0, clientSecret: "" };

function refusedFor(ms: number, response: FakeResponse, client: object = {}): Port {
  const bench = new Port([code(), tokens({ expires_in: 60 })], client);
  bench.until(2);
  bench.responses = Array(6000).fill(response);
  bench.pass(ms);
  return bench;
}

const plain = (status: number, body: string): FakeResponse => ({ status, body });

it.each<[string, FakeResponse, object?]>([
  ["another name", error(400, "unauthorized_client")],
  ["an unknown name", error(400, "quota-7")],
  ["a message", json(400, { message: "Invalid Refresh Token" })],
  ["an object for a name", json(404, { error: { code: 20026 } })],
  ["a success without a token", json(200, { code: 20026 })],
  ["401, of a client without credentials", plain(401, ""), PUBLIC_CLIENT],
])("a refresh that is refused by %s for a day ends the session", (_, response, client) => {
  const bench = refusedFor(DAY_MS, response, client);
  expect(bench.device.state).toBe(State.REFRESHING);
  bench.pass(2 * HOUR_MS);
  expect(bench.device.error).toBe(ErrorCode.SESSION_ENDED);
});

it.each<[string, FakeResponse]>([
  ["invalid_client", error(401, "invalid_client")],
  ["401 to the client's credentials", plain(401, "Unauthorized")],
  ["HTML", plain(403, "<html>")],
  ["an empty response", plain(400, "")],
  ["half a success", json(200, { access_token: "a b" })],
  ["a token that cannot be used", tokens({ token_type: "mac" })],
])("the session continues after days of %s", (_, response) => {
  const bench = refusedFor(3 * DAY_MS, response);
  expect(bench.device.state).toBe(State.REFRESHING);
  bench.responses = [tokens({ expires_in: 90_000 })];
  bench.pass(1.2 * HOUR_MS);
  expect(bench.device.state).toBe(State.SIGNED_IN);
});
