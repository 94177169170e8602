// The playground as a stranger meets it: a folder on any file server, below a path, or on a disk. Everything happens in
// the page.
import { readFileSync } from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { brotliCompressSync } from "node:zlib";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { PATIENCE_MS } from "../patience.ts";
import { describeInChromium } from "./chromium.ts";
import { decideOnPhone } from "./panel-page.ts";
import { shows, startPlayground } from "./playground-page.ts";

let server: Awaited<ReturnType<typeof startPlayground>>;

beforeAll(async () => {
  server = await startPlayground();
});

afterAll(() => server.close());

/** The playground in a fresh browser; complaints, and requests that leave its folder, fail the test. */
async function atPlayground(
  browser: Browser,
  use: (page: Page) => Promise<void>,
  context: BrowserContextOptions = {},
): Promise<void> {
  const opened = await browser.newContext({ viewport: { width: 1280, height: 800 }, ...context });
  opened.setDefaultTimeout(PATIENCE_MS);
  const page = await opened.newPage();
  const complaints: string[] = [];
  const asked: string[] = [];
  page.on("pageerror", (error) => complaints.push(error.message));
  page.on("console", (entry) => entry.type() === "error" && complaints.push(entry.text()));
  opened.on("request", (request) => asked.push(request.url()));
  try {
    await page.goto(server.url);
    await page.waitForSelector("body[data-live=yes]");
    await use(page);
    expect(complaints).toEqual([]);
    const outside = asked.filter((url) => !url.startsWith(server.url) && url !== "about:srcdoc");
    expect(outside).toEqual([]);
    expect(asked.length).toBeGreaterThan(4);
  } finally {
    await opened.close();
  }
}

/** What the page may weigh on the way, in bytes: everything that it asks a server for, compressed by brotli. */
const WEIGHT_MAX = 400_000;

describeInChromium("the playground", (browser) => {
  test("a whole sign-in by clicks, with no request beyond its own folder and no malloc", () =>
    atPlayground(browser(), async (page) => {
      await shows(page, "Code ");
      await decideOnPhone(page, "Allow");
      await page.frameLocator("#phone").getByText("Connected").first().waitFor();
      await shows(page, "Signed in 3 broadcasts: Harbour regatta");
      expect(await page.locator("#sequence").textContent()).toMatch(/ada allows.*signed in/);
      await expect.poll(() => page.locator("#allocated").textContent()).toBe("0 bytes a second");
      expect(await page.locator("#allocated").getAttribute("title")).toMatch(/^[1-9]\d+ calls of/);
      await page.frameLocator("#phone").getByRole("link", { name: "Your account" }).click();
      await page.frameLocator("#phone").getByText("Living Room TV").first().waitFor();
    }));

  test("offline: once it is there, it needs nobody", () =>
    atPlayground(browser(), async (page) => {
      await page.context().setOffline(true);
      await shows(page, "Code ");
      await decideOnPhone(page, "Deny");
      await shows(page, "Access refused");
      await page.locator("#reason", { hasText: "says the authorization server" }).waitFor();
      await page.click("[data-command='press new-code']");
      await shows(page, "Code ");
      await page.context().setOffline(false);
    }));

  test("a scenario goes step by step, says what was not as expected, and can be edited", () =>
    atPlayground(browser(), async (page) => {
      await page.click("#tab-scenarios");
      await page.selectOption("#scenario", "deny");
      await page.click("#scenario-step");
      await page.locator("#scenario-lines .done").first().waitFor();
      const count = await page.locator("#scenario-lines li").count();
      for (let step = 1; step < count; step++) await page.click("#scenario-step");
      await page.getByText("expectations held").waitFor();
      expect(await page.locator("#sequence").textContent()).toMatch(/user denies.*failed/);

      await page.click("#scenario-edit");
      await page.fill("#scenario-text", 'expect "Code " within 10s\nexpect "Something else"\n');
      await page.click("#scenario-play");
      await page.locator("#scenario-lines .unmet").waitFor();
      expect(await page.locator("#scenario-said").textContent()).toContain("Something else");

      await page.click("#scenario-edit");
      await page.fill("#scenario-text", "dance\n");
      await page.click("#scenario-step");
      await page.getByText('"dance" is neither a step nor an expectation').waitFor();
      await page.click("#scenario-live");
      await shows(page, "Code ");
    }));

  test("what one did is a scenario: played, saved as a file and opened again", () =>
    atPlayground(browser(), async (page) => {
      await shows(page, "Code ");
      await decideOnPhone(page, "Deny");
      await shows(page, "Access refused");
      await page.click("[data-command='press new-code']");
      await shows(page, "Code ");
      await page.click("#tab-scenarios");
      await page.click("#scenario-mine");
      const said = page.locator("#scenario-said");
      await said.getByText("What you have done so far").waitFor();
      const text = await page.inputValue("#scenario-text");
      expect(text).toMatch(/with seed \d+\n.*\ndeny\n.*press new-code\n.*expect state pending/s);
      await page.click("#scenario-all");
      await said.getByText(/All \d+ expectations held/).waitFor();
      await page.click("#scenario-edit");
      const [download] = await Promise.all([
        page.waitForEvent("download"),
        page.click("#scenario-save"),
      ]);
      expect(download.suggestedFilename()).toBe("session.scenario");
      await page.fill("#scenario-text", "");
      await page.setInputFiles("#scenario-file", await download.path());
      await said.getByText("play it").waitFor();
      expect(await page.inputValue("#scenario-text")).toBe(text);
    }));

  test("on a phone: nothing is wider than the screen, and it signs in", () =>
    atPlayground(
      browser(),
      async (page) => {
        await shows(page, "Code ");
        const [inner, outer] = await page.evaluate(() => [
          document.documentElement.scrollWidth,
          innerWidth,
        ]);
        expect(inner).toBeLessThanOrEqual(outer!);
        await decideOnPhone(page, "Allow");
        // Where the device is out of sight, what came of it stands above the phone.
        const strip = page.locator("#code-strip", { hasText: "The device says: Signed in" });
        await strip.waitFor();
        const place = (await strip.boundingBox())!;
        expect(place.y).toBeGreaterThanOrEqual(0);
        expect(place.y + place.height).toBeLessThan(844);
        await shows(page, "Harbour regatta");
      },
      { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true },
    ));

  test.each([390, 800, 1280, 1920])(
    "%i pixels wide, every part of the page has its room",
    (width) =>
      atPlayground(
        browser(),
        async (page) => {
          await shows(page, "Code ");
          for (const part of [".guide", ".device", ".second", ".exchange", ".deeds"]) {
            const box = (await page.locator(`section${part}`).boundingBox())!;
            expect(box.width, part).toBeGreaterThan(Math.min(width - 60, 280));
            expect(box.height, part).toBeGreaterThan(part === ".guide" ? 40 : 140);
            expect(box.x + box.width, part).toBeLessThanOrEqual(width);
          }
        },
        { viewport: { width, height: 900 } },
      ),
  );

  test("everything that the page asks for weighs less than 400 KB on the way", () =>
    atPlayground(browser(), async (page) => {
      const asked = await page.evaluate(() =>
        performance.getEntriesByType("resource").map(({ name }) => new URL(name).pathname),
      );
      const names = new Set(["index.html", ...asked.map((name) => path.basename(name))]);
      expect(names).toContain("quickjs.wasm");
      let weight = 0;
      for (const name of names) {
        weight += brotliCompressSync(readFileSync(path.join(server.folder, name))).length;
      }
      expect(weight).toBeLessThan(WEIGHT_MAX);
    }));

  test("opened from a disk, without a server, it signs in", async () => {
    const page = await browser().newPage();
    page.setDefaultTimeout(PATIENCE_MS);
    await page.goto(pathToFileURL(path.join(server.folder, "index.html")).href);
    await shows(page, "Code ");
    await decideOnPhone(page, "Allow");
    await shows(page, "Harbour regatta");
    await page.close();
  });

  test("a folder that is not complete says so", () =>
    atPlayground(browser(), async (page) => {
      const other = await page.context().newPage();
      await other.route("**/quickjs.wasm", (route) => route.fulfill({ status: 404 }));
      await other.goto(server.url);
      await other.getByText("quickjs.wasm is missing (404)").waitFor();
    }));
});
