// Starts better-auth's plugin `deviceAuthorization` on a socket. Its access tokens are sessions of better-auth that
// last a week. It has no refresh token, metadata or revocation. It accepts forms for device authorization requests, but
// only JSON for polls. All state is in memory. The user signs in and decides through its API, as its pages would.

import { createServer } from "node:http";
import type { BetterAuthPlugin } from "better-auth";
import { listen } from "../listening.ts";
import type { ForeignClient, ForeignServer } from "./own-service.ts";

const CODE_LIFETIME_S = 120;
const SESSION_LIFETIME_S = 7 * 86_400;

const TABLES = ["user", "session", "account", "verification", "deviceCode"];

/** Clients have no secrets, and the server ignores a secret in a request. */
const client = (secret: string): ForeignClient => ({ id: "printer", secret });

export async function startBetterAuth(): Promise<ForeignServer> {
  const { betterAuth } = await import("better-auth");
  const { memoryAdapter } = await import("better-auth/adapters/memory");
  const { toNodeHandler } = await import("better-auth/node");
  const { deviceAuthorization } = await import("better-auth/plugins");
  const server = createServer();
  const { origin, close } = await listen(server);
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
      deviceAuthorization({
        verificationUri: "/device",
        expiresIn: `${CODE_LIFETIME_S}s`,
        validateClient: (id) => id === "printer",
        // With exactOptionalPropertyTypes, the plugin's types do not match those of better-call.
      }) as unknown as BetterAuthPlugin,
    ],
  });
  server.on("request", toNodeHandler(auth));
  const user = new User(origin, issuer);
  await user.signUp();
  return {
    name: "better-auth 1.7",
    issuer,
    endpoints: { deviceAuthorization: `${issuer}/device/code`, token: `${issuer}/device/token` },
    clients: {
      none: client(""),
      client_secret_post: client("any"),
      client_secret_basic: client("any"),
    },
    scope: "openid",
    codeLifetimeS: CODE_LIFETIME_S,
    accessLifetimeS: SESSION_LIFETIME_S,
    approve: (_, userCode) => user.decide("approve", userCode),
    deny: (_, userCode) => user.decide("deny", userCode),
    close,
  };
}

class User {
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

  /** Opens the page of the code, which assigns the code to this user, and decides. */
  async decide(what: "approve" | "deny", userCode: string): Promise<void> {
    const query = new URLSearchParams({ user_code: userCode });
    const opened = await fetch(`${this.#issuer}/device?${query}`, {
      headers: { cookie: this.#cookies },
    });
    if (!opened.ok) throw new Error(`better-auth: /device ${opened.status}`);
    await this.post(`/device/${what}`, { userCode });
  }
}
