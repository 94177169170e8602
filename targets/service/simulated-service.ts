// `picogrant-tools/service`: the simulated service in one call, for tests of anybody's client of the device authorization
// grant. Its types stand by themselves: whoever uses it installs nothing else.

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

/** What a test changes most. docs/service.md has more; unknown names are refused. */
export interface SimulatedServiceOptions {
  /** As which server it answers; default "documents". The page of the service says what each does otherwise. */
  readonly dialect?: "documents" | "rfc8628" | "google" | "auth0" | "entra" | "keycloak";
  /** What the issuer has behind the address: a path, or a slash; default "", or as the dialect has it. */
  readonly issuerPath?: string;
  /** Minimum wait between polls, seconds; 1 here, so that tests do not wait long. Some clients refuse 0. */
  readonly interval?: number;
  /** How early a poll may come without a `slow_down`, ms; 250 here: timers are not exact. */
  readonly pollToleranceMs?: number;
  /** Lifetime of device_code and user_code, seconds; default 1800. */
  readonly codeLifetime?: number;
  /** Lifetime of access tokens, seconds; default 3600. */
  readonly accessTokenLifetime?: number;
  /** Whether each refresh hands out a new refresh token (RFC 9700 §4.14); default false. */
  readonly refreshTokenRotation?: boolean;
  /** Seconds added to the interval by each `slow_down`: 5 as in RFC 8628 §3.5; default 0. */
  readonly slowDownGrowth?: number;
  /** Also send `verification_uri_complete` (RFC 8628 §3.3.1), an address with the code in it; default: the dialect's. */
  readonly verificationUriComplete?: boolean;
  /** "awkward" puts / # & % + and a backquote into codes and tokens, as some servers do; default "plain". */
  readonly tokenCharacters?: "plain" | "awkward";
  /** How revoking is answered and what it ends; default "documents". */
  readonly revocation?: "documents" | "rfc7009" | "rfc7009-each-alone" | "none";
  /** What an API demands of a sign-in (RFC 9470); default null: nothing. */
  readonly stepUp?: { readonly acr?: string; readonly maxAge?: number } | null;
  /** Another answer in place of its own, such as `{ refresh: "interaction_required" }`; default none. */
  readonly provoke?: Readonly<Record<string, string>>;
  readonly [other: string]: unknown;
}

/** Where the service listens, who its users are, and how it behaves. */
export interface SimulatedServiceSettings
  extends Pick<SimulatedServiceOptions, "dialect" | "issuerPath" | "interval"> {
  /** The account that allows each code at once, such as "ada"; default: nobody does. */
  readonly approve?: string;
  /** Port, 0..65535; 0 (the default) lets the system choose. */
  readonly port?: number;
  /** Name or address to listen on; default 127.0.0.1. */
  readonly host?: string;
  /** Private key of `cert`, a PEM text; with both, HTTPS is spoken. */
  readonly key?: string;
  /** Certificate of `host`, a PEM text, with those between it and a root behind it. */
  readonly cert?: string;
  /** Clients and accounts as in a fixture file (docs/service.md); default: `simulatedWorld`. */
  readonly fixture?: unknown;
  /** How the service behaves; what is left out has its default. */
  readonly options?: SimulatedServiceOptions;
}

/** A code that waits for its user. */
export interface WaitingCode {
  /** What the user enters; `approve` and `deny` take it. */
  readonly userCode: string;
  /** The client that asked for it. */
  readonly clientId: string;
  /** The scopes that the client asked for. */
  readonly scopes: readonly string[];
}

/** A service that listens, and whose users a test plays. */
export interface SimulatedService {
  /** Base of every address, without a slash at the end. */
  readonly url: string;
  /** Who it says it is: `url`, and the option `issuerPath`. */
  readonly issuer: string;
  /** Codes that nobody has decided yet, oldest first. */
  pending(): WaitingCode[];
  /** Allows a code as an account, such as "ada". */
  approve(userCode: string, account: string, choices?: ApprovalChoices): DecisionOutcome;
  /** Refuses a code: the next poll is answered with `access_denied`. */
  deny(userCode: string): DecisionOutcome;
  /** Ends all grants of an account, perhaps only to one client; returns how many lived. */
  revokeAllFor(account: string, clientId?: string): number;
  /** Changes options while running; what was issued keeps its lifetimes. */
  setOptions(changes: SimulatedServiceOptions): void;
  /** New keys for ID tokens; the old ones stay in the key set for a day. */
  rotateKeys(): void;
  /** Tells of requests, codes and grants; secrets are masked. Returns a function that stops it. */
  observe(observer: (event: ServiceEvent) => void): () => void;
  /** Stops listening and ends open connections. */
  close(): Promise<void>;
}

/** The built-in world: its clients (with their secrets) and accounts, to be used or to be copied and changed. */
export const simulatedWorld: {
  readonly clients: readonly { readonly id: string; readonly secret?: string }[];
  readonly accounts: readonly { readonly id: string; readonly name: string }[];
} = builtIn;

/** Starts it on real time and a real socket. @throws Error with one line about an option or the port */
export async function startSimulatedService(
  settings: SimulatedServiceSettings = {},
): Promise<SimulatedService> {
  const { port, host, key, cert, fixture = builtIn, options, approve, ...often } = settings;
  const service = createService({
    ...nodeEnvironment(),
    // Checked when it is read, whatever it is.
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
