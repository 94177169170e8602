// `fetch` with an access token: what a session's `fetch` does with addresses, redirects, bodies and answers of 401.

import { leakGuard } from "../exchange/leak-guard.ts";
import { stepUpOf } from "../exchange/step-up.ts";
import { namedAddressProblem } from "../servers/named-address.ts";

export { challengeWith, stepUpOf } from "../exchange/step-up.ts";

/** Where the token comes from: a session. */
export interface TokenSource {
  /** The access token, once it can be used. */
  accessToken(signal?: AbortSignal | null): Promise<string>;
  /** A server has answered 401 to this token: where it is still the one in use, it is refreshed. */
  refused(token: string): void;
}

/** To whom the token may go, and by what. */
export interface FetchSettings {
  /** Addresses of the servers that the token is for: it goes to no other. Absent: to each that is asked over https. */
  readonly resources?: readonly string[] | undefined;
  /** Plain http to other machines is taken as it is: for a network that nobody else is on. */
  readonly allowHttp?: boolean | undefined;
  /** What sends: the global `fetch`, or another that takes an address and the same settings. */
  readonly fetch?: typeof fetch | undefined;
}

/** As the Fetch standard has it. */
const REDIRECTS_MAX = 20;

/** A `Request` has its body as a stream, whatever it was made of; undefined for an address. */
function requestOf(input: string | URL | Request): Request | undefined {
  // By its shape: web frameworks put classes of their own in the place of the global one.
  return typeof input === "object" && "url" in input ? input : undefined;
}

/** What can be read again and again, of whatever realm. All else is used up by it: streams, generators, any iterable. */
const LASTING = ["Null", "Undefined", "String", "ArrayBuffer", "Blob", "File", "FormData"];

/** A Request's body is a stream, whatever it was made of: in one copy it can be sent again (`blob()` makes three). */
async function lasting(body: ReadableStream): Promise<Blob> {
  const pieces: BlobPart[] = [];
  for await (const piece of body as unknown as AsyncIterable<BlobPart>) pieces.push(piece);
  return new Blob(pieces);
}

function isUsedUp(body: unknown): boolean {
  const kind = Object.prototype.toString.call(body).slice("[object ".length, -1);
  return !([...LASTING, "URLSearchParams"].includes(kind) || ArrayBuffer.isView(body));
}

/** It can be sent a second time. */
export function isRepeatable(input: string | URL | Request, { body }: RequestInit): boolean {
  return !isUsedUp(body ?? requestOf(input)?.body);
}

/** What goes out: the parts of a `Request` and of what stands beside it. */
interface Outgoing {
  readonly url: URL;
  readonly init: RequestInit & { readonly headers: Headers; readonly method: string };
}

function outgoing(input: string | URL | Request, init: RequestInit, token: string): Outgoing {
  const request = requestOf(input);
  // As with the global one, headers beside a Request stand in place of its own.
  const headers = new Headers(init.headers ?? request?.headers);
  headers.set("authorization", `Bearer ${token}`);
  const url = new URL(request?.url ?? input.toString());
  url.hash = "";
  const method = asMeant(init.method ?? request?.method ?? "GET");
  const body = init.body ?? null;
  const signal = init.signal ?? request?.signal ?? null;
  // The Fetch standard wants it said where a body is read as it goes.
  const duplex = isUsedUp(body) ? { duplex: "half" } : {};
  return { url, init: { ...init, ...duplex, method, headers, body, signal, redirect: "manual" } };
}

/** As the Fetch standard has it: these count however they are written, and what follows a redirect depends on them. */
function asMeant(method: string): string {
  const known = ["DELETE", "GET", "HEAD", "OPTIONS", "POST", "PUT"];
  return known.find((one) => one === method.toUpperCase()) ?? method;
}

/** @throws TypeError where the token must not go there. What a program passes is named by that. */
function lookAt(url: URL, token: string, settings: FetchSettings): void {
  const { resources, allowHttp = false } = settings;
  const isMeant = resources?.some((address) => new URL(address).origin === url.origin) ?? true;
  const address = isMeant ? url.origin : "";
  const problem = leakGuard(url.href, { address, allowHttp, secrets: [token] });
  if (problem !== "") throw new TypeError(`fetch: ${url.origin}: ${problem}`);
}

/**
 * As `Session.fetch`. @throws TypeError where the token must not go to that address; what the source throws where it has no
 * token any more; the signal's reason; what `fetch` throws
 */
export async function fetchWithToken(
  source: TokenSource,
  settings: FetchSettings,
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
  const isAgain = isRefused && !isUsedUp(body);
  const fresh = isAgain ? await freshToken(source, signal) : undefined;
  if (fresh === undefined || fresh === token) return response;
  await response.body?.cancel();
  return (await sendWith(fresh)).response;
}

/** Undefined where the session has ended: the answer of 401 is the last then. @throws the signal's reason */
async function freshToken(
  source: TokenSource,
  signal: AbortSignal | null | undefined,
): Promise<string | undefined> {
  try {
    return await source.accessToken(signal);
  } catch {
    signal?.throwIfAborted();
    return undefined;
  }
}

interface FetchResult {
  readonly response: Response;
  /** A server that got the token has answered 401, and not for the sign-in behind it (RFC 9470). */
  readonly isRefused: boolean;
}

/** Sends, and follows redirects: an adapter that did would take the token along. */
async function follow(
  first: Outgoing,
  redirect: RequestRedirect,
  token: string,
  settings: FetchSettings,
): Promise<FetchResult> {
  let { url, init } = first;
  for (let count = 0; ; count++) {
    const hasToken = init.headers.has("authorization");
    if (hasToken) lookAt(url, token, settings);
    const response = await (settings.fetch ?? fetch)(url.href, init);
    const to = redirect === "manual" ? undefined : redirection(response, url);
    const rest = to && afterRedirect(init, response.status, to.origin === url.origin);
    if (to !== undefined && redirect === "error") throw new TypeError("fetch: a redirect");
    // Where what was sent cannot be sent again, or must not be, the redirect is the answer.
    if (to === undefined || rest === undefined) {
      const isRefused = hasToken && response.status === 401 && stepUpOf(response) === undefined;
      return { response, isRefused };
    }
    if (count === REDIRECTS_MAX) throw new TypeError("fetch: too many redirects");
    const problem = namedAddressProblem(to.href, url.href, settings.allowHttp);
    if (problem !== "") throw new TypeError(`fetch: a redirect to ${to.origin}, which ${problem}`);
    await response.body?.cancel();
    url = to;
    init = rest;
  }
}

/** Where an answer sends the client, undefined where it does not (RFC 9110 §15.4). */
function redirection({ status, headers }: Response, from: URL): URL | undefined {
  const location = headers.get("location");
  if (location === null || ![301, 302, 303, 307, 308].includes(status)) return undefined;
  const to = new URL(location, from);
  to.hash = "";
  return to;
}

/**
 * What goes out after a redirect. Another server gets nothing that was for the first: no token, no header, no body.
 * @returns undefined where the request cannot be made again
 */
function afterRedirect(
  init: Outgoing["init"],
  status: number,
  isSameServer: boolean,
): Outgoing["init"] | undefined {
  const { method, body } = init;
  const isReading = method === "GET" || method === "HEAD";
  // The Fetch standard: what was sent has arrived, and what came of it is to be read.
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
