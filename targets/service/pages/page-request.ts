// Browser sessions, and the checks of every form. A session has a random cookie, the chosen account, and a token that
// protects its forms against cross-site request forgery. There are no passwords.

import { createHmac, timingSafeEqual } from "node:crypto";
import { isIP } from "node:net";
import type { Context } from "hono";
import { getCookie, setCookie } from "hono/cookie";
import { baseUrlOf, type ServiceContext } from "../context.ts";
import type { Environment } from "../environment.ts";
import { type Html, type PageContent, page } from "./layout.ts";

const COOKIE = "picogrant_session";

/** Thrown for a form that does not come from a page of this session. The response is 403. */
export class ForeignForm extends Error {}

export interface PageRequest {
  service: ServiceContext;
  sessionId: string;
  /** The token of every form of this session. */
  csrf: string;
  accountId: string | undefined;
  /** The browser's network address, for the limit of wrong codes. */
  address: string;
  show(
    content: PageContent,
    status?: 200 | 400 | 403 | 409 | 410 | 429,
  ): Response | Promise<Response>;
}

/** Reads the session of a GET request. Without a valid cookie, creates a session and sets a cookie. */
export function openPageRequest(service: ServiceContext, c: Context): PageRequest {
  let sessionId = readSession(service, c);
  if (sessionId === undefined) {
    sessionId = service.sessions.create();
    giveCookie(service, c, sessionId);
  }
  return pageRequestOf(service, c, sessionId);
}

/** Signs in an account. The session gets a new id. */
export function signedIn(
  service: ServiceContext,
  c: Context,
  pageRequest: PageRequest,
  accountId: string,
): PageRequest {
  const sessionId = service.sessions.signIn(pageRequest.sessionId, accountId);
  giveCookie(service, c, sessionId);
  return pageRequestOf(service, c, sessionId);
}

function giveCookie(service: ServiceContext, c: Context, sessionId: string): void {
  setCookie(c, COOKIE, sessionId, {
    httpOnly: true,
    sameSite: "Lax",
    path: "/",
    // Behind a proxy, the connection may be plain HTTP although the browser uses HTTPS.
    secure: c.req.url.startsWith("https:") || baseUrlOf(service).startsWith("https:"),
  });
}

/** Reads the session and the form of a POST. @throws ForeignForm */
export async function openForm(
  service: ServiceContext,
  c: Context,
): Promise<{ pageRequest: PageRequest; form: URLSearchParams }> {
  const sessionId = readSession(service, c);
  const form = new URLSearchParams(await c.req.text());
  if (sessionId === undefined || !service.sessions.isFormToken(sessionId, form.get("csrf") ?? ""))
    throw new ForeignForm();
  return { pageRequest: pageRequestOf(service, c, sessionId), form };
}

function readSession(service: ServiceContext, c: Context): string | undefined {
  const value = getCookie(c, COOKIE);
  return value !== undefined && service.sessions.isOwn(value) ? value : undefined;
}

function pageRequestOf(service: ServiceContext, c: Context, sessionId: string): PageRequest {
  return {
    ...{ service, sessionId },
    csrf: service.sessions.formToken(sessionId),
    accountId: service.sessions.accountOf(sessionId),
    address: addressOf(c),
    show: (content, status = 200) => c.html(page(content) as Html & string, status),
  };
}

// The Node server passes its request object in `env`. Without `env`, all visitors have the same address.
function addressOf(c: Context): string {
  const env = c.env as { incoming?: { socket?: { remoteAddress?: string } } } | undefined;
  return env?.incoming?.socket?.remoteAddress ?? "local";
}

// Maximum number of sessions with an account. Above it, the user of the oldest session must sign in again.
const SIGNED_IN_MAX = 10_000;

export class Sessions {
  readonly #accounts = new Map<string, string>();
  readonly #key: Uint8Array;
  readonly #env: Environment;

  constructor(env: Environment) {
    this.#env = env;
    this.#key = env.random(32);
  }

  /** Returns 128 random bits and a MAC, by which the service recognizes its own ids. It stores only those with an account. */
  create(): string {
    const nonce = Buffer.from(this.#env.random(16)).toString("base64url");
    return `${nonce}.${this.#seal("id", nonce)}`;
  }

  isOwn(sessionId: string): boolean {
    const [nonce = "", seal = ""] = sessionId.split(".", 2);
    return areEqual(seal, this.#seal("id", nonce));
  }

  formToken(sessionId: string): string {
    return this.#seal("form", sessionId);
  }

  isFormToken(sessionId: string, token: string): boolean {
    return areEqual(token, this.formToken(sessionId));
  }

  accountOf(sessionId: string): string | undefined {
    return this.#accounts.get(sessionId);
  }

  /** Returns a new session id. Someone who knew the old id, or set it in the browser, loses access. */
  signIn(sessionId: string, accountId: string): string {
    this.#accounts.delete(sessionId);
    const fresh = this.create();
    this.#accounts.set(fresh, accountId);
    const [oldest] = this.#accounts.keys();
    if (this.#accounts.size > SIGNED_IN_MAX) this.#accounts.delete(oldest!);
    return fresh;
  }

  /** Removes the account from the session, which continues. */
  signOut(sessionId: string): void {
    this.#accounts.delete(sessionId);
  }

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
 * Whether the host name is that of the public address, localhost, or any IP address. A foreign site can let its own
 * name point to this service (DNS rebinding), but not an IP address.
 */
export function isOwnName(hostname: string, baseUrl: string): boolean {
  if (hostname === "localhost" || isIP(hostname.replace(/^\[|\]$/g, "")) !== 0) return true;
  return hostname === new URL(baseUrl).hostname;
}
