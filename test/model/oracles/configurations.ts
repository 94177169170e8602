// What create refuses, and what configError says of it: one member after the other of a configuration that is right
// takes every value below (core/device/config.ts, Config).

import { type Config, ConfigMember } from "../../../core/index.ts";
import { type Scene, same } from "./oracle.ts";

type Rule = (value: unknown) => boolean;

const MEMORY_BYTES = 24_576;
const LINES = 24;

const isText: Rule = (value) => typeof value === "string";
const isTextOrAbsent: Rule = (value) => !value || isText(value);
const areParameters: Rule = (value) => isText(value) && /^(?:&|$)/.test(value as string);
const areMessages: Rule = (value) =>
  isText(value) && (value === "" || (value as string).split("\n").length >= LINES);

function within(least: number, most: number): Rule {
  return (value) => Number.isInteger(value) && Number(value) >= least && Number(value) <= most;
}

function orAbsent(rule: Rule): Rule {
  return (value) => value === undefined || rule(value);
}

const MEMBERS: Readonly<Record<keyof Config, readonly [ConfigMember, Rule]>> = {
  clientId: [ConfigMember.CLIENT_ID, isText],
  clientSecret: [ConfigMember.CLIENT_SECRET, isText],
  clientAuthentication: [ConfigMember.CLIENT_AUTHENTICATION, within(0, 3)],
  server: [ConfigMember.SERVER, isText],
  formerServer: [ConfigMember.FORMER_SERVER, isTextOrAbsent],
  scope: [ConfigMember.SCOPE, isText],
  deviceParameters: [ConfigMember.DEVICE_PARAMETERS, areParameters],
  tokenParameters: [ConfigMember.TOKEN_PARAMETERS, areParameters],
  columns: [ConfigMember.COLUMNS, within(16, 80)],
  rows: [ConfigMember.ROWS, within(2, 8)],
  seed: [ConfigMember.SEED, within(0, 67_108_863)],
  autoStart: [ConfigMember.AUTO_START, within(0, 1)],
  renewalsMax: [ConfigMember.RENEWALS_MAX, within(0, 1000)],
  messages: [ConfigMember.MESSAGES, areMessages],
  startSpreadMs: [ConfigMember.START_SPREAD_MS, orAbsent(within(0, 60_000))],
  pkce: [ConfigMember.PKCE, orAbsent(within(0, 1))],
};

export const CONFIG_MEMBERS = Object.keys(MEMBERS) as (keyof Config)[];

/** The bounds above, what lies beside them, and values of other types. */
const VALUES: readonly unknown[] = [
  ...[-1, 0, 1, 2, 3, 4, 8, 9, 15, 16, 80, 81, 1000, 1001, 60_000, 60_001],
  ...[67_108_863, 67_108_864, 2 ** 32, 2 ** 32 + 1, 16.5, 0.5],
  ...[undefined, null, true, Number.NaN, Number.POSITIVE_INFINITY, ["&a"]],
  ...["", "text", "&a=b", "a&b", "1"],
  ...["line\n".repeat(LINES - 2), "line\n".repeat(LINES - 1), "line\n".repeat(LINES)],
];

export function checkConfigurations(scene: Scene, member: keyof Config): void {
  const { core, ideal } = scene;
  const [number, isRight] = MEMBERS[member];
  for (const value of VALUES) {
    const config = { ...ideal.settings.config, [member]: value } as Config;
    const right = isRight(value) ? ConfigMember.NONE : number;
    const what = `${member} ${JSON.stringify(value)}`;
    const seen = core.configError(config);
    same(scene, "configurations", what, ConfigMember[seen], ConfigMember[right]);
    const isMade = core.create(new Uint8Array(MEMORY_BYTES), config) !== null;
    same(scene, "configurations", `a device with ${what}`, isMade, right === ConfigMember.NONE);
  }
}
