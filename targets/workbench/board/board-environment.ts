// The environment of an emulated board: the simulated service over HTTPS under a host name, and settings pages.

import type { TlsIdentities } from "../../command/conform/conformance-server.ts";
import { makePage, type PageSettings } from "../../command/page-format.ts";
import { makeTlsIdentities } from "../../service/certificates.ts";
import type { ServiceOptionsInput } from "../../service/index.ts";
import { ServiceEnvironment } from "../host/service-environment.ts";
import { Board, type BoardSettings } from "./emulator.ts";

export const SERVICE_NAME = "service.picogrant.test";

/** Two certificate authorities: `next` is for tests that replace `first`. All environments share both, because making
 * keys takes seconds. */
const [first, next] = [makeTlsIdentities(SERVICE_NAME), makeTlsIdentities(SERVICE_NAME)] as const;

export class BoardEnvironment extends ServiceEnvironment {
  readonly #boards: Board[] = [];
  readonly #keys: PageSettings["keys"];

  /**
   * @param key the private key of the boards, on P-256. With a key, the service requires DPoP with nonces, and
   * private_key_jwt
   */
  constructor(options: ServiceOptionsInput = {}, key?: JsonWebKey) {
    const baseUrl = `https://${SERVICE_NAME}`;
    const { d, ...jwk } = { ...key };
    const required = key && ({ dpop: "required", dpopNonces: true } as const);
    const registered = key && { secret: undefined, jwks: [jwk] as never };
    super("board", { pollToleranceMs: 250, baseUrl, ...required, ...options }, registered);
    if (d === undefined) return;
    this.#keys = { privateKeyJwt: "issuer", signingKey: Buffer.from(d, "base64url") };
  }

  /** Starts the service. "next": its certificate is from the authority `next`. "plain": it uses HTTP, and the test runs
   * a TLS server in front of it. */
  async open(identity: keyof TlsIdentities | "next" | "plain" = "trusted"): Promise<void> {
    const { identities } = identity === "next" ? next : first;
    const shown = identity === "next" ? "trusted" : identity;
    await this.listen(shown === "plain" ? undefined : identities[shown]);
    // The board's proofs and assertions contain the service's address with its port, which is known only now.
    if (this.#keys) this.service.setOptions({ baseUrl: `https://${SERVICE_NAME}:${this.port}` });
  }

  /** The trusted identity and its authority, for a TLS server that the test runs. */
  get trusted(): { key: string; chain: readonly string[] } {
    const { key, cert } = first.identities.trusted;
    return { key, chain: [cert, first.ca] };
  }

  /**
   * A settings page for this service, dated an hour ago. Call `open` first.
   * @param config members of device.json that differ from the usual ones
   */
  page(config: Record<string, unknown> = {}, settings: Partial<PageSettings> = {}): Buffer {
    const { limits } = config;
    const document = {
      ...this.registration(`https://${SERVICE_NAME}:${this.port}`),
      ...(this.#keys && { clientSecret: undefined, dpop: "require" }),
      display: { columns: 16, rows: 2 },
      ...config,
      // The time limits are long, because a handshake of one second may take 20 s on a busy machine.
      limits: { connectSeconds: 60, exchangeSeconds: 110, startSpreadMs: 0, ...(limits as object) },
    };
    const authorities = [first.ca];
    const madeAt = Math.floor(Date.now() / 1000) - 3600;
    const keys = this.#keys;
    return makePage(JSON.stringify(document), { authorities, madeAt, keys, ...settings });
  }

  get authorities(): { first: string; next: string } {
    return { first: first.ca, next: next.ca };
  }

  /** Makes a board, which is switched off. */
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

  /** Starts the service and a board that shows a code. @param config as for `page` */
  async pending(config: Record<string, unknown> = {}): Promise<Board> {
    await this.open();
    const board = this.board({ page: this.page(config) });
    await board.powerOn();
    await board.state("PENDING");
    return board;
  }

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
