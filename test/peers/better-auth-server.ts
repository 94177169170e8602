// better-auth with its OAuth provider and the device authorization grant behind a real socket; everything
// is kept in memory, and the person signs in and decides by its API, as its pages would.

import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { BetterAuthPlugin } from "better-auth";
import { type ForeignClient, type ForeignServer, METHODS, type Method } from "./foreign-server.ts";

const SCOPE = "openid offline_access";
const CODE_LIFE_S = 120;
const ACCESS_LIFE_S = 900;

/** What its plugins store. */
const TABLES = [
  "user",
  "session",
  "account",
  "verification",
  "jwks",
  "deviceCode",
  "oauthClient",
  "oauthAccessToken",
  "oauthRefreshToken",
  "oauthConsent",
  "oauthResource",
  "oauthClientResource",
  "oauthClientAssertion",
];

export async function startBetterAuth(): Promise<ForeignServer> {
  const { betterAuth } = await import("better-auth");
  const { memoryAdapter } = await import("better-auth/adapters/memory");
  const { jwt } = await import("better-auth/plugins");
  const { toNodeHandler } = await import("better-auth/node");
  const provider = await import("@better-auth/oauth-provider");
  const server = createServer();
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const issuer = `${origin}/api/auth`;
  const auth = betterAuth({
    baseURL: origin,
    secret: "kU8vN2qLx7RzT4wB9eYcJ3mH6pDsF1aG",
    database: memoryAdapter(Object.fromEntries(TABLES.map((name) => [name, []]))),
    emailAndPassword: { enabled: true },
    rateLimit: { enabled: false },
    telemetry: { enabled: false },
    logger: { disabled: true },
    plugins: [
      jwt(),
      // Its types and those of better-call disagree under exactOptionalPropertyTypes.
      provider.oauthProvider({
        loginPage: "/login",
        consentPage: "/consent",
        allowDynamicClientRegistration: true,
        scopes: ["openid", "offline_access"],
        accessTokenExpiresIn: ACCESS_LIFE_S,
      }) as unknown as BetterAuthPlugin,
      provider.oauthDeviceAuthorization({
        verificationUri: "/device",
        expiresIn: `${CODE_LIFE_S}s`,
      }),
    ],
  });
  server.on("request", toNodeHandler(auth));

  const person = new Person(origin, issuer);
  await person.signUp();
  const clients = {} as Record<Method, ForeignClient>;
  for (const method of METHODS) {
    const { client_id, client_secret = "" } = await person.post("/oauth2/register", {
      client_name: method,
      token_endpoint_auth_method: method,
      grant_types: [provider.DEVICE_CODE_GRANT_TYPE, "refresh_token"],
      redirect_uris: ["https://device.example/"],
      scope: SCOPE,
    });
    clients[method] = { id: client_id!, secret: client_secret };
  }
  return {
    name: "better-auth 1.7",
    issuer,
    clients,
    scope: SCOPE,
    codeLifeS: CODE_LIFE_S,
    accessLifeS: ACCESS_LIFE_S,
    approve: (_, userCode) => person.decide("approve", userCode),
    deny: (_, userCode) => person.decide("deny", userCode),
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

/** Signed in with a browser's cookies. */
class Person {
  #cookies = "";
  readonly #origin: string;
  readonly #issuer: string;

  constructor(origin: string, issuer: string) {
    this.#origin = origin;
    this.#issuer = issuer;
  }

  async signUp(): Promise<void> {
    await this.post("/sign-up/email", {
      email: "ada@example.test",
      password: "any password",
      name: "Ada",
    });
  }

  async post(path: string, body: object): Promise<Record<string, string>> {
    const response = await fetch(this.#issuer + path, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        origin: this.#origin,
        cookie: this.#cookies,
      },
      body: JSON.stringify(body),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`better-auth: ${path} ${response.status} ${text}`);
    const cookies = response.headers.getSetCookie().map((line) => line.split(";")[0]!);
    if (cookies.length > 0) this.#cookies = cookies.join("; ");
    return JSON.parse(text) as Record<string, string>;
  }

  /** Opens the code, which makes it this person's, and decides. */
  async decide(what: "approve" | "deny", userCode: string): Promise<void> {
    const query = new URLSearchParams({ user_code: userCode });
    const opened = await fetch(`${this.#issuer}/device?${query}`, {
      headers: { cookie: this.#cookies },
    });
    if (!opened.ok) throw new Error(`better-auth: /device ${opened.status}`);
    await this.post(`/device/${what}`, { userCode });
  }
}
