// Assertions of internal invariants. Each statement that calls `must` has the label ASSERT. Release builds remove these
// statements; the sources and the readable build contain them.

/**
 * Throws an error if `holds` is false. That is a bug of the core: no input from outside may cause it.
 * @param holds the invariant
 * @param rule a description of the invariant
 * @throws Error that names the rule
 */
export function must(holds: boolean, rule: string): void {
  if (!holds) throw new Error(`the core is at fault: ${rule}`);
}
