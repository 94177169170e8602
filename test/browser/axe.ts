// Accessibility as a tool sees it: axe-core's rules on the page as it stands.
import axe from "axe-core";
import type { Page } from "playwright-core";

/**
 * What is left open, one line each; [] where nothing is. Frames are looked at as pages of their own.
 * `preload`: the tool asks for style sheets once more, for one rule (css-orientation-lock); a page that is opened as a
 * file may not.
 */
export async function accessibilityProblems(
  page: Page,
  { preload = true }: { readonly preload?: boolean } = {},
): Promise<string[]> {
  // By the debugger: the pages' own policy lets no foreign script in.
  await page.evaluate(axe.source);
  return await page.evaluate(async (preload) => {
    const tool = (globalThis as unknown as { axe: typeof import("axe-core") }).axe;
    const { violations } = await tool.run(document, { iframes: false, preload });
    return violations.flatMap(({ id, help, nodes }) =>
      nodes.map(({ html }) => `${id}: ${help}: ${html.slice(0, 120)}`),
    );
  }, preload);
}
