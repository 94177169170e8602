// A simulated service that the C host talks to over real sockets, which can go away and come back, and
// a folder for the host's configuration and records.

import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fixture from "../../targets/service/fixture.json" with { type: "json" };
import {
  createService,
  type FixtureInput,
  type RunningServer,
  type Service,
  type ServiceEvent,
  type ServiceOptionsInput,
  serve,
} from "../../targets/service/index.ts";
import { makeTlsIdentities } from "../platform/certificates.ts";

/** The client of the fixture that the host is. */
export const CLIENT = { clientId: "living-room-tv", clientSecret: "tv-secret" };
const SCOPE = "https://auth.picogrant.test/auth/video.readonly";

export type Protocol = "http" | "https";

export class World {
  readonly folder = mkdtempSync(join(tmpdir(), "picogrant-host-"));
  readonly service: Service;
  readonly events: ServiceEvent[] = [];
  private readonly tls: ReturnType<typeof makeTlsIdentities> | undefined;
  private server: RunningServer | undefined;
  private port = 0;
  private aheadMs = 0;

  constructor(
    readonly protocol: Protocol,
    options: ServiceOptionsInput = {},
  ) {
    this.service = createService({
      now: () => Date.now() + this.aheadMs,
      random: (count) => randomBytes(count),
      fixture: fixture as FixtureInput,
      options: { interval: 1, pollToleranceMs: 50, ...options },
    });
    this.service.observe((event) => this.events.push(event));
    if (protocol === "https") this.tls = makeTlsIdentities();
    writeFileSync(join(this.folder, "ca.pem"), this.tls?.ca ?? "");
  }

  /** Listens, on the same port as before if there was one. `identity` is the certificate shown. */
  async open(identity: "trusted" | "untrusted" | "otherName" = "trusted"): Promise<void> {
    this.server = await serve(this.service, { port: this.port, ...this.tls?.identities[identity] });
    this.port = this.server.port;
  }

  /** Stops listening: connections are refused. */
  async close(): Promise<void> {
    await this.server?.close();
    this.server = undefined;
  }

  /** The service is gone, and whatever has its port cuts every connection; ends after `attempts`. */
  async outage(attempts: number): Promise<void> {
    await this.close();
    await new Promise<void>((resolve, reject) => {
      let seen = 0;
      const wreck = createServer((socket) => {
        socket.on("error", () => undefined).destroy();
        if (++seen === attempts) wreck.close(() => resolve());
      });
      wreck.on("error", reject).listen(this.port, "127.0.0.1");
    });
    await this.open();
  }

  async end(): Promise<void> {
    await this.close();
    rmSync(this.folder, { recursive: true, force: true });
  }

  /** Writes a device.json and returns its path. */
  configure(changes: Record<string, unknown> = {}): string {
    const base = `${this.protocol}://127.0.0.1:${this.port}`;
    const path = join(this.folder, "device.json");
    const config = {
      ...CLIENT,
      scope: SCOPE,
      endpoints: {
        deviceAuthorization: `${base}/device/code`,
        token: `${base}/token`,
        revocation: `${base}/revoke`,
        resources: [`${base}/video/v3`],
      },
      storage: { directory: join(this.folder, "state"), deviceKeyFile: "/dev/null" },
      http: { certificates: join(this.folder, "ca.pem") },
      ...changes,
    };
    writeFileSync(path, JSON.stringify(config), { mode: 0o600 });
    return path;
  }

  get recordFile(): string {
    return join(this.folder, "state", "records.flash");
  }

  /** Lets time pass for the service alone. */
  skip(ms: number): void {
    this.aheadMs += ms;
  }

  /** The answers of the service to a path so far: their status codes. */
  answers(path: string): number[] {
    return this.events.flatMap((event) =>
      event.type === "exchange" && event.path === path ? [event.status] : [],
    );
  }

  /** The one code that waits for its user. */
  get pendingCode(): string {
    return this.service.pending()[0]?.userCode ?? "";
  }
}
