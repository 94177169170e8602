// What an issuer has said of itself, kept beside the tokens: a start with a session then needs no network, and one
// without asks for the code at once. Nothing in it is secret; but whoever could change it would be sent the tokens. With a
// device key it is authenticated by that, as the records are; without one it is as safe as they are, which is the
// directory's affair.

import { createHmac, timingSafeEqual } from "node:crypto";
import path from "node:path";
import { checkEndpoints, noEndpoints } from "../driver/endpoints.ts";
import type { DiscoveredServer } from "../servers/discovery.ts";
import type { KeptMetadata } from "../session/settings.ts";
import { readOwn, removeOwn, writeOwn } from "./files.ts";
import { NodeHttp, type NodeHttpOptions } from "./http.ts";
import { nodeTimers } from "./timers.ts";

/** As it stands in the file. */
interface Kept {
  readonly version: 1;
  readonly issuer: string;
  readonly deviceAuthorization: string;
  readonly token: string;
  readonly revocation: string;
  readonly clientAuthenticationMethods: readonly string[];
}

const FILE = "metadata.json";
const LABEL = "picogrant metadata 1\n";

/** Whose they are, and how an issuer is asked. */
export interface KeptMetadataOptions {
  /** That of the sealed storage, if there is one. */
  readonly deviceKey?: Uint8Array | undefined;
  readonly allowHttp?: boolean | undefined;
  readonly http?: NodeHttpOptions | undefined;
}

/** @param directory the state directory, which is there */
export function keptMetadata(
  directory: string,
  { deviceKey, allowHttp = false, http = {} }: KeptMetadataOptions,
): KeptMetadata {
  const file = path.join(directory, FILE);
  const kept: KeptMetadata = {
    read: (issuer) => {
      try {
        const content = readOwn(file, { isSealed: deviceKey !== undefined });
        return serverIn(`${content ?? ""}`, issuer, deviceKey, allowHttp);
      } catch {
        // Not what was written, or others could have written it: the server is asked.
        return undefined;
      }
    },
    write: (issuer, server) => {
      const text = textOf(issuer, server);
      try {
        writeOwn(file, `${text}\n${codeOf(text, deviceKey)}\n`);
      } catch {
        // A medium that keeps nothing: the next start asks again, and what is lost is told of where tokens are.
      }
    },
    rediscover: async (issuer) => {
      // Apart from the driver's adapter, which has one exchange at a time.
      const adapter = new NodeHttp(http);
      const host = { http: adapter, timers: nodeTimers() };
      try {
        const { discoverServer } = await import("../servers/discovery.ts");
        const core = await import("../../core/complete.ts");
        const found = await discoverServer(core, host, issuer, allowHttp);
        kept.write(issuer, found);
        return found.endpoints;
      } finally {
        adapter.dispose();
      }
    },
  };
  return kept;
}

/** Forgets them. */
export function removeMetadata(directory: string): void {
  removeOwn(path.join(directory, FILE));
}

function textOf(issuer: string, server: DiscoveredServer): string {
  const { deviceAuthorization, token, revocation } = server.endpoints;
  const { clientAuthenticationMethods } = server;
  const kept: Kept = {
    version: 1,
    issuer,
    deviceAuthorization,
    token,
    revocation,
    clientAuthenticationMethods,
  };
  return JSON.stringify(kept);
}

/** "" without a key. */
function codeOf(text: string, deviceKey: Uint8Array | undefined): string {
  if (deviceKey === undefined) return "";
  return createHmac("sha256", deviceKey).update(LABEL).update(text).digest("hex");
}

/** @throws where it is not what was written, or its addresses are none that tokens may go to */
function serverIn(
  content: string,
  issuer: string,
  deviceKey: Uint8Array | undefined,
  allowHttp: boolean,
): DiscoveredServer | undefined {
  const [text = "", code] = content.split("\n");
  // Cut off: the code has a line of its own, also where it is "".
  if (code === undefined) return undefined;
  const expected = Buffer.from(codeOf(text, deviceKey));
  const found = Buffer.from(code);
  if (found.length !== expected.length || !timingSafeEqual(found, expected)) return undefined;
  const kept = JSON.parse(text) as Kept;
  if (kept.version !== 1 || kept.issuer !== issuer) return undefined;
  const { deviceAuthorization, token, revocation, clientAuthenticationMethods } = kept;
  const endpoints = { ...noEndpoints, deviceAuthorization, token, revocation };
  const texts = [deviceAuthorization, token, revocation, ...clientAuthenticationMethods];
  if (texts.some((value) => typeof value !== "string") || token === "") return undefined;
  checkEndpoints(endpoints, allowHttp);
  return { endpoints, clientAuthenticationMethods };
}
