// A real browser for tests of pages: Debian's Chromium, headless, driven by playwright-core. Where it
// is missing the tests are skipped with a message, except under CI=true, where that is a failure.
import { existsSync } from "node:fs";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { EXECUTABLE, launchChromium, MISSING } from "./launch.ts";

export { launchChromium } from "./launch.ts";

/**
 * A `describe` whose tests share one browser, started before and closed after them. `body` receives a
 * function that gives the browser inside tests.
 */
export function describeInChromium(name: string, body: (browser: () => Browser) => void): void {
  if (!existsSync(EXECUTABLE)) {
    if (process.env.CI === "true") test(`${name}: needs a browser`, () => expect.fail(MISSING));
    else test.skip(`${name}: skipped, ${MISSING}`);
    return;
  }
  describe(name, () => {
    let browser: Browser | undefined;
    beforeAll(async () => {
      browser = await launchChromium();
    });
    afterAll(async () => {
      await browser?.close();
    });
    body(() => {
      if (!browser) throw new Error("the browser is there inside tests only");
      return browser;
    });
  });
}
