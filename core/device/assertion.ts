// What must hold, said where it must hold. Each use stands behind the label ASSERT, and the build of what ships leaves
// out what has that label; the sources, and the build that is not minified, have it, and so has every test on them.

/**
 * Ends the test that led here: the core has a fault, and nothing from outside can be the reason.
 * @param holds what has to be so
 * @param rule the same in words
 * @throws Error with the rule
 */
export function must(holds: boolean, rule: string): void {
  if (!holds) throw new Error(`the core is at fault: ${rule}`);
}
