import type { Session } from "../session/session.ts";
import { SignInError } from "../session/sign-in-error.ts";
import type { SignInOptions } from "./options.ts";

/**
 * A session that signs in again when necessary: after its end, or if an API requires more than the last sign-in.
 * `keepSignedIn` returns it.
 */
export interface PersistentSession {
  /**
   * Returns the current session. If there is none, or if `scope` contains a scope that has not been requested, calls
   * `signIn` first. `signIn` resumes a stored session if it suffices. Otherwise, `onCode` receives a code for the user.
   * @throws SignInError if the sign-in fails, as `signIn` does (the next call signs in again); after `close()`, a
   * SignInError with the code `closed`
   */
  session(scope?: string): Promise<Session>;
  /**
   * Does the same as `session.fetch`. If the session has ended, or if the API requires another scope (RFC 6750 §3.1) or
   * another sign-in (RFC 9470), the user signs in again and the request is repeated once, unless its body has been
   * consumed.
   * @throws what `session` and `session.fetch` throw
   */
  fetch(input: string | URL | Request, init?: RequestInit): Promise<Response>;
  /** Closes the session. A sign-in in progress is cancelled. The tokens stay stored for the next start. */
  close(): Promise<void>;
}

/** A scope (RFC 6749 §3.3). An API may name others, which no server accepts. */
const SCOPE = /^[!#-[\]-~]+$/;

const isOver = ({ status }: Session): boolean => status === "ended" || status === "closed";

export function persistentSession(
  options: SignInOptions,
  signIn: (options: SignInOptions) => Promise<Session>,
): PersistentSession {
  const end = new AbortController();
  let signal = options?.signal ?? end.signal;
  try {
    if (signal instanceof AbortSignal) signal = AbortSignal.any([signal, end.signal]);
  } catch {
    // `signIn` rejects a value that is not a signal. AbortSignal.any of Node 20 would leave Error.stackTraceLimit at 0.
  }
  let requested = options ?? ({} as SignInOptions);
  let current: Promise<Session> | undefined;

  const renew = (before: Promise<Session> | undefined, keeps: boolean): Promise<Session> => {
    const own = (async () => {
      const session = await before?.catch(() => undefined);
      await (keeps ? session?.close() : session?.signOut().catch(() => undefined));
      return await signIn({ ...requested, signal });
    })();
    own.catch(() => {
      if (current === own) current = undefined;
    });
    current = own;
    return own;
  };

  const session = async (scope = ""): Promise<Session> => {
    if (end.signal.aborted) throw new SignInError("closed", "nobody", "the session was closed");
    const known = `${requested.scope ?? ""}`.split(" ").filter(Boolean);
    const words = scope.split(" ").filter((word) => SCOPE.test(word) && !known.includes(word));
    if (words.length > 0) {
      const { scope: earlier } = requested;
      requested = { ...requested, scope: [...known, ...words].join(" ") };
      return await renew(current, true).catch((error) => {
        const rest = requested.scope?.split(" ").filter((word) => !words.includes(word));
        requested = { ...requested, scope: rest?.join(" ") || earlier };
        throw error;
      });
    }
    const before = current;
    const found = await before;
    if (found !== undefined && !isOver(found)) return found;
    return await (current === before ? renew(before, true) : session());
  };

  const fetch = async (
    input: string | URL | Request,
    init: RequestInit = {},
    isAgain = false,
  ): Promise<Response> => {
    const one = await session();
    const { challengeWith, isRepeatable, requestOf, stepUpOf } = await import(
      "../session/fetch.ts"
    );
    const mayRepeat = !isAgain && isRepeatable(input, init);
    let response: Response | undefined;
    try {
      response = await one.fetch(input, init);
    } catch (error) {
      // Other errors do not mean that the request was not processed.
      if (!mayRepeat || !isOver(one) || !(error instanceof SignInError)) throw error;
    }
    if (response !== undefined) {
      const { status, headers } = response;
      const header = headers.get("www-authenticate") ?? "";
      const scope = challengeWith("insufficient_scope", header)?.get("scope") ?? "";
      // Another server, to which the API has redirected, did not get the token.
      const isOther =
        URL.canParse(response.url) &&
        new URL(response.url).origin !== new URL(requestOf(input)?.url ?? `${input}`).origin;
      const more = stepUpOf(response);
      const isUseless = status === 401 && isOver(one);
      if (
        isOther ||
        !mayRepeat ||
        (more === undefined && !isUseless && (status !== 403 || scope === ""))
      )
        return response;
      await response.body?.cancel();
      if (more !== undefined) {
        requested = { ...requested, deviceParameters: { ...requested.deviceParameters, ...more } };
        // Another request may have replaced the session meanwhile.
        if ((await session()) === one) await renew(current, false);
      } else if (!isUseless) await session(scope);
    }
    return await fetch(input, init, true);
  };

  return {
    session,
    fetch: (input, init) => fetch(input, init),
    async close() {
      end.abort();
      await (await current?.catch(() => undefined))?.close();
    },
  };
}
