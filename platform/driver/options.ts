import type * as complete from "../../core/complete.ts";
import type { Bytes, Platform } from "../contracts.ts";
import type { Filter, Filters } from "../exchange/filter.ts";
import type { DriverLog } from "../exchange/log.ts";
import type { TranslatedClient } from "../servers/profile.ts";
import type { Endpoints } from "./endpoints.ts";
import type { HostHeaders } from "./headers.ts";

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

/** Creates the filter that translates for a server that does not implement RFC 8628. */
export type Translate = (client: TranslatedClient) => Filter;

/** The developer's settings. The driver adds the members of the core's Config that are omitted here. */
export type DriverConfig = Omit<
  complete.Config,
  "columns" | "rows" | "seed" | "server" | "formerServer" | "pkce" | "jsonBodies"
> & {
  /** The issuer. Default: the address of the token endpoint identifies the server. */
  server?: string | undefined;
};

/** Default memory: enough for any display and for short tokens. */
export const MEMORY_BYTES_DEFAULT = 6144;

/** The members of `Keys` (exchange/keys.ts) that a driver uses. */
export interface DriverKeys {
  readonly isBound: boolean;
  /** Returns the filter that adds proofs and client assertions to the requests of this device. */
  exchange(device: () => complete.Device): Filter;
}

/** The options of a driver. */
export interface DriverOptions {
  /** The core: the sources (`picogrant/core`), or a bundle. */
  readonly core: Core;
  readonly platform: Platform;
  readonly config: DriverConfig;
  readonly endpoints: Endpoints;
  /** Allows plain http to other machines, for an isolated network. */
  readonly allowHttp?: boolean | undefined;
  readonly headers?: HostHeaders | undefined;
  /** Translates for a server that does not implement RFC 8628 (`picogrant/servers`). */
  readonly translate?: Translate | undefined;
  /** Signs requests with a key of the device: DPoP and private_key_jwt. */
  readonly keys?: DriverKeys | undefined;
  readonly filters?: Pick<Filters, "known" | "lock" | "recorder">;
  /**
   * The body format of grant requests: "form" (RFC 6749), or "json" for a server that requires it. Default: "form".
   * After a 415, the request is retried once in the other format.
   */
  readonly bodies?: "form" | "json" | undefined;
  /**
   * "S256": each device authorization request has a code challenge (RFC 7636), and the polls have its verifier.
   * Default: only after the server has rejected a request with a message that names `code_challenge`. The request is
   * then retried once with a challenge.
   */
  readonly pkce?: "S256" | undefined;
  /** Memory of the core in bytes; default 6144. */
  readonly memoryBytes?: number | undefined;
  /**
   * @internal The size to which the memory may grow for a token or a record that does not fit. Requires the core from
   * its sources. Default: it does not grow.
   */
  readonly growsTo?: number;
  /** Called after every possible change of the device's state. */
  readonly onChange?: () => void;
  /**
   * Receives what an adapter or a callback has thrown or rejected with; the device continues. Without this callback, the
   * driver throws the error to its next caller, or from the alarm.
   */
  readonly onError?: (error: unknown) => void;
  /** A log without secrets, for support: `driverLog((line) => console.error(line))`. */
  readonly log?: DriverLog | undefined;
  /** Milliseconds until `onChange` must be called at the latest; read each time before the driver sleeps. */
  readonly wakeInMs?: () => number;
  /** Receives the body of a call's response in parts, except of a 401 that is retried. Copy what you need later. */
  readonly onApiBody?: (bytes: Bytes, from: number, to: number) => void;
  /**
   * The `Authorization` header of polls for security events, such as "Bearer ..." with the receiver's own token (RFC
   * 8936 §3 leaves the scheme open). The user's access token is never sent there. Default: none.
   */
  readonly eventsAuthorization?: string;
  /** Verifies signature, issuer and audience of the security event token (compact JWS) in `bytes[from..to)`. */
  readonly verifyEvent?: (bytes: Bytes, from: number, to: number) => boolean;
}
