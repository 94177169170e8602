// The log that one can send to whoever helps (platform/log.ts): what was asked and answered, in bounded lines, and never
// a secret, whatever servers and adapters put where words belong.

import { expect, it } from "vitest";
import type { FakeAnswer, SeenRequest } from "../../platform/fake/http.ts";
import { driverLog } from "../../platform/log.ts";
import { Dice } from "../session-model/dice.ts";
import { SessionWorld } from "../session-model/world.ts";

/** A program with a log; what it has written so far. */
function logged(world: SessionWorld, write?: (line: string) => void) {
  const lines: string[] = [];
  const log = driverLog((line) => {
    lines.push(line);
    write?.(line);
  });
  return { lines, start: world.start({}, undefined, { log }) };
}

it("says what was asked and answered, by names and numbers", async () => {
  const world = new SessionWorld();
  const { lines, start } = logged(world);
  await world.until(() => start.session !== undefined);
  void start.session!.signOut();
  await world.pass(5);
  const numbers = lines.map((line) => line.replace(/\d+ (bytes|ms)/g, "N $1"));
  expect(numbers.map((line) => line.replace(/^\d+\.\d{3} s {2}/, ""))).toEqual([
    "state STARTING",
    "storage reads slot 0: N bytes",
    "storage reads slot 1: N bytes",
    "state REQUESTING",
    "request 1 DEVICE_AUTHORIZATION POST https://login.example.com/code, N bytes",
    "answer 1 DEVICE_AUTHORIZATION 200, N bytes, N ms",
    "state PENDING",
    "storage writes slot 0: N bytes, kept",
    "request 2 TOKEN POST https://login.example.com/token, N bytes",
    "answer 2 TOKEN 400 authorization_pending, N bytes, N ms",
    "state PENDING (AUTHORIZATION_PENDING)",
    "request 3 TOKEN POST https://login.example.com/token, N bytes",
    "answer 3 TOKEN 200, N bytes, N ms",
    "state SIGNED_IN",
    "storage writes slot 1: N bytes, kept",
    "storage erases slot 0: gone",
    "state REVOKING",
    "storage writes slot 0: N bytes, kept",
    "storage erases slot 1: gone",
    "request 4 REVOCATION POST https://login.example.com/revoke, N bytes",
    "answer 4 REVOCATION 200, N bytes, N ms",
    "request 5 REVOCATION POST https://login.example.com/revoke, N bytes",
    "answer 5 REVOCATION 200, N bytes, N ms",
    "state SIGNED_OUT",
    "storage erases slot 0: gone",
    "the session ends: signed_out",
  ]);
});

/** Every secret that there has been, as it is and as it goes over the wire. */
function secretsOf({ server }: SessionWorld): string[] {
  const tokens = server.grants.flatMap(({ chain, accessToken }) => [...chain, accessToken]);
  const codes = server.codes.map(({ deviceCode }) => deviceCode);
  const client = "client-secret-of-the-program";
  return [...tokens, ...codes, "CODE-00", client, btoa(`program:${client}`), "Basic", "Bearer"];
}

it("no secret is in it, wherever a server or an adapter puts one", async () => {
  let lives = 0;
  for (let seed = 1; seed <= 40; seed++) {
    const dice = new Dice(seed);
    const world = new SessionWorld();
    const planted = (): string => dice.pick(secretsOf(world));
    const { http, server } = world;
    const answer = server.handle;
    const spoilt = (request: SeenRequest): FakeAnswer => {
      const given = answer(request);
      if (!dice.once(3)) return given;
      const error = dice.pick([planted(), `${planted()} ${planted()}`, "x".repeat(5000)]);
      const body = { error, error_description: planted(), error_uri: `https://x/${planted()}` };
      return dice.pick<FakeAnswer>([
        { status: 400, body },
        { status: 500, body: planted() },
        { status: 200, body: { ...body, access_token: "access-token-9", token_type: "Bearer" } },
      ]);
    };
    http.handler = spoilt;
    http.faultFor = () => (dice.once(6) ? { kind: "reset-after" } : undefined);
    const { lines, start } = logged(world);
    await world.until(() => start.isSettled, 120);
    await world.pass(20);
    const session = start.session;
    if (session !== undefined) {
      await Promise.all([
        session.fetch(`https://api.example.com/${planted()}`).catch(() => {}),
        world.pass(30),
      ]);
      await Promise.all([session.signOut().catch(() => {}), world.pass(400)]);
      lives++;
    }
    expect(lines.length).toBeGreaterThan(3);
    for (const line of lines) {
      expect(line).toMatch(/^[ -~]{1,160}$/);
      for (const secret of secretsOf(world)) expect(line, `seed ${seed}`).not.toContain(secret);
    }
  }
  expect(lives).toBeGreaterThan(5);
});

it("an error is repeated where it is a known word; what went wrong with the network, too", async () => {
  const world = new SessionWorld();
  world.http.faultFor = () => ({ kind: "refuse" });
  const { lines, start } = logged(world);
  await world.pass(6);
  world.http.faultFor = () => undefined;
  world.server.decide("denied");
  world.server.allowsAfterPolls = -1;
  await world.until(() => start.prompts.length > 0, 120);
  world.server.decide("denied");
  await world.until(() => start.isSettled, 60);
  const text = lines.join("\n");
  expect(text).toMatch(/answer 1 DEVICE_AUTHORIZATION unreachable, \d+ ms/);
  expect(text).toContain("trouble unreachable");
  expect(text).toMatch(/answer \d+ TOKEN 400 access_denied, \d+ bytes/);
  expect(text).toContain("state FAILED (ACCESS_DENIED)");
});

it("what it throws disturbs nobody", async () => {
  const world = new SessionWorld();
  const { start } = logged(world, () => {
    throw new Error("no room for a log");
  });
  expect(await world.until(() => start.session !== undefined)).toBe(true);
  expect(start.troubles).toEqual([]);
});
