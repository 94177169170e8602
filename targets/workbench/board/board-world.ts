// The world around an emulated board: the simulated service over HTTPS, under a name of its own, and the settings page
// that the factory would have programmed.

import { makeTlsIdentities } from "../../command/certificates.ts";
import type { TlsIdentities } from "../../command/conform/conformance-server.ts";
import { makePage, type PageSettings } from "../../command/page-format.ts";
import type { ServiceOptionsInput } from "../../service/index.ts";
import { ServiceWorld } from "../host/service-world.ts";
import { Board, type BoardSettings } from "./emulator.ts";

/** The name of the service on the board's network. */
export const SERVICE_NAME = "service.picogrant.test";

/** The same for each world, since keys take seconds to make on a busy machine; the next authority follows the first. */
const [first, next] = [makeTlsIdentities(SERVICE_NAME), makeTlsIdentities(SERVICE_NAME)] as const;

export class BoardWorld extends ServiceWorld {
  readonly #boards: Board[] = [];

  constructor(options: ServiceOptionsInput = {}) {
    const baseUrl = `https://${SERVICE_NAME}`;
    super("board", { pollToleranceMs: 250, baseUrl, ...options });
  }

  /** Listens; "next" is signed by the next authority, "plain" is HTTP behind a TLS server of the test's. */
  async open(identity: keyof TlsIdentities | "next" | "plain" = "trusted"): Promise<void> {
    const { identities } = identity === "next" ? next : first;
    const shown = identity === "next" ? "trusted" : identity;
    await this.listen(shown === "plain" ? undefined : identities[shown]);
  }

  /** What a TLS server of the test's shows: the trusted identity, and its authority. */
  get trusted(): { key: string; chain: readonly string[] } {
    const { key, cert } = first.identities.trusted;
    return { key, chain: [cert, first.ca] };
  }

  /** A settings page for this service, which listens already, made an hour ago; `config` changes members of device.json. */
  page(config: Record<string, unknown> = {}, settings: Partial<PageSettings> = {}): Buffer {
    const { limits } = config;
    const document = {
      ...this.registration(`https://${SERVICE_NAME}:${this.port}`),
      display: { columns: 16, rows: 2 },
      ...config,
      // The emulator shares its machine with others: a handshake that takes one second may take twenty.
      limits: { connectSeconds: 60, exchangeSeconds: 110, startSpreadMs: 0, ...(limits as object) },
    };
    const authorities = [first.ca];
    const madeAt = Math.floor(Date.now() / 1000) - 3600;
    return makePage(JSON.stringify(document), { authorities, madeAt, ...settings });
  }

  /** The certificate of the authority that the boards trust, and of the one that comes after it. */
  get authorities(): { first: string; next: string } {
    return { first: first.ca, next: next.ca };
  }

  /** A board in this world; its power is off. */
  board(settings: Partial<BoardSettings> = {}): Board {
    const { kind = "complete" } = settings;
    const board = new Board({
      kind,
      folder: this.folder,
      page: this.page(),
      names: [SERVICE_NAME],
      ...settings,
    });
    this.#boards.push(board);
    return board;
  }

  /** Opens the world with a board that shows a code; `config` changes members of its configuration. */
  async pending(config: Record<string, unknown> = {}): Promise<Board> {
    await this.open();
    const board = this.board({ page: this.page(config) });
    await board.powerOn();
    await board.state("PENDING");
    return board;
  }

  /** The same, and its user has allowed it. */
  async signedIn(config: Record<string, unknown> = {}): Promise<Board> {
    const board = await this.pending(config);
    if (this.service.approve(this.pendingCode, "ada") !== "granted") throw new Error("not granted");
    await board.state("SIGNED_IN");
    return board;
  }

  override async end(): Promise<void> {
    for (const board of this.#boards) await board.end();
    await super.end();
  }
}
