// Which known name somebody meant who misspelt it.

/** The first of `known` that `wrong` is but for a slip; undefined where none is. */
export function nameMeant(wrong: string, known: readonly string[]): string | undefined {
  return known.find((name) => isAlike(name, wrong));
}

/** But for upper and lower case, underscores, and one letter too many, too few or wrong. */
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
