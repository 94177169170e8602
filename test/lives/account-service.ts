// The simulated service of a life: its settings drawn, its event stream configured, its access log judged.

import { accessLogLine } from "../../targets/service/access-log.ts";
import { type FixtureInput, readFixture } from "../../targets/service/fixture.ts";
import type { Service, ServiceEvent } from "../../targets/service/index.ts";
import type { Roll } from "./dice.ts";
import type { Ledger } from "./ledger.ts";
import { BASE } from "./network.ts";
import type { Surroundings } from "./surroundings.ts";
import { Violation } from "./violation.ts";

export const SECRET = "tv-secret-7";
export const CLIENT = "living-room-tv";
/** Whoever fetches events for the device adds it: the device itself does not know it. */
export const RECEIVER_TOKEN = "tv-backend-token";
export const EVENTS_PATH = "/events/v1/poll";
const STREAM_PATH = "/events/v1/stream:update";
const POLLING = "urn:ietf:rfc:8936";
const EPOCH_MS = Date.UTC(2026, 0, 1);
const FIXTURE: FixtureInput = readFixture({
  organizations: [{ id: "school", name: "School", blockedScopes: ["video"] }],
  accounts: [
    { id: "ada", name: "Ada", email: "ada@example.test" },
    { id: "pupil", name: "Polly", email: "polly@example.test", organization: "school" },
  ],
  clients: [{ id: CLIENT, secret: SECRET, name: "TV" }],
  receivers: [{ id: "tv-backend", name: "TV's events", token: RECEIVER_TOKEN, clients: [CLIENT] }],
});
/** With lists that have further pages. */
const LISTED: FixtureInput = {
  ...FIXTURE,
  broadcasts: ["one", "two", "three", "four"].map((id) => ({
    id,
    account: "ada",
    title: id,
    scheduledStartTime: "2026-01-01T12:00:00Z",
    status: "upcoming",
  })),
};
/** Tokens and device codes by how they begin, as they are or encoded in a form. */
const SECRET_TEXT = /pg[rad](?:\.|%2E)|tv-secret-7|tv-backend-token/i;

interface ServiceParts {
  nowMs(): number;
  settings: Roll;
  random: Roll;
  surroundings: Surroundings;
  hasLists: boolean;
}

/** A service with settings of its own. */
export function serviceOf({
  nowMs,
  settings: roll,
  random,
  surroundings,
  hasLists,
}: ServiceParts): Service {
  return surroundings.service({
    now: () => EPOCH_MS + nowMs(),
    random: (count) => {
      const bytes = new Uint8Array(count);
      for (let i = 0; i < count; i++) bytes[i] = random.bits() >>> 24;
      return bytes;
    },
    fixture: hasLists ? LISTED : FIXTURE,
    options: {
      baseUrl: BASE,
      interval: roll.pick([1, 1, 2, 5]),
      codeLifetime: roll.pick([20, 40, 40, 90, 300, 1800]),
      slowDownGrowth: roll.pick([0, 5]),
      deviceCodeQuota: roll.pick([null, null, { requests: 2, windowSeconds: 60 }]),
      userCodeFormat: roll.pick(["XXXX-XXXX", "XXXXXXXX", "XXX-XXX-XXX-XXX"]),
      tokenCharacters: roll.pick(["plain", "awkward"]),
      verificationUri: roll.chance(0.5),
      verificationUriComplete: roll.chance(0.5),
      replayedCodeRevokes: roll.chance(0.3),
      accessTokenLifetime: roll.pick([5, 30, 90, 600, 3600]),
      refreshTokenRotation: roll.chance(0.6),
      rotationGrace: roll.pick([0, 5, 60]),
      refreshTokensPerClientAndUser: roll.pick([1, 3, 100]),
    },
  });
}

/** From now on the service keeps events about accounts for whoever polls. */
export function openStream(service: Service, roll: Roll): void {
  service.setOptions({ tokenIdentifier: roll.pick(["prefix", "hash"]) });
  const body = JSON.stringify({ delivery: { delivery_method: POLLING } });
  const { status } = service.handle({
    method: "POST",
    path: STREAM_PATH,
    query: "",
    headers: {
      "content-type": "application/json",
      authorization: `Bearer ${RECEIVER_TOKEN}`,
    },
    body: Buffer.from(body),
  });
  if (status !== 200) throw new Error(`the stream of events was refused: ${status}`);
}

/** Watches what the service tells its observers, and what the command line makes a log of. */
export function judgeLog(service: Service, ledger: Ledger): void {
  service.observe((event: ServiceEvent) => {
    const told = `${accessLogLine(event) ?? ""} ${JSON.stringify(event)}`;
    if (SECRET_TEXT.test(told)) {
      throw new Violation("no-secret", `the service's log names one: ${event.type}`);
    }
    if (ledger.namesUserCode(told)) {
      throw new Violation("no-secret", `the service's log names a user code: ${event.type}`);
    }
  });
}
