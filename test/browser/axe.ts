// Accessibility as a tool sees it: axe-core's rules on the page as it stands.
import axe from "axe-core";
import type { Page } from "playwright-core";

/** What is left open, one line each; [] where nothing is. Frames are looked at as pages of their own. */
export async function accessibilityProblems(page: Page): Promise<string[]> {
  // By the debugger: the pages' own policy lets no foreign script in.
  await page.evaluate(axe.source);
  return await page.evaluate(async () => {
    const tool = (globalThis as unknown as { axe: typeof import("axe-core") }).axe;
    const { violations } = await tool.run(document, { iframes: false });
    return violations.flatMap(({ id, help, nodes }) =>
      nodes.map(({ html }) => `${id}: ${help}: ${html.slice(0, 120)}`),
    );
  });
}
