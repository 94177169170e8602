// What a driver is made of: the core, the platform, the maker's settings, and what to call.

import type * as complete from "../../core/complete.ts";
import type { Bytes, Platform } from "../contracts.ts";
import type { Filter, Filters } from "../exchange/filter.ts";
import type { DriverLog } from "../exchange/log.ts";
import type { TranslatedClient } from "../servers/profile.ts";
import type { Pkce } from "./code-challenges.ts";
import type { Endpoints } from "./endpoints.ts";
import type { HostHeaders } from "./headers.ts";
import type { Bodies } from "./requests.ts";

/** The core as the driver uses it: the sources, or the built bundle. */
export type Core = Pick<
  typeof complete,
  | "create"
  | "tick"
  | "wakeIn"
  | "responseStart"
  | "responseBody"
  | "responseEnd"
  | "responseFailed"
  | "storageDone"
  | "signIn"
  | "cancel"
  | "signOut"
  | "accessTokenRefused"
  | "setEndpoints"
  | "outcome"
> &
  Partial<typeof complete>;

/** For a server that does not speak RFC 8628: what stands between its language and the core's (servers/). */
export type Translate = (client: TranslatedClient) => Filter;

/** The maker's settings; what the platform determines (display, seed) is added by the driver. */
export type DriverConfig = Omit<
  complete.Config,
  "columns" | "rows" | "seed" | "server" | "formerServer" | "pkce" | "jsonBodies"
> & {
  /** The issuer; by default the address of the token endpoint stands for the server. */
  server?: string | undefined;
};

/** Bytes for the core where nothing else is said: enough for any display, and for short tokens. */
export const MEMORY_BYTES_DEFAULT = 6144;

/** What a driver is made of. */
export interface DriverOptions {
  /** The sources (`picogrant/core`), or the bundle. */
  readonly core: Core;
  /** The five adapters. */
  readonly platform: Platform;
  /** The maker's settings, of which nothing is kept but in `memory`. */
  readonly config: DriverConfig;
  /** Where requests go. */
  readonly endpoints: Endpoints;
  /** Plain http to other machines is taken as it is: for a network that nobody else is on. */
  readonly allowHttp?: boolean | undefined;
  /** Headers of the host's own. */
  readonly headers?: HostHeaders | undefined;
  /** For a server that does not speak RFC 8628 (`picogrant/servers`). */
  readonly translate?: Translate | undefined;
  /** What listens to each exchange, or holds it back (exchange/filter.ts has the order). */
  readonly filters?: Pick<Filters, "known" | "lock" | "recorder">;
  /**
   * In which form parameters of the grant go out: "form" (RFC 6749), or "json" for a server that takes nothing else.
   * Left out: "form". An answer of 415 has the other form tried once, whichever it is.
   */
  readonly bodies?: Bodies | undefined;
  /**
   * "S256": each request for a code has a code challenge (RFC 7636), which the polls prove with the verifier. Left out:
   * none is sent before the server has refused a request with words that name `code_challenge`. Then it is asked once
   * more, with one, unless the memory has no room for that (129 bytes).
   */
  readonly pkce?: Pkce | undefined;
  /** Bytes for the core; 6144 by default. */
  readonly memoryBytes?: number;
  /**
   * @internal So many bytes may the memory grow to, where a token or a record does not fit. It has to be the core from its sources.
   * Left out: it stays as it is.
   */
  readonly growsTo?: number;
  /** After anything that may have changed the device's state. */
  readonly onChange?: () => void;
  /**
   * What an adapter or a callback has thrown, or rejected with; the device goes on. Without it that is thrown to
   * whoever calls the driver next, or by the alarm.
   */
  readonly onError?: (error: unknown) => void;
  /** Lines for whoever helps, without a secret: `driverLog((line) => console.error(line))`. */
  readonly log?: DriverLog | undefined;
  /** Milliseconds until `onChange` is to be called at the latest; asked for each time that the driver goes to sleep. */
  readonly wakeInMs?: () => number;
  /** A piece of an API's answer; the range is only good until return. */
  readonly onApiBody?: (bytes: Bytes, from: number, to: number) => void;
  /**
   * `Authorization` of the polls for security events, such as "Bearer ..." with the receiver's own token
   * (RFC 8936 §2.4 leaves it to the two): the user's access token never goes there. Default: none.
   */
  readonly eventsAuthorization?: string;
  /** Checks the signature of a security event token, `bytes[from..to)`: a JWS in compact form. */
  readonly verifyEvent?: (bytes: Bytes, from: number, to: number) => boolean;
}
