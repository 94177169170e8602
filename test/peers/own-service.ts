// What the scenarios need to know of an authorization server that runs on this machine.

import type { Endpoints } from "../../platform/driver.ts";

/** RFC 6749 §2.3.1, RFC 7591 §2. */
export const METHODS = ["none", "client_secret_post", "client_secret_basic"] as const;
export type Method = (typeof METHODS)[number];

export interface ForeignClient {
  readonly id: string;
  readonly secret: string;
}

export interface ForeignServer {
  readonly name: string;
  readonly issuer: string;
  /** Where it has no metadata that say so. */
  readonly endpoints?: Pick<Endpoints, "deviceAuthorization" | "token">;
  /** A client for each way of authenticating. */
  readonly clients: Readonly<Record<Method, ForeignClient>>;
  readonly scope: string;
  readonly codeLifeS: number;
  readonly accessLifeS: number;
  /** The person at the verification page. */
  approve(address: string, userCode: string): Promise<void>;
  deny(address: string, userCode: string): Promise<void>;
  /** Tells a server in another process what time it is. */
  setTime?(ms: number): void;
  close(): Promise<void>;
}
