// The simulated service for a host or a board, over real sockets.

import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fixture from "../../service/fixture.json" with { type: "json" };
import {
  createService,
  type FixtureInput,
  nodeEnvironment,
  type RunningServer,
  type Service,
  type ServiceEvent,
  type ServiceOptionsInput,
  serve,
} from "../../service/index.ts";

type ClientInput = NonNullable<FixtureInput["clients"]>[number];

export const CLIENT = { clientId: "living-room-tv", clientSecret: "tv-secret" };
const SCOPE = "https://auth.picogrant.test/auth/video.readonly";

export class ServiceEnvironment {
  /** A folder for the device's files, which `end` deletes. */
  readonly folder: string;
  readonly service: Service;
  readonly events: ServiceEvent[] = [];
  #server: RunningServer | undefined;
  #aheadMs = 0;
  port = 0;

  /** @param demands changed members of `CLIENT` in the fixture, such as `{ pkce: "required" }` */
  constructor(name: string, options: ServiceOptionsInput, demands: Partial<ClientInput> = {}) {
    const all = fixture as FixtureInput;
    const clients = all.clients!.map((one) =>
      one.id === CLIENT.clientId ? { ...one, ...demands } : one,
    );
    this.folder = mkdtempSync(join(tmpdir(), `picogrant-${name}-`));
    this.service = createService({
      ...nodeEnvironment(),
      now: () => Date.now() + this.#aheadMs,
      random: (count) => randomBytes(count),
      fixture: { ...all, clients },
      options: { interval: 1, ...options },
    });
    this.service.observe((event) => this.events.push(event));
  }

  /** Starts the service. A restart uses the same port. With a key and its certificate, the service uses TLS. */
  async listen(identity?: { key: string; cert: string }): Promise<void> {
    this.#server = await serve(this.service, { port: this.port, ...identity });
    this.port = this.#server.port;
  }

  async close(): Promise<void> {
    await this.#server?.close();
    this.#server = undefined;
  }

  async end(): Promise<void> {
    await this.close();
    rmSync(this.folder, { recursive: true, force: true });
  }

  /** The part of device.json that depends on the service. */
  registration(base: string) {
    return {
      ...CLIENT,
      scope: SCOPE,
      endpoints: {
        deviceAuthorization: `${base}/device/code`,
        token: `${base}/token`,
        revocation: `${base}/revoke`,
        resources: [`${base}/video/v3`],
      },
    };
  }

  skip(ms: number): void {
    this.#aheadMs += ms;
  }

  /** The status codes of the responses to requests for a path. */
  responses(path: string): number[] {
    return this.events.flatMap((event) =>
      event.type === "exchange" && event.path === path ? [event.status] : [],
    );
  }

  get pendingCode(): string {
    return this.service.pending()[0]?.userCode ?? "";
  }
}
