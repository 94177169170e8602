// Mutants that no test kills, each with the reason why none can. `npm run mutation` fails where one is
// missing here, and in a whole run where one here is killed.

interface Explanation {
  readonly file: string;
  /** The line as it stands in the source, without the space in front. */
  readonly line: string;
  /** `what stands there => what the mutant has instead`. */
  readonly mutants: readonly string[];
  readonly why: string;
}

export const SURVIVORS: readonly Explanation[] = [];
