// The world around an emulated board: the simulated service over HTTPS, under a name of its own, and the page that
// the factory would have programmed.

import nacl from "tweetnacl";
import { makeFactoryPage, makeLaterPage, makeSettingsImage } from "../../image/factory-page.ts";
import { makeLoaderPage } from "../../image/loader-page.ts";
import type { ServiceOptionsInput } from "../../service/index.ts";
import { ServiceWorld } from "../host/service-world.ts";
import { type IdentityName, makeIdentities } from "./certificates.ts";
import { Board, type BoardSettings } from "./emulator.ts";
import { type BoardImage, makeBoardImage, PRODUCT } from "./images.ts";
import { UpdateServer } from "./updates.ts";

/** The name of the service on the board's network. */
export const SERVICE_NAME = "service.picogrant.test";

/** The name of the server of updates, and the release that boards leave the factory with. */
const UPDATES_NAME = "updates.picogrant.test";
const FIRST_RELEASE = "1.0.0";

export class BoardWorld extends ServiceWorld {
  /** The key of the boards' maker. */
  readonly maker = nacl.sign.keyPair();
  readonly updates = new UpdateServer();
  #updatesPort = 0;
  #release = FIRST_RELEASE;
  #settings = 0;
  readonly #tls = makeIdentities(SERVICE_NAME, UPDATES_NAME);
  readonly #boards: Board[] = [];

  constructor(options: ServiceOptionsInput = {}) {
    const baseUrl = `https://${SERVICE_NAME}`;
    super("board", { pollToleranceMs: 250, baseUrl, ...options });
  }

  /** Listens; "plain" is HTTP behind a TLS server of the test's. */
  async open(identity: IdentityName | "plain" = "trusted"): Promise<void> {
    const { trusted } = this.#tls.identities;
    const isPlain = identity === "plain";
    await this.listen(isPlain ? undefined : this.#tls.identities[identity]);
    this.#updatesPort ||= await this.updates.open(isPlain ? undefined : trusted);
  }

  /** What a TLS server of the test's shows: the trusted identity, and its authority. */
  get trusted(): { key: string; chain: readonly string[] } {
    const { key, cert } = this.#tls.identities.trusted;
    return { key, chain: [cert, this.#tls.authority] };
  }

  /** The factory's page for this service; `config` changes members of device.json. */
  factoryPage(config: Record<string, unknown> = {}, host = SERVICE_NAME): Buffer {
    const document = {
      ...this.registration(`https://${host}`),
      display: { columns: 16, rows: 2 },
      // The emulator shares its machine with others: a handshake that takes one second may take twenty.
      limits: { connectSeconds: 60, exchangeSeconds: 110 },
      ...config,
    };
    const updates = `https://${UPDATES_NAME}/${PRODUCT}`;
    return makeFactoryPage(JSON.stringify(document), {
      authorities: [this.#tls.authority],
      updates,
    });
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
    this.#release = parts.release;
    this.#publishLatest();
  }

  #publishLatest(): void {
    const lines = [`release ${this.#release}`, `settings ${this.#settings}`];
    this.updates.publish(`/${PRODUCT}/latest`, Buffer.from(`${lines.join("\n")}\n`));
  }

  /** Offers later settings to the boards: members of device.json that change, and authorities. */
  publishSettings(
    counter: number,
    config: Record<string, unknown>,
    authorities?: readonly string[],
    secretKey = this.maker.secretKey,
  ): void {
    const base = JSON.stringify(this.registration(`https://${SERVICE_NAME}`));
    const page = makeLaterPage(JSON.stringify(config), base, {
      ...(authorities && { authorities }),
    });
    const image = makeSettingsImage(page, { product: PRODUCT, counter }, secretKey);
    this.updates.publish(`/${PRODUCT}/settings.img`, image);
    this.#settings = counter;
    this.#publishLatest();
  }

  /** The certificate of the authority that the boards trust, and of the one that comes after it. */
  get authorities(): { first: string; next: string } {
    return { first: this.#tls.authority, next: this.#tls.nextAuthority };
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
      updates: { name: UPDATES_NAME, port: this.#updatesPort },
      ...settings,
    });
    this.#boards.push(board);
    return board;
  }

  override async end(): Promise<void> {
    for (const board of this.#boards) await board.end();
    await this.updates.close();
    await super.end();
  }
}
