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
const SESSION_LIFE_S = 7 * 86_400;

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

/** better-auth with these plugins on a port of its own, and a person who has an account there. */
async function open(plugins: BetterAuthPlugin[]) {
  const { betterAuth } = await import("better-auth");
  const { memoryAdapter } = await import("better-auth/adapters/memory");
  const { toNodeHandler } = await import("better-auth/node");
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
    plugins,
  });
  server.on("request", toNodeHandler(auth));

  const person = new Person(origin, issuer);
  await person.signUp();
  const close = async (): Promise<void> => {
    server.closeAllConnections();
    server.close();
    await once(server, "close");
  };
  return { issuer, person, close };
}

/** Its OAuth provider, which has clients of every kind. */
export async function startBetterAuth(): Promise<ForeignServer> {
  const { jwt } = await import("better-auth/plugins");
  const provider = await import("@better-auth/oauth-provider");
  const { issuer, person, close } = await open([
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
  ]);
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
    close,
  };
}

/**
 * Its plugin `deviceAuthorization`, which makes sessions of better-auth's own: tokens for a week, without a refresh token,
 * metadata or revocation. It takes the request for a code as a form, and polls as JSON alone. Clients have no secrets; what
 * they send of one is passed over.
 */
export async function startBetterAuthSessions(): Promise<ForeignServer> {
  const { deviceAuthorization } = await import("better-auth/plugins");
  const { issuer, person, close } = await open([
    deviceAuthorization({
      verificationUri: "/device",
      expiresIn: `${CODE_LIFE_S}s`,
      validateClient: (id) => id === "printer",
    }) as unknown as BetterAuthPlugin,
  ]);
  const client = (secret: string): ForeignClient => ({ id: "printer", secret });
  return {
    name: "better-auth 1.7, sessions",
    issuer,
    endpoints: { deviceAuthorization: `${issuer}/device/code`, token: `${issuer}/device/token` },
    clients: {
      none: client(""),
      client_secret_post: client("any"),
      client_secret_basic: client("any"),
    },
    scope: "openid",
    codeLifeS: CODE_LIFE_S,
    accessLifeS: SESSION_LIFE_S,
    approve: (_, userCode) => person.decide("approve", userCode),
    deny: (_, userCode) => person.decide("deny", userCode),
    close,
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
