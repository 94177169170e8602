// What came along with the tokens, from one start to the next: what was asked for and granted, and who has signed in. It
// lies beside the records, where there is room for that, and says whose tokens it is about: of others it says nothing.

import type { Storage } from "../contracts.ts";
import type { Recalled } from "../exchange/answer-ear.ts";
import { nothing, operate } from "../exchange/guarded.ts";
import { sha256 } from "../text/sha256.ts";
import { bytesOf, objectIn } from "../text/text.ts";

/** Keeps it in slot 0 of a storage. */
export class KeptAnswer {
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
  constructor(open: () => Storage) {
    this.#open = open;
  }

  /** @param then is given what says what is kept of a token */
  read(then: (keptOf: (token: string) => Recalled | undefined) => void): void {
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
        then((token) => (members?.of === nameOf(token) ? keptIn(members) : undefined));
      },
    );
  }

  /** What has been read of another token is gone then. What cannot be written is asked for again by another start. */
  write(kept: Recalled, token: string): void {
    const storage = this.#open();
    this.isThere = true;
    const bytes = bytesOf(JSON.stringify({ of: nameOf(token), ...kept }));
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
function keptIn(members: Readonly<Record<string, unknown>>): Recalled | undefined {
  const { asked, scope, tokenResponse, idToken } = members as Partial<Recalled>;
  const isKept =
    typeof asked === "string" && typeof scope === "string" && typeof tokenResponse === "object";
  return isKept ? { asked, scope, tokenResponse, idToken } : undefined;
}
