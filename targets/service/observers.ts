// Events for the observers of the service: an access log, a simulator's panel, tests. Codes, tokens and client secrets
// are masked before an event is created.

import { mediaType, type ProtocolRequest, type ProtocolResponse, textOf } from "./wire.ts";

/** `atMs` is the service's clock in milliseconds since 1970. */
export type ServiceEvent =
  | {
      type: "exchange";
      atMs: number;
      method: string;
      path: string;
      query: string;
      requestBody: string;
      status: number;
      responseBody: string;
    }
  | {
      type: "attempt";
      atMs: number;
      state: "pending" | "granted" | "refused" | "claimed";
      clientId: string;
      accountId?: string | undefined;
      /** The granted scopes, if fewer than requested. */
      scopes?: readonly string[] | undefined;
      /** The duration of the grant in seconds, if it is limited. */
      accessSeconds?: number | undefined;
      /** The error code of the refusal: access_denied, admin_policy_enforced or org_internal. */
      refusal?: string | undefined;
    }
  | {
      type: "grant";
      atMs: number;
      change: "issued" | "refreshed" | "revoked" | "evicted" | "expired";
      clientId: string;
      accountId: string;
    }
  /** The client closed the connection before its request was complete. There is no response. */
  | { type: "gone"; atMs: number; method: string; path: string }
  /** The service itself failed and responded with 500, or another observer threw. */
  | { type: "failure"; atMs: number; message: string }
  | { type: "security-event"; atMs: number; receiverId: string; eventType: string; jti: string }
  | {
      type: "push";
      atMs: number;
      receiverId: string;
      jti: string;
      /** The HTTP status; 0 if there was no response. */
      status: number;
    };

export type Observer = (event: ServiceEvent) => void;

export class Observers {
  readonly #list = new Set<Observer>();

  /** Whether there is an observer. Without one, callers create no event. */
  get any(): boolean {
    return this.#list.size > 0;
  }

  /** Adds an observer. Returns a function that removes it. */
  add(observer: Observer): () => void {
    this.#list.add(observer);
    return () => this.#list.delete(observer);
  }

  /** Reports an event to every observer. If an observer throws, the others and the service continue. */
  report(event: ServiceEvent): void {
    for (const observer of this.#list) {
      try {
        observer(event);
      } catch (error) {
        this.#report(event.atMs, observer, error);
      }
    }
  }

  /** Reports the exception of the faulty observer to the other observers. The faulty one could throw again. */
  #report(atMs: number, faulty: Observer, error: unknown): void {
    const message = `an observer threw: ${error instanceof Error ? error.message : String(error)}`;
    for (const observer of this.#list) {
      if (observer === faulty) continue;
      try {
        observer({ type: "failure", atMs, message });
      } catch {
        // Reporting this exception too could cause an endless loop.
      }
    }
  }
}

export const SECRET_NAMES: ReadonlySet<string> = new Set([
  ...["client_secret", "client_assertion", "device_code", "user_code", "access_token"],
  ...["refresh_token", "token", "id_token", "code_verifier", "code_challenge", "nonce", "csrf"],
  "verification_uri_complete",
]);
const MASK = "***";

// Parameters whose values may be shown. A name that is in neither list is masked too: a secret with an unencoded "&" is
// parsed as several parameters, so the name may be part of a secret.
const SHOWN_NAMES = new Set([
  ...["client_id", "grant_type", "scope", "token_type_hint", "client_assertion_type"],
  ...["account", "decision", "access"],
  ...["part", "mine", "id", "broadcastStatus", "broadcastType", "maxResults", "pageToken"],
  ...["offerId", "regionsVersion.version", "regionsVersion[version]", "pageSize", "done"],
]);

export function maskForm(text: string): string {
  if (text === "") return "";
  const masked = [...new URLSearchParams(text)].map(([name, value]) => {
    if (SHOWN_NAMES.has(name)) return `${name}=${encodeURIComponent(value)}`;
    return `${SECRET_NAMES.has(name) ? name : "?"}=${MASK}`;
  });
  return masked.join("&");
}

function maskJson(text: string): string {
  try {
    // Some dialects send a message for the user, which contains the user code.
    const holdsCode = text.includes('"user_code"');
    return JSON.stringify(JSON.parse(text), (name, value) =>
      SECRET_NAMES.has(name) || (holdsCode && name === "message") ? MASK : value,
    );
  } catch {
    return `(${text.length} characters that are not JSON)`;
  }
}

export function exchangeEvent(
  atMs: number,
  request: ProtocolRequest,
  response: ProtocolResponse,
): ServiceEvent {
  return {
    type: "exchange",
    atMs,
    method: request.method,
    path: request.path,
    query: maskForm(request.query),
    requestBody: maskBody(request.headers["content-type"], request.body),
    status: response.status,
    responseBody: maskBody(response.headers["content-type"], response.body),
  };
}

function maskBody(contentType: string | undefined, body: Uint8Array): string {
  if (body.length === 0) return "";
  const type = mediaType(contentType ?? "application/x-www-form-urlencoded");
  if (type === "application/json") return maskJson(textOf(body));
  if (type === "application/x-www-form-urlencoded") return maskForm(textOf(body));
  // A page or an unknown type may contain secrets that no rule masks.
  return `(${body.length} bytes of ${type})`;
}

/** The log line of an event, at most 500 characters; undefined if the event is not logged. */
export function accessLogLine(event: ServiceEvent): string | undefined {
  return lineOf(event)?.slice(0, 500);
}

function lineOf(event: ServiceEvent): string | undefined {
  const time = new Date(event.atMs).toISOString().slice(11, 19);
  switch (event.type) {
    case "exchange": {
      const query = event.query === "" ? "" : `?${event.query}`;
      const client = /(?:^|&)client_id=([^&]*)/.exec(event.requestBody)?.[1];
      const details = [client && `client=${client}`, errorOf(event.responseBody)].filter(Boolean);
      return clean([time, event.method, event.path + query, event.status, ...details].join(" "));
    }
    case "attempt":
      return clean(
        [time, "attempt", event.state, event.clientId, event.accountId, event.refusal]
          .filter(Boolean)
          .join(" "),
      );
    case "security-event":
      return clean([time, "event", event.eventType, "for", event.receiverId].join(" "));
    case "failure":
      return clean(`${time} FAILURE ${event.message}`);
    case "gone":
      return clean(`${time} ${event.method} ${event.path} the client closed the connection`);
    case "push":
      return clean([time, "push", event.status || "unreachable", event.receiverId].join(" "));
    default:
      return undefined;
  }
}

function errorOf(responseBody: string): string | undefined {
  return /"error(?:_code)?":"([^"]{1,60})"/.exec(responseBody)?.[1];
}

/** Replaces all characters but printable ASCII, because a terminal would execute control characters. */
export function clean(text: string): string {
  return text.replace(/[^\x20-\x7e]/g, "?");
}
