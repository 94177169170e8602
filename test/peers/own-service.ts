// The interface that the scenarios need from an authorization server on this machine.

import type { Endpoints } from "../../platform/driver.ts";

/** Methods of client authentication (RFC 6749 §2.3.1, RFC 7591 §2). */
export const METHODS = ["none", "client_secret_post", "client_secret_basic"] as const;
export type Method = (typeof METHODS)[number];

export interface ForeignClient {
  readonly id: string;
  readonly secret: string;
}

export interface ForeignServer {
  readonly name: string;
  readonly issuer: string;
  /** The server's endpoints. Required if it has no metadata with them. */
  readonly endpoints?: Pick<Endpoints, "deviceAuthorization" | "token">;
  readonly clients: Readonly<Record<Method, ForeignClient>>;
  readonly scope: string;
  readonly codeLifetimeS: number;
  readonly accessLifetimeS: number;
  approve(address: string, userCode: string): Promise<void>;
  deny(address: string, userCode: string): Promise<void>;
  /** Sets the clock of a server in another process. */
  setTime?(ms: number): void;
  close(): Promise<void>;
}
