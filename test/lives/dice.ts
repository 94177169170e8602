// All randomness of a life, from one seed: which faults strike, when, and with what in hand. Each
// chance is a hash of (seed, kind, how often asked), so that taking one fault out moves no other;
// that is what makes shrinking work. What a fault does is not here.

/** What may happen to an exchange, in the order in which one asks. */
export const NETWORK_FAULTS = [
  "refused",
  "reset-before",
  "reset-after",
  "hang",
  "timeout",
  "captive-portal",
  "redirect",
  "too-many-requests",
  "server-error",
  "slow-down",
  "garbage",
  "truncated",
  "cut-silently",
  "wrong-status",
  "odd-json",
  "client-refused",
  "no-refresh-token",
  "sent-twice",
  "answered-twice",
  "late-answer",
  "byte-by-byte",
] as const;

/** What may go wrong, or be done by somebody. The name is what reports and replays say. */
export const FAULTS = [
  // power
  "cut-at-step",
  "cut-in-storage",
  // storage
  "write-fails",
  "erase-fails",
  "read-fails",
  "bit-rot",
  ...NETWORK_FAULTS,
  // the device's host
  "spurious-run",
  // who can write into the stream of events; a fault's place is part of its dice, so new ones come last
  "forged-event",
  "more-members",
] as const;

export type FaultKind = (typeof FAULTS)[number];

const INDEX_OF = Object.fromEntries(FAULTS.map((kind, index) => [kind, index])) as Readonly<
  Record<FaultKind, number>
>;

/** One fault or deed of one life: `kind:number`. */
export type StrikeId = string;

/** A mixer of 32 bits (splitmix32's): every input is as good as any other. */
export function mix(value: number): number {
  let mixed = (value + 0x9e3779b9) | 0;
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x21f0aaad);
  mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a2d97);
  return (mixed ^ (mixed >>> 15)) >>> 0;
}

/** A short sequence of numbers for one purpose. */
export class Roll {
  #state: number;

  constructor(state: number) {
    this.#state = state;
  }

  bits(): number {
    this.#state = (this.#state + 0x9e3779b9) | 0;
    return mix(this.#state);
  }

  /** 0..below-1. */
  below(below: number): number {
    return Math.floor((this.bits() / 2 ** 32) * below);
  }

  pick<T>(list: readonly T[]): T {
    return list[this.below(list.length)]!;
  }

  chance(probability: number): boolean {
    return this.bits() < probability * 2 ** 32;
  }

  /** Milliseconds or seconds from `low` to `high`, small ones as likely as large ones. */
  spread(low: number, high: number): number {
    return Math.floor(low * (high / low) ** (this.bits() / 2 ** 32));
  }
}

/** Base rates per opportunity; opportunities of a step are many, of an exchange few. */
const RATES: Readonly<Record<string, number>> = {
  "cut-at-step": 0.002,
  "cut-in-storage": 0.25,
  "write-fails": 0.15,
  "erase-fails": 0.08,
  "read-fails": 0.05,
  "bit-rot": 0.01,
  "no-refresh-token": 0.15,
  "slow-down": 0.15,
  "late-answer": 0.3,
  "client-refused": 0.12,
  "byte-by-byte": 0.2,
  "spurious-run": 0.02,
  "forged-event": 0.2,
  "more-members": 0.3,
};
const RATE_DEFAULT = 0.06;

/** What is to be replayed: everything the seed brings, or only some of it. */
export interface Selection {
  /** Only these strike. */
  readonly only?: ReadonlySet<StrikeId>;
  /**
   * False: without what lives have been given since their first year (further deeds, answers with more
   * members, servers that move), so that a seed kept from then tells its story still.
   */
  readonly further?: boolean;
}

/** The faults of one life. Swarm style: each life has its own subset switched on, at its own rate. */
export class Plan {
  readonly seed: number;
  /** What struck, in order. */
  readonly struck: StrikeId[] = [];
  /** The second half of a life, and a scripted one: nothing strikes. */
  calm = false;
  readonly further: boolean;
  readonly #rates: number[] = [];
  readonly #asked: number[] = [];
  readonly #only: ReadonlySet<StrikeId> | undefined;

  constructor(seed: number, selection: Selection = {}) {
    this.seed = seed;
    this.#only = selection.only;
    this.further = selection.further ?? true;
    const roll = this.roll("swarm");
    const share = roll.pick([0, 0.15, 0.3, 0.5, 0.8]);
    for (const kind of FAULTS) {
      const factor = roll.pick([0.3, 1, 1, 4]);
      this.#rates.push(roll.chance(share) ? (RATES[kind] ?? RATE_DEFAULT) * factor * 2 ** 32 : 0);
      this.#asked.push(0);
    }
  }

  /** Numbers for a named purpose, the same for the same seed. */
  roll(purpose: string, number = 0): Roll {
    let state = mix(this.seed);
    for (let i = 0; i < purpose.length; i++) state = mix(state ^ purpose.charCodeAt(i));
    return new Roll(mix(state ^ number));
  }

  /** Whether the fault strikes at this opportunity; if so, the numbers that say how. */
  strikes(kind: FaultKind): Roll | undefined {
    const index = INDEX_OF[kind];
    const rate = this.#rates[index]!;
    if (this.calm || rate === 0) return undefined;
    const number = this.#asked[index]!++;
    const hash = mix(mix(this.seed ^ (index * 0x1000193)) ^ number);
    if (hash >= rate || !this.allows(`${kind}:${number}`)) return undefined;
    return new Roll(mix(hash ^ 0x5bd1e995));
  }

  /** The same for a deed, which the life has decided on already; counts it. */
  allows(id: StrikeId): boolean {
    if (this.#only && !this.#only.has(id)) return false;
    this.struck.push(id);
    return true;
  }
}
