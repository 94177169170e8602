// Validates the newest ID token with the keys of its issuer. Loaded on demand.

import type { ReceivedIdToken } from "../exchange/response-recorder.ts";
import { addressProblem, isSameIssuer } from "../servers/address.ts";
import { metadataAddresses, namedAddressProblem } from "../servers/named-address.ts";
import { checkedClaims, type IdTokenClaims, IdTokenProblem } from "./id-token.ts";
import { SignInError } from "./sign-in-error.ts";

/** The client, and how to reach the issuer. */
export interface ClaimsSettings {
  readonly clientId: string;
  readonly clientSecret: string;
  readonly allowHttp: boolean;
  readonly fetch: typeof fetch;
}

const LIMIT_MS = 10_000;
const BYTES_MAX = 262_144;

/**
 * @param issuer undefined if unknown
 * @param before the claims of the previous token; undefined for the first
 * @throws SignInError `wrong_id_token` if it is invalid, `no_metadata` or `unreachable` if the issuer's keys are not
 * available
 */
export async function claimsOf(
  { token, atMs }: ReceivedIdToken,
  issuer: string | undefined,
  settings: ClaimsSettings,
  before: IdTokenClaims | undefined,
): Promise<IdTokenClaims> {
  if (issuer === undefined) throw noIssuer();
  const expected = { ...settings, issuer, receivedAtMs: atMs, sub: before?.sub };
  try {
    return await checkedClaims(token, expected, () => keysOf(issuer, settings));
  } catch (error) {
    if (!(error instanceof IdTokenProblem)) throw error;
    const message = `the ID token ${error.message}`;
    if (!error.isOfTime) throw new SignInError("wrong_id_token", "developer", message);
    const advice = "set the clock of this computer; if it is right, the server's is wrong";
    throw new SignInError("clock_wrong", "user", `${message}; ${advice}`);
  }
}

/** The keys of the issuer, from its metadata (OpenID Connect Discovery 1.0 §3 and §4). */
async function keysOf(issuer: string, settings: ClaimsSettings): Promise<readonly JsonWebKey[]> {
  for (const address of metadataAddresses(issuer)) {
    const { issuer: named, jwks_uri: keys } = await jsonAt(address, settings);
    if (typeof named !== "string" || !isSameIssuer(named, issuer) || typeof keys !== "string")
      continue;
    const problem = namedAddressProblem(keys, issuer, settings.allowHttp);
    if (problem !== "") throw noMetadata(`the issuer's jwks_uri ${problem}`);
    const { keys: found } = await jsonAt(keys, settings);
    if (Array.isArray(found)) return found.filter((key) => key !== null);
    throw noMetadata("the issuer publishes no keys");
  }
  throw noMetadata(`${issuer} does not publish its signing keys or algorithms`);
}

/** A JSON object, empty for other values. @throws SignInError `unreachable` */
async function jsonAt(
  address: string,
  { fetch, allowHttp }: ClaimsSettings,
): Promise<Readonly<Record<string, unknown>>> {
  if (addressProblem(address, allowHttp) !== "") return {};
  let text: string;
  try {
    const signal = AbortSignal.timeout(LIMIT_MS);
    const response = await fetch(address, {
      headers: { accept: "application/json" },
      redirect: "error",
      signal,
    });
    if (response.status !== 200) {
      await response.body?.cancel();
      if (response.status === 429 || response.status > 499)
        throw new Error(`HTTP ${response.status}`);
      return {};
    }
    text = await textIn(response);
  } catch (cause) {
    const message = `${address}: not reachable; try again`;
    throw new SignInError("unreachable", "nobody", message, { cause });
  }
  try {
    // Other values have none of the required members.
    return (JSON.parse(text) ?? {}) as Record<string, unknown>;
  } catch {
    return {};
  }
}

/** The body up to a limit; "" for a longer one. */
async function textIn({ body }: Response): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  for await (const bytes of (body ?? []) as AsyncIterable<Uint8Array>) {
    text += decoder.decode(bytes, { stream: true });
    if (text.length > BYTES_MAX) return "";
  }
  return text;
}

function noMetadata(message: string): SignInError {
  return new SignInError("no_metadata", "developer", `${message}; check the server's address`);
}

function noIssuer(): SignInError {
  const message =
    "an ID token can be checked where the issuer is known: name it as server, or server.issuer";
  return new SignInError("no_metadata", "developer", message);
}
