// One visit of a browser: its session (a random cookie, the account chosen in it, and the token that ties each form to
// it against cross-site request forgery), its address, the name it came by, and the checks every form goes through. No
// passwords: the service is simulated.

import { createHmac, timingSafeEqual } from "node:crypto";
import { isIP } from "node:net";
import type { Context } from "hono";
import { getCookie, setCookie } from "hono/cookie";
import { baseUrlOf, type ServiceContext } from "../context.ts";
import type { Environment } from "../environment.ts";
import { type Html, type PageContent, page } from "./layout.ts";

const COOKIE = "picogrant_session";

/** A form that was not sent by a page of this session: the request is answered 403. */
export class ForeignForm extends Error {}

export interface Visit {
  sessionId: string;
  /** The hidden field that every form of this session carries. */
  csrf: string;
  accountId: string | undefined;
  /** Whom the limit of wrong codes counts. */
  address: string;
  show(
    content: PageContent,
    status?: 200 | 400 | 403 | 409 | 410 | 429,
  ): Response | Promise<Response>;
}

/** Reads the visit of a GET, giving the browser a session cookie if it has none of this service. */
export function openVisit(service: ServiceContext, c: Context): Visit {
  let sessionId = readSession(service, c);
  if (sessionId === undefined) {
    sessionId = service.sessions.create();
    giveCookie(service, c, sessionId);
  }
  return visitOf(service, c, sessionId);
}

/** The visit of an account that has just signed in: the session goes on under a new id. */
export function signedIn(
  service: ServiceContext,
  c: Context,
  visit: Visit,
  accountId: string,
): Visit {
  const sessionId = service.sessions.signIn(visit.sessionId, accountId);
  giveCookie(service, c, sessionId);
  return visitOf(service, c, sessionId);
}

function giveCookie(service: ServiceContext, c: Context, sessionId: string): void {
  setCookie(c, COOKIE, sessionId, {
    httpOnly: true,
    sameSite: "Lax",
    path: "/",
    // Behind a proxy the connection is plain, and the public address says what the browser uses.
    secure: c.req.url.startsWith("https:") || baseUrlOf(service).startsWith("https:"),
  });
}

/** Reads the visit and the form of a POST; throws ForeignForm unless a page of this session sent it. */
export async function openForm(
  service: ServiceContext,
  c: Context,
): Promise<{ visit: Visit; form: URLSearchParams }> {
  const sessionId = readSession(service, c);
  const form = new URLSearchParams(await c.req.text());
  if (sessionId === undefined || !service.sessions.isFormToken(sessionId, form.get("csrf") ?? ""))
    throw new ForeignForm();
  return { visit: visitOf(service, c, sessionId), form };
}

function readSession(service: ServiceContext, c: Context): string | undefined {
  const value = getCookie(c, COOKIE);
  return value !== undefined && service.sessions.isOwn(value) ? value : undefined;
}

function visitOf(service: ServiceContext, c: Context, sessionId: string): Visit {
  return {
    sessionId,
    csrf: service.sessions.formToken(sessionId),
    accountId: service.sessions.accountOf(sessionId),
    address: addressOf(c),
    show: (content, status = 200) => c.html(page(content) as Html & string, status),
  };
}

// The Node server passes its request along; in memory all visitors are one.
function addressOf(c: Context): string {
  const env = c.env as { incoming?: { socket?: { remoteAddress?: string } } } | undefined;
  return env?.incoming?.socket?.remoteAddress ?? "local";
}

// Bounded, so that visitors cannot fill the memory; whoever signed in first signs in again.
const SIGNED_IN_MAX = 10_000;

export class Sessions {
  /** Who signed in, by session id, the oldest first. */
  readonly #accounts = new Map<string, string>();
  readonly #key: Uint8Array;
  readonly #env: Environment;

  constructor(env: Environment) {
    this.#env = env;
    this.#key = env.random(32);
  }

  /**
   * A fresh session id: 128 random bits, and a seal that only this service can make. So ids that were given
   * out need not be remembered, and a browser cannot choose its own.
   */
  create(): string {
    const nonce = Buffer.from(this.#env.random(16)).toString("base64url");
    return `${nonce}.${this.#seal("id", nonce)}`;
  }

  /** Whether the id is one that this service gave out. */
  isOwn(sessionId: string): boolean {
    const [nonce = "", seal = ""] = sessionId.split(".", 2);
    return areEqual(seal, this.#seal("id", nonce));
  }

  /** The token that forms of this session carry. */
  formToken(sessionId: string): string {
    return this.#seal("form", sessionId);
  }

  isFormToken(sessionId: string, token: string): boolean {
    return areEqual(token, this.formToken(sessionId));
  }

  accountOf(sessionId: string): string | undefined {
    return this.#accounts.get(sessionId);
  }

  /**
   * An account signs in: the session goes on under a new id, which is returned. Whoever knew the old one, or
   * planted it in the browser, is left outside (session fixation).
   */
  signIn(sessionId: string, accountId: string): string {
    this.#accounts.delete(sessionId);
    const fresh = this.create();
    this.#accounts.set(fresh, accountId);
    if (this.#accounts.size > SIGNED_IN_MAX) {
      for (const oldest of this.#accounts.keys()) {
        this.#accounts.delete(oldest);
        break;
      }
    }
    return fresh;
  }

  /** Nobody is signed in any more; the session itself goes on. */
  signOut(sessionId: string): void {
    this.#accounts.delete(sessionId);
  }

  /** Signs an account out of every browser. */
  endAll(accountId: string): void {
    for (const [sessionId, account] of this.#accounts)
      if (account === accountId) this.#accounts.delete(sessionId);
  }

  clear(): void {
    this.#accounts.clear();
  }

  #seal(purpose: "id" | "form", text: string): string {
    return createHmac("sha256", this.#key).update(`${purpose} ${text}`).digest("base64url");
  }
}

function areEqual(given: string, expected: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(expected)];
  return a.length === b.length && timingSafeEqual(a, b);
}

/**
 * Whether pages may be shown under this host name: the public address's, localhost, or any IP address. A page
 * elsewhere could make a name of its own point here (DNS rebinding), but no IP address.
 */
export function isOwnName(hostname: string, baseUrl: string): boolean {
  if (hostname === "localhost" || isIP(hostname.replace(/^\[|\]$/g, "")) !== 0) return true;
  return hostname === new URL(baseUrl).hostname;
}
