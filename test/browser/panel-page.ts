// The panel opened in a browser, beside the simulator that it belongs to: for tests of what a person does there.
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { expect } from "vitest";
import { type RunningSimulator, startSimulator } from "../desktop/bench.ts";
import { PATIENCE_MS } from "../patience.ts";

/** The simulator with its panel open; whatever the page complains about fails the test. */
export async function atPanel(
  browser: Browser,
  use: (page: Page, bench: RunningSimulator) => Promise<void>,
  context: BrowserContextOptions = {},
): Promise<void> {
  const bench = await startSimulator();
  const opened = await browser.newContext({ viewport: { width: 1440, height: 900 }, ...context });
  opened.setDefaultTimeout(PATIENCE_MS);
  const page = await opened.newPage();
  const complaints: string[] = [];
  page.on("pageerror", (error) => complaints.push(error.message));
  page.on("console", (entry) => {
    if (entry.type() === "error" && !entry.text().includes("ERR_INCOMPLETE_CHUNKED")) {
      complaints.push(entry.text());
    }
  });
  try {
    await page.goto(`${bench.url}/panel`);
    await page.waitForSelector("body[data-live=yes]");
    await use(page, bench);
    expect(complaints).toEqual([]);
    // Whatever a test has done here by clicks, keys and on the phone is in the recording, and ends the same way.
    expect(await bench.replay()).toBe("");
  } finally {
    await opened.close();
    await bench.close();
  }
}

/** Through the service's pages on the phone, from the QR code to the decision. */
export async function decideOnPhone(page: Page, decision: "Allow" | "Deny"): Promise<void> {
  const phone = page.frameLocator("#phone");
  await page.click("#scan");
  await phone.locator("input[name=user_code]").waitFor();
  await expect
    .poll(() => phone.locator("input[name=user_code]").inputValue())
    .toMatch(/^[B-Z]{4}-[B-Z]{4}$/);
  await phone.locator("main button").first().click();
  await phone.getByRole("button", { name: /Ada Brook/ }).click();
  await phone.getByRole("button", { name: decision, exact: true }).click();
}

/** Whether it lies in the window of what scrolls around it. */
export function isInSight(page: Page, what: string): Promise<boolean> {
  return page.evaluate((wanted) => {
    const item = document.querySelector(wanted)!.getBoundingClientRect();
    const around = document.querySelector(".scroll")!.getBoundingClientRect();
    return item.top >= around.top && item.bottom <= around.bottom + 1;
  }, what);
}
