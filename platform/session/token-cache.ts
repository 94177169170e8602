// What came along with the tokens, from one start to the next: what was asked for and granted, and who has signed in. It
// lies beside the records, where there is room for that, and says whose tokens it is about: of others it says nothing.

import type { HttpRequest, Storage } from "../contracts.ts";
import { nothing, operate } from "../exchange/callbacks.ts";
import { Filter } from "../exchange/filter.ts";
import type { KnownToken, Recalled } from "../exchange/response-recorder.ts";
import { sha256 } from "../text/sha256.ts";
import { bytesOf, objectIn } from "../text/text.ts";

/** A token is not taken over in its last minute, or quarter: it has to reach a server first. */
const MARGIN_MS = 60_000;

/** Whether it counts: not where the clock has gone back behind its beginning, since then nothing is known of its end. */
function isValid({ token, fromMs, endsAtMs }: Partial<KnownToken>): boolean {
  const nowMs = Date.now();
  if (typeof token !== "string" || !(fromMs! <= nowMs + MARGIN_MS)) return false;
  return endsAtMs! > nowMs + Math.min(MARGIN_MS, (endsAtMs! - fromMs!) / 4);
}

/**
 * Answers a refresh in the server's place: a start, or a program whose neighbour has just renewed, asks nobody for what lies
 * beside the records.
 */
export class KnownResponse extends Filter {
  /** The token, if one is known, that the device may be told of now. */
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

/** Keeps it in slot 0 of a storage. */
export class TokenCache {
  /** Where the access token is kept, too, it goes on being used; or is renewed first; or it is not kept. */
  access: "used" | "renewed" | "none";
  readonly known = new KnownResponse();
  /** An operation is under way. */
  isBusy = false;
  /** What is kept is not known yet. */
  isReading = false;
  /** Called when nothing is under way any more. */
  onRest: () => void = nothing;
  /** Something is kept, of whatever tokens. */
  isThere = false;
  readonly #open: () => Storage;
  #next: (() => void) | undefined;

  /** @param open the storage, made anew for each operation: a seal is large */
  constructor(open: () => Storage, access: TokenCache["access"] = "none") {
    this.#open = open;
    this.access = access;
  }

  /** @param then is given what says what is kept of a token */
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

  /** What has been read of another token is gone then. What cannot be written is asked for again by another start. */
  write(recalled: Recalled, token: string): void {
    const storage = this.#open();
    this.isThere = true;
    const { access, ...others } = recalled;
    const stored = this.access === "none" ? others : recalled;
    const bytes = bytesOf(JSON.stringify({ of: nameOf(token), ...stored }));
    this.#operate(false, (done) => storage.write(0, bytes, 0, bytes.length, done), nothing);
  }

  /** Forgets it, if there is any. */
  erase(): void {
    if (!this.isThere) return;
    this.isThere = false;
    const storage = this.#open();
    this.#operate(false, (done) => storage.erase(0, done), nothing);
  }

  /** One after the other; of those that wait the newest. */
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

/** Tells tokens apart, and tells nothing of them. */
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
