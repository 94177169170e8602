import type https from "node:https";

/** An agent of node:https, or of a proxy library. Declared here, so that the public types need no types of Node. */
export interface HttpsAgent {
  readonly maxSockets: number;
  destroy(): void;
}

/** Limits, certificates and headers of the HTTP adapter. */
export interface NodeHttpOptions {
  /** Milliseconds for the whole exchange, from `send` to the last byte; default 30 s. */
  timeLimitMs?: number;
  /** Milliseconds for name resolution, connection and TLS handshake together; default 10 s. */
  connectLimitMs?: number;
  /** Longest body in bytes; default 64 KiB. */
  sizeLimitBytes?: number;
  /** PEM certificates to trust instead of Node's own list; at least one. */
  ca?: string | Uint8Array | readonly (string | Uint8Array)[];
  /**
   * Creates the https connections, for example through a proxy. The agent must check certificates, and determines the
   * trusted authorities.
   */
  agent?: HttpsAgent;
  /** `User-Agent`; default "picogrant". */
  userAgent?: string;
  /**
   * How long an idle connection stays open for the next request. Default: a second less than the server's `Keep-Alive`, at
   * most ten minutes, and 4 s without this header. Servers commonly close connections after 5 s. If a poll is sent on a
   * connection that the server is closing, the server may or may not process it, and the tokens in its response would be
   * lost.
   */
  idleLimitMs?: number;
}

/** Options of an agent that disable checks. They would override a request's options, so such agents are rejected. */
const WEAK =
  /^(rejectUnauthorized: false|(checkServerIdentity|servername|secureProtocol): (?!undefined)|(min|max)Version: TLSv1(\.1)?$)/;

/** Returns what is wrong with an agent, "" if nothing is. */
export function agentProblem(agent: object | undefined): string {
  if (agent === undefined) return "";
  const { options = {}, destroy } = agent as Partial<https.Agent>;
  if (typeof destroy !== "function") return "must be an agent of node:https";
  const weak = Object.entries(options).find(([name, value]) => WEAK.test(`${name}: ${value}`));
  return weak === undefined ? "" : `must check what picogrant checks: leave out its ${weak[0]}`;
}
