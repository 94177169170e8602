// axe-core finds no problem in panel, playground and the service's pages, in light and dark mode, on desktop and phone.
import type { BrowserContextOptions } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type RunningSimulator, startSimulator } from "../desktop/bench.ts";
import { TIMEOUT_MS } from "../timeouts.ts";
import {
  accessibilityProblems,
  describeInChromium,
  shows,
  startPlayground,
  visit,
} from "./pages.ts";

const LOOKS: readonly (readonly [string, BrowserContextOptions])[] = [
  ["a desk", { viewport: { width: 1280, height: 800 } }],
  ["a phone", { viewport: { width: 390, height: 844 } }],
];

let bench: RunningSimulator;
let playground: Awaited<ReturnType<typeof startPlayground>>;

beforeAll(async () => {
  [bench, playground] = await Promise.all([startSimulator(), startPlayground()]);
});

afterAll(async () => {
  await Promise.all([bench.close(), playground.close()]);
});

describeInChromium("accessibility", (browser) => {
  test.each(LOOKS)("the panel, on %s", (_name, look) =>
    visit(browser(), look, async (page) => {
      await page.goto(`${bench.url}/panel`);
      await page.click("[data-command='press new-code']");
      await shows(page, "Code ");
      expect(await accessibilityProblems(page)).toEqual([]);
      await page.click("#tab-events");
      await page.keyboard.press("d");
      await shows(page, "refused");
      await page.locator("#sequence summary").last().click();
      await page.locator("#sequence .detail pre").first().waitFor();
      expect(await accessibilityProblems(page)).toEqual([]);
      for (const kind of ["printer", "console", "bare"]) {
        await bench.controller.run(`device ${kind}`);
        await bench.controller.run("press new-code");
        await shows(page, "Code ");
        await expect.poll(() => page.locator("#qr path").count()).toBe(1);
        expect(await accessibilityProblems(page)).toEqual([]);
      }
    }),
  );

  test.each(LOOKS)("the playground, on %s", (_name, look) =>
    visit(browser(), look, async (page) => {
      await page.goto(playground.url);
      await shows(page, "Code ");
      expect(await accessibilityProblems(page)).toEqual([]);
    }),
  );

  test.each(LOOKS)("the service's pages, on %s", (_name, look) =>
    visit(browser(), look, async (page) => {
      const isValid = async (): Promise<void> =>
        expect(await accessibilityProblems(page)).toEqual([]);
      await bench.controller.run("press sign-out");
      // The button for a new code does not work until the sign-out has ended, so press it again.
      const code = async (): Promise<string> => {
        if (bench.simulation.userCode === "") await bench.controller.run("press new-code");
        return bench.simulation.userCode;
      };
      await expect.poll(code, { interval: 500, timeout: TIMEOUT_MS }).not.toBe("");
      await page.goto(bench.url);
      await isValid();
      await page.goto(`${bench.url}/device?user_code=WRNG-CDXX`);
      await isValid();
      await page.getByRole("button", { name: "Continue" }).click();
      await page.getByText("This code is wrong").waitFor();
      await isValid();
      await page.goto(`${bench.url}/device?user_code=${bench.simulation.userCode}`);
      await page.getByRole("button", { name: "Continue" }).click();
      await page.getByRole("button", { name: "Ada Brook" }).waitFor();
      await isValid();
      await page.getByRole("button", { name: "Ada Brook" }).click();
      await page.getByRole("button", { name: "Allow", exact: true }).waitFor();
      await isValid();
      await page.getByRole("button", { name: "Allow", exact: true }).click();
      await page.getByText("Connected").first().waitFor();
      await isValid();
      await page.goto(`${bench.url}/account`);
      await isValid();
    }),
  );

  test("the check finds problems that exist only in dark mode, and differences other than colors", () =>
    visit(browser(), {}, async (page) => {
      const style = `p { background: #fff; color: var(--text) }
        @media (prefers-color-scheme: dark) { :root { --text: #ddd } p { font-size: 20px } }`;
      await page.setContent(
        `<html lang="en"><title>x</title><style>${style}</style><main><h1>x</h1><p>text</p></main>`,
      );
      expect(await accessibilityProblems(page)).toEqual([
        expect.stringMatching(/^in the dark, color-contrast: .*<p>text<\/p>$/),
        "in the dark, font-size",
      ]);
    }));
});
