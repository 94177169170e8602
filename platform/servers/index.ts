// Server profiles by name. A profile and its parameters provide all settings that a sign-in at the server needs, except
// the client's identifier and secret.

import { nameMeant, type Problem } from "../configuration/schema-check.ts";
import type { Filter } from "../exchange/filter.ts";
import {
  type Addresses,
  type ClientAuthenticationName,
  PATTERNS,
  type ProfileParameter,
  ServerError,
  type ServerProfile,
  type TranslatedClient,
  type UserInfo,
} from "./profile.ts";
import table from "./servers.json";
import { TRANSLATIONS } from "./translated.ts";
import { renamed, Translating } from "./translation.ts";

export type * from "./profile.ts";
export { ServerError } from "./profile.ts";

/**
 * All profiles: first the servers that implement RFC 8628, then those that need a translation. test/servers/recordings.http
 * names the sources of each profile.
 */
export const SERVERS: readonly ServerProfile[] = table.map((row) => {
  const translate = TRANSLATIONS[row.name];
  return { ...(row as object as ServerProfile), ...(translate && { translate }) };
});

/** A profile whose parameters are filled in. */
export interface Server {
  readonly profile: ServerProfile;
  /** The issuer of the server's ID tokens; undefined if unknown. */
  readonly issuer: string | undefined;
  readonly addresses: Addresses;
  readonly clientAuthentication: ClientAuthenticationName;
  /** The endpoint that returns the user of an access token; undefined if unknown. */
  readonly userInfo: UserInfo | undefined;
  /** The server's translation; undefined if it needs none. `at`: addresses that replace the profile's. */
  readonly translate: ((client: TranslatedClient, at?: Addresses) => Filter) | undefined;
}

const ALIASES: Readonly<Record<string, string>> = { azure: "microsoft", entra: "microsoft" };

/** The name of the profile that a user means, ignoring case and resolving aliases; `name` itself if there is none. */
export function profileName(name: string): string {
  const lower = name.toLowerCase();
  const meant = ALIASES[lower] ?? lower;
  return SERVERS.some((known) => known.name === meant) ? meant : name;
}

const profileOf = (name: string): ServerProfile | undefined =>
  SERVERS.find((known) => known.name === profileName(name));

/**
 * Returns the problems of a profile's name and parameters, [] if there are none.
 * @param words the profile's parameters: `{ host: "sso.example.com", realm: "home" }`
 */
export function serverProblems(
  name: string,
  words: Readonly<Record<string, string>>,
  hasSecret: boolean,
): Problem[] {
  const profile = profileOf(name);
  if (profile === undefined) {
    const names = SERVERS.map((known) => known.name);
    const meant = nameMeant(name, names) ?? (name.includes(".") ? `https://${name}` : "");
    const known = `must be one of: ${names.join(", ")}; or an issuer's address, or addresses`;
    const message = meant === "" ? known : `is unknown; did you mean ${meant}?`;
    return [{ path: "server", message }];
  }
  const { parameters, secret, title } = profile;
  const known = Object.keys(parameters).join(", ") || "none";
  const messages = Object.keys({ ...words, ...parameters }).map((word) => {
    const of = Object.hasOwn(parameters, word) ? parameters[word]! : undefined;
    const value = of && givenOrDefault(word, of, words);
    let message = "";
    if (of === undefined) message = `is unknown; ${profile.name} has: ${known}`;
    else if (value === undefined) message = `is missing: ${of.description}`;
    else if (!PATTERNS[of.pattern].test(value)) message = `must be ${of.description}`;
    return { path: `serverParameters.${word}`, message };
  });
  const missing = `is missing: a client of ${title} has one`;
  const needed = { path: "clientSecret", message: missing };
  return [
    ...messages.filter(({ message }) => message !== ""),
    ...(secret === "required" && !hasSecret ? [needed] : []),
  ];
}

function givenOrDefault(
  word: string,
  parameter: ProfileParameter,
  words: Readonly<Record<string, string>>,
): string | undefined {
  return Object.hasOwn(words, word) ? words[word] : parameter.default;
}

/** @throws ServerError that names the first problem of `serverProblems` */
export function serverOf(
  name: string,
  words: Readonly<Record<string, string>>,
  hasSecret: boolean,
): Server {
  const [problem] = serverProblems(name, words, hasSecret);
  if (problem) throw new ServerError(problem.path, problem.message);
  const profile = profileOf(name)!;
  const values = Object.fromEntries(
    Object.entries(profile.parameters).map(([word, one]) => [
      word,
      givenOrDefault(word, one, words)!,
    ]),
  );
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
    userInfo: profile.userInfo && userInfoAt(profile.userInfo, values.host!, fill),
    translate: translate && ((client, at = addresses) => new Translating(at, translate(client))),
  };
}

function userInfoAt(
  { address, scheme, hosted }: UserInfo,
  host: string,
  fill: (text: string) => string,
): UserInfo {
  const whole = fill(hosted && RegExp(hosted.host).test(host) ? hosted.address : address);
  return { address: whole, ...(scheme !== undefined && { scheme }) };
}

/** Removes the secret from device authorization requests, for a server that rejects it there. */
function withoutSecret({ codeWithoutSecret }: ServerProfile): ServerProfile["translate"] {
  if (!codeWithoutSecret) return undefined;
  return () => ({
    request: (purpose, fields) =>
      purpose === "code" ? { fields: renamed(fields, { client_secret: undefined }) } : undefined,
  });
}
