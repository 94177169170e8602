// Proof Key for Code Exchange (RFC 7636) on hosts in JavaScript, at the simulated service, which checks it.

import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import * as core from "../../core/complete.ts";
import { ErrorCode, State } from "../../core/complete.ts";
import { Driver, type DriverOptions, noEndpoints } from "../../platform/driver.ts";
import { driverConfig } from "../../platform/fake/config.ts";
import { fakePlatform, MemoryStorage } from "../../platform/fake/index.ts";
import { asciiOf } from "../../platform/text.ts";
import { DirectHttp } from "../../targets/desktop/simulator/world/direct-http.ts";
import { Bench, FIXTURE, TV } from "../service/harness.ts";

const BASE = "http://127.0.0.1:8080";
const REFUSAL = { error: "invalid_request", error_description: "Missing: code_challenge" };

/** A service whose client must prove its codes, or may. */
function serviceWith(pkce: "required" | "optional"): Bench {
  const clients = FIXTURE.clients!.map((one) => (one.id === TV.client_id ? { ...one, pkce } : one));
  return new Bench({}, { fixture: { ...FIXTURE, clients } });
}

interface Told {
  path: string;
  fields: Record<string, string>;
  status: number;
}

/** A device at the service; what it sends is kept. */
class Device {
  readonly told: Told[] = [];
  readonly platform;
  readonly driver: Driver;

  constructor(
    readonly bench: Bench,
    options: Partial<DriverOptions> = {},
    readonly storage = new MemoryStorage({ capacity: 8192 }),
  ) {
    const platform = fakePlatform({ storage });
    const direct = new DirectHttp(bench.service);
    const { told } = this;
    const http = {
      send(request: Parameters<DirectHttp["send"]>[0], sink: Parameters<DirectHttp["send"]>[1]) {
        const body = asciiOf(request.body, request.bodyFrom, request.bodyTo);
        const fields = Object.fromEntries(new URLSearchParams(body));
        const one = { path: new URL(request.url).pathname, fields, status: 0 };
        told.push(one);
        direct.send(request, {
          status(status, retryAfter) {
            one.status = status;
            sink.status(status, retryAfter);
          },
          // In pieces, as networks have them.
          body(bytes, from, to) {
            for (let at = from; at < to; at += 7) sink.body(bytes, at, Math.min(to, at + 7));
          },
          end: () => sink.end(),
          failed: (failure) => sink.failed(failure),
        });
      },
      abort() {},
    };
    this.platform = platform;
    this.driver = new Driver({
      core,
      platform: { ...platform, http },
      endpoints: {
        ...noEndpoints,
        deviceAuthorization: `${BASE}/device/code`,
        token: `${BASE}/token`,
        revocation: `${BASE}/revoke`,
      },
      config: {
        ...driverConfig,
        clientId: TV.client_id,
        clientSecret: TV.client_secret,
        scope: "email",
      },
      memoryBytes: 8192,
      ...options,
    });
    this.driver.start();
  }

  get state(): string {
    return State[this.driver.device.state]!;
  }

  pass(seconds: number): void {
    for (let second = 0; second < seconds; second++) {
      this.bench.wait(1);
      this.platform.clock.advance(1000);
    }
  }

  approve(): void {
    const [attempt] = this.bench.service.pending();
    expect(this.bench.service.approve(attempt!.userCode, "ada")).toBe("granted");
  }

  codes(): Told[] {
    return this.told.filter(({ path }) => path === "/device/code");
  }

  verifiers(): (string | undefined)[] {
    const polls = this.told.filter(({ fields }) => fields.device_code !== undefined);
    return polls.map(({ fields }) => fields.code_verifier);
  }
}

const s256 = (verifier: string): string =>
  createHash("sha256").update(verifier).digest("base64url");

describe("pkce: S256", () => {
  it.each(["required", "optional"] as const)(
    "RFC 7636 §4.1, §4.2: a whole life where it is %s",
    (demand) => {
      const device = new Device(serviceWith(demand), { pkce: "S256" });
      device.pass(12);
      device.approve();
      device.pass(10);
      expect(device.state).toBe("SIGNED_IN");
      const [code, ...more] = device.codes();
      expect(more).toEqual([]);
      const verifiers = new Set(device.verifiers());
      expect(verifiers.size).toBe(1);
      const [verifier] = verifiers;
      expect(verifier).toMatch(/^[A-Za-z0-9_-]{43}$/);
      expect(code!.fields.code_challenge).toBe(s256(verifier!));
      expect(code!.fields.code_challenge_method).toBe("S256");
      device.driver.signOut();
      device.pass(2);
      expect(device.state).toBe("SIGNED_OUT");
      expect(device.driver.device.error).toBe(ErrorCode.NONE);
    },
  );

  it("RFC 7636 §7.1: each code has a verifier of its own", () => {
    const device = new Device(serviceWith("required"), { pkce: "S256" });
    for (let i = 0; i < 5; i++) {
      device.pass(8);
      device.driver.signIn();
    }
    device.pass(8);
    const challenges = device.codes().map(({ fields }) => fields.code_challenge);
    expect(challenges).toHaveLength(6);
    expect(new Set(challenges).size).toBe(6);
  });
});

describe("nothing is set", () => {
  it("RFC 7636 §4.4.1: one refusal that names it, and the device goes on with a challenge by itself", () => {
    const changes: string[] = [];
    let device: Device | undefined;
    const onChange = (): void => void changes.push(device?.state ?? "");
    device = new Device(serviceWith("required"), { onChange });
    device.pass(8);
    expect(device.codes().map(({ status }) => status)).toEqual([400, 200]);
    expect(device.codes().map(({ fields }) => typeof fields.code_challenge)).toEqual([
      "undefined",
      "string",
    ]);
    // Nobody is told of a failure that is none.
    expect(changes).not.toContain("FAILED");
    device.approve();
    device.pass(10);
    expect(device.state).toBe("SIGNED_IN");
    device.driver.signOut();
    device.pass(2);
    device.driver.signIn();
    device.pass(3);
    expect(device.codes().map(({ status }) => status)).toEqual([400, 200, 200]);
  });

  /** A server that answers every request for a code so. */
  function answering(
    status: number,
    body: string,
    pieces = 1,
  ): { codes: string[]; state: () => string } {
    const codes: string[] = [];
    const platform = fakePlatform();
    const driver = new Driver({
      core,
      platform: {
        ...platform,
        http: {
          send(request, sink) {
            codes.push(asciiOf(request.body, request.bodyFrom, request.bodyTo));
            sink.status(status, -1);
            const bytes = Uint8Array.from(Buffer.from(body));
            for (let at = 0; at < bytes.length; at += pieces) {
              sink.body(bytes, at, Math.min(bytes.length, at + pieces));
            }
            sink.end();
          },
          abort() {},
        },
      },
      endpoints: { ...noEndpoints, deviceAuthorization: `${BASE}/c`, token: `${BASE}/t` },
      config: { ...driverConfig, clientId: "tv", clientSecret: "", scope: "email" },
    });
    driver.start();
    platform.clock.advance(60_000);
    return { codes, state: () => State[driver.device.state]! };
  }

  it("a server that refuses a challenge as well is asked once with it, and then no more", () => {
    const { codes, state } = answering(400, JSON.stringify(REFUSAL));
    expect(codes.map((body) => body.includes("code_challenge="))).toEqual([false, true]);
    expect(state()).toBe("FAILED");
  });

  it.each([
    ["an error that does not name it", 400, { error: "invalid_request" }, 1],
    ["a part of its name", 400, { error: "invalid_request", hint: "code_challeng e" }, 1],
    [
      "its name after a part of it",
      400,
      { error: "invalid_request", hint: "code_code_challenge" },
      2,
    ],
    ["its name in an unknown error", 400, { error: "code_challenge_required" }, 2],
    ["its name in a 401", 401, { error: "invalid_client", hint: "code_challenge" }, 2],
  ])("%s", (_, status, body, requests) => {
    for (const pieces of [1, 5, 1000]) {
      expect(answering(status, JSON.stringify(body), pieces).codes).toHaveLength(requests);
    }
  });
});
