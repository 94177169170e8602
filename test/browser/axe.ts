// Accessibility as a tool sees it: axe-core's rules on the page as it stands.
import axe, { type RunOptions } from "axe-core";
import type { Page } from "playwright-core";

/** The rules that colours alone decide. */
const COLOUR_RULES = ["color-contrast", "link-in-text-block"];

/**
 * What is left open, one line each; [] where nothing is: by all rules as the page stands, and by those about colours in the
 * dark as well. Frames are looked at as pages of their own.
 */
export async function accessibilityProblems(page: Page): Promise<string[]> {
  // By the debugger: the pages' own policy lets no foreign script in.
  await page.evaluate(axe.source);
  const problems = await problemsBy(page, {});
  await page.emulateMedia({ colorScheme: "dark" });
  const inTheDark = await problemsBy(page, { preload: false, runOnly: COLOUR_RULES });
  // Other rules would have to be asked as well where more changed than colours.
  inTheDark.push(...(await changedInTheDark(page)));
  await page.emulateMedia({ colorScheme: "light" });
  return [...problems, ...inTheDark.map((problem) => `in the dark, ${problem}`)];
}

async function problemsBy(page: Page, options: RunOptions): Promise<string[]> {
  return await page.evaluate(async (options) => {
    const tool = (globalThis as unknown as { axe: typeof import("axe-core") }).axe;
    const { violations } = await tool.run(document, { iframes: false, ...options });
    return violations.flatMap(({ id, help, nodes }) =>
      nodes.map(({ html }) => `${id}: ${help}: ${html.slice(0, 120)}`),
    );
  }, options);
}

/** What style sheets change for the dark beside variables, which hold colours. */
async function changedInTheDark(page: Page): Promise<string[]> {
  return await page.evaluate(() => {
    const rules = [...document.styleSheets].flatMap((sheet) => [...sheet.cssRules]);
    const dark = rules.filter(
      (rule) => rule instanceof CSSMediaRule && rule.conditionText.includes("color-scheme"),
    );
    const styles = dark.flatMap((media) => [...(media as CSSMediaRule).cssRules]);
    const names = styles.flatMap((rule) => [...(rule as CSSStyleRule).style]);
    return names.filter((name) => !name.startsWith("--"));
  });
}
