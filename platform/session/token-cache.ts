// Caches what came with the tokens across starts: the requested and granted scope, and the ID token. It is stored
// beside the records, if there is a place, and only applies to the tokens that it names.

import { Limit } from "../../core/device/limits.ts";
import { Endpoint, State } from "../../core/index.ts";
import type { HttpRequest, Storage } from "../contracts.ts";
import { storedTokenOf } from "../driver/requests.ts";
import type { Driver } from "../driver.ts";
import { nothing, operate } from "../exchange/callbacks.ts";
import { Filter } from "../exchange/filter.ts";
import type { Keys } from "../exchange/keys.ts";
import type { KnownToken, Recalled, ResponseRecorder } from "../exchange/response-recorder.ts";
import { sha256 } from "../text/sha256.ts";
import { bytesOf, objectIn } from "../text/text.ts";
import type { SharedState } from "./shared-state.ts";

/** A cached token is not used in its last minute or quarter: it must reach a server first. */
const MARGIN_MS = 60_000;

/** Returns false too if the clock was set back to before the token was issued: its expiry is then unknown. */
function isValid({ token, fromMs, endsAtMs }: Partial<KnownToken>): boolean {
  const nowMs = Date.now();
  if (typeof token !== "string" || !(fromMs! <= nowMs + MARGIN_MS)) return false;
  return endsAtMs! > nowMs + Math.min(MARGIN_MS, (endsAtMs! - fromMs!) / 4);
}

/**
 * Responds to a refresh in place of the server. A start, or a program after another one's refresh, uses the cached
 * token without a request.
 */
export class KnownResponse extends Filter {
  /** The cached token that the device may receive now, if any. */
  look: () => KnownToken | undefined = () => undefined;
  #turn = 0;

  override send(request: HttpRequest): void {
    const turn = ++this.#turn;
    const known = this.look();
    if (known === undefined) {
      this.below.send(request);
      return;
    }
    const expires_in = Math.floor((known.endsAtMs - Date.now()) / 1000);
    const response = { access_token: known.token, token_type: "Bearer", expires_in };
    const bytes = bytesOf(JSON.stringify(response));
    queueMicrotask(() => {
      if (turn !== this.#turn) return;
      this.above.status(200, -1);
      this.above.body(bytes, 0, bytes.length);
      bytes.fill(0);
      this.above.end();
    });
  }

  override abort(): void {
    this.#turn++;
    this.below.abort();
  }
}

/** Stores it in slot 0 of a storage. */
export class TokenCache {
  /** Whether the access token is cached, too: it is used at the next start, or refreshed first, or not cached. */
  access: "used" | "renewed" | "none";
  readonly known = new KnownResponse();
  /** An operation is in progress. */
  isBusy = false;
  /** The stored content is not known yet. */
  isReading = false;
  /** Called after the last operation. */
  onRest: () => void = nothing;
  /** Something is stored, for whatever tokens. */
  isThere = false;
  readonly #open: () => Storage;
  #next: (() => void) | undefined;

  /** @param open creates the storage for each operation: a seal is large */
  constructor(open: () => Storage, access: TokenCache["access"] = "none") {
    this.#open = open;
    this.access = access;
  }

  /** @param then receives a function that returns what is stored for a token */
  read(then: (storedOf: (token: string) => Recalled | undefined) => void): void {
    const storage = this.#open();
    const into = new Uint8Array(storage.capacity);
    this.isReading = true;
    this.#operate(
      -1,
      (done) => storage.read(0, into, 0, into.length, done),
      (length) => {
        this.isReading = false;
        this.isThere = length !== 0;
        const members = length > 0 ? objectIn(into.subarray(0, length)) : undefined;
        into.fill(0);
        const isUsed = this.access === "used";
        then((token) => (members?.of === nameOf(token) ? storedIn(members, isUsed) : undefined));
      },
    );
  }

  /** Replaces what is stored for another token. After a failure, the next start requests it again. */
  write(recalled: Recalled, token: string): void {
    const storage = this.#open();
    this.isThere = true;
    const { access, ...others } = recalled;
    const stored = this.access === "none" ? others : recalled;
    const bytes = bytesOf(JSON.stringify({ of: nameOf(token), ...stored }));
    this.#operate(false, (done) => storage.write(0, bytes, 0, bytes.length, done), nothing);
  }

  erase(): void {
    if (!this.isThere) return;
    this.isThere = false;
    const storage = this.#open();
    this.#operate(false, (done) => storage.erase(0, done), nothing);
  }

  /** One operation at a time; of the waiting ones only the newest runs. */
  #operate<Result>(
    failure: Result,
    act: (done: (result: Result) => void) => unknown,
    then: (result: Result) => void,
  ): void {
    const begin = (): void => {
      this.isBusy = true;
      const ended = (result: Result): void => {
        this.isBusy = false;
        then(result);
        const next = this.#next;
        this.#next = undefined;
        if (next) next();
        else this.onRest();
      };
      operate(act, failure, ended, (_, giveUp) => giveUp());
    };
    if (this.isBusy) this.#next = begin;
    else begin();
  }
}

/** Identifies a token without revealing it. */
function nameOf(token: string): string {
  return btoa(String.fromCharCode(...sha256(bytesOf(token)).subarray(0, 15)));
}

/** Another program may have written it. */
function storedIn(
  members: Readonly<Record<string, unknown>>,
  isUsed: boolean,
): Recalled | undefined {
  const { scope, tokenResponse, access, ...others } = members as Partial<Recalled>;
  const isStored = typeof scope === "string" && typeof tokenResponse === "object";
  const known = isUsed && access && isValid(access) ? access : undefined;
  return isStored ? { ...others, scope, tokenResponse, access: known } : undefined;
}

export interface IssuedTokensSettings {
  readonly config: { readonly scope: string };
  readonly keys?: Keys | undefined;
  readonly shared?: SharedState | undefined;
  /** Stores what came with the tokens, if there is a place for it. */
  readonly stored?: TokenCache | undefined;
}

/**
 * What is known of the tokens in use, besides the device's records: who requested them, with which scope, and whether
 * refreshes replace them.
 */
export class IssuedTokens {
  readonly #settings: IssuedTokensSettings;
  readonly #recorder: ResponseRecorder;
  /** What an earlier start has stored, until the tokens in use are known. */
  #storedOf: (token: string) => Recalled | undefined = () => undefined;
  /** The current or last access token; one that must be renewed is no longer known. */
  #access = "";
  /** The requested scope of the session; undefined if unknown. */
  #requested: string | undefined;
  /** The refresh token of the newest response. */
  #refresh = "";
  /** A refresh has left the refresh token unchanged. */
  isLasting = false;
  /** The tokens are bound to a key that this program does not have. */
  isOfOtherKey = false;
  /** Number of stored token responses. */
  #granted = 0;
  /** Distinguishes a session from a later one of another sign-in; undefined if unknown. */
  #sessionId: string | undefined;

  constructor(settings: IssuedTokensSettings, recorder: ResponseRecorder) {
    this.#settings = settings;
    this.#recorder = recorder;
  }

  read(): void {
    this.#settings.stored?.read((storedOf) => {
      this.#storedOf = storedOf;
    });
  }

  /** The next tokens belong to another sign-in, or another program has received them. */
  discard(isIncomplete = false): void {
    this.#recorder.discard();
    this.#granted = this.#recorder.granted;
    this.#requested = undefined;
    if (isIncomplete) this.#sessionId = undefined;
  }

  /** The token that an earlier start or another program has received for these records, when the device requests one. */
  known(driver: Driver): KnownToken | undefined {
    const { device, memory } = driver;
    if (device.endpoint !== Endpoint.TOKEN || device.state !== State.REFRESHING) return undefined;
    const { access, keyId = "" } = this.#storedOf(storedTokenOf(device, memory)) ?? {};
    this.isOfOtherKey = keyId !== "" && keyId !== this.#settings.keys?.id;
    // Without its key it is useless. A server may accept the refresh token of a client that authenticates.
    if (this.isOfOtherKey) return undefined;
    if (access?.token === this.#access) return undefined;
    driver.commands.makeRoom({ access_token: access?.token });
    return access;
  }

  /** There are no tokens: erases what is stored for them. From now on, this program has requested the tokens. */
  erase(): void {
    const { stored, config } = this.#settings;
    if (stored?.isThere) this.#inTurn(() => stored.erase());
    this.#requested = config.scope;
    this.#sessionId = `${Date.now()} ${Math.random()}`;
  }

  /**
   * The device has stored its tokens: recalls what is stored for them, or stores what came with them.
   * @returns whether they belong to another sign-in than before
   */
  update(driver: Driver): boolean {
    const token = storedTokenOf(driver.device, driver.memory);
    const isNew = this.#recorder.granted !== this.#granted;
    this.#access = driver.accessToken || this.#access;
    const known = isNew ? undefined : this.#storedOf(token);
    this.#storedOf = () => undefined;
    const isAnother = known !== undefined && this.#recall(known);
    if (isNew) this.isLasting = token === this.#refresh;
    this.#refresh = token;
    if (isNew) this.#store(driver, token);
    return isAnother;
  }

  /** @returns whether it belongs to another sign-in than before */
  #recall(known: Recalled): boolean {
    const { sessionId = this.#sessionId } = known;
    const isAnother = this.#sessionId !== undefined && sessionId !== this.#sessionId;
    this.#sessionId = sessionId;
    this.#requested = known.requested;
    this.isLasting = known.isLasting ?? false;
    const { keys } = this.#settings;
    if (keys !== undefined) keys.isBound = known.keyId !== undefined;
    this.#recorder.recall(known);
    return isAnother;
  }

  #store(driver: Driver, token: string): void {
    const { isLasting } = this;
    const { accessLifetimeS } = driver.device;
    this.#granted = this.#recorder.granted;
    const { scope = "", tokenResponse = {}, idToken } = this.#recorder;
    const fromMs = Date.now();
    const endsAtMs = fromMs + (accessLifetimeS - driver.unreportedS) * 1000;
    const access = { token: this.#access, fromMs, endsAtMs };
    const { keys } = this.#settings;
    const keyId = keys?.isBound ? keys.id : undefined;
    const about = { sessionId: this.#sessionId, requested: this.#requested, isLasting, keyId };
    const isEnding = accessLifetimeS < Limit.ENDLESS;
    const recalled = { ...about, scope, tokenResponse, idToken, ...(isEnding && { access }) };
    this.#inTurn(() => this.#settings.stored?.write(recalled, token));
  }

  /** Writes beside the records while no other program uses them: this content is then newer. */
  #inTurn(write: () => void): void {
    const { shared } = this.#settings;
    if (shared === undefined) write();
    // Another operation already waits for its turn.
    else if (!shared.isWaiting)
      shared.enter(() => shared.isCurrent && !shared.unwritable(0) && write(), nothing);
  }

  get requested(): string | undefined {
    const { stored, config } = this.#settings;
    return stored === undefined ? config.scope : this.#requested;
  }

  /** Whether the program requests a scope that the session neither requested nor received. */
  get isTooNarrow(): boolean {
    if (this.#requested === undefined) return false;
    const known = `${this.#requested} ${this.#recorder.scope}`.split(" ");
    const { scope } = this.#settings.config;
    return scope.split(" ").some((word) => word !== "" && !known.includes(word));
  }
}
