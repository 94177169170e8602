// SPEC.md, Errors: what each error means for the caller and the session. The rows are those of core/grant/refusal.ts.
// The model tests the rules.

import { expect, it } from "vitest";
import { ErrorCode, Event, Outcome, State } from "../../core/complete.ts";
import type { FakeResponse } from "../../platform/testing/index.ts";
import { Port, type Reaction } from "../environment/core-port.ts";
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

it.each<[string, Reaction, Outcome]>([
  ["no error", code(), Outcome.NONE],
  ["no response", "refuse", Outcome.NETWORK],
  ["503", plain(503, ""), Outcome.NETWORK],
  ["429", plain(429, ""), Outcome.NETWORK],
  ["access_denied", error(400, "access_denied"), Outcome.USER],
  ["org_internal", error(400, "org_internal"), Outcome.REFUSED],
  ["invalid_client", error(401, "invalid_client"), Outcome.REFUSED],
  ["401 to the client's credentials", plain(401, "Unauthorized"), Outcome.REFUSED],
  ...[405, 406, 411, 413, 414].map((status): [string, Reaction, Outcome] => [
    `${status}`,
    plain(status, ""),
    Outcome.REFUSED,
  ]),
])("%s at the request for a code", (_, response, means) => {
  const bench = new Port([response]);
  bench.pass(6000);
  expect(bench.core.outcome(bench.device)).toBe(means);
});

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
  ["a token that is of no use", tokens({ token_type: "mac" })],
])("the session outlives days of %s", (_, response) => {
  const bench = refusedFor(3 * DAY_MS, response);
  expect(bench.device.state).toBe(State.REFRESHING);
  bench.responses = [tokens({ expires_in: 90_000 })];
  bench.pass(1.2 * HOUR_MS);
  expect(bench.device.state).toBe(State.SIGNED_IN);
});

it("a code that the server knew before is replaced; one that it never knew is not", () => {
  const purged = error(404, "device_not_found");
  const known = new Port([code(), error(400, "authorization_pending"), purged, code()]);
  known.until(4);
  expect(known.device.event).toBe(Event.CODE_RECEIVED);
  const never = new Port([code(), purged]);
  never.until(2);
  expect(never.device.error).toBe(ErrorCode.UNKNOWN_ERROR);
});

it.each<[string, (port: Port) => void, number, State]>([
  // The first call retries at once. The second one gives up the tokens and requests a code.
  ["signIn, twice", ({ core, device }) => core.signIn(device), 500, State.PENDING],
  ["cancel", ({ core, device }) => core.cancel(device), 500, State.SIGNED_OUT],
  ["signOut", ({ core, device }) => core.signOut(device), 4000, State.SIGNED_OUT],
])("the user can end a session whose refresh is refused: %s", (what, press, ms, end) => {
  const bench = refusedFor(HOUR_MS, error(401, "invalid_client"));
  bench.responses = [error(401, "invalid_client"), code(), plain(200, "")];
  for (let left = what.includes("twice") ? 2 : 1; left > 0; left--) {
    press(bench);
    bench.pass(ms);
  }
  expect(bench.device.state).toBe(end);
});
