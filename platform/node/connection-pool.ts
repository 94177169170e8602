// Keeps idle connections for the next request. connection.ts closes an idle connection on which unexpected data arrives,
// because the data would count as the next response (RFC 9112 §9.2: responses come in the order of requests).

import http from "node:http";
import https from "node:https";
import type { Socket } from "node:net";
import { checkServerIdentity as checkIdentity, type PeerCertificate } from "node:tls";
import { EXCHANGE_LIMITS, IDLE_MAX_MS } from "../exchange/limits.ts";
import type { NodeHttpOptions } from "./http-options.ts";

/** The options of a request. Its agent creates the connection. TLS options have no effect on plain http. */
export interface TlsSettings extends https.RequestOptions {
  agent: http.Agent;
  connectLimitMs: number;
}

export function tlsSettings({ ca, agent, ...limits }: NodeHttpOptions): TlsSettings {
  const { connectLimitMs = EXCHANGE_LIMITS.connectLimitMs } = limits;
  return {
    connectLimitMs,
    // If there are several addresses, Node tries each for 250 ms by default, which is too short for a slow network.
    ...{ autoSelectFamilyAttemptTimeout: Math.ceil(connectLimitMs / 4) },
    maxHeaderSize: EXCHANGE_LIMITS.headLimitBytes,
    // Set this option explicitly, so that no environment variable can disable the check.
    rejectUnauthorized: true,
    minVersion: "TLSv1.2",
    checkServerIdentity,
    agent: (agent as http.Agent | undefined) ?? https.globalAgent,
    ...(ca !== undefined && { ca: [ca].flat() as Buffer[] }),
  };
}

/**
 * Checks a server's name as Node does, but by RFC 9525 (§2, §6.3): the common name never counts, and a wildcard stands
 * for a whole first label. Rejects certificates with quoted names, because implementations parse them differently.
 */
function checkServerIdentity(host: string, certificate: PeerCertificate): Error | undefined {
  const { subjectaltname = "" } = certificate;
  const isPlain = (name: string): boolean => !name.includes("*") || /^DNS:\*\.[^*]+$/.test(name);
  const names = subjectaltname.includes('"') ? [] : subjectaltname.split(", ").filter(isPlain);
  const subject = {} as PeerCertificate["subject"];
  return checkIdentity(host, { ...certificate, subject, subjectaltname: names.join(", ") });
}

/** How long each connection may stay idle according to the server's last response (`keepAliveMs`). */
export const reportedMs = new WeakMap<Socket, number | undefined>();

interface Pool {
  readonly plain: http.Agent;
  readonly secure: https.Agent;
  users: number;
}

/** The connections of all sessions of this process, by `idleLimitMs` (undefined: the server determines the limit). */
const pools = new Map<number | undefined, Pool>();
const CONNECTIONS_MAX = 32;
const IDLE_MS = 4000;

function newPool(idleLimitMs: number | undefined): Pool {
  const bounds = { maxSockets: CONNECTIONS_MAX, maxFreeSockets: CONNECTIONS_MAX };
  const how = { ...bounds, keepAlive: true, timeout: idleLimitMs ?? IDLE_MS };
  const plain = new http.Agent(how);
  // If Node reads proxies from the environment (NODE_USE_ENV_PROXY=1, --use-env-proxy; Node 22.21, 24.5), its global
  // agent has the option `proxyEnv`. Plain http uses no proxy, because it usually goes to this machine.
  const { proxyEnv } = https.globalAgent.options as { proxyEnv?: unknown };
  const secure = new https.Agent({ ...how, proxyEnv } as https.AgentOptions);
  for (const agent of [plain, secure]) limitKeepAlive(agent, idleLimitMs);
  return { plain, secure, users: 0 };
}

/** The connections of one adapter. */
export interface Transport {
  readonly tls: TlsSettings;
  readonly plain: http.Agent;
  /** Called once by each adapter. The last adapter closes the idle connections. */
  leave(): void;
}

export function transportOf(options: NodeHttpOptions): Transport {
  const { agent, idleLimitMs } = options;
  const pool = pools.get(idleLimitMs) ?? newPool(idleLimitMs);
  const { plain, secure } = pool;
  pools.set(idleLimitMs, pool);
  pool.users++;
  const tls = { ...tlsSettings(options), ...(agent === undefined && { agent: secure }) };
  const leave = (): void => {
    if (--pool.users > 0) return;
    pools.delete(idleLimitMs);
    for (const each of [plain, secure]) each.destroy();
  };
  return { tls, plain, leave };
}

/**
 * Sets how long an agent keeps an idle connection. Without this, Node would not wait longer than the agent's own limit,
 * and old versions would send requests up to the server's limit (`NodeHttpOptions.idleLimitMs` describes the risk).
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
