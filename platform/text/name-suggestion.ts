// Finds the name that a misspelled one probably means.

/** The first of `known` that differs from `wrong` by a typing error; undefined for none. */
export function nameMeant(wrong: string, known: readonly string[]): string | undefined {
  return known.find((name) => isAlike(name, wrong));
}

/** Whether two names are equal, ignoring case and underscores, with at most one letter missing, added or replaced. */
function isAlike(one: string, other: string): boolean {
  const a = one.toLowerCase().replace(/_/g, "");
  const b = other.toLowerCase().replace(/_/g, "");
  if (Math.abs(a.length - b.length) > 1) return false;
  let at = 0;
  while (at < a.length && a[at] === b[at]) at++;
  const rests = [
    [at + 1, at + 1],
    [at + 1, at],
    [at, at + 1],
  ] as const;
  return a === b || rests.some(([inA, inB]) => a.slice(inA) === b.slice(inB));
}
