// Internal invariants. Each use has the label ASSERT. Release builds remove all code with this label. The sources and the
// readable build contain it.

/**
 * Throws if the core has a bug. No input from outside may cause that.
 * @param holds the invariant
 * @param rule its description
 * @throws Error with the rule
 */
export function must(holds: boolean, rule: string): void {
  if (!holds) throw new Error(`the core is at fault: ${rule}`);
}
