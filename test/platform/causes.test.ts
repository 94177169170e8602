// Each cause of a failed request has a code, a remedy, advice in the message, and an entry in targets/docs/errors.md.
// This file produces real faults. settings.test.ts, file-storage.test.ts and id-token.test.ts test other causes.

import fs from "node:fs";
import http from "node:http";
import https, { createServer, type Server, type ServerOptions } from "node:https";
import path from "node:path";
import { HttpsProxyAgent } from "https-proxy-agent";
import { afterEach, expect, it, vi } from "vitest";
import type { NodeHttpOptions } from "../../platform/node/http-options.ts";
import { type SignInError, type SignInOptions, signIn } from "../../platform/node/sign-in.ts";
import { DEMANDING, OUTDATED } from "../../targets/command/conform/conformance-server.ts";
import { makeTlsIdentities } from "../../targets/service/certificates.ts";
import { listening, temporaryFolder } from "../listening.ts";
import { startProxy } from "./connect-proxy.ts";

const PAGE = fs.readFileSync(new URL("../../targets/docs/errors.md", import.meta.url), "utf8");
const { ca, identities } = makeTlsIdentities();
const REQUIRING = { ...identities.trusted, ...DEMANDING };
const inTwentyDays = Date.now() + 20 * 86_400_000;
vi.spyOn(Date, "now").mockReturnValue(inTwentyDays);
const later = makeTlsIdentities();
vi.restoreAllMocks();
const home = temporaryFolder();
let count = 0;
const ends: (() => unknown)[] = [];
afterEach(() => {
  for (const end of ends.splice(0)) end();
});

type Broken = { readonly at: string; readonly http?: NodeHttpOptions };

async function responding(
  identity: ServerOptions,
  {
    body = "",
    headers = {},
    ...http
  }: NodeHttpOptions & {
    readonly body?: string;
    readonly headers?: Record<string, string>;
  } = {},
): Promise<Broken> {
  const server: Server = createServer(identity, (_, response) =>
    response.writeHead(200, headers).end(body),
  ).on("tlsClientError", () => {});
  ends.push(() => server.close());
  return { at: `https://127.0.0.1:${await listening(server)}`, http: { ca, ...http } };
}

async function withoutTls(): Promise<Broken> {
  const server = http.createServer();
  ends.push(() => server.close());
  return { at: `https://127.0.0.1:${await listening(server)}` };
}

async function behindProxy(url: string): Promise<Broken> {
  return { at: "https://elsewhere.example", http: { agent: new HttpsProxyAgent(url) } };
}

async function behindRefusingProxy(): Promise<Broken> {
  const proxy = await startProxy(1, 407);
  ends.push(() => proxy.close());
  return behindProxy(proxy.url);
}

const CASES: Record<string, readonly [() => Promise<Broken> | Broken, RegExp]> = {
  "a name that does not exist": [
    () => ({ at: "https://nobody.invalid" }),
    /^name_not_found user: .*check the server's name, and the network/,
  ],
  "a certificate of an untrusted authority": [
    () => responding(identities.untrusted),
    /^certificate_refused developer: .*http\.ca/,
  ],
  "a certificate for another name": [
    () => responding(identities.otherName),
    /^certificate_refused developer: .*check the server's name, and whether the network wants a sign-in/,
  ],
  "an expired certificate": [
    () => responding(identities.expired),
    /^certificate_refused administrator: .*the server needs a new one, or this computer's clock is wrong/,
  ],
  "a certificate that is not valid yet": [
    () => responding(later.identities.trusted, { ca: later.ca }),
    /^clock_wrong user: .*set the clock of this computer/,
  ],
  "a client certificate that the server requires": [
    () => responding(REQUIRING),
    /^unreachable developer: .*requires a client certificate \(http\.agent with cert and key\)/,
  ],
  "the same with TLS 1.2": [
    () => responding({ ...REQUIRING, maxVersion: "TLSv1.2" }),
    /^unreachable developer: .*requires a client certificate \(http\.agent with cert and key\)/,
  ],
  "a server whose TLS is too old": [
    () => responding({ ...identities.trusted, ...OUTDATED }),
    /^unreachable administrator: .*the server has to support TLS 1\.2/,
  ],
  "an agent without the server's version of TLS": [
    () =>
      responding(
        { ...identities.trusted, minVersion: "TLSv1.3" },
        { agent: new https.Agent({ maxVersion: "TLSv1.2" }) },
      ),
    /^unreachable administrator: .*http\.agent the version that the server supports/,
  ],
  "a server without TLS": [withoutTls, /^unreachable developer: .*this port does not speak TLS/],
  "a proxy that does not exist": [
    () => behindProxy("http://127.0.0.1:1"),
    /^proxy_refused user: .*http\.agent, HTTPS_PROXY/,
  ],
  "a proxy that requires a password": [
    behindRefusingProxy,
    /^proxy_refused user: .*wants a name and a password.*http\.agent, HTTPS_PROXY/,
  ],
  "a response that is too long": [
    () => responding(identities.trusted, { body: "x".repeat(2000), sizeLimitBytes: 1000 }),
    /^response_too_large developer: .*http\.sizeLimitBytes/,
  ],
  "headers that are too long": [
    () => responding(identities.trusted, { headers: { X: "x".repeat(70_000) } }),
    /^response_too_large administrator: .*the head .* 64 KiB.*the server has to send shorter headers/,
  ],
  "a coding that was not requested": [
    () =>
      responding(identities.trusted, { body: "coded", headers: { "Content-Encoding": "zstd" } }),
    /^unreachable administrator: .*the server has to send what was requested/,
  ],
  "nothing listens at the port": [
    () => ({ at: "https://127.0.0.1:1" }),
    /^unreachable nobody: .*try/,
  ],
};

it.each(
  Object.entries(CASES).flatMap(([what, row]) =>
    (["addresses", "an issuer"] as const).map((named) => [what, named, ...row] as const),
  ),
)("%s, server given as %s", async (_, named, broken, cause) => {
  const { at, http } = await broken();
  const giveUp = new AbortController();
  const reported: SignInError[] = [];
  const options: SignInOptions = {
    ...{ clientId: "tv", state: path.join(home, `${count++}`), signal: giveUp.signal },
    server: named === "addresses" ? { deviceAuthorization: `${at}/d`, token: `${at}/t` } : at,
    ...(http && { http }),
    onCode: () => {},
    onTrouble: (trouble) => {
      reported.push(trouble);
      giveUp.abort();
    },
  };
  const thrown = await signIn(options).then(
    () => expect.unreachable("no sign-in is possible"),
    (error: SignInError) => error,
  );
  const error = reported[0] ?? thrown;
  expect(`${error.code} ${error.remedy}: ${error.message}`).toMatch(cause);
  expect(PAGE).toContain(`<a id="${error.code}"></a>`);
});
