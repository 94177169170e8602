// A third place in a storage besides the two slots, for the token cache: in files, and in a program's own storage.

import type { Bytes, Promised, Storage } from "../contracts.ts";

export interface WithTokenCache {
  /** Slot 0 is the token cache. Slot 1 is always empty. */
  readonly tokenCache: Storage;
}

/** The capacity in bytes, which is more than any token response needs. */
const CAPACITY = 98_304;

/** Makes a storage of the operations on a single place, which becomes slot 0. */
export function singlePlaceStorage(place: {
  read(into: Bytes, from: number, to: number, done: (length: number) => void): Promised;
  write(bytes: Bytes, from: number, to: number, done: (ok: boolean) => void): Promised;
  erase(done: (ok: boolean) => void): Promised;
}): Storage {
  return {
    capacity: CAPACITY,
    read: (slot, into, from, to, done) => (slot === 0 ? place.read(into, from, to, done) : done(0)),
    write: (_slot, bytes, from, to, done) => place.write(bytes, from, to, done),
    erase: (_slot, done) => place.erase(done),
  };
}
