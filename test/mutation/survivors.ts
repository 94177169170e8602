// Mutants that no test kills, each with the reason. What is not here is still to be killed or explained.

interface Survivor {
  readonly file: string;
  /** A piece of the line, as it stands in the source. */
  readonly line: string;
  readonly why: string;
}

export const SURVIVORS: readonly Survivor[] = [];

/** Whether the survivors on this line of the file are explained. */
export function survivorsKnown(file: string, line: string): boolean {
  return SURVIVORS.some((survivor) => survivor.file === file && line.includes(survivor.line));
}
