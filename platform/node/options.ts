// What is wrong with the options of `signIn` before anything is done with them. A name that is misspelt would
// otherwise be as good as not given.

import { wrongOption } from "../session/sign-in-error.ts";
import { nameMeant } from "../text/name-suggestion.ts";
import type { NodeHttpOptions } from "./http.ts";
import type { SignInOptions } from "./sign-in.ts";

/** The names of all there are; the compiler sees to it that none is missing. */
const OPTIONS: Record<keyof SignInOptions, null> = {
  allowHttp: null,
  clientAuthentication: null,
  clientId: null,
  clientSecret: null,
  deviceKey: null,
  bodies: null,
  deviceParameters: null,
  fetch: null,
  headers: null,
  http: null,
  log: null,
  memoryBytes: null,
  pkce: null,
  onCode: null,
  onEnd: null,
  onError: null,
  onTrouble: null,
  resources: null,
  resumeOnly: null,
  scope: null,
  server: null,
  signal: null,
  state: null,
  storage: null,
  tokenParameters: null,
};
const HTTP_OPTIONS: Record<keyof NodeHttpOptions, null> = {
  agent: null,
  ca: null,
  connectLimitMs: null,
  idleLimitMs: null,
  sizeLimitBytes: null,
  timeLimitMs: null,
  userAgent: null,
};
const CALLBACKS = ["log", "onCode", "onEnd", "onError", "onTrouble"] as const;
/** As the sealed storage asks for. */
const DEVICE_KEY_BYTES_MIN = 16;

/** @throws SignInError `wrong_option` that names the first option that is misspelt, missing or wrong */
export function checkOptions(options: SignInOptions): void {
  checkNames(options, OPTIONS, "");
  checkNames(options.http ?? {}, HTTP_OPTIONS, "http.");
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
  if (options.deviceKey !== undefined) checkDeviceKey(options.deviceKey);
}

/** The tokens are kept in one place. */
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

function checkNames(given: object, known: object, path: string): void {
  const names = Object.keys(known);
  const wrong = Object.keys(given).find((name) => !names.includes(name));
  if (wrong === undefined) return;
  const meant = nameMeant(wrong, names);
  const advice = meant === undefined ? "" : `; did you mean ${path}${meant}?`;
  throw wrongOption(`there is no option ${path}${wrong}${advice}`);
}

/** The tokens would not be written at all. */
function checkDeviceKey(key: Uint8Array): void {
  if (!(key instanceof Uint8Array) || key.length < DEVICE_KEY_BYTES_MIN) {
    throw wrongOption(`deviceKey must be ${DEVICE_KEY_BYTES_MIN} random bytes or more`);
  }
  if (key.every((byte) => byte === key[0])) {
    throw wrongOption("deviceKey must be random bytes: all of these are alike");
  }
}
