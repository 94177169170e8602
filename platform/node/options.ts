// Parses the options of `signIn` and of `picogrant login`. Reports all problems together, before anything is created or
// requested. All other modules use only the parsed options.

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
  /** `verificationUriComplete` as a QR code, or `verificationUri` if the server did not send the former. */
  readonly qr: QrCode;
}

export interface SignInOptions
  extends Client,
    FetchSettings,
    SignInHandlers<NodeVerificationPrompt> {
  /** The authorization server. */
  readonly server: ServerChoice;
  /**
   * A directory for the tokens (mode 0700), created if necessary. While it contains a session of another client, it is
   * rejected (`state_unusable`).
   */
  readonly state?: string | undefined;
  /** Stores the tokens in place of `state`. Only one program at a time may use it. */
  readonly storage?: ValueStorage | undefined;
  /** At least 16 random bytes. The tokens are sealed with this key before they are written. */
  readonly deviceKey?: Uint8Array | undefined;
  /**
   * Your own headers, such as a client attestation or an API key. Do not send a client assertion as a header: it belongs
   * into the body, and each request needs a new one (RFC 7523 §2.2).
   */
  readonly headers?: DriverOptions["headers"];
  /**
   * Receives log lines for support about requests and responses. A line has at most 160 printable characters. Lines contain
   * no token, code or secret.
   */
  readonly log?: ((line: string) => void) | undefined;
  /** The HTTP client of the sign-in; `session.fetch` uses its `ca`, `agent` and `connectLimitMs`. */
  readonly http?: NodeHttpOptions;
}

/** The parsed options. */
export type NodeSettings = Settings & Omit<SignInOptions, "server">;

/** Memory for tokens of 20,000 bytes each, such as signed documents. */
export const SESSION_BYTES = schema.properties.memoryBytes.default;

/**
 * Finds every problem, with its path. A message never contains a value that may be secret.
 * @throws the result of `refuse`; by default SignInError `wrong_option` that names every invalid option
 */
export async function parseOptions(
  given: SignInOptions,
  refuse = (problems: readonly Problem[]): Error => wrongOption(listed(problems)),
): Promise<NodeSettings> {
  const { copy, found } = checkedCopy(given, schema as Schema);
  const options = copy as SignInOptions;
  const checks = FURTHER.filter(([name]) => !hasProblem(found, name));
  const further = await Promise.all(checks.map(([, check]) => check(options)));
  const wrong = further.flat().filter(({ message }) => message !== "");
  const problems = [...found.map(explained), ...wrong];
  if (problems.length > 0) throw refuse(problems);
  const { memoryBytes = SESSION_BYTES } = options;
  return Object.freeze({ ...options, memoryBytes, server: identityOf(options.server) });
}

/** Returns the server in its long form. @param choice is valid */
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

/** Rules that the schema cannot express, for options of the right type. A check returns the problem, "" for none. */
const FURTHER: readonly (readonly [
  name: string,
  check: (options: SignInOptions) => Problem[] | Promise<Problem[]>,
])[] = [
  ["server", addressProblems],
  ["server", profileProblems],
  [
    "resources",
    ({ resources = [], allowHttp }) =>
      resources.map((address, at) => ({
        path: `resources[${at}]`,
        message: addressProblem(address, allowHttp),
      })),
  ],
  ["headers", ({ headers }) => headersProblems(headers)],
  [
    "http",
    ({ http = {} }) => [
      { path: "http.agent", message: whenReadable(() => agentProblem(http.agent)) },
    ],
  ],
  ["http", ({ http = {} }) => [{ path: "http.ca", message: certificateProblem(http) }]],
  [
    "signer",
    ({ signer }) => [{ path: "signer", message: whenReadable(() => signerProblem(signer)) }],
  ],
  ["state", placeProblems],
  ["deviceKey", ({ deviceKey }) => [{ path: "deviceKey", message: keyProblem(deviceKey) }]],
];

function addressProblems({ server, allowHttp }: SignInOptions): Problem[] {
  const { issuer, endpoints = {}, profile } = identityOf(server);
  const isComplete = issuer ?? profile ?? (endpoints.deviceAuthorization && endpoints.token);
  const where = typeof server === "object" && "endpoints" in server ? "server.endpoints" : "server";
  const named = typeof server === "string" ? "server" : "server.issuer";
  const incomplete =
    "is incomplete: give a profile, an issuer, or the endpoints deviceAuthorization and token";
  return [
    { path: "server", message: isComplete ? "" : incomplete },
    ...endpointProblems(endpoints, allowHttp, where),
    { path: named, message: issuer === undefined ? "" : addressProblem(issuer, allowHttp) },
  ];
}

/** The profiles are loaded only if one is named. */
async function profileProblems({ server, clientSecret }: SignInOptions): Promise<Problem[]> {
  const { profile } = identityOf(server);
  if (profile === undefined) return [];
  const { serverProblems } = await import("../servers/index.ts");
  const { name, ...words } = profile;
  const at = typeof server === "object" && "profile" in server ? "server.profile" : "server";
  return serverProblems(name, words, !!clientSecret).map(({ path, message }) => ({
    path: path.replace(/^server(Parameters)?/, at),
    message,
  }));
}

/** PEM as bytes. The schema checks PEM as text. */
function certificateProblem({ ca = [] }: NodeHttpOptions): string {
  const isPem = [ca]
    .flat()
    .every((text) => `${Buffer.from(text as Buffer)}`.includes("-----BEGIN"));
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

function placeProblems({ state, storage }: SignInOptions): Problem[] {
  const missing = "is missing: a directory of the program's own for the tokens";
  if (storage === undefined)
    return [{ path: "state", message: state === undefined ? missing : "" }];
  const both = "stands in place of state: give one of them";
  const functions = ["load", "save", "erase"] as const;
  return [
    { path: "storage", message: state === undefined ? "" : both },
    ...functions.map((name) => ({
      path: `storage.${name}`,
      message: whenReadable(() =>
        typeof storage?.[name] === "function" ? "" : "must be a function",
      ),
    })),
  ];
}

/** The minimum of sealed storage. */
const DEVICE_KEY_BYTES_MIN = 16;

function keyProblem(key: Uint8Array | undefined): string {
  if (key === undefined) return "";
  if (key.length < DEVICE_KEY_BYTES_MIN)
    return `must be ${DEVICE_KEY_BYTES_MIN} or more random bytes (given: ${key.length} bytes)`;
  return key.every((byte) => byte === key[0]) ? "must be random: all of its bytes are equal" : "";
}
