// Connections that are kept for the next request. Unexpected data on one would be taken for the next response (RFC 9112
// §9.3: responses come in the order of requests): such a connection is closed.

import http from "node:http";
import https from "node:https";
import type { Socket } from "node:net";
import { IDLE_MAX_MS } from "../exchange/limits.ts";

/** The options of a request; its connection is the agent's. TLS options have no effect on plain http. */
export interface TlsSettings extends https.RequestOptions {
  agent: http.Agent;
  connectLimitMs: number;
}

/** How long to keep each connection, as the server has said. */
export const reportedMs = new WeakMap<Socket, number | undefined>();

/** The connections of all sessions of this process. */
export interface Pool {
  readonly plain: http.Agent;
  readonly secure: https.Agent;
  users: number;
}

/** By the longest time that a connection is kept; undefined: as the server says. */
const pools = new Map<number | undefined, Pool>();
const CONNECTIONS_MAX = 32;
const IDLE_MS = 4000;

export function poolOf(idleLimitMs: number | undefined): Pool {
  let pool = pools.get(idleLimitMs);
  if (pool === undefined) {
    const bounds = { maxSockets: CONNECTIONS_MAX, maxFreeSockets: CONNECTIONS_MAX };
    const how = { ...bounds, keepAlive: true, timeout: idleLimitMs ?? IDLE_MS };
    const plain = new http.Agent(how);
    // If Node reads proxies from the environment (NODE_USE_ENV_PROXY=1, --use-env-proxy; Node 22.21 and newer), its own
    // agent has these options. Plain http, which is for this machine, uses no proxy.
    const { proxyEnv } = https.globalAgent.options as { proxyEnv?: unknown };
    const secure = new https.Agent({ ...how, proxyEnv } as https.AgentOptions);
    for (const agent of [plain, secure]) limitKeepAlive(agent, idleLimitMs);
    pool = { plain, secure, users: 0 };
    pools.set(idleLimitMs, pool);
  }
  pool.users++;
  return pool;
}

/** The last one closes kept connections. */
export function leavePool(pool: Pool, idleLimitMs: number | undefined): void {
  if (--pool.users > 0) return;
  pools.delete(idleLimitMs);
  for (const agent of [pool.plain, pool.secure]) agent.destroy();
}

/**
 * Node's own agent obeys the server if its value is below the agent's limit, and early versions up to the last moment:
 * a POST on a closing connection may or may not have been processed.
 */
function limitKeepAlive(agent: http.Agent, idleLimitMs: number | undefined): void {
  const keep = agent.keepSocketAlive.bind(agent);
  agent.keepSocketAlive = (socket) => {
    const [most, otherwise] = [idleLimitMs ?? IDLE_MAX_MS, idleLimitMs ?? IDLE_MS];
    const idleMs = Math.min(reportedMs.get(socket as Socket) ?? otherwise, most);
    if (idleMs === 0) return false;
    keep(socket);
    (socket as Socket).setTimeout(idleMs);
    return true;
  };
}
