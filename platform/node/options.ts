// Parses the options of `signIn` and of `picogrant login`. Reports all problems together, before anything is created or
// requested.

import {
  checkedCopy,
  hasProblem,
  listed,
  type Problem,
  type Schema,
  whenReadable,
} from "../configuration/schema-check.ts";
import type {
  Client,
  NamedServer,
  ServerAddresses,
  ServerChoice,
  ServerIdentity,
  Settings,
} from "../configuration/settings.ts";
import schema from "../configuration/sign-in.schema.json";
import { endpointProblems } from "../driver/endpoints.ts";
import { headersProblems } from "../driver/headers.ts";
import type { DriverOptions } from "../driver/options.ts";
import { addressProblem } from "../servers/address.ts";
import type { FetchSettings } from "../session/fetch.ts";
import type { SignInHandlers, VerificationPrompt } from "../session/handlers.ts";
import { wrongOption } from "../session/sign-in-error.ts";
import type { ValueStorage } from "../storage/value-storage.ts";
import { agentProblem, type NodeHttpOptions } from "./http-options.ts";
import type { QrCode } from "./qr-code.ts";

/** The prompt for the user, with a QR code. */
export interface NodeVerificationPrompt extends VerificationPrompt {
  /** A QR code of `verificationUriComplete`, or of `verificationUri` if the server has sent no complete address. */
  readonly qr: QrCode;
}

export interface SignInOptions
  extends Client,
    FetchSettings,
    SignInHandlers<NodeVerificationPrompt> {
  /** The authorization server. */
  readonly server: ServerChoice;
  /**
   * A directory for the tokens (mode 0700), created if necessary. While it contains a session of another client,
   * `signIn` fails with `state_unusable`.
   */
  readonly state?: string | undefined;
  /** Your own storage for the tokens, instead of `state`. Only one program at a time may use it. */
  readonly storage?: ValueStorage | undefined;
  /** At least 16 random bytes. The tokens are sealed with this key before they are written. */
  readonly deviceKey?: Uint8Array | undefined;
  /**
   * Your own headers, such as a client attestation or an API key. For a client assertion, which is not a header (RFC
   * 7523 §2.2), use `clientAuthentication: "private_key_jwt"`.
   */
  readonly headers?: DriverOptions["headers"];
  /**
   * Receives log lines for support about requests, storage and states. A line has at most 160 printable characters. Lines
   * contain no token, code or secret.
   */
  readonly log?: ((line: string) => void) | undefined;
  /** The HTTP client of the sign-in; `session.fetch` uses its `ca`, `agent` and `connectLimitMs`. */
  readonly http?: NodeHttpOptions;
}

/** The parsed options. */
export type NodeSettings = Settings & Omit<SignInOptions, "server">;

/** The default limit of the memory, for tokens of 20,000 bytes each. */
export const SESSION_BYTES = schema.properties.memoryBytes.default;

/**
 * Checks and parses all options. A message never contains a value that may be secret.
 * @throws the result of `refuse`, which gets every problem; by default SignInError `wrong_option` that lists them
 */
export async function parseOptions(
  given: SignInOptions,
  refuse = (problems: readonly Problem[]): Error => wrongOption(listed(problems)),
): Promise<NodeSettings> {
  const { copy, found } = checkedCopy(given, schema as Schema);
  const options = copy as SignInOptions;
  const isRight = (name: string): boolean => !hasProblem(found, name);
  const further = await furtherProblems(options, isRight);
  const problems = [...found.map(explained), ...further.filter(({ message }) => message !== "")];
  if (problems.length > 0) throw refuse(problems);
  const { memoryBytes = SESSION_BYTES } = options;
  return Object.freeze({ ...options, memoryBytes, server: identityOf(options.server) });
}

/** Converts a valid option `server` from any of its forms to the form of the settings. */
export function identityOf(choice: ServerChoice): Settings["server"] {
  if (typeof choice === "string") {
    return choice.includes("://") ? { issuer: choice } : { profile: { name: choice } };
  }
  if ("name" in choice) return { profile: choice as NamedServer };
  const { issuer, profile, endpoints, ...addresses } = choice as ServerAddresses & ServerIdentity;
  if ("token" in choice) return { issuer, endpoints: addresses };
  return { issuer, endpoints, profile: typeof profile === "string" ? { name: profile } : profile };
}

function explained({ path, message }: Problem): Problem {
  const proxy = "is unknown; a proxy is an http.agent, or HTTPS_PROXY with NODE_USE_ENV_PROXY=1";
  return { path: path || "options", message: path === "http.proxy" ? proxy : message };
}

/** Checks rules that the schema cannot express, for options without other problems. The message "" means no problem. */
async function furtherProblems(
  options: SignInOptions,
  isRight: (name: string) => boolean,
): Promise<Problem[]> {
  const { resources = [], allowHttp, headers, http = {}, signer, deviceKey } = options ?? {};
  const messages: [path: string, message: string][] = [];
  if (isRight("resources"))
    for (const [at, address] of resources.entries())
      messages.push([`resources[${at}]`, addressProblem(address, allowHttp)]);
  if (isRight("http")) {
    messages.push(["http.agent", whenReadable(() => agentProblem(http.agent))]);
    messages.push(["http.ca", certificateProblem(http)]);
  }
  if (isRight("signer")) messages.push(["signer", whenReadable(() => signerProblem(signer))]);
  if (isRight("state")) messages.push(...placeProblems(options));
  if (isRight("deviceKey")) messages.push(["deviceKey", keyProblem(deviceKey)]);
  return [
    ...(isRight("server") ? await serverProblems(options) : []),
    ...(isRight("headers") ? headersProblems(headers) : []),
    ...messages.map(([path, message]) => ({ path, message })),
  ];
}

async function serverProblems({ server, allowHttp, ...more }: SignInOptions): Promise<Problem[]> {
  const { issuer, endpoints = {}, profile } = identityOf(server);
  const isComplete = issuer ?? profile ?? (endpoints.deviceAuthorization && endpoints.token);
  const at = (member: string): string =>
    typeof server === "object" && member in server ? `server.${member}` : "server";
  const incomplete =
    "is incomplete: give a profile, an issuer, or the endpoints deviceAuthorization and token";
  const problems = [
    { path: "server", message: isComplete ? "" : incomplete },
    ...endpointProblems(endpoints, allowHttp, at("endpoints")),
    { path: at("issuer"), message: issuer === undefined ? "" : addressProblem(issuer, allowHttp) },
  ];
  if (profile === undefined) return problems;
  const { serverProblems } = await import("../servers/index.ts");
  const { name, ...words } = profile;
  const path = (path: string): string => path.replace(/^server(Parameters)?/, at("profile"));
  const named = serverProblems(name, words, !!more.clientSecret);
  return [...problems, ...named.map((one) => ({ ...one, path: path(one.path) }))];
}

/** Checks certificates that are given as bytes. The schema checks those given as text. */
function certificateProblem({ ca = [] }: NodeHttpOptions): string {
  const texts = [ca].flat().map((text) => `${Buffer.from(text as Buffer)}`);
  const isPem = texts.every((text) => text.includes("-----BEGIN"));
  return isPem ? "" : "must be the text of PEM certificates, not a file name";
}

function signerProblem(signer: SignInOptions["signer"]): string {
  if (signer === undefined) return "";
  const { algorithm, publicJwk, sign } = signer;
  const { kty, crv, x, y } = publicJwk ?? {};
  const isNamed = algorithm === "ES256" && kty === "EC" && crv === "P-256";
  const isKey = [x, y].every((one) => /^[\w-]{43}$/.test(`${one}`)) && !("d" in publicJwk);
  if (isNamed && isKey && typeof sign === "function") return "";
  return "must have algorithm ES256, publicJwk (P-256, without d) and the function sign";
}

function placeProblems({ state, storage }: SignInOptions): [path: string, message: string][] {
  const missing = "is missing: a directory of the program's own for the tokens";
  if (storage === undefined) return [["state", state === undefined ? missing : ""]];
  const both = "stands in place of state: give one of them";
  const problemOf = (name: "load" | "save" | "erase"): string =>
    whenReadable(() => (typeof storage[name] === "function" ? "" : "must be a function"));
  return [
    ["storage", state === undefined ? "" : both],
    ...(["load", "save", "erase"] as const).map((name): [string, string] => [
      `storage.${name}`,
      problemOf(name),
    ]),
  ];
}

const DEVICE_KEY_BYTES_MIN = 16;

function keyProblem(key: Uint8Array | undefined): string {
  if (key === undefined) return "";
  if (key.length < DEVICE_KEY_BYTES_MIN)
    return `must be ${DEVICE_KEY_BYTES_MIN} or more random bytes (given: ${key.length} bytes)`;
  return key.every((byte) => byte === key[0]) ? "must be random: all of its bytes are equal" : "";
}
