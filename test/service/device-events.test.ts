// Device doc §6 from one end to the other: what is done to an account at the service reaches a device on
// the driver by polling, signed and verified, and does to its session what it should.
import { expect, test } from "vitest";
import * as core from "../../core/complete.ts";
import { noEndpoints } from "../../platform/driver.ts";
import { driverConfig } from "../../platform/fake/config.ts";
import { asciiOf } from "../../platform/text/text.ts";
import { driverOn } from "../world/driver-port.ts";
import { Bench, TV } from "./harness.ts";
import { Receiver, verified } from "./receiver.ts";

const { CallState, ErrorCode, State } = core;
const BASE = "http://127.0.0.1:8080";

/** A device that ada has signed in on, and whose maker's receiver polls. */
function signedIn(eventsAuthorization = "Bearer tv-backend-token") {
  const bench = new Bench();
  const receiver = new Receiver(bench).usePolling();
  const driver = driverOn(bench, {
    endpoints: {
      ...noEndpoints,
      deviceAuthorization: `${BASE}/device/code`,
      token: `${BASE}/token`,
      events: `${BASE}/events/v1/poll`,
    },
    config: {
      ...driverConfig,
      clientId: TV.client_id,
      clientSecret: TV.client_secret,
      scope: "email",
    },
    memoryBytes: 8192,
    eventsAuthorization,
    verifyEvent: (bytes, from, to) =>
      verified(bench, asciiOf(bytes, from, to)).aud.includes(TV.client_id),
  });
  const { device } = driver;
  driver.start();
  bench.wait(10);
  const [attempt] = bench.service.pending();
  expect(bench.service.approve(attempt!.userCode, "ada")).toBe("granted");
  bench.wait(10);
  expect(device.state).toBe(State.SIGNED_IN);
  /** Polls for events; the state after it and the error shown. */
  const poll = (): string[] => {
    driver.happen(() => expect(core.pollEvents(device)).toBe(1));
    bench.wait(10);
    expect(device.callState).toBe(CallState.DONE);
    return [State[device.state]!, ErrorCode[device.error]!];
  };
  return { bench, receiver, device, poll };
}

test("device doc §6 row sessions-revoked: signing out everywhere ends the session here", () => {
  const world = signedIn();
  world.bench.service.signOutEverywhere("ada");
  // With it comes tokens-revoked, which leaves nothing to ask the service about.
  expect(world.poll()).toEqual(["FAILED", "TOKEN_REVOKED"]);
  expect(world.receiver.events()).toEqual([]);
});

test("device doc §6 row token-revoked: a hash ends the session when the refresh token is dead", () => {
  const world = signedIn();
  world.bench.service.revokeAllFor("ada", TV.client_id);
  expect(world.poll()).toEqual(["FAILED", "SESSION_ENDED"]);
  expect(world.receiver.events()).toEqual([]);
});

test.each(["hash", "prefix"] as const)(
  "device doc §6 row token-revoked: another user's token, named by %s, leaves this session alone",
  (tokenIdentifier) => {
    const world = signedIn();
    world.bench.service.setOptions({ tokenIdentifier });
    world.bench.signIn({ account: "ben", scope: "email" });
    expect(world.bench.service.revokeAllFor("ben", TV.client_id)).toBe(1);
    expect(world.poll()).toEqual(["SIGNED_IN", "NONE"]);
    expect(world.receiver.events()).toEqual([]);
  },
);

test("device doc §6 row account-disabled: the session ends and says who can help", () => {
  const world = signedIn();
  world.bench.service.disableAccount("ada", "hijacking");
  expect(world.poll()).toEqual(["FAILED", "ACCOUNT_DISABLED"]);
  // Acknowledged, or it would end the next session as well.
  expect(world.receiver.events()).toEqual([]);
});

test("device doc §6: verification events are acknowledged and change nothing", () => {
  const world = signedIn();
  expect(world.receiver.send("POST", "/events/v1/stream:verify", { state: "x" }).status).toBe(200);
  expect(world.poll()).toEqual(["SIGNED_IN", "NONE"]);
  expect(world.receiver.events()).toEqual([]);
});

test("device doc §6: without its receiver's authorization a device hears nothing, and stays signed in", () => {
  const world = signedIn("");
  world.bench.service.signOutEverywhere("ada");
  expect(world.poll()).toEqual(["SIGNED_IN", "NONE"]);
  expect(world.device.callStatus).toBe(401);
});
