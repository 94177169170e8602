// `picogrant-tools/service`: starts the simulated service with one call, for tests of any client of the device grant.
// The types are self-contained, so that users need no other package.

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

/** The usual options; docs/service.md lists all. A dialect changes some defaults. An unknown name is an error. */
export interface SimulatedServiceOptions {
  /** The server to imitate. Default: "specification". The page about the service lists the differences. */
  readonly dialect?: "specification" | "rfc8628" | "google" | "auth0" | "entra" | "keycloak";
  /** The path of the issuer, or a slash. Default: "", or that of the dialect. */
  readonly issuerPath?: string;
  /** Minimum wait between polls in seconds. Default: 1, so that tests are short. Some clients reject 0. */
  readonly interval?: number;
  /** How early a poll may arrive without a `slow_down`, in milliseconds. Default: 250, because timers are not exact. */
  readonly pollToleranceMs?: number;
  /** Lifetime of device_code and user_code in seconds. Default: 1800. */
  readonly codeLifetime?: number;
  /** Lifetime of access tokens in seconds. Default: 3600. */
  readonly accessTokenLifetime?: number;
  /** Whether each refresh returns a new refresh token (RFC 9700 §4.14). Default: false. */
  readonly refreshTokenRotation?: boolean;
  /** Seconds that each `slow_down` adds to the interval. RFC 8628 §3.5 requires 5. Default: 0. */
  readonly slowDownGrowth?: number;
  /** Whether to send `verification_uri_complete` (RFC 8628 §3.3.1). Default: that of the dialect. */
  readonly verificationUriComplete?: boolean;
  /** "awkward" puts / # & % + and a backquote into device codes and tokens, as some servers do. Default: "plain". */
  readonly tokenCharacters?: "plain" | "awkward";
  /** The rules of the revocation endpoint (docs/service.md). Default: "specification". */
  readonly revocation?: "specification" | "rfc7009" | "rfc7009-each-alone" | "none";
  /** The authentication that an API requires (RFC 9470). Default: null, for no requirement. */
  readonly stepUp?: { readonly acr?: string; readonly maxAge?: number } | null;
  /** Responses that replace the service's own, such as `{ refresh: "interaction_required" }`. Default: none. */
  readonly provoke?: Readonly<Record<string, string>>;
  readonly [other: string]: unknown;
}

/** The options of `startSimulatedService`. */
export interface SimulatedServiceSettings
  extends Pick<SimulatedServiceOptions, "dialect" | "issuerPath" | "interval"> {
  /** The account that approves each code at once, such as "ada". Default: no account. */
  readonly approve?: string;
  /** The port, 0..65535. With 0, the default, the system chooses one. */
  readonly port?: number;
  /** The name or address to listen on. Default: 127.0.0.1. */
  readonly host?: string;
  /** The private key of `cert` as PEM. With `key` and `cert`, the service uses HTTPS. */
  readonly key?: string;
  /** The certificate of `host` as PEM, followed by intermediate certificates. */
  readonly cert?: string;
  /** Clients and accounts, as in a fixture file (docs/service.md). Default: `simulatedEnvironment`. */
  readonly fixture?: unknown;
  /** Options of the service; omitted ones have their defaults. */
  readonly options?: SimulatedServiceOptions;
}

/** A pending code. */
export interface WaitingCode {
  /** The user code, for `approve` and `deny`. */
  readonly userCode: string;
  /** The client that has requested the code. */
  readonly clientId: string;
  /** The requested scopes. */
  readonly scopes: readonly string[];
}

/** A running service whose users a test controls. */
export interface SimulatedService {
  /** The service's address, without a slash at the end. Every other address begins with it, or with the option `baseUrl`. */
  readonly url: string;
  /** The issuer: `url`, or the option `baseUrl`, followed by the option `issuerPath`. */
  readonly issuer: string;
  /** Undecided codes that have not expired, oldest first. */
  pending(): WaitingCode[];
  /** Approves a code as an account, such as "ada". */
  approve(userCode: string, account: string, choices?: ApprovalChoices): DecisionOutcome;
  /** Denies a code. The next poll gets `access_denied`, or the dialect's word for it. */
  deny(userCode: string): DecisionOutcome;
  /** Revokes all grants of an account, or only those to one client. Returns how many of them were valid. */
  revokeAllFor(account: string, clientId?: string): number;
  /** Changes options while the service runs. Codes and tokens that were issued keep their lifetimes. */
  setOptions(changes: SimulatedServiceOptions): void;
  /** Makes new keys for ID tokens. The old ones stay in the key set, by default for a day. */
  rotateKeys(): void;
  /** Reports requests, codes and grants, with masked secrets. Returns a function that stops the reports. */
  observe(observer: (event: ServiceEvent) => void): () => void;
  /** Stops listening and ends open connections. */
  close(): Promise<void>;
}

/** The built-in fixture: its clients (with their secrets) and accounts. To use other data, change a copy. */
export const simulatedEnvironment: {
  readonly clients: readonly { readonly id: string; readonly secret?: string }[];
  readonly accounts: readonly { readonly id: string; readonly name: string }[];
} = builtIn;

/**
 * Starts the service with real time and a real socket.
 * @throws Error with one line if an option is invalid or the port is not available
 */
export async function startSimulatedService(
  settings: SimulatedServiceSettings = {},
): Promise<SimulatedService> {
  const { port, host, key, cert, fixture = builtIn, options, approve, ...often } = settings;
  const service = createService({
    ...nodeEnvironment(),
    fixture: fixture as FixtureInput,
    options: { interval: 1, pollToleranceMs: 250, ...often, ...options } as ServiceOptionsInput,
  });
  if (approve !== undefined) approveAll(service, fixture as FixtureInput, approve);
  const server = await serve(service, { port, host, key, cert });
  return {
    url: server.url,
    get issuer() {
      return service.issuer;
    },
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
