// A service in memory, with shortcuts for a device's requests.
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import type { FakeResponse, SeenRequest } from "../../platform/testing/index.ts";
import type { SigningKey } from "../../targets/service/environment.ts";
import {
  createService,
  type FixtureInput,
  type ProtocolResponse,
  type Service,
  type ServiceOptionsInput,
  type ServiceSettings,
} from "../../targets/service/index.ts";
import { makeKey, verifyEs256 } from "../../targets/service/node-environment.ts";
import { Environment } from "../environment/environment.ts";

const FIXTURE_FILE = new URL("../../targets/service/fixture.json", import.meta.url);
export const FIXTURE = JSON.parse(readFileSync(FIXTURE_FILE, "utf8")) as FixtureInput;
export const SCOPE_BASE = "https://auth.picogrant.test";
export const VIDEO_READONLY = `${SCOPE_BASE}/auth/video.readonly`;
export const PUBLISHER = `${SCOPE_BASE}/auth/publisher`;
export const DEVICE_GRANT = "urn:ietf:params:oauth:grant-type:device_code";
export const VERIFIER = "v".repeat(43);
export const S256 = createHash("sha256").update(VERIFIER).digest("base64url");
export const TV = { client_id: "living-room-tv", client_secret: "tv-secret" };
export const CONSOLE = { client_id: "game-console", client_secret: "console-secret" };
export const PUBLISHER_CLIENT = {
  client_id: "publisher-console",
  client_secret: "publisher-secret",
};

/** Generating RSA keys takes long, so all benches share these keys. A rotation selects another key. */
const made: { algorithm: string; key: SigningKey; users: WeakSet<object> }[] = [];
function sharedKeys(): (algorithm: "RS256" | "ES256") => SigningKey {
  const user = {};
  return (algorithm) => {
    let entry = made.find((one) => one.algorithm === algorithm && !one.users.has(user));
    if (entry === undefined) {
      entry = { algorithm, key: makeKey(algorithm), users: new WeakSet() };
      made.push(entry);
    }
    entry.users.add(user);
    return entry.key;
  };
}

type Fields = Record<string, string | undefined>;
type Json = Record<string, unknown>;

export interface HttpResponse {
  status: number;
  headers: Readonly<Record<string, string>>;
  text: string;
  json: Json;
}

/** The error of RFC 6749 §5.2, of the two specifications, or of the resource APIs, if any. */
export function errorWordOf({ error, error_code }: Json): string | undefined {
  const ofApi = error as { errors?: { reason: string }[]; status?: string } | undefined;
  return (ofApi?.errors?.[0]?.reason ?? ofApi?.status ?? error ?? error_code) as string | undefined;
}

/** Deterministic bytes (xorshift). */
export function seededRandom(seed = 1): (count: number) => Uint8Array {
  let state = seed >>> 0 || 1;
  return (count) => {
    const bytes = new Uint8Array(count);
    for (let i = 0; i < count; i++) {
      state ^= state << 13;
      state ^= state >>> 17;
      state ^= state << 5;
      state >>>= 0;
      bytes[i] = state >>> 24;
    }
    return bytes;
  };
}

export function form(fields: Fields): string {
  const entries = Object.entries(fields).filter((entry): entry is [string, string] => !!entry[1]);
  return new URLSearchParams(entries).toString();
}

export class Bench extends Environment {
  readonly service: Service;

  constructor(options: ServiceOptionsInput = {}, settings: Partial<ServiceSettings> = {}) {
    super({ http: { handler: (request) => this.#response(request) } });
    this.service = createService({
      now: () => this.nowMs,
      random: seededRandom(),
      makeKey: sharedKeys(),
      verify: verifyEs256,
      fixture: FIXTURE,
      options,
      ...settings,
    });
  }

  get nowMs(): number {
    return Date.UTC(2026, 0, 1) + this.clock.elapsedMs;
  }

  #response({ method, url, contentType, authorization, body }: SeenRequest): FakeResponse {
    const { pathname, search } = new URL(url);
    const headers = { "content-type": contentType, authorization };
    const response = this.send(method, pathname + search, body, headers);
    const retryAfterSeconds = Number(response.headers["retry-after"] ?? -1);
    return { status: response.status, body: response.text, retryAfterSeconds };
  }

  send(
    method: string,
    target: string,
    body: string | Uint8Array = "",
    headers: Record<string, string> = {},
  ): HttpResponse {
    const [path, query = ""] = target.split("?", 2);
    const bytes = typeof body === "string" ? new TextEncoder().encode(body) : body;
    return read(this.service.handle({ method, path: path!, query, headers, body: bytes }));
  }

  /** Sends a request to the app, which also serves the pages. */
  async fetch(
    method: string,
    target: string,
    body?: BodyInit,
    headers: Record<string, string> = {},
  ): Promise<HttpResponse> {
    const init = { method, headers, body: body ?? null };
    const response = await this.service.fetch(new Request(this.service.baseUrl + target, init));
    return read({
      status: response.status,
      headers: Object.fromEntries(response.headers),
      body: await response.bytes(),
    });
  }

  post(target: string, fields: Fields, headers: Record<string, string> = {}): HttpResponse {
    const type = { "content-type": "application/x-www-form-urlencoded" };
    return this.send("POST", target, form(fields), { ...type, ...headers });
  }

  requestCodes(fields: Fields = {}): HttpResponse {
    return this.post("/device/code", {
      client_id: TV.client_id,
      scope: VIDEO_READONLY,
      ...fields,
    });
  }

  poll(deviceCode: unknown, fields: Fields = {}): HttpResponse {
    return this.post("/token", {
      ...TV,
      device_code: String(deviceCode),
      grant_type: DEVICE_GRANT,
      ...fields,
    });
  }

  refresh(refreshToken: unknown, fields: Fields = {}): HttpResponse {
    return this.post("/token", {
      ...TV,
      refresh_token: String(refreshToken),
      grant_type: "refresh_token",
      ...fields,
    });
  }

  /** Requests codes, approves, and polls. Returns the token response. */
  signIn(
    how: { account?: string; client?: typeof TV; scope?: string; accessSeconds?: number } = {},
  ): Json {
    const { account = "ada", client = TV, scope = VIDEO_READONLY, accessSeconds } = how;
    const codes = this.requestCodes({ client_id: client.client_id, scope }).json;
    const outcome = this.service.approve(String(codes.user_code), account, { accessSeconds });
    if (outcome !== "granted") throw new Error(`expected a grant, got ${outcome}`);
    const response = this.poll(codes.device_code, client);
    if (response.status !== 200) throw new Error(`expected tokens, got ${response.text}`);
    return response.json;
  }

  get(target: string, accessToken?: unknown): HttpResponse {
    const headers: Record<string, string> =
      accessToken === undefined ? {} : { authorization: `Bearer ${accessToken}` };
    return this.send("GET", target, "", headers);
  }
}

export function pendingCode(bench: Bench, fields = {}): { device: string; user: string } {
  const { device_code, user_code } = bench.requestCodes(fields).json;
  return { device: String(device_code), user: String(user_code) };
}

export function read({ status, headers, body }: ProtocolResponse): HttpResponse {
  const text = new TextDecoder().decode(body);
  const isJson = headers["content-type"]?.startsWith("application/json") && text !== "";
  return { status, headers, text, json: isJson ? (JSON.parse(text) as Json) : {} };
}
