// What a life does besides (deeds.ts): the rest of the core's border, called in every state, also several
// functions in a row without a tick between them, and calls that are begun and never sent.

import { Endpoint } from "../../core/complete.ts";
import type { Driver } from "../../platform/driver.ts";
import type { World } from "./deeds.ts";
import type { Roll } from "./dice.ts";
import { BASE } from "./network.ts";

type Deed = (world: World, roll: Roll) => void;

const bytesOf = (text: string): Uint8Array => Buffer.from(text);
const LIST = bytesOf("/liveBroadcasts?mine=true&part=id&maxResults=1");

/** Does something with the device, if it is on, and lets what follows happen. */
function withDevice(act: (driver: Driver, roll: Roll) => void): Deed {
  return ({ board }, roll) => {
    const { driver } = board;
    if (!driver) return;
    act(driver, roll);
    driver.run();
  };
}

/** Builds a target piece by piece; false where no call may begin. */
function begin({ core, device }: Driver, roll: Roll): boolean {
  if (!core.beginCall?.(device)) return false;
  const path = bytesOf("/liveBroadcasts?mine=true&part=");
  core.addPath?.(device, path, 0, path.length);
  const parts = bytesOf(roll.pick(["id", "id,snippet", "snippet, contentDetails"]));
  core.addQueryValue?.(device, parts, 0, parts.length);
  const size = bytesOf(roll.pick(["&maxResults=1", "&maxResults=2", ""]));
  core.addPath?.(device, size, 0, size.length);
  return true;
}

function send({ core, device }: Driver, roll: Roll): void {
  const body = bytesOf('{"snippet":{"title":"x"}}');
  if (roll.chance(0.8)) core.sendCall?.(device, Endpoint.RESOURCE, 1, null, 0, 0);
  else core.sendCall?.(device, Endpoint.RESOURCE, 0, body, 0, body.length);
}

function createOffer({ core, device }: Driver, roll: Roll): void {
  const id = roll.pick(["intro", "summer-26", "Not.Allowed", ""]);
  const names = bytesOf(`com.example.tv\nmonthly\nbase\n${id}\n2022/02`);
  const offer = { packageName: "com.example.tv", productId: "monthly", basePlanId: "base" };
  const body = bytesOf(
    roll.pick([JSON.stringify(offer), JSON.stringify({ ...offer, offerId: id }), "{"]),
  );
  core.createOffer?.(device, names, 0, names.length, body, 0, body.length);
}

/** What people and applications call at any time, without an argument. */
const PLAIN: readonly ((driver: Driver) => void)[] = [
  ({ core, device }) => core.signIn(device),
  ({ core, device }) => core.cancel(device),
  ({ core, device }) => core.signOut(device),
  ({ core, device }) => core.accessTokenRefused(device),
  ({ core, device }) => void core.pollEvents?.(device),
  ({ core, device }) => void core.nextPage?.(device),
  ({ core, device }) => void core.beginCall?.(device),
];

export const FURTHER_DEEDS: Readonly<Record<string, Deed>> = {
  "refuse-access-token": withDevice(({ core, device }) => core.accessTokenRefused(device)),
  "call-built": withDevice((driver, roll) => {
    if (begin(driver, roll)) send(driver, roll);
  }),
  "half-a-call": withDevice((driver, roll) => void begin(driver, roll)),
  "next-page": withDevice(({ core, device }) => {
    // Where there is none, a list is begun that has some.
    if (core.nextPage?.(device) === 1 || !core.beginCall?.(device)) return;
    core.addPath?.(device, LIST, 0, LIST.length);
    core.sendCall?.(device, Endpoint.RESOURCE, 1, null, 0, 0);
  }),
  "create-offer": withDevice(createOffer),
  discover: withDevice(({ core, device }, roll) => {
    const issuer = bytesOf(roll.pick([BASE, BASE, "https://other.example.test"]));
    core.discover?.(device, issuer, 0, issuer.length);
  }),
  "ask-for-events": withDevice(({ core, device }) => void core.pollEvents?.(device)),
  "verify-unasked": withDevice(({ core, device }) =>
    core.eventVerified?.(device, (device.requestId + 1) & 65_535, 1),
  ),
  "answer-unasked": withDevice(({ core, device }, roll) => {
    const id = (device.requestId + 1 + roll.below(65_000)) & 65_535;
    core.responseStart(device, id, 200, -1);
    core.responseBody(device, id, bytesOf("{}"), 0, 2);
    core.responseEnd(device, id);
  }),
  "in-a-row": (world, roll) => {
    const { driver } = world.board;
    if (!driver) return;
    world.oracle.userActed();
    for (let count = 2 + roll.below(4); count > 0; count--) roll.pick(PLAIN)(driver);
    driver.run();
  },
};
