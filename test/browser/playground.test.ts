// Tests the playground as a folder, served below a path or opened from a disk. panel.test.ts tests its page further.
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { brotliCompressSync } from "node:zlib";
import { afterAll, beforeAll, expect, test } from "vitest";
import { decideOnPhone, describeInChromium, shows, startPlayground, visit } from "./pages.ts";

let server: Awaited<ReturnType<typeof startPlayground>>;

beforeAll(async () => {
  server = await startPlayground();
});

afterAll(() => server.close());

/** The limit for the sum of all files in the folder, each compressed with brotli, in bytes. */
const WEIGHT_MAX = 200_000;
const DESK = { viewport: { width: 1280, height: 800 } };
const PHONE = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };

describeInChromium("the playground", (browser) => {
  test.each([
    ["a desk", DESK],
    ["a phone", PHONE],
  ])("a whole sign-in on %s, with no request outside its folder, and offline", (_, look) =>
    visit(browser(), look, async (page) => {
      const requested: string[] = [];
      page.on("request", (request) => requested.push(request.url()));
      await page.goto(server.url);
      await page.waitForSelector("body[data-live=yes]");
      await page.context().setOffline(true);
      await shows(page, "Code ");
      const [inner, outer] = await page.evaluate(() => [
        document.documentElement.scrollWidth,
        innerWidth,
      ]);
      expect(inner).toBeLessThanOrEqual(outer!);
      await decideOnPhone(page, "Allow");
      await shows(page, "Signed in 3 broadcasts: Harbour regatta");
      // On a small screen the device is not visible, so its result is shown above the simulated phone.
      if (look === PHONE) await page.locator("#code-strip", { hasText: "Signed in" }).waitFor();
      expect(await page.locator("#sequence").textContent()).toMatch(/ada allows.*signed in/);
      await page.frameLocator("#phone").getByRole("link", { name: "Your account" }).click();
      await page.frameLocator("#phone").getByText("Living Room TV").first().waitFor();
      const outside = requested.filter(
        (url) => !url.startsWith(server.url) && url !== "about:srcdoc",
      );
      expect(outside).toEqual([]);
    }),
  );

  test("it works from a disk without a server, and weighs at most 200 KB", () =>
    visit(browser(), DESK, async (page) => {
      await page.goto(pathToFileURL(path.join(server.folder, "index.html")).href);
      await shows(page, "Code ");
      await decideOnPhone(page, "Allow");
      await shows(page, "Harbour regatta");
      const weights = readdirSync(server.folder).map(
        (name) => brotliCompressSync(readFileSync(path.join(server.folder, name))).length,
      );
      expect(weights.reduce((sum, one) => sum + one)).toBeLessThan(WEIGHT_MAX);
    }));
});
