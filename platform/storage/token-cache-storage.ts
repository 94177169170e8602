// The token cache has its own slot, in addition to the core's two slots: a file, or a part of a program's storage.

import type { Storage } from "../contracts.ts";

export interface WithTokenCache {
  /** Slot 0 is the token cache. Slot 1 reads as empty, and must not be written. */
  readonly tokenCache: Storage;
}

/** The slot number of the token cache, which no core uses. */
export const TOKEN_CACHE = 1000;
/** The capacity in bytes. By default, a token response has at most 65,536 bytes. */
const CAPACITY = 98_304;

/** Returns a storage whose slot 0 is the slot TOKEN_CACHE of `storage`. */
export function tokenCacheOf(storage: Storage): Storage {
  return {
    capacity: CAPACITY,
    read: (slot, into, from, to, done) =>
      slot === 0 ? storage.read(TOKEN_CACHE, into, from, to, done) : done(0),
    write: (_slot, bytes, from, to, done) => storage.write(TOKEN_CACHE, bytes, from, to, done),
    erase: (_slot, done) => storage.erase(TOKEN_CACHE, done),
  };
}
