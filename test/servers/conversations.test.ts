// Every profile with its recording: a device that is configured with only the profile signs in, polls at the right
// pace, handles a denial, renews its code, refreshes and signs out, with the requests that the server's documentation
// demands. The table of outcomes on the servers page covers what needs only the recording; these tests cover the rest.

import { readFileSync, writeFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { State } from "../../core/complete.ts";
import { ErrorCode } from "../../core/index.ts";
import { SERVERS, serverOf } from "../../platform/servers/index.ts";
import {
  BUILDS,
  sizingTable,
  sizingTableOfServers,
  suffices,
} from "../../targets/command/sizing.ts";
import { isFullRun } from "../full-run.ts";
import { Conversation } from "./conversation.ts";
import { notesList, outcomeTable, profileTable, sourceTable } from "./outcomes.ts";
import { type ExchangeName, recordedProfiles, recording } from "./recording.ts";

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

  it.each(recordedProfiles())(
    "%s: all responses that servers have in common are recorded",
    (server) => {
      for (const name of ["code", "pending", "slow_down", "expired", "tokens"] as const) {
        expect([name, has(server, name)]).toEqual([name, true]);
      }
      const { words, scope, userInfo } = recording(server);
      const { profile, userInfo: requested } = serverOf(server, words, true);
      expect([profile.scope, requested?.address ?? ""]).toEqual([scope, userInfo]);
      expect(["S256", undefined]).toContain(profile.pkce);
      expect(has(server, "revocation")).toBe(profile.revocation !== "");
      expect(has(server, "refresh")).toBe(profile.refreshTokenBytes > 0);
    },
  );
});

describe("servers: memory", () => {
  it.each(SERVERS.map((profile) => [profile.name, profile] as const))(
    "%s: memoryBytes is enough for tokens of the lengths in the profile",
    (_, profile) => {
      const tokens = {
        accessBytes: profile.accessTokenBytes,
        refreshBytes: profile.refreshTokenBytes,
      };
      expect(suffices(BUILDS.complete, tokens, profile.memoryBytes)).toBe(true);
    },
  );
});

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
    // Section 3.5: never earlier than the interval, and five seconds later after slow_down.
    expect(Math.min(...waits)).toBeGreaterThanOrEqual(1000 * Number(interval));
    expect(Math.min(...waits.slice(1))).toBeGreaterThanOrEqual(1000 * (Number(interval) + 5));
    // A response to a poll is no outage: no wait is much longer.
    expect(Math.max(...waits)).toBeLessThan(1000 * (Number(interval) + 5) * 1.5);
  });

  it.each(recordedProfiles())("%s: the code survives a loss of power", (server) => {
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

// The tables from profiles and recordings on the pages of servers and of sizing are up to date.

const PAGES = ["platform/servers/README.md", "targets/docs/sizing.md"].map(
  (page) => new URL(`../../${page}`, import.meta.url),
);
const TABLES = [
  ["profiles", profileTable],
  ["sources", sourceTable],
  ["notes", notesList],
  ["recorded", outcomeTable],
] as const;
/** Takes seconds: every server is measured. */
const MEASURED = [
  ["sizing", sizingTable],
  ["sizing of servers", sizingTableOfServers],
] as const;
const isGenerating = process.env.PICOGRANT_GENERATE !== undefined;

it.each([...TABLES, ...(isFullRun || isGenerating ? MEASURED : [])])(
  "%s: npm run generate",
  (name, table) => {
    const [begin, end] = [`<!-- ${name} -->`, `<!-- end of ${name} -->`];
    const page = PAGES.find((one) => readFileSync(one, "utf8").includes(begin))!;
    const text = readFileSync(page, "utf8");
    const drawn = `${begin}\n${table(SERVERS)}\n`;
    const at = text.indexOf(begin);
    const behind = text.indexOf(end);
    if (isGenerating) writeFileSync(page, text.slice(0, at) + drawn + text.slice(behind));
    else expect(text.slice(at, behind)).toBe(drawn);
  },
);
