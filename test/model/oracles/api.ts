// Compares the data that commands give to the host: a request's address and bytes, a record's bytes and slot.

import {
  Authorization,
  CallState,
  Command,
  type Config,
  ConfigMember,
  Endpoint,
  ErrorCode,
  Field,
  Region,
  State,
} from "../../../core/complete.ts";
import { Calls } from "../ideal/calls.ts";
import { type Document, textOf, type Value } from "../ideal/json.ts";
import { Holder } from "../ideal/purposes.ts";
import type { Request } from "../ideal/requests.ts";
import { encode } from "../ideal/storage.ts";
import { holds, type Scene, same, textAt } from "./oracle.ts";

const name = (endpoint: number): string => Endpoint[endpoint] ?? `endpoint ${endpoint}`;

export function checkRequest(scene: Scene, right: Request, isOneUnderWay: boolean): void {
  const { device, memory } = scene;
  holds(scene, "requests", "a request while another is under way", !isOneUnderWay);
  same(scene, "requests", "the endpoint", name(device.endpoint), name(right.endpoint));
  same(scene, "requests", "isGet", device.isGet, right.isGet ? 1 : 0);
  const target = textAt(memory, device.target, device.targetLength);
  same(scene, "requests", "the target", target, right.target);
  const lent = device.callBody;
  same(scene, "requests", "a lent body", lent !== null, right.isBodyLent);
  let body = textAt(memory, device.body, device.bodyLength);
  if (lent) {
    body = "";
    for (let at = device.callBodyFrom; at < device.callBodyTo; at++) {
      body += String.fromCharCode(lent[at]!);
    }
  }
  same(scene, "requests", "the body", body, right.body);
  if (right.endpoint <= Endpoint.REVOCATION) {
    same(scene, "requests", "isJson", device.isJson === 1, scene.ideal.requests.isJson);
  }
  same(scene, "requests", "Authorization", authorizationOf(scene), right.authorization);
}

function authorizationOf({ device, memory }: Scene): string | undefined {
  if (device.authorization === Authorization.NONE) return undefined;
  const isBearer = device.authorization === Authorization.BEARER;
  const region = isBearer ? Field.ACCESS_TOKEN : Region.CLIENT_CREDENTIALS;
  const text = textAt(memory, device.start[region]!, device.length[region]!);
  return `${isBearer ? "Bearer" : "Basic"} ${text}`;
}

export function checkStorage(scene: Scene, command: number): void {
  const { device, ideal, memory } = scene;
  same(scene, "records", `the slot of ${Command[command]}`, device.slot, ideal.storage.slotDue());
  if (command === Command.ERASE) return;
  const isInside = device.data >= 0 && device.data + device.dataLength <= memory.length;
  holds(scene, "records", "the range of a record is outside the memory", isInside);
  if (command !== Command.STORE) return;
  const right = Buffer.from(encode(ideal.record(), ideal.binding)).toString("hex");
  const seen = Buffer.from(memory.subarray(device.data, device.data + device.dataLength));
  same(scene, "records", "the record", seen.toString("hex"), right);
}

// Checks the state and result of a call, and the values that the host may read.

export function checkCall(scene: Scene): void {
  const { device, ideal } = scene;
  const { calls } = ideal;
  same(scene, "calls", "callState", CallState[device.callState], CallState[calls.state]);
  same(scene, "calls", "hasNextPage", device.hasNextPage === 1, calls.hasNextPage);
  if (calls.state === CallState.DONE) {
    same(scene, "calls", "callError", ErrorCode[device.callError], ErrorCode[calls.error]);
    same(scene, "calls", "callStatus", device.callStatus, calls.status);
    same(scene, "calls", "callErrorField", device.callErrorField, calls.errorField);
    same(scene, "calls", "callBody of a call that is done", device.callBody, null);
  }
}

function regionText({ device, memory }: Scene, region: number): string | undefined {
  const size = device.length[region]!;
  return size < 0 ? undefined : textAt(memory, device.start[region]!, size);
}

/** Compares a value with its region. If the value is too long, the region may contain its start. */
function checkValue(
  scene: Scene,
  what: string,
  field: number,
  right: string | undefined,
  count: number,
): void {
  const seen = regionText(scene, field);
  const capacity = Math.floor(scene.ideal.calls.outputBytes / count);
  if (right !== undefined && right.length > capacity) return;
  same(scene, "calls", what, seen, right);
}

/** Checks the texts that the host may read at the end of a call (SPEC.md). */
export function checkOutcome(scene: Scene): void {
  const { ideal } = scene;
  const { outcome, error, isDone } = ideal.calls;
  const isThere = ideal.holder === Holder.RESPONSE || ideal.holder === Holder.READ;
  if (!outcome || !isDone || !isThere) return;
  const { refusal, addresses } = outcome;
  if (refusal) {
    checkValue(scene, "the refusal's name", Field.VALUE_A, refusal.errors.name, 3);
    checkValue(scene, "the refusal's reason", Field.VALUE_B, refusal.reason, 3);
    checkValue(scene, "the refusal's message", Field.VALUE_C, refusal.message, 3);
  } else if (addresses && !error) {
    checkValue(scene, "device_authorization_endpoint", Field.VALUE_B, addresses.device, 4);
    checkValue(scene, "token_endpoint", Field.VALUE_C, addresses.token, 4);
    checkValue(scene, "revocation_endpoint", Field.VALUE_D, addresses.revocation, 4);
  } else if (outcome.isNothing) {
    for (const field of Calls.VALUES) checkValue(scene, "a value", field, undefined, 1);
  }
}

// Checks the clocks, if the device exposes them, and the granted scopes that fit (RFC 6749 §3.3).

export function checkClocks(scene: Scene): void {
  const { device, ideal } = scene;
  const { clock } = ideal;
  if (typeof device.codeLifetimeS !== "number") return;
  if (ideal.state === State.PENDING) {
    same(scene, "clocks", "codeLifetimeS", device.codeLifetimeS, clock.codeLifetimeS);
    same(scene, "clocks", "codeConfirmed", device.codeConfirmed, ideal.isCodeShown ? 1 : 0);
    same(scene, "clocks", "intervalMs", device.intervalMs, clock.intervalMs);
  }
  if (ideal.hasSession) {
    if (ideal.accessToken) {
      same(scene, "clocks", "accessLifetimeS", device.accessLifetimeS, clock.accessLifetimeS);
    }
    same(scene, "clocks", "refreshLifetimeS", device.refreshLifetimeS, clock.refreshLifetimeS);
  }
}

function scopeOf(value: Value | undefined): string | undefined {
  if (value?.kind !== "list") return textOf(value);
  return value.items.length > 0 ? value.items.map(textOf).join(" ") : undefined;
}

const SCOPE_MAX = 160;

/** Call this after a response with tokens. */
export function checkScope(scene: Scene, { root }: Document): void {
  const { device, memory } = scene;
  const members = root?.kind === "object" ? root.members : [];
  const scope = scopeOf(members.findLast(({ name }) => name === "scope")?.value);
  const end = scope && scope.length > SCOPE_MAX ? scope.lastIndexOf(" ", SCOPE_MAX) : undefined;
  const right = end === undefined ? scope : scope?.slice(0, Math.max(0, end));
  const size = device.length[Field.SCOPE]!;
  const seen = size < 0 ? undefined : textAt(memory, device.start[Field.SCOPE]!, size);
  same(scene, "texts", "the scope", seen, right);
}

// Valid and invalid configurations, and the expected result of configError. The check sets one member of a valid configuration to
// each of the VALUES below (core/device/config.ts, Config).

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
  startSpreadMs: [ConfigMember.START_SPREAD_MS, orAbsent(within(0, 3_600_000))],
  pkce: [ConfigMember.PKCE, orAbsent(within(0, 2))],
  jsonBodies: [ConfigMember.JSON_BODIES, orAbsent(within(0, 1))],
};

export const CONFIG_MEMBERS = Object.keys(MEMBERS) as (keyof Config)[];

const VALUES: readonly unknown[] = [
  ...[-1, 0, 1, 2, 3, 4, 8, 9, 15, 16, 80, 81, 1000, 1001, 3_600_000, 3_600_001],
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
