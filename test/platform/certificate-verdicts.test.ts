// Compares the verdicts of Node and curl on one table of certificates (RFC 5280, RFC 9525; exceptions: SECURITY.md).

import { spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import https from "node:https";
import net from "node:net";
import path from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { HttpRequest } from "../../platform/contracts.ts";
import { NodeHttp } from "../../platform/node/http.ts";
import { curlConfig } from "../../platform/quickjs/curl-http.ts";
import { listen, temporaryFolder } from "../listening.ts";
import { TIMEOUT_MS } from "../timeouts.ts";
import { makeCertificateCases } from "./certificate-cases.ts";

const { ca, cases } = makeCertificateCases();

let folder: string;
let trust: string;
let server: https.Server;
let port = 0;

beforeAll(async () => {
  folder = temporaryFolder();
  trust = path.join(folder, "ca.pem");
  writeFileSync(trust, ca);
  server = https.createServer({ key: cases[0]!.key, cert: cases[0]!.cert }, (_, response) =>
    response.end("{}"),
  );
  server.on("tlsClientError", () => {});
  ({ port } = await listen(server));
});
afterAll(() => {
  server.close();
});

const requestTo = (host: string): HttpRequest => ({
  method: "GET",
  url: `https://${host}:${port}/`,
  contentType: "",
  authorization: "",
  body: [],
  bodyFrom: 0,
  bodyTo: 0,
});

/** Whether Node's adapter accepts the server. Every name resolves to this machine. */
function nodeTakes(host: string): Promise<boolean> {
  const agent = new https.Agent({
    maxCachedSessions: 0,
    lookup: (_name, options, done) =>
      options.all ? done(null, [{ address: "127.0.0.1", family: 4 }]) : done(null, "127.0.0.1", 4),
  });
  const http = new NodeHttp({ ca, agent });
  return new Promise<boolean>((resolve) => {
    http.send(requestTo(host), {
      status: () => {},
      body: () => {},
      end: () => resolve(true),
      failed: () => resolve(false),
    });
  }).finally(() => agent.destroy());
}

/** Whether curl accepts the server, with the settings of the QuickJS adapter. */
function curlTakes(host: string): Promise<boolean> {
  const settings = {
    ...{ curl: "curl", userAgent: "t", certificates: trust, sizeLimitBytes: 0 },
    ...{ timeLimitMs: TIMEOUT_MS, connectLimitMs: TIMEOUT_MS },
  };
  const config = curlConfig(requestTo(host), settings)!;
  const resolve = net.isIP(host) ? "" : `resolve = "${host}:${port}:127.0.0.1"\n`;
  return new Promise((done) => {
    const child = spawn("curl", ["-q", "-K", "-"], { stdio: ["pipe", "ignore", "ignore"] });
    child.on("close", (code) => done(code === 0));
    child.stdin.end(Buffer.concat([Buffer.from(config), Buffer.from(resolve)]));
  });
}

/** If a certificate names neither a DNS name nor an IP address, curl also accepts its common name. */
const CURL_DIFFERS = [
  "a common name alone",
  "a common name beside a mail address",
  "a common name beside a URI",
  "a common name that spells the address",
];

it.each(cases)(
  "RFC 5280, RFC 9525: which certificates of servers are valid: $name, for $host: $isValid",
  async ({ name, host, isValid, key, cert }) => {
    server.setSecureContext({ key, cert });
    expect(await nodeTakes(host), "Node").toBe(isValid);
    expect(await curlTakes(host), "curl").toBe(isValid || CURL_DIFFERS.includes(name));
  },
);
