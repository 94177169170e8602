// `fetch` with an access token: what a session's `fetch` does with addresses, bodies and answers of 401.

/** Where the token comes from: a session. */
export interface TokenSource {
  /** The access token, once it can be used. */
  accessToken(signal?: AbortSignal | null): Promise<string>;
  /** A server has answered 401 to this token: where it is still the one in use, it is refreshed. */
  refused(token: string): void;
}

/** A `Request` has its body as a stream, whatever it was made of; undefined for an address. */
function requestOf(input: string | URL | Request): Request | undefined {
  return input instanceof Request ? input : undefined;
}

/** Answers to requests with a stream as their body cannot be asked for again: it is used up. */
function isReplayable(input: string | URL | Request, { body }: RequestInit): boolean {
  return !((body ?? requestOf(input)?.body) instanceof ReadableStream);
}

/**
 * As the global `fetch`, with the access token in `Authorization` (RFC 6750 §2.1). An answer of 401 has the token
 * refreshed and the request sent again, exactly once, unless its body is a stream, as that of a `Request` always is.
 * @throws whatever the source throws where it has no token any more; whatever `fetch` throws
 */
export async function fetchWithToken(
  source: TokenSource,
  input: string | URL | Request,
  init: RequestInit = {},
): Promise<Response> {
  const signal = init.signal ?? requestOf(input)?.signal;
  const token = await source.accessToken(signal);
  const answer = await send(input, init, token);
  if (answer.status !== 401 || !isReplayable(input, init)) return answer;
  source.refused(token);
  const fresh = await source.accessToken(signal).catch(() => undefined);
  if (fresh === undefined || fresh === token) return answer;
  await answer.body?.cancel();
  return send(input, init, fresh);
}

function send(input: string | URL | Request, init: RequestInit, token: string): Promise<Response> {
  // As with the global one, headers beside a Request stand in place of its own.
  const headers = new Headers(init.headers ?? requestOf(input)?.headers);
  headers.set("authorization", `Bearer ${token}`);
  return fetch(input, { ...init, headers });
}
