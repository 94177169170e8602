// A session that looks after itself: what a program would write around `signIn` for a session that is revoked one day, or
// an API that wants more than was asked for at first.

import type { Session } from "../session/session.ts";
import { SignInError } from "../session/sign-in-error.ts";
import { type SignInOptions, signIn } from "./sign-in.ts";

/** The session of the moment, and another one where that is over: made by `keepSignedIn`. */
export interface PersistentSession {
  /**
   * The session. Where there is none (any more) it is signed in first, and `onCode` shows the code; so it is where `scope`
   * has a word that has not been asked for.
   * @throws SignInError as of `signIn`: the next call tries again; `closed` behind `close`
   */
  session(scope?: string): Promise<Session>;
  /**
   * As `session.fetch`. Where the session turns out to be over, and where the API wants a wider scope (RFC 6750 §3.1) or
   * another sign-in (RFC 9470), the person signs in anew and the request is sent again, once, unless its body is used up
   * by reading it.
   * @throws what `session` and `session.fetch` throw
   */
  fetch(input: string | URL | Request, init?: RequestInit): Promise<Response>;
  /** Ends it: a sign-in under way is given up, and the tokens stay for the next start. */
  close(): Promise<void>;
}

/** Signs in when a session is first wanted, and anew whenever that is needed. @param options as those of `signIn` */
export function keepSignedIn(options: SignInOptions): PersistentSession {
  const end = new AbortController();
  const signal = options.signal ? AbortSignal.any([options.signal, end.signal]) : end.signal;
  let requested = options;
  let current: Promise<Session> | undefined;

  /** In place of what is there, which is given back first. */
  const renew = (before: Promise<Session> | undefined, isOver: boolean): Promise<Session> => {
    const own = (async () => {
      const session = await before?.catch(() => undefined);
      await (isOver ? session?.close() : session?.signOut().catch(() => undefined));
      return await signIn({ ...requested, signal });
    })();
    // Whoever wants one next tries again.
    own.catch(() => {
      if (current === own) current = undefined;
    });
    current = own;
    return own;
  };

  const session = async (scope = ""): Promise<Session> => {
    if (end.signal.aborted) throw new SignInError("closed", "nobody", "the session was closed");
    const known = `${requested.scope ?? ""}`.split(" ").filter(Boolean);
    const words = scope.split(" ").filter((word) => word !== "" && !known.includes(word));
    if (words.length > 0) {
      requested = { ...requested, scope: [...known, ...words].join(" ") };
      return await renew(current, true);
    }
    const before = current;
    const found = await before;
    if (found !== undefined && found.status !== "ended") return found;
    return await (current === before ? renew(undefined, true) : session());
  };

  const fetch = async (
    input: string | URL | Request,
    init: RequestInit = {},
    isAgain = false,
  ): Promise<Response> => {
    const one = await session();
    // Loaded by whoever fetches.
    const { challengeWith, isRepeatable, stepUpOf } = await import("../session/fetch.ts");
    const mayRepeat = !isAgain && isRepeatable(input, init);
    let response: Response | undefined;
    try {
      response = await one.fetch(input, init);
    } catch (error) {
      if (!mayRepeat || one.status !== "ended") throw error;
    }
    if (response !== undefined) {
      const { status, headers } = response;
      const header = headers.get("www-authenticate") ?? "";
      const scope = challengeWith("insufficient_scope", header)?.get("scope") ?? "";
      const more = stepUpOf(response);
      const isOver = status === 401 && one.status === "ended";
      if (!mayRepeat || (more === undefined && !isOver && (status !== 403 || scope === "")))
        return response;
      await response.body?.cancel();
      if (more !== undefined) {
        requested = { ...requested, deviceParameters: { ...requested.deviceParameters, ...more } };
        // Unless it has been done for another request meanwhile.
        if ((await session()) === one) await renew(current, false);
      } else if (!isOver) await session(scope);
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
