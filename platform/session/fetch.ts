// `fetch` with an access token: how a session's `fetch` handles addresses, redirects, bodies and the status 401.

import type { Keys } from "../exchange/keys.ts";
import { leakGuard } from "../exchange/leak-guard.ts";
import { challengeWith, stepUpOf } from "../exchange/step-up.ts";
import { namedAddressProblem } from "../servers/named-address.ts";
import { SignInError } from "./sign-in-error.ts";

export { challengeWith, stepUpOf } from "../exchange/step-up.ts";

export interface TokenSource {
  accessToken(signal?: AbortSignal | null): Promise<string>;
  /** Reports that a server has responded to this token with 401. If the token is still in use, it is refreshed. */
  refused(token: string): void;
}

export interface FetchSettings {
  /** The servers that may receive the token. Absent: any server, over https. */
  readonly resources?: readonly string[] | undefined;
  /** Allows plain http to other machines, for an isolated network. */
  readonly allowHttp?: boolean | undefined;
  /** The global `fetch`, or a function with the same arguments. */
  readonly fetch?: typeof fetch | undefined;
}

export type KeyedFetchSettings = FetchSettings & { readonly keys?: Keys | undefined };

const REDIRECTS_MAX = 20;

/** Returns the input if it is a `Request`; undefined if it is an address. */
export function requestOf(input: string | URL | Request): Request | undefined {
  // Tests a property, because web frameworks replace the global class.
  return typeof input === "object" && "url" in input ? input : undefined;
}

/** Names of body types that can be read repeatedly (an object may be of another realm). `isUsedUp` adds two more. */
const LASTING = ["Null", "Undefined", "String", "ArrayBuffer", "Blob", "File", "FormData"];

/** Copies the stream of a Request once, so that the request can be repeated (`blob()` would make three copies). */
async function lasting(body: ReadableStream): Promise<Blob> {
  const pieces: BlobPart[] = [];
  for await (const piece of body as unknown as AsyncIterable<BlobPart>) pieces.push(piece);
  return new Blob(pieces);
}

function isUsedUp(body: unknown): boolean {
  const kind = Object.prototype.toString.call(body).slice("[object ".length, -1);
  return !([...LASTING, "URLSearchParams"].includes(kind) || ArrayBuffer.isView(body));
}

export function isRepeatable(input: string | URL | Request, { body }: RequestInit): boolean {
  return !isUsedUp(body ?? requestOf(input)?.body);
}

interface Outgoing {
  readonly url: URL;
  readonly init: RequestInit & { readonly headers: Headers; readonly method: string };
}

function outgoing(input: string | URL | Request, init: RequestInit, token: string): Outgoing {
  const request = requestOf(input);
  const headers = new Headers(init.headers ?? request?.headers);
  headers.set("authorization", `Bearer ${token}`);
  const url = new URL(request?.url ?? input.toString());
  url.hash = "";
  const method = asMeant(init.method ?? request?.method ?? "GET");
  const body = init.body ?? null;
  const signal = init.signal ?? request?.signal ?? null;
  const duplex = isUsedUp(body) ? { duplex: "half" } : {};
  return { url, init: { ...init, ...duplex, method, headers, body, signal, redirect: "manual" } };
}

/** Writes these methods in upper case, as the Fetch standard does. Redirects depend on it. */
function asMeant(method: string): string {
  const known = ["DELETE", "GET", "HEAD", "OPTIONS", "POST", "PUT"];
  return known.find((one) => one === method.toUpperCase()) ?? method;
}

/** @throws TypeError if the address must not receive the token */
function lookAt(url: URL, token: string, settings: FetchSettings): void {
  const { resources, allowHttp = false } = settings;
  const isMeant = resources?.some((address) => new URL(address).origin === url.origin) ?? true;
  const address = isMeant ? url.origin : "";
  const problem = leakGuard(url.href, { address, allowHttp, secrets: [token] });
  if (problem !== "") throw new TypeError(`fetch: ${url.origin}: ${problem}`);
}

/** Implements `Session.fetch`: adds the token, follows redirects, and repeats the request once after a 401. */
export async function fetchWithToken(
  source: TokenSource,
  settings: KeyedFetchSettings,
  input: string | URL | Request,
  init: RequestInit = {},
): Promise<Response> {
  const request = requestOf(input);
  const signal = init.signal ?? request?.signal;
  const redirect = init.redirect ?? request?.redirect ?? "follow";
  const token = await source.accessToken(signal);
  const body = init.body ?? (request?.body ? await lasting(request.body) : null);
  const sendWith = (bearer: string): Promise<FetchResult> =>
    follow(outgoing(input, { ...init, body }, bearer), redirect, bearer, settings);
  const { response, isRefused } = await sendWith(token);
  if (isRefused) source.refused(token);
  if (!isRefused || isUsedUp(body)) return response;
  const fresh = await source.accessToken(signal).catch(() => signal?.throwIfAborted());
  if (typeof fresh !== "string" || fresh === token) return response;
  await response.body?.cancel();
  return (await sendWith(fresh)).response;
}

interface FetchResult {
  readonly response: Response;
  /** Whether a server has rejected the token with 401, and not the strength of the user's sign-in (RFC 9470). */
  readonly isRefused: boolean;
}

/** Follows redirects itself, because `fetch` might send the token or other headers to another server. */
async function follow(
  first: Outgoing,
  redirect: RequestRedirect,
  token: string,
  settings: KeyedFetchSettings,
): Promise<FetchResult> {
  let { url, init } = first;
  const keys = settings.keys?.isBound ? settings.keys : undefined;
  let mayRepeat = !isUsedUp(init.body);
  for (let redirects = 0; ; ) {
    const hasToken = init.headers.has("authorization");
    if (hasToken && keys) {
      init.headers.set("authorization", `DPoP ${token}`);
      init.headers.set(...(await keys.proof(init.method, url.href, token).catch(signerFailed)));
    }
    if (hasToken) lookAt(url, token, settings);
    const response = await (settings.fetch ?? fetch)(url.href, init);
    const isNonceRequired = hasToken && keys && hasRequired(response, url, keys);
    if (isNonceRequired && mayRepeat) {
      mayRepeat = false;
      await response.body?.cancel();
      continue;
    }
    const to = redirect === "manual" ? undefined : redirection(response, url);
    const rest = to && afterRedirect(init, response.status, to.origin === url.origin);
    // If the request cannot or must not be repeated, return the redirect itself to the program.
    if (to === undefined || (rest === undefined && redirect !== "error")) {
      const isRefused = hasToken && response.status === 401 && stepUpOf(response) === undefined;
      return { response, isRefused: isRefused && !isNonceRequired };
    }
    await response.body?.cancel();
    if (redirect === "error" || rest === undefined) throw new TypeError("fetch: a redirect");
    if (redirects++ === REDIRECTS_MAX) throw new TypeError("fetch: too many redirects");
    const problem = namedAddressProblem(to.href, url.href, settings.allowHttp);
    if (problem !== "") throw new TypeError(`fetch: a redirect to ${to.origin}, which ${problem}`);
    url = to;
    init = rest;
  }
}

function signerFailed({ message }: Error): never {
  throw new SignInError("signer_failed", "developer", `${message}; check the option signer`);
}

/** Stores the nonce of a response. @returns whether the request must be repeated with it (RFC 9449 §9) */
function hasRequired({ headers, status }: Response, { href }: URL, keys: Keys): boolean {
  const nonce = headers.get("dpop-nonce") ?? "";
  if (keys.received(href, nonce) !== "" || nonce === "" || status !== 401) return false;
  return challengeWith("use_dpop_nonce", headers.get("www-authenticate") ?? "") !== undefined;
}

/** Returns the target of a redirect; undefined if the response is not a redirect (RFC 9110 §15.4). */
function redirection({ status, headers }: Response, from: URL): URL | undefined {
  const location = headers.get("location");
  if (location === null || ![301, 302, 303, 307, 308].includes(status)) return undefined;
  const to = new URL(location, from);
  to.hash = "";
  return to;
}

/** Another server gets no token, no body, no header except Accept. @returns undefined: do not follow the redirect */
function afterRedirect(
  init: Outgoing["init"],
  status: number,
  isSameServer: boolean,
): Outgoing["init"] | undefined {
  const { method, body } = init;
  const isReading = method === "GET" || method === "HEAD";
  // By the Fetch standard, the next request after these statuses is a GET without a body.
  const becomesGet = !isReading && (status === 303 || (status < 303 && method === "POST"));
  if (!isSameServer) {
    if (!isReading && !becomesGet) return undefined;
    const accept = init.headers.get("accept");
    const headers = new Headers(accept === null ? {} : { accept });
    return { ...init, method: becomesGet ? "GET" : method, body: null, headers };
  }
  if (!becomesGet) return isUsedUp(body) ? undefined : init;
  const headers = new Headers(init.headers);
  for (const name of ["encoding", "language", "location", "type", "length"]) {
    headers.delete(`content-${name}`);
  }
  return { ...init, method: "GET", body: null, headers };
}
