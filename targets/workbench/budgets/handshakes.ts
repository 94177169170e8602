// Counts the TLS handshakes of a polling device: of the C host, and of a session on Node. A local server responds to
// each poll with authorization_pending.

import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type ServerOptions } from "node:https";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TLSSocket } from "node:tls";
import { signIn } from "../../../platform/node/sign-in.ts";
import { makePage } from "../../command/page-format.ts";
import { makeTlsIdentities } from "../../service/certificates.ts";
import { isRefreshed, programOf } from "../host/build.ts";

interface Given {
  readonly endpoints: { readonly deviceAuthorization: string; readonly token: string };
  readonly ca: string;
  readonly folder: string;
}

/** Runs a device until `stop`. Resolves when the device has ended. */
type Run = (given: Given, stop: AbortSignal) => Promise<unknown>;

/**
 * Makes a device poll several times, and counts full and resumed handshakes.
 * @param keeps server options for open connections. `close`: the server closes the connection after each response
 * @throws Error if the device ends early
 */
export async function countHandshakes(
  run: Run,
  polls: number,
  intervalS: number,
  keeps: ServerOptions & { readonly close?: boolean },
) {
  const { ca, identities } = makeTlsIdentities();
  const folder = mkdtempSync(join(tmpdir(), "picogrant-handshakes-"));
  const counted = { whole: 0, resumed: 0, requests: 0 };
  const code = { device_code: "d", user_code: "ABCD-EFGH", verification_uri: "https://x.test/" };
  let enough: () => void;
  const polled = new Promise<void>((done) => {
    enough = done;
  });
  const server = createServer({ ...identities.trusted, ...keeps }, (request, response) => {
    request.resume();
    if (keeps.close) response.setHeader("Connection", "close");
    const isCode = request.url === "/code";
    const output = isCode ? { ...code, interval: intervalS } : { error: "authorization_pending" };
    response.writeHead(isCode ? 200 : 400, { "Content-Type": "application/json" });
    response.end(JSON.stringify(isCode ? { ...output, expires_in: 1800 } : output));
    if (++counted.requests > polls) enough();
  });
  server.on("secureConnection", (socket: TLSSocket) => {
    counted[socket.isSessionReused() ? "resumed" : "whole"]++;
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  const base = `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const endpoints = { deviceAuthorization: `${base}/code`, token: `${base}/token` };
  const stop = new AbortController();
  const ended = run({ endpoints, ca, folder }, stop.signal).catch(() => undefined);
  await Promise.race([polled, ended]);
  const found = { ...counted };
  stop.abort();
  await ended;
  server.closeAllConnections();
  server.close();
  rmSync(folder, { recursive: true });
  if (found.requests <= polls) throw new Error("the device has ended before its last poll");
  return found;
}

export function hostAsDevice(program: string): Run {
  return ({ endpoints, ca, folder }, signal) => {
    const file = join(folder, "device.page");
    const storage = { directory: folder };
    const config = { clientId: "handshakes", scope: "openid", storage, endpoints };
    const page = makePage(JSON.stringify(config), { authorities: [ca] });
    writeFileSync(file, page, { mode: 0o600 });
    const stdio = ["pipe", "ignore", "ignore"] as const;
    const child = spawn(program, ["--page", file], { stdio: [...stdio], signal });
    return new Promise((done) => child.on("close", done).on("error", () => undefined));
  };
}

export function sessionAsDevice({ endpoints, ca, folder }: Given, signal: AbortSignal) {
  const own = { clientId: "handshakes", state: join(folder, "state"), onCode: () => undefined };
  return signIn({ ...own, server: endpoints, http: { ca }, signal });
}

/** The handshakes of ten polls for each device; undefined for the C host if it is not built. Takes about a minute. */
export async function handshakesOfTenPolls(): Promise<[string, number | undefined][]> {
  const host = (await isRefreshed("release")) ? hostAsDevice(programOf("release")) : undefined;
  const devices = { "a session on Node": sessionAsDevice, "the C host": host };
  const counts = Object.entries(devices).map(async ([name, run]) => {
    const count = run && (await countHandshakes(run, 10, 5, { keepAliveTimeout: 75_000 }));
    return [name, count && count.whole + count.resumed] satisfies [string, number | undefined];
  });
  return Promise.all(counts);
}
