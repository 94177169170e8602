// Caches the data that came with the tokens: the requested and granted scope, the token response, the ID token, and for
// a state directory the access token. The cache is stored beside the records, if the storage has a place for it. The
// cache names the token that it belongs to, and is ignored for any other token.

import { Limit } from "../../core/device/limits.ts";
import { Endpoint, State } from "../../core/index.ts";
import type { HttpRequest, Storage } from "../contracts.ts";
import { storedTokenOf } from "../driver/requests.ts";
import type { Driver } from "../driver.ts";
import { nothing, operate } from "../exchange/callbacks.ts";
import { Filter } from "../exchange/filter.ts";
import type { Keys } from "../exchange/keys.ts";
import type {
  KnownToken,
  Recalled,
  ResponseRecorder,
  TokenResponse,
} from "../exchange/response-recorder.ts";
import { sha256 } from "../text/sha256.ts";
import { bytesOf, objectIn } from "../text/text.ts";
import { isAtEnd } from "./life-cycle.ts";
import type { SharedRecords } from "./shared-records.ts";

/** A cached token is not used in its last minute (or last quarter, if shorter), so that it is valid on arrival. */
const MARGIN_MS = 60_000;

/** The time for which the cache responds with a token of unknown lifetime. */
const UNKNOWN_LIFETIME_MS = 3_600_000;

/** Whether a cached token is valid. It counts as invalid if the clock was set back to before its arrival. */
function isValid(known: Partial<KnownToken>): boolean {
  const { token, fromMs = Number.NaN, endsAtMs = fromMs + UNKNOWN_LIFETIME_MS } = known;
  const nowMs = Date.now();
  if (typeof token !== "string" || !(fromMs <= nowMs + MARGIN_MS)) return false;
  return endsAtMs > nowMs + Math.min(MARGIN_MS, (endsAtMs - fromMs) / 4);
}

/** Responds to a refresh with a cached token instead of a request: after a start, or after another program's refresh. */
export class KnownResponse extends Filter {
  readonly #look: () => KnownToken | undefined;

  constructor(look: () => KnownToken | undefined) {
    super();
    this.#look = look;
  }

  override send(request: HttpRequest): void {
    const turn = ++this.turn;
    const known = this.#look();
    if (known === undefined) {
      this.below.send(request);
      return;
    }
    const { token, endsAtMs } = known;
    const expires_in = endsAtMs && Math.floor((endsAtMs - Date.now()) / 1000);
    const response = { access_token: token, token_type: "Bearer", expires_in };
    const bytes = bytesOf(JSON.stringify(response));
    queueMicrotask(() => {
      if (turn !== this.turn) return;
      this.above.status(200, -1);
      this.above.body(bytes, 0, bytes.length);
      bytes.fill(0);
      this.above.end();
    });
  }
}

/** Stores the cache in slot 0 of a storage. */
export class TokenCache {
  /** What this start does with a cached access token: uses it or refreshes it. "none": the cache has no access token. */
  access: "used" | "renewed" | "none";
  isBusy = false;
  /** Whether the stored content is still being read, and so is unknown. */
  isReading = false;
  onRest: () => void = nothing;
  /** Whether the storage contains a cache, whichever tokens it is for. */
  isThere = false;
  /** Whether the last erase has failed. The next start tries again. */
  isLeft = false;
  readonly #open: () => Storage;
  #next: (() => void) | undefined;

  /** @param open creates the storage for each operation, because sealed storage is large */
  constructor(open: () => Storage, access: TokenCache["access"] = "none") {
    this.#open = open;
    this.access = access;
  }

  /** @param then receives a function that returns the data stored for a token */
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

  /** Replaces the stored data. A failure is ignored, because the next start can refresh the access token. */
  write(recalled: Recalled, token: string): void {
    const storage = this.#open();
    this.isThere = true;
    const { access, ...others } = recalled;
    const stored = this.access === "none" ? others : recalled;
    const bytes = bytesOf(JSON.stringify({ of: nameOf(token), ...stored }));
    this.isLeft = false;
    this.#operate(false, (done) => storage.write(0, bytes, 0, bytes.length, done), nothing);
  }

  erase(): void {
    if (!this.isThere) return;
    this.isThere = false;
    const storage = this.#open();
    const ended = (ok: boolean): void => {
      this.isLeft = !ok;
    };
    this.#operate<boolean>(false, (done) => storage.erase(0, done), ended);
  }

  /** Runs one operation at a time. Of several waiting operations, only the newest runs. */
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

/** Returns a name for a token that does not reveal the token. */
function nameOf(token: string): string {
  return btoa(String.fromCharCode(...sha256(bytesOf(token)).subarray(0, 15)));
}

/** Checks the members, because another program may have written them. */
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
  readonly scope: string;
  readonly keys?: Keys | undefined;
  readonly shared?: SharedRecords | undefined;
  /** The cache, if the storage has a place for it. */
  readonly stored?: TokenCache | undefined;
}

interface CurrentDriver {
  readonly current: Driver;
  readonly recorder: ResponseRecorder;
}

/**
 * Data about the tokens in use that the device's records do not contain: the sign-in that issued them, its scope, and
 * whether refreshes replace the refresh token.
 */
export class IssuedTokens {
  readonly #settings: IssuedTokensSettings;
  /** Responds to a refresh with the token that an earlier start or another program has received for these records. */
  readonly filter = new KnownResponse(() => this.#known());
  readonly #drivers: CurrentDriver;
  /** Returns the data that an earlier start has stored for a token. Is reset when the tokens in use are known. */
  #storedOf: (token: string) => Recalled | undefined = () => undefined;
  #access = "";
  #requested: string | undefined;
  #refresh = "";
  /** Whether the last refresh left the refresh token unchanged. */
  isLasting = false;
  /** Whether the tokens are bound to a key that this program does not have. */
  isOfOtherKey = false;
  /** The token response that was last stored, or that an earlier start has stored. */
  #response: TokenResponse | undefined;
  /** Identifies the sign-in that issued the tokens; undefined if unknown. */
  #sessionId: string | undefined;

  constructor(settings: IssuedTokensSettings, drivers: CurrentDriver) {
    this.#settings = settings;
    this.#drivers = drivers;
  }

  read(): void {
    this.#settings.stored?.read((storedOf) => {
      this.#storedOf = storedOf;
    });
  }

  /** Discards the data: the next tokens come from another sign-in or another program. */
  discard(isIncomplete = false): void {
    this.#drivers.recorder.discard();
    this.#requested = undefined;
    if (isIncomplete) this.#sessionId = undefined;
  }

  #known(): KnownToken | undefined {
    const { device, memory, commands } = this.#drivers.current;
    if (device.endpoint !== Endpoint.TOKEN || device.state !== State.REFRESHING) return undefined;
    const { access, keyId = "" } = this.#storedOf(storedTokenOf(device, memory)) ?? {};
    this.isOfOtherKey = keyId !== "" && keyId !== this.#settings.keys?.id;
    // The token is useless without its key. A refresh may still succeed, if the client authenticates in another way.
    if (this.isOfOtherKey || access?.token === this.#access) return undefined;
    commands.makeRoom({ access_token: access?.token });
    return access;
  }

  /**
   * Call it after every possible change, while the device is not writing.
   * @returns whether the tokens belong to another sign-in than before
   */
  look(): boolean {
    const { current } = this.#drivers;
    if (this.#settings.stored?.isReading !== false) return false;
    if (isAtEnd(current.device.state)) this.#erase();
    return current.isSignedIn && this.#update(current);
  }

  /** Called when there are no tokens. This program requests the next ones. */
  #erase(): void {
    const { stored, scope } = this.#settings;
    if (stored?.isThere) this.#inTurn(() => stored.erase());
    this.#requested = scope;
    this.#sessionId = `${Date.now()} ${Math.random()}`;
  }

  /**
   * Called after the device has stored its tokens: loads the data stored for them, or stores the newly received data.
   * @returns whether the tokens come from another sign-in than before
   */
  #update(driver: Driver): boolean {
    const token = storedTokenOf(driver.device, driver.memory);
    const { tokenResponse } = this.#drivers.recorder;
    const isNew = tokenResponse !== undefined && tokenResponse !== this.#response;
    this.#access = driver.accessToken || this.#access;
    const known = isNew ? undefined : this.#storedOf(token);
    this.#storedOf = () => undefined;
    const isAnother = known !== undefined && this.#recall(known);
    if (isNew) this.isLasting = token === this.#refresh;
    this.#refresh = token;
    if (isNew) this.#store(driver, token);
    return isAnother;
  }

  /** @returns whether the tokens come from another sign-in than before */
  #recall(known: Recalled): boolean {
    const { sessionId = this.#sessionId } = known;
    const isAnother = this.#sessionId !== undefined && sessionId !== this.#sessionId;
    this.#sessionId = sessionId;
    this.#requested = known.requested;
    this.isLasting = known.isLasting ?? false;
    const { keys } = this.#settings;
    if (keys !== undefined) keys.isBound = known.keyId !== undefined;
    this.#drivers.recorder.recall(known);
    this.#response = known.tokenResponse;
    return isAnother;
  }

  #store(driver: Driver, token: string): void {
    const { accessLifetimeS } = driver.device;
    const { scope = "", tokenResponse = {}, idToken } = this.#drivers.recorder;
    this.#response = tokenResponse;
    const fromMs = Date.now();
    const leftMs = (accessLifetimeS - driver.unreportedS) * 1000;
    const endsAtMs = accessLifetimeS < Limit.ENDLESS ? fromMs + leftMs : undefined;
    const { keys, stored } = this.#settings;
    const recalled: Recalled = {
      sessionId: this.#sessionId,
      requested: this.#requested,
      isLasting: this.isLasting,
      keyId: keys?.isBound ? keys.id : undefined,
      ...{ scope, tokenResponse, idToken },
      access: { token: this.#access, fromMs, endsAtMs },
    };
    this.#inTurn(() => stored?.write(recalled, token));
  }

  /** Writes the cache while no other program uses the records, so that it is not overwritten by older data. */
  #inTurn(write: () => void): void {
    const { shared } = this.#settings;
    if (shared === undefined) write();
    // A second `enter` would replace an operation that waits for access, so do not write the cache then.
    else if (!shared.isWaiting)
      shared.enter(() => shared.isCurrent && !shared.unwritable(0) && write(), nothing);
  }

  get requested(): string | undefined {
    const { stored, scope } = this.#settings;
    return stored === undefined ? scope : this.#requested;
  }

  /** Whether the program requests a scope that the session has neither requested nor received. */
  get isTooNarrow(): boolean {
    if (this.#requested === undefined) return false;
    const known = `${this.#requested} ${this.#drivers.recorder.scope}`.split(" ");
    const { scope } = this.#settings;
    return scope.split(" ").some((word) => word !== "" && !known.includes(word));
  }
}
