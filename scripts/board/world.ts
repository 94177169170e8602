// The world around an emulated board: the simulated service over HTTPS, under a name of its own, and the page that
// the factory would have programmed.

import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import nacl from "tweetnacl";
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
import { type BoardImage, makeBoardImage, PRODUCT } from "./images.ts";
import { makeLoaderPage } from "./loader-page.ts";
import { UpdateServer } from "./updates.ts";

/** The name of the service on the board's network. */
export const SERVICE_NAME = "service.picogrant.test";

/** The name of the server of updates, and the release that boards leave the factory with. */
export const UPDATES_NAME = "updates.picogrant.test";
export const FIRST_RELEASE = "1.0.0";

/** The client of the fixture that the board is. */
export const CLIENT = { clientId: "living-room-tv", clientSecret: "tv-secret" };
const SCOPE = "https://auth.picogrant.test/auth/video.readonly";

export class BoardWorld {
  readonly folder = mkdtempSync(join(tmpdir(), "picogrant-board-"));
  readonly service: Service;
  readonly events: ServiceEvent[] = [];
  /** The key of the boards' maker. */
  readonly maker = nacl.sign.keyPair();
  readonly updates = new UpdateServer();
  private updatesPort = 0;
  private readonly tls = makeIdentities(SERVICE_NAME, UPDATES_NAME);
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
    const { trusted } = this.tls.identities;
    const isPlain = identity === "plain";
    const pair = isPlain ? {} : this.tls.identities[identity];
    this.server = await serve(this.service, { port: this.port, ...pair });
    this.port = this.server.port;
    this.updatesPort ||= await this.updates.open(isPlain ? undefined : trusted);
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
        resources: [`${base}/video/v3`],
      },
      display: { columns: 16, rows: 2 },
      // The emulator shares its machine with others: a handshake that takes one second may take twenty.
      limits: { connectSeconds: 60, exchangeSeconds: 110 },
      ...config,
    };
    const updates = `https://${UPDATES_NAME}/${PRODUCT}`;
    return makeFactoryPage(JSON.stringify(document), [this.tls.authority], updates);
  }

  /** A signed image; another key's where `secretKey` is given. */
  image(parts: BoardImage, secretKey = this.maker.secretKey): Uint8Array {
    return makeBoardImage(parts, secretKey);
  }

  /** Offers a release to the boards, for each slot; `change` spoils the files. */
  publish(
    parts: Omit<BoardImage, "slot">,
    secretKey = this.maker.secretKey,
    change: (image: Uint8Array) => Uint8Array = (image) => image,
  ): void {
    for (const slot of ["a", "b"] as const) {
      const image = this.image({ ...parts, slot }, secretKey);
      this.updates.publish(`/${PRODUCT}/${slot}.img`, change(image));
    }
  }

  /** A board in this world; its power is off. */
  board(settings: Partial<BoardSettings> = {}): Board {
    const { kind = "complete" } = settings;
    const board = new Board({
      kind,
      folder: this.folder,
      factoryPage: this.factoryPage(),
      loaderPage: makeLoaderPage(PRODUCT, [this.maker.publicKey]),
      image: this.image({ kind, slot: "a", release: FIRST_RELEASE }),
      names: [SERVICE_NAME],
      port: this.port,
      updates: { name: UPDATES_NAME, port: this.updatesPort },
      ...settings,
    });
    this.boards.push(board);
    return board;
  }

  async end(): Promise<void> {
    for (const board of this.boards) await board.end();
    await this.close();
    await this.updates.close();
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
