// Implements storage with three functions of the program, which load, save and erase a single text. The text contains
// both slots and the token cache, and is replaced as a whole.

import type { Bytes, Storage } from "../contracts.ts";
import { faultName } from "../exchange/callbacks.ts";
import { asciiOf, base64Bytes } from "../text/text.ts";
import { TOKEN_CACHE, tokenCacheOf, type WithTokenCache } from "./token-cache-storage.ts";

/** A program's persistent storage for one text, such as a row of a database or an entry of a keychain. */
export interface ValueStorage {
  /** Returns the last saved text; undefined, null or "" if there is none. */
  load(): Promised<string | undefined | null>;
  /** Replaces the text (printable ASCII). After this has resolved, the text must survive the end of the program. */
  save(value: string): Promised<unknown>;
  /** Deletes the text. */
  erase(): Promised<unknown>;
}

type Promised<T> = T | Promise<T>;

/** The largest record in bytes, as for a state directory. It is enough for any token. */
const CAPACITY = 131_072;
const PLACES: Readonly<Record<number, number>> = { 0: 0, 1: 1, [TOKEN_CACHE]: 2 };
/** The start of each text, so that foreign data is neither read nor overwritten. */
const MAGIC = "picogrant 1";

export class ValueSlots implements Storage, WithTokenCache {
  readonly capacity = CAPACITY;
  lastFailure = "";
  readonly #value: ValueStorage;
  #slots: readonly string[] | undefined;
  /** The previous operation. Operations run one after the other, because each replaces the whole text. */
  #before: Promise<unknown> = Promise.resolve();

  constructor(value: ValueStorage) {
    this.#value = value;
  }

  read(slot: number, into: Bytes, from: number, to: number, done: (length: number) => void): void {
    const place = placeOf(slot);
    this.#attempt(
      async () => (await this.#load())[place],
      (text) => {
        const bytes = text === undefined ? undefined : base64Bytes(text);
        if (bytes === undefined || bytes.length > to - from) done(-1);
        else {
          for (let at = 0; at < bytes.length; at++) into[from + at] = bytes[at]!;
          done(bytes.length);
        }
      },
    );
  }

  write(slot: number, bytes: Bytes, from: number, to: number, done: (ok: boolean) => void): void {
    const place = placeOf(slot);
    if (to - from > CAPACITY) done(false);
    else this.#replace(place, btoa(asciiOf(bytes, from, to)), done);
  }

  erase(slot: number, done: (ok: boolean) => void): void {
    this.#replace(placeOf(slot), "", done);
  }

  get tokenCache(): Storage {
    return tokenCacheOf(this);
  }

  #replace(place: number, text: string, done: (ok: boolean) => void): void {
    const replace = async (): Promise<true> => {
      const slots = [...(await this.#load())];
      slots[place] = text;
      // A save that has failed may still have replaced the text: read it again.
      this.#slots = undefined;
      if (slots.every((one) => one === "")) await this.#value.erase();
      else await this.#value.save([MAGIC, ...slots].join(" ").replace(/ $/, ""));
      this.#slots = slots;
      return true;
    };
    this.#attempt(replace, (ok) => done(ok === true));
  }

  async #load(): Promise<readonly string[]> {
    if (this.#slots !== undefined) return this.#slots;
    const value = (await this.#value.load()) || `${MAGIC}  `;
    const parts = /^picogrant 1 ([A-Za-z0-9+/=]*) ([A-Za-z0-9+/=]*)(?: ([A-Za-z0-9+/=]+))?$/.exec(
      value,
    );
    if (parts === null) throw new Error("not a value of picogrant");
    this.#slots = [parts[1]!, parts[2]!, parts[3] ?? ""];
    return this.#slots;
  }

  #attempt<T>(run: () => Promise<T>, then: (result: T | undefined) => void): void {
    this.#before = this.#before.then(run, run).then(then, (error: unknown) => {
      this.lastFailure = `the program's own storage has failed: ${faultName(error)}`;
      then(undefined);
    });
  }
}

function placeOf(slot: number): number {
  const place = PLACES[slot];
  if (place === undefined) throw new RangeError(`storage: no slot ${slot}`);
  return place;
}
