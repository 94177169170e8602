// An event receiver for tests: configures its stream, polls, and verifies every token.
import { createPublicKey, verify } from "node:crypto";
import { expect } from "vitest";
import type { Bench, HttpResponse } from "./harness.ts";

export const RISC = "https://schemas.openid.net/secevent/risc/event-type/";
export const OAUTH = "https://schemas.openid.net/secevent/oauth/event-type/";
export const POLL = "https://schemas.openid.net/secevent/risc/delivery-method/poll";
export const PUSH = "https://schemas.openid.net/secevent/risc/delivery-method/push";
export const STREAM = "/events/v1/stream";

export interface Claims {
  iss: string;
  aud: string[];
  iat: number;
  jti: string;
  exp?: number;
  events: Record<string, { subject?: Record<string, unknown>; state?: string; reason?: string }>;
}

/** Verifies a token with Node's Ed25519 and the published key set, and returns its claims. */
export function verified(bench: Bench, set: string): Claims {
  const [header, payload, signature] = set.split(".") as [string, string, string];
  const { keys } = bench.get("/keys").json as { keys: Record<string, string>[] };
  const { kid, alg, typ } = JSON.parse(Buffer.from(header, "base64url").toString());
  expect({ alg, typ }).toEqual({ alg: "EdDSA", typ: "secevent+jwt" });
  const jwk = keys.find((key) => key.kid === kid)!;
  const key = createPublicKey({ key: jwk, format: "jwk" });
  const bytes = Buffer.from(`${header}.${payload}`);
  expect(verify(null, bytes, key, Buffer.from(signature, "base64url"))).toBe(true);
  return JSON.parse(Buffer.from(payload, "base64url").toString()) as Claims;
}

export class Receiver {
  readonly bench: Bench;
  readonly #token: string;

  constructor(bench: Bench, token = "tv-backend-token") {
    this.bench = bench;
    this.#token = token;
  }

  send(method: string, path: string, body?: unknown): HttpResponse {
    const headers = { authorization: `Bearer ${this.#token}`, "content-type": "application/json" };
    return this.bench.send(method, path, body === undefined ? "" : JSON.stringify(body), headers);
  }

  usePolling(events?: string[]): this {
    const body = { delivery: { delivery_method: POLL }, events_requested: events };
    expect(this.send("POST", `${STREAM}:update`, body).status).toBe(200);
    return this;
  }

  usePush(url: string): this {
    const body = { delivery: { delivery_method: PUSH, url } };
    expect(this.send("POST", `${STREAM}:update`, body).status).toBe(200);
    return this;
  }

  poll(body: object = {}): { sets: Record<string, string>; moreAvailable?: boolean } {
    const response = this.send("POST", "/events/v1/poll", body);
    expect(response.status).toBe(200);
    return response.json as unknown as { sets: Record<string, string>; moreAvailable?: boolean };
  }

  /** Everything that waits, verified, as [type, event] pairs in order. */
  events(): [string, Claims["events"][string]][] {
    const sets = Object.values(this.poll().sets);
    return sets.flatMap((set) => Object.entries(verified(this.bench, set).events));
  }
}
