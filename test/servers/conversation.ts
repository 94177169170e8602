// A device with a recorded server: the real core and driver, the profile with its translation, and a server that has
// only the recording. The server notes each request that differs from the recorded one, and returns the recorded
// response.

import { createHash } from "node:crypto";
import * as core from "../../core/complete.ts";
import { clientAuthentications } from "../../platform/configuration/settings.ts";
import { type Driver, noEndpoints } from "../../platform/driver.ts";
import { type Server, serverOf } from "../../platform/servers/index.ts";
import { driverConfig, MemoryStorage, type SeenRequest } from "../../platform/testing/index.ts";
import { driverOn } from "../environment/driver-port.ts";
import { Environment } from "../environment/environment.ts";
import type { ExchangeName, Recording } from "./recording.ts";

export const CLIENT_ID = "picogrant-test";
const SECRETS: Readonly<Record<string, string>> = { google: "GOCSPX-secret" };
const SECRET = "client-secret";

const PROOF = ["code_challenge", "code_challenge_method", "code_verifier"] as const;
/** The code challenge for the last code of each server. It must survive a restart of the device, as the code does. */
const CHALLENGES = new Map<string, string>();
const STEPS_MAX = 2000;
const A_YEAR_MS = 365 * 86_400_000;

export class Conversation {
  readonly platform: Environment;
  readonly driver: Driver;
  readonly server: Server;
  /** The requests that differ from the recording. */
  readonly differences: string[] = [];
  readonly #recording: Recording;
  readonly #script: ExchangeName[];

  /** @param storage with the records of an earlier device */
  constructor(recording: Recording, script: readonly ExchangeName[], storage?: MemoryStorage) {
    this.#recording = recording;
    this.#script = [...script];
    const { server: name, words } = recording;
    const hasSecret = serverOf(name, words, true).profile.secret === "required";
    const clientSecret = hasSecret ? (SECRETS[name] ?? SECRET) : "";
    this.server = serverOf(name, words, hasSecret);
    const { profile, addresses, translate } = this.server;
    this.platform = new Environment({
      isAtOnce: true,
      http: { handler: (request) => this.#response(request), chunkBytes: [7, 1, 64] },
      columns: 24,
      storage: storage ?? new MemoryStorage({ capacity: profile.memoryBytes }),
    });
    this.driver = driverOn(this.platform, {
      config: {
        ...driverConfig,
        clientId: CLIENT_ID,
        clientSecret,
        scope: profile.scope,
        clientAuthentication: clientAuthentications[this.server.clientAuthentication],
        server: addresses.token,
      },
      endpoints: { ...noEndpoints, ...addresses },
      memoryBytes: profile.memoryBytes,
      ...(profile.pkce && { pkce: profile.pkce }),
      translate,
    });
    this.driver.start();
  }

  /** Advances the clock until the script is empty, or STEPS_MAX times. */
  play(): this {
    for (let step = 0; step < STEPS_MAX && this.#script.length > 0; step++) {
      this.platform.clock.advanceToNext();
    }
    return this;
  }

  /** Advances the clock until the device refreshes (at most a year). If the token has no lifetime, an API sends 401. */
  refresh(response: "refresh" | "ended"): this {
    this.append(response);
    const { clock, http } = this.platform;
    const { body: tokens } = this.#recording.exchanges.get("tokens")!;
    if ((JSON.parse(tokens) as { expires_in?: number }).expires_in === undefined) this.#meet401();
    const { length } = http.requests;
    const from = clock.elapsedMs;
    while (
      this.#script.length > 0 &&
      http.requests.length === length &&
      clock.elapsedMs - from < A_YEAR_MS
    ) {
      clock.advanceToNext();
    }
    return this;
  }

  #meet401(): void {
    const { driver, platform } = this;
    const api = "https://api.example/";
    driver.endpoints = { ...driver.endpoints, resources: [api] };
    platform.http.handler = (request) =>
      request.url.startsWith(api) ? { status: 401, body: "{}" } : this.#response(request);
    core.beginCall(driver.device);
    core.sendCall(driver.device, core.Endpoint.RESOURCE, 1, null, 0, 0);
    driver.run();
    platform.clock.advance(1000);
  }

  get remaining(): readonly ExchangeName[] {
    return this.#script;
  }

  append(...names: ExchangeName[]): this {
    this.#script.push(...names);
    return this;
  }

  /** Checks the PKCE parameters (RFC 7636), and returns the body without them. */
  #withoutProof(text: string): string {
    const form = new URLSearchParams(text);
    const [challenge, method, verifier] = PROOF.map((name) => {
      const value = form.get(name);
      form.delete(name);
      return value;
    });
    const isForCode = !form.has("grant_type") && form.has("scope");
    if (isForCode) CHALLENGES.set(this.#recording.server, challenge ?? "");
    if (isForCode && method !== "S256")
      this.differences.push("a device authorization request without S256");
    if (form.has("device_code")) {
      const digest = createHash("sha256")
        .update(verifier ?? "")
        .digest("base64url");
      if (digest !== CHALLENGES.get(this.#recording.server))
        this.differences.push("a poll without the code's verifier");
    }
    return form.toString();
  }

  #response(request: SeenRequest): { status: number; body: string } {
    const name = this.#script.shift();
    const exchange = name && this.#recording.exchanges.get(name);
    if (exchange === undefined) {
      this.differences.push(`a request to ${request.url} that the script does not have`);
      return { status: 503, body: "" };
    }
    const scope = encodeURIComponent(this.server.profile.scope);
    const required = exchange.request.replaceAll("{scope}", scope);
    const expected = describe(exchange.url, exchange.contentType, required);
    const text = this.server.profile.pkce ? this.#withoutProof(request.text) : request.text;
    const got = describe(request.url, request.contentType, text);
    if (expected !== got) this.differences.push(`${name}: ${got} instead of ${expected}`);
    if (request.authorization !== exchange.authorization) {
      this.differences.push(`${name}: Authorization ${request.authorization}`);
    }
    return { status: exchange.status, body: exchange.body };
  }
}

/** Sorts the fields, because their order does not matter to a server. */
function describe(url: string, contentType: string, body: string): string {
  const fields = contentType.startsWith("application/json")
    ? Object.entries(JSON.parse(body) as Record<string, string>)
    : [...new URLSearchParams(body)];
  return `${url} ${contentType} ${JSON.stringify(fields.sort(([a], [b]) => (a < b ? -1 : 1)))}`;
}
