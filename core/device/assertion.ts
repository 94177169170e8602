// Internal invariants. Each use follows the label ASSERT. Release builds remove what has this label; the sources and
// the build that is not minified keep it, so every test of these checks it.

/**
 * Fails the test that led here: the core has a bug that no outside input can cause.
 * @param holds the invariant
 * @param rule its description
 * @throws Error with the rule
 */
export function must(holds: boolean, rule: string): void {
  if (!holds) throw new Error(`the core is at fault: ${rule}`);
}
