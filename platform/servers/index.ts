// Server profiles by name: a profile and its parameters provide everything that a driver needs besides the client
// identifier.

import type { Filter } from "../exchange/filter.ts";
import { nameMeant } from "../text/name-suggestion.ts";
import { PLAIN } from "./plain.ts";
import type {
  Addresses,
  ClientAuthenticationName,
  ServerProfile,
  TranslatedClient,
  UserInfo,
} from "./profile.ts";
import { ServerError } from "./server-error.ts";
import { TRANSLATED } from "./translated.ts";
import { renamed, Translating } from "./translation.ts";

export type * from "./profile.ts";
export { ServerError } from "./server-error.ts";

/** All profiles: first those of servers that implement RFC 8628, then those with a translation. */
export const SERVERS: readonly ServerProfile[] = [...PLAIN, ...TRANSLATED];

/** A profile with its parameters filled in. */
export interface Server {
  readonly profile: ServerProfile;
  /** The issuer of its ID tokens; undefined if unknown. */
  readonly issuer: string | undefined;
  readonly addresses: Addresses;
  readonly clientAuthentication: ClientAuthenticationName;
  /** The endpoint that names the user of an access token; undefined if unknown. */
  readonly userInfo: UserInfo | undefined;
  /** Undefined for a server that implements RFC 8628. `at`: its addresses, if they are not the profile's. */
  readonly translate: ((client: TranslatedClient, at?: Addresses) => Filter) | undefined;
}

/** Other names of servers. */
const ALIASES: Readonly<Record<string, string>> = { azure: "microsoft", entra: "microsoft" };

/** The name of the profile that a user means, in any case; the same text if there is none. */
export function profileName(name: string): string {
  const lower = name.toLowerCase();
  const meant = ALIASES[lower] ?? lower;
  return SERVERS.some((known) => known.name === meant) ? meant : name;
}

/** @throws ServerError if there is no such profile */
export function profileOf(name: string): ServerProfile {
  const profile = SERVERS.find((known) => known.name === profileName(name));
  if (profile === undefined) {
    const names = SERVERS.map((known) => known.name);
    const meant = nameMeant(name, names) ?? (name.includes(".") ? `https://${name}` : "");
    const known = `must be one of: ${names.join(", ")}; or an issuer's address, or addresses`;
    throw new ServerError("server", meant === "" ? known : `is unknown; did you mean ${meant}?`);
  }
  return profile;
}

/**
 * @param words the profile's parameters: `{ host: "sso.example.com", realm: "home" }`
 * @throws ServerError that names the parameter that is missing, invalid or unknown
 */
export function serverOf(
  name: string,
  words: Readonly<Record<string, string>>,
  hasSecret: boolean,
): Server {
  const profile = profileOf(name);
  const values = valuesOf(profile, words);
  if (profile.secret === "required" && !hasSecret) {
    throw new ServerError("clientSecret", `is missing: a client of ${profile.title} has one`);
  }
  const fill = (text: string): string =>
    text.replace(/\{([a-z]+)\}/g, (_, word: string) => values[word]!);
  const addresses = {
    deviceAuthorization: fill(profile.deviceAuthorization),
    token: fill(profile.token),
    revocation: fill(profile.revocation),
  };
  const translate = profile.translate ?? (hasSecret ? withoutSecret(profile) : undefined);
  return {
    profile,
    issuer: profile.issuer && fill(profile.issuer),
    addresses,
    clientAuthentication: hasSecret ? profile.withSecret : "none",
    userInfo: profile.userInfo && userInfoAt(profile.userInfo, values, fill),
    translate: translate && ((client, at = addresses) => new Translating(at, translate(client))),
  };
}

function userInfoAt(
  { address, scheme, hosted }: UserInfo,
  values: Readonly<Record<string, string>>,
  fill: (text: string) => string,
): UserInfo {
  const isHosted = hosted?.host.test(values.host!) === true;
  const whole = fill(isHosted ? hosted.address : address);
  return scheme === undefined ? { address: whole } : { address: whole, scheme };
}

/** Leaves the secret out of device authorization requests if the server rejects it there. */
function withoutSecret({ codeWithoutSecret }: ServerProfile): ServerProfile["translate"] {
  if (!codeWithoutSecret) return undefined;
  return () => ({
    request: (purpose, url, fields) =>
      purpose === "code"
        ? { url, fields: renamed(fields, { client_secret: undefined }) }
        : undefined,
    response: () => undefined,
  });
}

function valuesOf(
  profile: ServerProfile,
  words: Readonly<Record<string, string>>,
): Record<string, string> {
  const known = Object.entries(profile.parameters);
  for (const word of Object.keys(words)) {
    if (Object.hasOwn(profile.parameters, word)) continue;
    const names = known.map(([name]) => name).join(", ") || "none";
    throw new ServerError(`serverParameters.${word}`, `is unknown; ${profile.name} has: ${names}`);
  }
  const values: Record<string, string> = {};
  for (const [word, { description, default: standard, pattern }] of known) {
    const value = Object.hasOwn(words, word) ? words[word] : standard;
    const path = `serverParameters.${word}`;
    if (value === undefined) throw new ServerError(path, `is missing: ${description}`);
    if (!pattern.test(value)) throw new ServerError(path, `must be ${description}`);
    values[word] = value;
  }
  return values;
}
