// The world around an emulated board: the simulated service over HTTPS, under a name of its own, and the page that
// the factory would have programmed.

import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fixture from "../../targets/service/fixture.json" with { type: "json" };
import {
  createService,
  type FixtureInput,
  nodeEnvironment,
  type RunningServer,
  type Service,
  type ServiceEvent,
  type ServiceOptionsInput,
  serve,
} from "../../targets/service/index.ts";
import { type IdentityName, makeIdentities } from "./certificates.ts";
import { Board, type BoardSettings } from "./emulator.ts";
import { makeFactoryPage } from "./factory-page.ts";

/** The name of the service on the board's network. */
export const SERVICE_NAME = "service.picogrant.test";

/** The client of the fixture that the board is. */
export const CLIENT = { clientId: "living-room-tv", clientSecret: "tv-secret" };
const SCOPE = "https://auth.picogrant.test/auth/video.readonly";

export class BoardWorld {
  readonly folder = mkdtempSync(join(tmpdir(), "picogrant-board-"));
  readonly service: Service;
  readonly events: ServiceEvent[] = [];
  private readonly tls = makeIdentities(SERVICE_NAME);
  private server: RunningServer | undefined;
  private readonly boards: Board[] = [];
  port = 0;
  private aheadMs = 0;

  constructor(options: ServiceOptionsInput = {}) {
    this.service = createService({
      ...nodeEnvironment(),
      now: () => Date.now() + this.aheadMs,
      random: (count) => randomBytes(count),
      fixture: fixture as FixtureInput,
      options: {
        interval: 1,
        pollToleranceMs: 250,
        baseUrl: `https://${SERVICE_NAME}`,
        ...options,
      },
    });
    this.service.observe((event) => this.events.push(event));
  }

  /** Listens, on the same port as before if there was one; "plain" is HTTP behind a TLS server of the test's. */
  async open(identity: IdentityName | "plain" = "trusted"): Promise<void> {
    const pair = identity === "plain" ? {} : this.tls.identities[identity];
    this.server = await serve(this.service, { port: this.port, ...pair });
    this.port = this.server.port;
  }

  /** Stops listening: connections are refused. */
  async close(): Promise<void> {
    await this.server?.close();
    this.server = undefined;
  }

  /** What a TLS server of the test's shows: the trusted identity, and its authority. */
  get trusted(): { key: string; chain: readonly string[] } {
    const { key, cert } = this.tls.identities.trusted;
    return { key, chain: [cert, this.tls.authority] };
  }

  /** The factory's page for this service; `config` changes members of device.json. */
  factoryPage(config: Record<string, unknown> = {}, host = SERVICE_NAME): Buffer {
    const base = `https://${host}`;
    const document = {
      ...CLIENT,
      scope: SCOPE,
      endpoints: {
        deviceAuthorization: `${base}/device/code`,
        token: `${base}/token`,
        revocation: `${base}/revoke`,
        videoApi: `${base}/video/v3`,
      },
      display: { columns: 16, rows: 2 },
      ...config,
    };
    return makeFactoryPage(JSON.stringify(document), [this.tls.authority]);
  }

  /** A board in this world; its power is off. */
  board(settings: Partial<BoardSettings> = {}): Board {
    const board = new Board({
      kind: "complete",
      folder: this.folder,
      factoryPage: this.factoryPage(),
      names: [SERVICE_NAME],
      port: this.port,
      ...settings,
    });
    this.boards.push(board);
    return board;
  }

  async end(): Promise<void> {
    for (const board of this.boards) await board.end();
    await this.close();
    rmSync(this.folder, { recursive: true, force: true });
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
