// Tests the generated site, opened as files: the widths of pages, and the search.
import { execFileSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { describeInChromium, visit } from "./pages.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));
const site = new URL("../../dist/docs/", import.meta.url).href;

describeInChromium("the site", (browser) => {
  test("npm run docs makes it: everything is described, and links lead somewhere", () => {
    execFileSync("npm", ["run", "-s", "docs"], { cwd: root });
  });

  test("no page is wider than a window of 1280 pixels, or of 390", () =>
    visit(browser(), {}, async (page) => {
      const files = readdirSync(new URL(site), { recursive: true, encoding: "utf8" });
      const wider: string[] = [];
      for (const name of files.filter((file) => /^(index|documents.|modules).*html$/.test(file))) {
        await page.goto(site + name, { waitUntil: "domcontentloaded" });
        for (const width of [1280, 390]) {
          await page.setViewportSize({ width, height: 800 });
          const used = await page.evaluate(() => document.documentElement.scrollWidth);
          if (used > width) wider.push(`${name}: ${used}`);
        }
      }
      expect(wider).toEqual([]);
    }));

  test.each([
    ["a proxy", "A program on Node.A proxy"],
    ["exit codes", "The command.Exit codes"],
    ["sign out", "A Node program as a service.Signing out"],
  ])("a search for %s finds a section", (words, section) =>
    visit(browser(), {}, async (page) => {
      await page.goto(`${site}index.html`);
      await page.click("#tsd-search-trigger");
      await page.fill("#tsd-search-input", words);
      const first = page.locator("#tsd-search-results a").first();
      expect((await first.textContent())?.replace(/\s+/g, " ").trim()).toBe(section);
      await first.click();
      await page.locator(":target").waitFor();
    }),
  );
});
