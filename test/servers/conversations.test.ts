// Tests every profile with its recording. A device that is configured only with the profile signs in, polls at the
// right pace, handles a denial, renews its code, refreshes and signs out. Its requests are those of the server's
// documentation.

import { describe, expect, it } from "vitest";
import { State } from "../../core/complete.ts";
import { ErrorCode } from "../../core/index.ts";
import { SERVERS, type ServerProfile, serverOf } from "../../platform/servers/index.ts";
import {
  BUILDS,
  sizingTable,
  sizingTableOfServers,
  suffices,
} from "../../targets/command/sizing.ts";
import { markdownTable } from "../../targets/desktop/command-line.ts";
import { isFullRun } from "../full-run.ts";
import { expectTables, isGenerating } from "../generated.ts";
import { SCENARIOS, type Scenario } from "../peers/scenarios.ts";
import { Conversation } from "./conversation.ts";
import { type ExchangeName, recordedProfiles, recording } from "./recording.ts";

/**
 * The result of one of the five scenarios for the table: "yes", or what the server lacks ("not reported", "no refresh
 * token", "not revoked").
 * @throws Error if the conversation differs from the recording
 */
function outcome(server: string, scenario: Scenario): string {
  const recorded = recording(server);
  const start = (...script: ConstructorParameters<typeof Conversation>[1]): Conversation =>
    new Conversation(recorded, script).play();
  switch (scenario) {
    case "sign-in":
      return ended(start("code", "pending", "slow_down", "tokens"), State.SIGNED_IN);
    case "denial": {
      if (!recorded.exchanges.has("denied")) return "not reported";
      const conversation = start("code", "pending", "denied");
      if (conversation.driver.device.error !== ErrorCode.ACCESS_DENIED) {
        throw new Error(`${server}: the device did not recognize the denial`);
      }
      return ended(conversation, State.FAILED);
    }
    case "expiry":
      return ended(start("code", "expired", "code", "tokens"), State.SIGNED_IN);
    case "refresh":
      if (!recorded.exchanges.has("refresh")) return "no refresh token";
      return ended(start("code", "tokens").refresh("refresh"), State.SIGNED_IN);
    default: {
      const conversation = start("code", "tokens");
      const revokes = recorded.exchanges.has("revocation");
      if (revokes) conversation.append("revocation");
      if (recorded.exchanges.has("access_revocation")) conversation.append("access_revocation");
      conversation.driver.signOut();
      conversation.play();
      ended(conversation, State.SIGNED_OUT);
      return revokes ? "yes" : "not revoked";
    }
  }
}

function ended(conversation: Conversation, state: State): string {
  const { differences, remaining, driver, server } = conversation;
  const wrong = [...differences, ...remaining.map((name) => `${name} was not requested`)];
  if (driver.device.state !== state) wrong.push(`the device is ${State[driver.device.state]}`);
  if (wrong.length > 0) throw new Error(`${server.profile.name}: ${wrong.join("; ")}`);
  return "yes";
}

/** The lines of a profile, as `source` in a recording names them. */
const LINES: Readonly<Record<string, (profile: ServerProfile) => boolean>> = {
  code: () => true,
  token: () => true,
  revocation: ({ revocation }) => revocation !== "",
  userinfo: ({ userInfo }) => userInfo !== undefined,
  secret: ({ secret }) => secret !== "never",
  scope: () => true,
  pkce: ({ pkce }) => pkce !== undefined,
  lengths: () => true,
};

const SECRETS = { never: "none", required: "must have one" };

function profileTable(profiles: readonly ServerProfile[]): string {
  const words = ({ parameters }: ServerProfile): string =>
    Object.entries(parameters)
      .map(([name, { default: standard }]) =>
        standard === undefined ? `\`${name}\`` : `\`${name}\` (${standard})`,
      )
      .join(", ");
  return markdownTable([
    ["`server`", "server", "`serverParameters`", "secret", "authenticates by"],
    ...profiles.map((profile) => [
      `\`${profile.name}\``,
      profile.title,
      words(profile),
      profile.secret === undefined ? "may have one" : SECRETS[profile.secret],
      profile.secret === "never" ? "`none`" : `\`${profile.withSecret}\``,
    ]),
  ]);
}

/** For each line of each profile, where and when it was verified. Also lists the lines that were not verified. */
function sourceTable(profiles: readonly ServerProfile[]): string {
  return markdownTable([
    ["`server`", "read", "not checked"],
    ...profiles.map((profile) => {
      const { sources } = recording(profile.name);
      const read = new Set(sources.flatMap(({ lines }) => lines));
      const unknown = [...read].filter((line) => !Object.hasOwn(LINES, line));
      if (unknown.length > 0) throw new Error(`${profile.name}: no line is called ${unknown[0]}`);
      const has = Object.keys(LINES).filter((line) => LINES[line]!(profile));
      const unread = has.filter((line) => !read.has(line));
      return [
        `\`${profile.name}\``,
        sources.map(({ day, page, lines }) => `[${lines.join(", ")}](${page}) ${day}`).join("; ") ||
          "nothing",
        unread.length === has.length ? "all of it: from memory" : unread.join(", "),
      ];
    }),
  ]);
}

function outcomeTable(profiles: readonly ServerProfile[]): string {
  return markdownTable([
    ["server", "protocol", ...SCENARIOS],
    ...profiles.map(({ name, translate }) => [
      `\`${name}\``,
      translate === undefined ? "RFC 8628" : "translated",
      ...SCENARIOS.map((scenario) => outcome(name, scenario)),
    ]),
  ]);
}

function has(server: string, name: ExchangeName): boolean {
  return recording(server).exchanges.has(name);
}

function play(server: string, ...script: ExchangeName[]): Conversation {
  return new Conversation(recording(server), script).play();
}

function stateOf({ driver }: Conversation): string {
  return State[driver.device.state]!;
}

function signedIn(server: string): Conversation {
  const conversation = play(server, "code", "tokens");
  expect(conversation.differences).toEqual([]);
  expect(stateOf(conversation)).toBe("SIGNED_IN");
  return conversation;
}

describe("servers: profiles and recordings", () => {
  it("a recording with an unknown name is rejected", () => {
    expect(() => recording("own", ["never: refersh"])).toThrow(/unknown name after never/);
    expect(() => recording("own", ["pendign: {}"])).toThrow(/unknown line/);
    expect(() => recording("own", ["never: refresh"])).not.toThrow();
  });

  it("each profile has a recording, and each recording a profile", () => {
    expect(recordedProfiles()).toEqual(SERVERS.map(({ name }) => name).sort());
  });

  it.each(recordedProfiles())("%s: each common kind of response is recorded", (server) => {
    for (const name of ["code", "pending", "slow_down", "expired", "tokens"] as const) {
      expect([name, has(server, name)]).toEqual([name, true]);
    }
    const { words, scope, userInfo } = recording(server);
    const { profile, userInfo: requested } = serverOf(server, words, true);
    expect([profile.scope, requested?.address ?? ""]).toEqual([scope, userInfo]);
    expect(["S256", undefined]).toContain(profile.pkce);
    expect(has(server, "revocation")).toBe(profile.revocation !== "");
    expect(has(server, "refresh")).toBe(profile.refreshTokenBytes > 0);
  });
});

it.each(SERVERS.map((profile) => [profile.name, profile] as const))(
  "%s: memoryBytes is enough for tokens of the lengths in the profile",
  (_, profile) => {
    expect(suffices(BUILDS.complete, profile, profile.memoryBytes)).toBe(true);
  },
);

describe("RFC 8628 sections 3.1 to 3.5: sign-in", () => {
  it.each(recordedProfiles())("%s: code, pending, slow_down, tokens", (server) => {
    const conversation = play(server, "code", "pending", "slow_down", "pending", "tokens");
    expect(conversation.differences).toEqual([]);
    expect(stateOf(conversation)).toBe("SIGNED_IN");
    const { exchanges } = recording(server);
    const { user_code: code, interval = 5 } = JSON.parse(exchanges.get("code")!.body);
    expect(conversation.platform.display.everShowed(code as string)).toBe(true);
    const at = conversation.platform.http.requests.map(({ atMs }) => atMs);
    const waits = at.slice(2).map((ms, i) => ms - at[i + 1]!);
    // Section 3.5: a poll is never earlier than the interval, which slow_down extends by five seconds.
    expect(Math.min(...waits)).toBeGreaterThanOrEqual(1000 * Number(interval));
    expect(Math.min(...waits.slice(1))).toBeGreaterThanOrEqual(1000 * (Number(interval) + 5));
    // A response to a poll does not make the device back off, so no wait is much longer than the interval.
    expect(Math.max(...waits)).toBeLessThan(1000 * (Number(interval) + 5) * 1.5);
  });

  it.each(recordedProfiles())("%s: the code survives a power loss", (server) => {
    const before = play(server, "code", "pending");
    before.driver.stop();
    const storage = before.platform.storage.clone();
    const after = new Conversation(recording(server), ["tokens"], storage).play();
    expect(after.differences).toEqual([]);
    expect(stateOf(after)).toBe("SIGNED_IN");
  });
});

it.each(recordedProfiles().filter((server) => has(server, "ended")))(
  "RFC 6749 section 6, %s: a revoked grant ends the session",
  (server) => {
    const conversation = signedIn(server).refresh("ended");
    expect(conversation.differences).toEqual([]);
    expect(ErrorCode[conversation.driver.device.error]).toBe("SESSION_ENDED");
  },
);

it.each(recordedProfiles().filter((server) => !has(server, "revocation")))(
  "RFC 7009, %s revokes nothing: the device clears its tokens at once, without a request",
  (server) => {
    const conversation = signedIn(server);
    conversation.driver.signOut();
    conversation.platform.clock.advance(0);
    expect(stateOf(conversation)).toBe("SIGNED_OUT");
    expect(conversation.platform.http.requests.length).toBe(2);
    const { storage } = conversation.platform;
    const left = [...storage.peek(0), ...storage.peek(1)];
    expect(String.fromCharCode(...left)).not.toContain("token");
  },
);

/** The last two tables take seconds, because they measure every server. */
const TABLES = [
  ["platform/servers/README.md", "profiles", profileTable],
  ["platform/servers/README.md", "sources", sourceTable],
  ["platform/servers/README.md", "recorded", outcomeTable],
  ["targets/docs/sizing.md", "sizing", sizingTable],
  ["targets/docs/sizing.md", "sizing of servers", sizingTableOfServers],
] as const;

it.each(isFullRun || isGenerating ? TABLES : TABLES.slice(0, 3))(
  "%s: %s (npm run generate)",
  (page, name, make) => expectTables(page, { [name]: () => make(SERVERS) }),
);
