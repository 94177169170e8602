// `picogrant-tools/service`: the simulated service in one call, for tests of any client of the device authorization
// grant. Its types are self-contained, so that users install nothing else.

import type { ApprovalChoices, DecisionOutcome } from "./decisions.ts";
import builtIn from "./fixture.json" with { type: "json" };
import type { FixtureInput } from "./fixture.ts";
import { nodeEnvironment } from "./node-environment.ts";
import type { ServiceEvent } from "./observers.ts";
import type { ServiceOptionsInput } from "./options.ts";
import { serve } from "./server.ts";
import { approveAll, createService } from "./service.ts";

export type { ApprovalChoices as Approval, DecisionOutcome as Decision } from "./decisions.ts";
export type { ServiceEvent } from "./observers.ts";

/** The options that tests change most often. docs/service.md lists further ones; unknown names are errors. */
export interface SimulatedServiceOptions {
  /** The server to imitate; default "specification". The page of the service lists the differences. */
  readonly dialect?: "specification" | "rfc8628" | "google" | "auth0" | "entra" | "keycloak";
  /** The issuer's path: a path, or a slash; default "", or the dialect's. */
  readonly issuerPath?: string;
  /** Minimum wait between polls, seconds; default 1, so that tests are short. Some clients reject 0. */
  readonly interval?: number;
  /** How early a poll may arrive without a `slow_down`, ms; default 250, because timers are not exact. */
  readonly pollToleranceMs?: number;
  /** Lifetime of device_code and user_code, seconds; default 1800. */
  readonly codeLifetime?: number;
  /** Lifetime of access tokens, seconds; default 3600. */
  readonly accessTokenLifetime?: number;
  /** Whether each refresh returns a new refresh token (RFC 9700 §4.14); default false. */
  readonly refreshTokenRotation?: boolean;
  /** Seconds added to the interval by each `slow_down`: 5 as in RFC 8628 §3.5; default 0. */
  readonly slowDownGrowth?: number;
  /** Also send `verification_uri_complete` (RFC 8628 §3.3.1); default: the dialect's. */
  readonly verificationUriComplete?: boolean;
  /** "awkward" puts / # & % + and a backquote into codes and tokens, as some servers do; default "plain". */
  readonly tokenCharacters?: "plain" | "awkward";
  /** The behaviour of revocation; default "specification". */
  readonly revocation?: "specification" | "rfc7009" | "rfc7009-each-alone" | "none";
  /** What an API requires of an authentication (RFC 9470); default null: nothing. */
  readonly stepUp?: { readonly acr?: string; readonly maxAge?: number } | null;
  /** Responses that replace the service's own, such as `{ refresh: "interaction_required" }`; default none. */
  readonly provoke?: Readonly<Record<string, string>>;
  readonly [other: string]: unknown;
}

/** The options of `startSimulatedService`. */
export interface SimulatedServiceSettings
  extends Pick<SimulatedServiceOptions, "dialect" | "issuerPath" | "interval"> {
  /** The account that approves each code at once, such as "ada"; default: none. */
  readonly approve?: string;
  /** Port, 0..65535; 0 (the default) lets the system choose. */
  readonly port?: number;
  /** Name or address to listen on; default 127.0.0.1. */
  readonly host?: string;
  /** Private key of `cert`, a PEM text; with both, the service uses HTTPS. */
  readonly key?: string;
  /** Certificate of `host`, a PEM text, followed by intermediate certificates. */
  readonly cert?: string;
  /** Clients and accounts as in a fixture file (docs/service.md); default: `simulatedEnvironment`. */
  readonly fixture?: unknown;
  /** Options of the service; omitted ones have their defaults. */
  readonly options?: SimulatedServiceOptions;
}

/** A pending code. */
export interface WaitingCode {
  /** The user code; `approve` and `deny` take it. */
  readonly userCode: string;
  /** The client that requested it. */
  readonly clientId: string;
  /** The requested scopes. */
  readonly scopes: readonly string[];
}

/** A running service whose users a test controls. */
export interface SimulatedService {
  /** Base of every address, without a slash at the end. */
  readonly url: string;
  /** The issuer: `url` and the option `issuerPath`. */
  readonly issuer: string;
  /** Undecided codes, oldest first. */
  pending(): WaitingCode[];
  /** Approves a code as an account, such as "ada". */
  approve(userCode: string, account: string, choices?: ApprovalChoices): DecisionOutcome;
  /** Denies a code: the next poll gets `access_denied`. */
  deny(userCode: string): DecisionOutcome;
  /** Revokes all grants of an account, optionally only to one client; returns the number of valid ones. */
  revokeAllFor(account: string, clientId?: string): number;
  /** Changes options while running; issued codes and tokens keep their lifetimes. */
  setOptions(changes: SimulatedServiceOptions): void;
  /** New keys for ID tokens; the old ones stay in the key set for a day. */
  rotateKeys(): void;
  /** Reports requests, codes and grants with masked secrets. Returns a function that stops it. */
  observe(observer: (event: ServiceEvent) => void): () => void;
  /** Stops listening and ends open connections. */
  close(): Promise<void>;
}

/** The built-in fixture: its clients (with their secrets) and accounts, to use, or to copy and change. */
export const simulatedEnvironment: {
  readonly clients: readonly { readonly id: string; readonly secret?: string }[];
  readonly accounts: readonly { readonly id: string; readonly name: string }[];
} = builtIn;

/** Starts the service with real time and a real socket. @throws Error with one line about an option or the port */
export async function startSimulatedService(
  settings: SimulatedServiceSettings = {},
): Promise<SimulatedService> {
  const { port, host, key, cert, fixture = builtIn, options, approve, ...often } = settings;
  const service = createService({
    ...nodeEnvironment(),
    // readFixture checks it.
    fixture: fixture as FixtureInput,
    options: { interval: 1, pollToleranceMs: 250, ...often, ...options } as ServiceOptionsInput,
  });
  if (approve !== undefined) approveAll(service, fixture as FixtureInput, approve);
  const server = await serve(service, { port, host, key, cert });
  return {
    url: server.url,
    issuer: service.issuer,
    pending: () =>
      service.pending().map(({ userCode, clientId, scopes }) => ({ userCode, clientId, scopes })),
    approve: (userCode, account, choices) => service.approve(userCode, account, choices),
    deny: (userCode) => service.deny(userCode),
    revokeAllFor: (account, clientId) => service.revokeAllFor(account, clientId),
    setOptions: (changes) => service.setOptions(changes as ServiceOptionsInput),
    rotateKeys: () => service.rotateKeys(),
    observe: (observer) => service.observe(observer),
    close: () => server.close(),
  };
}
