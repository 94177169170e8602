// oidc-provider 9 behind a real socket with its own pages and its device flow switched on, and a person
// with a browser who uses them.

import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { type ForeignServer, METHODS } from "./foreign-server.ts";

export const CODE_LIFE_S = 120;
export const ACCESS_LIFE_S = 900;

/** With what a form has to encode. */
const SECRET = "a secret/with+odd&characters";

const CLIENTS = {
  none: { id: "printer", secret: "" },
  client_secret_post: { id: "television", secret: SECRET },
  client_secret_basic: { id: "radio:kitchen 1", secret: SECRET },
} as const;

type ProviderModule = typeof import("oidc-provider");

/** Where a version beside package.json's own is put when it is first wanted. */
const CACHE = new URL("../../node_modules/.cache/picogrant/", import.meta.url);

/** The exact versions, so that every run meets the same ones. */
const OLDER_VERSIONS = { 8: "8.8.1", 7: "7.14.3" } as const;

const ENTRY = "node_modules/oidc-provider/lib/index.js";

function folderOf(major: keyof typeof OLDER_VERSIONS): string {
  return fileURLToPath(new URL(`oidc-provider-${OLDER_VERSIONS[major]}/`, CACHE));
}

/** Whether it is installed already. */
export function isThere(major: keyof typeof OLDER_VERSIONS): boolean {
  return existsSync(path.join(folderOf(major), ENTRY));
}

/** An older major version, installed when it is first wanted: its packages would be in everybody's way. */
async function olderProvider(
  major: keyof typeof OLDER_VERSIONS,
): Promise<ProviderModule["Provider"]> {
  const version = OLDER_VERSIONS[major];
  const folder = folderOf(major);
  if (!isThere(major)) {
    const words = ["install", "--silent", "--no-audit", "--no-fund", "--prefix", folder];
    mkdirSync(folder, { recursive: true });
    execFileSync("npm", [...words, `oidc-provider@${version}`], { stdio: "pipe" });
  }
  const module = (await import(path.join(folder, ENTRY))) as {
    default: unknown;
    Provider?: unknown;
  };
  return (module.Provider ?? module.default) as ProviderModule["Provider"];
}

/** Starts the provider on a port of its own. */
export async function startProvider(
  major: 9 | keyof typeof OLDER_VERSIONS = 9,
): Promise<ForeignServer> {
  const Provider =
    major === 9 ? (await import("oidc-provider")).Provider : await olderProvider(major);
  const server = createServer();
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const provider = new Provider(issuer, {
    clients: METHODS.map((method) => ({
      client_id: CLIENTS[method].id,
      ...(method !== "none" && { client_secret: SECRET }),
      token_endpoint_auth_method: method,
      grant_types: ["urn:ietf:params:oauth:grant-type:device_code", "refresh_token"],
      redirect_uris: [],
      response_types: [],
    })),
    features: { deviceFlow: { enabled: true }, revocation: { enabled: true } },
    issueRefreshToken: async () => true,
    cookies: { keys: ["only for this test"] },
    ttl: { DeviceCode: CODE_LIFE_S, AccessToken: ACCESS_LIFE_S },
  });
  server.on("request", provider.callback());
  return {
    name: `oidc-provider ${major}`,
    issuer,
    clients: CLIENTS,
    scope: "openid offline_access",
    codeLifeS: CODE_LIFE_S,
    accessLifeS: ACCESS_LIFE_S,
    approve: (address, userCode) => new PeerBrowser().approve(address, userCode),
    deny: (address, userCode) => new PeerBrowser().deny(address, userCode),
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

/** The user with a browser: keeps cookies, follows redirects, fills in the provider's own forms. */
export class PeerBrowser {
  #cookies = new Map<string, string>();
  #address = "";
  html = "";

  async open(url: string, init: RequestInit = {}): Promise<void> {
    let next: string | null = url;
    let options = init;
    while (next) {
      this.#address = new URL(next, this.#address || undefined).href;
      const cookie = [...this.#cookies].map(([name, value]) => `${name}=${value}`).join("; ");
      const headers = { ...(options.headers as Record<string, string>), cookie };
      const response: Response = await fetch(this.#address, {
        ...options,
        headers,
        redirect: "manual",
      });
      for (const line of response.headers.getSetCookie()) {
        const [pair] = line.split(";", 1);
        const at = pair!.indexOf("=");
        this.#cookies.set(pair!.slice(0, at), pair!.slice(at + 1));
      }
      this.html = await response.text();
      next = response.headers.get("location");
      options = {};
    }
  }

  /** Sends the page's form with its hidden fields and these. */
  async submit(fields: Record<string, string> = {}): Promise<void> {
    const form = /<form[^>]*action="([^"]*)"[^>]*>(.*?)<\/form>/s.exec(this.html);
    if (!form) throw new Error(`no form on the page:\n${this.html}`);
    const sent = new URLSearchParams();
    for (const [, tag] of form[2]!.matchAll(/<input\s([^>]*type="hidden"[^>]*)>/g)) {
      sent.set(/name="([^"]*)"/.exec(tag!)![1]!, /value="([^"]*)"/.exec(tag!)?.[1] ?? "");
    }
    for (const [name, value] of Object.entries(fields)) sent.set(name, value);
    await this.open(form[1]!, {
      method: "POST",
      body: sent.toString(),
      headers: { "content-type": "application/x-www-form-urlencoded" },
    });
  }

  /** Types the code in, signs in and agrees. */
  async approve(address: string, userCode: string): Promise<void> {
    await this.open(address);
    await this.submit({ user_code: userCode });
    await this.submit();
    await this.submit({ login: "ada", password: "any" });
    await this.submit();
  }

  /** Types the code in and chooses to abort. */
  async deny(address: string, userCode: string): Promise<void> {
    await this.open(address);
    await this.submit({ user_code: userCode });
    await this.submit({ abort: "yes" });
  }
}
