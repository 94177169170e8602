// One visit of a browser: its cookie, its form, its address, and the checks every form goes through.
import type { Context } from "hono";
import { getCookie, setCookie } from "hono/cookie";
import { clientAddress } from "../addresses.ts";
import { baseUrlOf, type ServiceContext } from "../context.ts";
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
    address: addressOf(service, c),
    show: (content, status = 200) => c.html(page(content) as Html & string, status),
  };
}

// The Node server passes its request along; in memory all visitors are one.
function addressOf(service: ServiceContext, c: Context): string {
  const env = c.env as { incoming?: { socket?: { remoteAddress?: string } } } | undefined;
  const socketAddress = env?.incoming?.socket?.remoteAddress ?? "local";
  return clientAddress(
    socketAddress,
    c.req.header("x-forwarded-for"),
    service.options.trustedProxies,
  );
}
