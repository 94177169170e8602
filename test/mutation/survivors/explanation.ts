/** A mutant that no test kills, and the reason why none can. */
export interface Explanation {
  readonly file: string;
  /** The line as it stands in the source, without the space in front. */
  readonly line: string;
  /** `what stands there => what the mutant has instead`. */
  readonly mutants: readonly string[];
  readonly why: string;
}

export const CLAMP =
  "At its bound the value is set to what it is already: the same with and without.";
