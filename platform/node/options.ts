// Validates the options of `signIn` before anything is done: a misspelled name must not count as missing.

import { checkClient } from "../session/client.ts";
import { wrongOption } from "../session/sign-in-error.ts";
import { nameMeant } from "../text/name-suggestion.ts";
import type { NodeHttpOptions } from "./http.ts";
import type { SignInOptions } from "./sign-in.ts";

/** The names of all options; the compiler checks that none is missing. */
const OPTIONS: Record<keyof SignInOptions, 0> = {
  allowHttp: 0,
  clientAuthentication: 0,
  clientId: 0,
  clientSecret: 0,
  deviceKey: 0,
  bodies: 0,
  deviceParameters: 0,
  fetch: 0,
  headers: 0,
  http: 0,
  log: 0,
  memoryBytes: 0,
  pkce: 0,
  onCode: 0,
  onEnd: 0,
  onError: 0,
  onTrouble: 0,
  resources: 0,
  resumeOnly: 0,
  scope: 0,
  server: 0,
  signal: 0,
  state: 0,
  storage: 0,
  tokenParameters: 0,
};
const HTTP_OPTIONS: Record<keyof NodeHttpOptions, 0> = {
  agent: 0,
  ca: 0,
  connectLimitMs: 0,
  idleLimitMs: 0,
  sizeLimitBytes: 0,
  timeLimitMs: 0,
  userAgent: 0,
};
const CALLBACKS = ["log", "onCode", "onEnd", "onError", "onTrouble"] as const;
const DEVICE_KEY_BYTES_MIN = 16;

/** @throws SignInError `wrong_option` that names the first option that is misspelled, missing or invalid */
export function checkOptions(options: SignInOptions): void {
  checkNames(options, OPTIONS, "");
  checkNames(options.http ?? {}, HTTP_OPTIONS, "http.");
  checkServer(options.server);
  checkHttp(options.http ?? {});
  checkPlace(options);
  if (options.server === undefined) {
    throw wrongOption("server is missing: a profile's name, an issuer's address, or addresses");
  }
  for (const name of CALLBACKS) {
    const callback: unknown = options[name];
    if (callback !== undefined && typeof callback !== "function") {
      throw wrongOption(`${name} must be a function`);
    }
  }
  checkClient(options);
  if (options.deviceKey !== undefined) checkDeviceKey(options.deviceKey);
}

function checkHttp({ ca, userAgent = "" }: NodeHttpOptions): void {
  const isPem = (text: unknown): boolean => `${text}`.includes("-----BEGIN");
  if (ca !== undefined && !([ca].flat() as unknown[]).every(isPem)) {
    throw wrongOption("http.ca must be the text of PEM certificates, and no file's name");
  }
  if (!/^[ -~\x80-\xff]*$/.test(userAgent)) {
    throw wrongOption("http.userAgent must be Latin-1 characters");
  }
}

function checkPlace({ state, storage }: SignInOptions): void {
  if (storage === undefined) {
    if (typeof state === "string" && state !== "") return;
    throw wrongOption("state is missing: a directory of the program's own for the tokens");
  }
  if (state !== undefined) throw wrongOption("storage stands in place of state: give one of them");
  for (const name of ["load", "save", "erase"] as const) {
    if (typeof storage?.[name] !== "function") throw wrongOption(`storage.${name} is no function`);
  }
}

/**
 * The members of a server that is named in several ways. Beside addresses only those that a driver uses are allowed.
 */
function checkServer(server: SignInOptions["server"]): void {
  if (typeof server !== "object" || server === null || "name" in server || "token" in server)
    return;
  const addresses = { deviceAuthorization: 0, token: 0, revocation: 0 };
  checkNames(server, { issuer: 0, endpoints: 0, profile: 0 }, "server.");
  const { endpoints = {} } = server as { readonly endpoints?: object };
  checkNames(endpoints, addresses, "server.endpoints.");
}

function checkNames(given: object, known: object, path: string): void {
  const names = Object.keys(known);
  const wrong = Object.keys(given).find((name) => !names.includes(name));
  if (wrong === undefined) return;
  const meant = nameMeant(wrong, names);
  const advice =
    wrong === "proxy"
      ? "; a proxy is an http.agent, or HTTPS_PROXY with NODE_USE_ENV_PROXY=1"
      : meant === undefined
        ? ""
        : `; did you mean ${path}${meant}?`;
  throw wrongOption(`there is no option ${path}${wrong}${advice}`);
}

function checkDeviceKey(key: Uint8Array): void {
  // By its class name, because it may come from another realm, as under jest.
  const isBytes = Object.prototype.toString.call(key) === "[object Uint8Array]";
  if (!isBytes || key.length < DEVICE_KEY_BYTES_MIN) {
    throw wrongOption(`deviceKey must be ${DEVICE_KEY_BYTES_MIN} random bytes or more`);
  }
  if (key.every((byte) => byte === key[0])) {
    throw wrongOption("deviceKey must be random bytes: all of these are alike");
  }
}
