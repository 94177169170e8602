// A small coverage-guided fuzzer: inputs that take a new path are kept and changed further. What is
// fuzzed is a Target; where paths part is counted by the instrumented bundle.

import type { Roll } from "../lives/dice.ts";
import type { Target } from "./targets.ts";

/** What JSON, forms and events are made of. */
const WORDS = [
  '"access_token":"',
  '"refresh_token":"r"',
  '"token_type":"Bearer"',
  '"expires_in":',
  '"interval":',
  '"error":"',
  "authorization_pending",
  "slow_down",
  "invalid_grant",
  "access_denied",
  '"device_code":"',
  '"user_code":"',
  '"verification_uri":"https://x.test/d"',
  '"verification_uri_complete":"',
  '"jti":"',
  '"events":{',
  '"sets":{',
  "\\u0000",
  "\\ud83d\\ude00",
  "\\ud83d",
  "\xff\xfe",
  "\xc3\xa9",
  "\xf0\x9f\x98\x80",
  "-0.0e+1",
  "1e999",
  "134217728",
  "[[[[[[[[[[[[[",
  "]]]]]]]]]]]]]",
  '{"a":',
  "}",
  "true",
  "null",
  '""',
  ",",
  "&",
  "=",
  "%2",
  "%00",
  "client_id=tv",
  "&client_secret=tv-secret",
  "grant_type=refresh_token",
];
const LENGTH_MAX = 2048;
const SLOTS = 1 << 16;

export interface FuzzResult {
  runs: number;
  /** Inputs that took a path no earlier one had taken. */
  fresh: Uint8Array[];
  paths: number;
  failure: { input: Uint8Array; error: unknown } | undefined;
}

export class Fuzzer {
  readonly #pool: Uint8Array[] = [];
  readonly #seen = new Uint8Array(SLOTS);
  readonly #fresh: Uint8Array[] = [];
  #paths = 0;
  #runs = 0;

  readonly #target: Target;
  readonly #hits: Uint32Array;
  readonly #roll: Roll;

  /** @param hits counters that the target's code counts in; cleared before each run */
  constructor(target: Target, hits: Uint32Array, corpus: readonly Uint8Array[], roll: Roll) {
    this.#target = target;
    this.#hits = hits;
    this.#roll = roll;
    for (const input of corpus) this.#pool.push(input);
  }

  /** The corpus first, then `count` inputs made of it. Ends at the first failure. */
  run(count: number): FuzzResult {
    let failure: FuzzResult["failure"];
    const known = this.#pool.splice(0);
    for (const input of known) failure ??= this.#tryOne(input, false);
    if (this.#pool.length === 0) this.#pool.push(...known, new Uint8Array(0));
    for (let i = 0; i < count && !failure; i++) failure = this.#tryOne(this.#mutant(), true);
    return { runs: this.#runs, fresh: this.#fresh, paths: this.#paths, failure };
  }

  #tryOne(input: Uint8Array, isNew: boolean): FuzzResult["failure"] {
    this.#hits.fill(0);
    this.#runs++;
    try {
      this.#target.run(input);
    } catch (error) {
      return { input, error };
    }
    if (!this.#takesNewPath()) return undefined;
    this.#pool.push(input);
    if (isNew) this.#fresh.push(input);
    return undefined;
  }

  /** A place counted in a new order of magnitude is a new path. */
  #takesNewPath(): boolean {
    let isNew = false;
    for (let place = 0; place < this.#hits.length; place++) {
      const count = this.#hits[place]!;
      if (count === 0) continue;
      const magnitude = Math.min(7, 31 - Math.clz32(count));
      const slot = place % SLOTS;
      const bit = 1 << magnitude;
      if (this.#seen[slot]! & bit) continue;
      this.#seen[slot]! |= bit;
      this.#paths++;
      isNew = true;
    }
    return isNew;
  }

  #mutant(): Uint8Array {
    const roll = this.#roll;
    const pool = this.#pool;
    let bytes = [...roll.pick(pool)];
    for (let changes = 1 + roll.below(6); changes > 0; changes--) bytes = this.#change(bytes);
    return Uint8Array.from(bytes.slice(0, LENGTH_MAX));
  }

  #change(bytes: number[]): number[] {
    const roll = this.#roll;
    const pool = this.#pool;
    const at = roll.below(bytes.length + 1);
    switch (roll.below(8)) {
      case 0:
        bytes[at] = (bytes[at] ?? 0) ^ (1 << roll.below(8));
        return bytes;
      case 1:
        bytes[at] = roll.below(256);
        return bytes;
      case 2:
        bytes.splice(at, 1 + roll.below(8));
        return bytes;
      case 3:
      case 4:
        bytes.splice(at, roll.below(4), ...Buffer.from(roll.pick(WORDS), "latin1"));
        return bytes;
      case 5: {
        const from = roll.below(bytes.length + 1);
        bytes.splice(at, 0, ...bytes.slice(from, from + roll.below(32)));
        return bytes;
      }
      case 6: {
        const other = roll.pick(pool);
        const from = roll.below(other.length + 1);
        bytes.splice(at, roll.below(16), ...other.subarray(from, from + roll.below(64)));
        return bytes;
      }
      default:
        // The circumstances.
        bytes[roll.below(3)] = roll.below(256);
        return bytes;
    }
  }
}
