// Starts oidc-provider 9 on a socket, with its own pages and its device flow enabled, and simulates a user with a browser.

import { createServer, type IncomingHttpHeaders } from "node:http";
import { listen } from "../listening.ts";
import { type ForeignServer, METHODS } from "./own-service.ts";

const CODE_LIFETIME_S = 120;
const ACCESS_LIFETIME_S = 900;

/** This secret contains characters that a form must encode. */
const SECRET = "a secret/with+odd&characters";

const CLIENTS = {
  none: { id: "printer", secret: "" },
  client_secret_post: { id: "television", secret: SECRET },
  client_secret_basic: { id: "radio:kitchen 1", secret: SECRET },
} as const;

export interface ProviderRequest {
  readonly url: string;
  readonly method: string;
  readonly headers: IncomingHttpHeaders;
  readonly form: Readonly<Record<string, string>>;
}

/** A client with a key. The client's tokens may be bound to this key. */
export const KEYED = "vehicle";

/** @param keys the public keys of the client `KEYED`; if there are any, DPoP requires nonces */
export async function startProvider(
  keys: readonly object[] = [],
  received: (request: ProviderRequest) => void = () => {},
  accessLifetimeS = ACCESS_LIFETIME_S,
): Promise<ForeignServer> {
  // @ts-expect-error: it has no types
  const { Provider } = await import("oidc-provider");
  const server = createServer();
  const { origin: issuer, close } = await listen(server);
  const common = {
    grant_types: ["urn:ietf:params:oauth:grant-type:device_code", "refresh_token"],
    redirect_uris: [],
    response_types: [],
  };
  const provider = new Provider(issuer, {
    clients: [
      ...METHODS.map((method) => ({
        client_id: CLIENTS[method].id,
        ...(method !== "none" && { client_secret: SECRET }),
        token_endpoint_auth_method: method,
        ...common,
      })),
      ...keys.map((key) => ({
        client_id: KEYED,
        token_endpoint_auth_method: "private_key_jwt",
        token_endpoint_auth_signing_alg: "ES256",
        jwks: { keys: [key] },
        ...common,
      })),
    ],
    features: {
      deviceFlow: { enabled: true },
      revocation: { enabled: true },
      dPoP: { nonceSecret: Buffer.alloc(32, 7), requireNonce: () => keys.length > 0 },
    },
    clientAuthMethods: [...METHODS, "private_key_jwt"],
    issueRefreshToken: async () => true,
    cookies: { keys: ["only for this test"] },
    ttl: { DeviceCode: CODE_LIFETIME_S, AccessToken: accessLifetimeS },
  });
  provider.use(
    async (
      context: ProviderRequest & { oidc?: { body?: ProviderRequest["form"] } },
      next: () => unknown,
    ) => {
      await next();
      const { url, method, headers, oidc } = context;
      received({ url, method, headers, form: oidc?.body ?? {} });
    },
  );
  server.on("request", provider.callback());

  return {
    name: "oidc-provider 9",
    issuer,
    clients: CLIENTS,
    scope: "openid offline_access",
    codeLifetimeS: CODE_LIFETIME_S,
    accessLifetimeS: ACCESS_LIFETIME_S,
    approve: (address, userCode) => new PeerBrowser().approve(address, userCode),
    deny: (address, userCode) => new PeerBrowser().deny(address, userCode),
    close,
  };
}

/** The user's browser. It stores cookies, follows redirects, and fills in the provider's forms. */
class PeerBrowser {
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

  async approve(address: string, userCode: string): Promise<void> {
    await this.open(address);
    await this.submit({ user_code: userCode });
    await this.submit();
    await this.submit({ login: "ada", password: "any" });
    await this.submit();
  }

  async deny(address: string, userCode: string): Promise<void> {
    await this.open(address);
    await this.submit({ user_code: userCode });
    await this.submit({ abort: "yes" });
  }
}
