// Every profile against its recording: a device that is set up with the profile alone signs in, polls as
// told, hears of a denial, asks for a new code, refreshes and signs out, with the requests that the
// server's documentation asks for.

import { describe, expect, it } from "vitest";
import { State } from "../../core/complete.ts";
import { ErrorCode } from "../../core/index.ts";
import { SERVERS, serverOf } from "../../platform/servers/index.ts";
import { Conversation } from "./conversation.ts";
import { type ExchangeName, recordedServers, recording } from "./recording.ts";

const A_YEAR_MS = 365 * 86_400_000;

function has(server: string, name: ExchangeName): boolean {
  return recording(server).exchanges.has(name);
}

function sayingThat(name: ExchangeName): string[] {
  return recordedServers().filter((server) => has(server, name));
}

function play(server: string, ...script: ExchangeName[]): Conversation {
  return new Conversation(recording(server), script).play();
}

function stateOf({ driver }: Conversation): string {
  return State[driver.device.state]!;
}

/** A device that has signed in. */
function signedIn(server: string): Conversation {
  const conversation = play(server, "code", "tokens");
  expect(conversation.differences).toEqual([]);
  expect(stateOf(conversation)).toBe("SIGNED_IN");
  return conversation;
}

/** Goes on until the device asks for something, at most a year; nothing where it never does. */
function waitFor(conversation: Conversation): void {
  const { clock, http } = conversation.platform;
  const { length } = http.requests;
  const from = clock.elapsedMs;
  while (http.requests.length === length && clock.elapsedMs - from < A_YEAR_MS) {
    clock.advanceToNext();
  }
}

describe("servers: profiles and recordings", () => {
  it("each profile has a recording, and each recording a profile", () => {
    expect(recordedServers()).toEqual(SERVERS.map(({ name }) => name).sort());
  });

  it.each(recordedServers())("%s: what every server says is recorded", (server) => {
    for (const name of ["code", "pending", "slow_down", "expired", "tokens"] as const) {
      expect([name, has(server, name)]).toEqual([name, true]);
    }
    const { profile } = serverOf(server, recording(server).words, true);
    expect(has(server, "revocation")).toBe(profile.revocation !== "");
    expect(has(server, "refresh")).toBe(profile.refreshTokenBytes > 0);
  });
});

describe("RFC 8628 sections 3.1 to 3.5: sign-in", () => {
  it.each(recordedServers())("%s: code, pending, slow_down, tokens", (server) => {
    const conversation = play(server, "code", "pending", "slow_down", "pending", "tokens");
    expect(conversation.differences).toEqual([]);
    expect(stateOf(conversation)).toBe("SIGNED_IN");
    const { exchanges } = recording(server);
    const { user_code: code, interval = 5 } = JSON.parse(exchanges.get("code")!.answer);
    expect(conversation.platform.display.everShowed(code as string)).toBe(true);
    const at = conversation.platform.http.requests.map(({ atMs }) => atMs);
    const waits = at.slice(2).map((ms, i) => ms - at[i + 1]!);
    // Section 3.5: never earlier than the interval, and five seconds later after slow_down.
    expect(Math.min(...waits)).toBeGreaterThanOrEqual(1000 * Number(interval));
    expect(Math.min(...waits.slice(1))).toBeGreaterThanOrEqual(1000 * (Number(interval) + 5));
    // A poll that is answered at once by what it means is no outage: no wait is much longer.
    expect(Math.max(...waits)).toBeLessThan(1000 * (Number(interval) + 5) * 1.5);
  });

  it.each(recordedServers())("%s: the code outlives a loss of power", (server) => {
    const before = play(server, "code", "pending");
    before.driver.stop();
    const storage = before.platform.storage.clone();
    const after = new Conversation(recording(server), ["tokens"], storage).play();
    expect(after.differences).toEqual([]);
    expect(stateOf(after)).toBe("SIGNED_IN");
  });
});

describe("RFC 8628 section 3.5: the user denies", () => {
  it.each(sayingThat("denied"))("%s", (server) => {
    const conversation = play(server, "code", "pending", "denied");
    expect(conversation.differences).toEqual([]);
    expect(stateOf(conversation)).toBe("FAILED");
    expect(ErrorCode[conversation.driver.device.error]).toBe("ACCESS_DENIED");
  });
});

describe("RFC 8628 section 3.5: the code runs out", () => {
  it.each(recordedServers())("%s: a new code follows, and signs in", (server) => {
    const conversation = play(server, "code", "pending", "expired", "code", "tokens");
    expect(conversation.differences).toEqual([]);
    expect(stateOf(conversation)).toBe("SIGNED_IN");
  });
});

describe("RFC 6749 section 6: refresh", () => {
  const answers = (server: string): { expires_in?: number } =>
    JSON.parse(recording(server).exchanges.get("tokens")!.answer) as { expires_in?: number };

  it.each(sayingThat("refresh"))("%s: new tokens, and the session goes on", (server) => {
    const conversation = signedIn(server).append("refresh");
    if (answers(server).expires_in === undefined) refreshAfter401(conversation);
    else waitFor(conversation);
    expect(conversation.differences).toEqual([]);
    expect(conversation.remaining).toEqual([]);
    expect(stateOf(conversation)).toBe("SIGNED_IN");
  });

  it.each(sayingThat("ended"))("%s: a grant that is gone ends the session", (server) => {
    const conversation = signedIn(server).append("ended");
    if (answers(server).expires_in === undefined) refreshAfter401(conversation);
    else waitFor(conversation);
    expect(conversation.differences).toEqual([]);
    expect(ErrorCode[conversation.driver.device.error]).toBe("SESSION_ENDED");
  });

  /** Without a lifetime nothing but an API's 401 tells that a token is no longer good. */
  function refreshAfter401({ driver, platform }: Conversation): void {
    driver.endpoints = { ...driver.endpoints, videoApi: "https://api.example/" };
    const { handler } = platform.http;
    platform.http.handler = (request) =>
      request.url.startsWith("https://api.example/")
        ? { status: 401, body: "{}" }
        : handler!(request);
    const { core, device } = driver;
    core.beginCall!(device);
    core.sendCall!(device, core.Endpoint!.RESOURCE, 1, null, 0, 0);
    driver.run();
    platform.clock.advance(1000);
  }
});

describe("RFC 7009: sign-out", () => {
  it.each(sayingThat("revocation"))("%s: revokes", (server) => {
    const conversation = signedIn(server).append("revocation");
    conversation.driver.signOut();
    conversation.play();
    expect(conversation.differences).toEqual([]);
    expect(conversation.remaining).toEqual([]);
    expect(stateOf(conversation)).toBe("SIGNED_OUT");
  });

  it.each(recordedServers().filter((server) => !has(server, "revocation")))(
    "%s revokes nothing: the device forgets at once, and asks nobody",
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
});
