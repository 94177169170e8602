// `picogrant sizing`: the memory that a core needs for tokens of given lengths. With each tried memory size, a
// simulated device signs in. If there are refresh tokens, it also refreshes, loses power, refreshes and signs out.

import * as complete from "../../core/complete.ts";
import * as grantAlone from "../../core/index.ts";
import { type Core, Driver, noEndpoints } from "../../platform/driver.ts";
import { SERVERS, type ServerProfile } from "../../platform/servers/index.ts";
import { driverConfig, fakePlatform, MemoryStorage } from "../../platform/testing/index.ts";
import { integer, markdownTable } from "../desktop/command-line.ts";
import { Exit } from "./exit-codes.ts";
import type { Part } from "./option-parser.ts";

/** `refreshTokenBytes` is 0 if the server issues no refresh tokens. */
type Tokens = Pick<ServerProfile, "accessTokenBytes" | "refreshTokenBytes">;

export const BUILDS = { complete, "grant alone": grantAlone } as const;
type Build = keyof typeof BUILDS;

/** The maximum of `limits.memoryBytes` in device.json. */
const MEMORY_MAX = 65_535;
const STEP = 32;
const A_DAY_MS = 86_400_000;

const SETTINGS = {
  ...driverConfig,
  clientId: "c".repeat(36),
  clientSecret: "s".repeat(32),
  clientAuthentication: complete.ClientAuthentication.CLIENT_SECRET_BASIC,
  scope: "openid offline_access",
};

const ENDPOINTS = {
  ...noEndpoints,
  deviceAuthorization: "https://s.example/code",
  token: "https://s.example/token",
  revocation: "https://s.example/revoke",
};

/** The smallest sufficient memory in bytes, a multiple of 32 or 65535; undefined if that is not enough. */
export function memoryFor(build: Build, tokens: Tokens): number | undefined {
  const core = BUILDS[build];
  if (!suffices(core, tokens, MEMORY_MAX)) return undefined;
  let tooFew = 0;
  let enough = Math.ceil(MEMORY_MAX / STEP);
  while (enough - tooFew > 1) {
    const middle = (tooFew + enough) >> 1;
    if (suffices(core, tokens, middle * STEP)) enough = middle;
    else tooFew = middle;
  }
  return Math.min(enough * STEP, MEMORY_MAX);
}

export function suffices(core: Core, tokens: Tokens, memoryBytes: number): boolean {
  const storage = new MemoryStorage({ capacity: MEMORY_MAX });
  const first = start(core, tokens, memoryBytes, storage);
  if (first === undefined) return false;
  first.clock.advance(60_000);
  if (!isWell(first.driver)) return false;
  // After two hours, a device with a refresh token has refreshed.
  first.clock.advance(A_DAY_MS / 12);
  if (tokens.refreshTokenBytes > 0 && !isWell(first.driver)) return false;
  if (tokens.refreshTokenBytes === 0) return true;
  first.driver.stop();
  const second = start(core, tokens, memoryBytes, storage.clone());
  if (second === undefined) return false;
  second.clock.advance(A_DAY_MS / 12);
  if (!isWell(second.driver) || second.codes() > 0) return false;
  second.driver.signOut();
  second.clock.advance(60_000);
  return second.driver.device.state === grantAlone.State.SIGNED_OUT && second.revoked() === 2;
}

function isWell({ device, isSignedIn }: Driver): boolean {
  return isSignedIn && device.notSaved === 0;
}

function start(core: Core, tokens: Tokens, memoryBytes: number, storage: MemoryStorage) {
  let count = 0;
  let codes = 0;
  let revoked = 0;
  const token = (bytes: number): string => `${++count}`.padEnd(bytes, "ABCDEFGHabcdefgh-_.");
  const response = ({ url }: { readonly url: string }): { body: object } => {
    if (url.startsWith(ENDPOINTS.revocation)) {
      revoked++;
      return { body: {} };
    }
    if (url === ENDPOINTS.deviceAuthorization) {
      codes++;
      return {
        body: {
          device_code: "d".repeat(64),
          user_code: "WDJB-MJHT",
          verification_uri: "https://login.example.com/device",
          verification_uri_complete: "https://login.example.com/device?user_code=WDJB-MJHT",
          expires_in: 1800,
          interval: 5,
        },
      };
    }
    return {
      body: {
        access_token: token(tokens.accessTokenBytes),
        ...(tokens.refreshTokenBytes > 0 && { refresh_token: token(tokens.refreshTokenBytes) }),
        token_type: "Bearer",
        expires_in: 3600,
        scope: SETTINGS.scope,
        id_token: "i".repeat(1500),
      },
    };
  };
  const platform = fakePlatform({ http: { handler: response }, storage, isAtOnce: true });
  try {
    const driver = new Driver({
      core,
      platform,
      config: SETTINGS,
      endpoints: ENDPOINTS,
      memoryBytes,
    });
    driver.start();
    return { driver, clock: platform.clock, codes: () => codes, revoked: () => revoked };
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

const USUAL = [
  ["short opaque tokens", 64, 64],
  ["opaque tokens", 255, 255],
  ["long opaque tokens", 512, 512],
  ["a signed access token, an opaque refresh token", 1000, 128],
  ["the same with more claims", 2048, 512],
  ["both signed", 1500, 1200],
  ["both signed, many claims", 2600, 1700],
  ["the longest that some servers name", 4096, 2048],
] as const;

const TOO_MANY = `more than ${MEMORY_MAX}`;

function rowOf(tokens: Tokens) {
  return {
    access: tokens.accessTokenBytes,
    refresh: tokens.refreshTokenBytes,
    complete: memoryFor("complete", tokens) ?? null,
    grant_alone: memoryFor("grant alone", tokens) ?? null,
  };
}

function cellsOf(tokens: Tokens): string[] {
  const { access, refresh, complete, grant_alone } = rowOf(tokens);
  return [access, refresh || "none", complete ?? TOO_MANY, grant_alone ?? TOO_MANY].map(String);
}

const HEAD = ["access", "refresh", "complete build", "grant alone"];

export function sizingTable(): string {
  const rows = USUAL.map(([tokens, accessTokenBytes, refreshTokenBytes]) => [
    tokens,
    ...cellsOf({ accessTokenBytes, refreshTokenBytes }),
  ]);
  return markdownTable([["tokens", ...HEAD], ...rows]);
}

export function sizingTableOfServers(profiles: readonly ServerProfile[]): string {
  const rows = profiles.map((profile) => [
    `\`${profile.name}\``,
    ...cellsOf(profile),
    String(profile.memoryBytes),
  ]);
  return markdownTable([["server", ...HEAD, "profile gives"], ...rows]);
}

interface Flags {
  access?: number;
  refresh?: number;
  json?: boolean;
}

const HELP = `
Without lengths: a table of usual ones, and of the servers that have a profile.`;

export const sizing: Part = {
  line: (line) =>
    line
      .option("--access <bytes>", "length of the access token", integer(1, MEMORY_MAX))
      .option("--refresh <bytes>", "length of the refresh token; 0: none", integer(0, MEMORY_MAX))
      .option("--json", "access, refresh, complete and grant_alone, one JSON object for each line")
      .addHelpText("after", HELP),
  act: async (line) => {
    const { access, refresh, json } = line.opts<Flags>();
    const print = (text: string): void => void process.stdout.write(`${text}\n`);
    const report = (tokens: Tokens, name: object = {}): void =>
      print(JSON.stringify({ ...name, ...rowOf(tokens) }));
    if (access !== undefined || refresh !== undefined) {
      const tokens = { accessTokenBytes: access ?? 64, refreshTokenBytes: refresh ?? 0 };
      const [, , complete, alone] = cellsOf(tokens);
      if (json) report(tokens);
      else print(`complete     ${complete}\ngrant alone  ${alone}`);
      return Exit.DONE;
    }
    process.stderr.write("Measuring with simulated sign-ins; this takes a while.\n");
    if (json) {
      for (const [tokens, accessTokenBytes, refreshTokenBytes] of USUAL)
        report({ accessTokenBytes, refreshTokenBytes }, { tokens });
      for (const profile of SERVERS) report(profile, { server: profile.name });
    } else print(`${sizingTable()}\n${sizingTableOfServers(SERVERS)}`.trimEnd());
    return Exit.DONE;
  },
};
