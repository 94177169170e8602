// npm run pictures: makes the documentation's pictures of panel and playground anew, in headless Chromium.
import { fileURLToPath } from "node:url";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { shows, startPlayground, startSimulator } from "../test/browser/bench.ts";
import { launchChromium } from "../test/browser/launch.ts";
import { commandLine } from "./command-line.ts";

const FOLDER = fileURLToPath(new URL("../targets/desktop/docs/", import.meta.url));
const DESK = { viewport: { width: 1280, height: 800 } };
const PHONE = { viewport: { width: 390, height: 844 }, colorScheme: "dark" } as const;

async function take(page: Page, name: string): Promise<void> {
  // What fades in or is still being drawn.
  await page.waitForTimeout(500);
  await page.screenshot({ path: `${FOLDER}${name}.png` });
  console.log(`targets/desktop/docs/${name}.png`);
}

async function open(browser: Browser, url: string, look: BrowserContextOptions): Promise<Page> {
  const context = await browser.newContext(look);
  context.setDefaultTimeout(60_000);
  const page = await context.newPage();
  await page.goto(url);
  await page.waitForSelector("body[data-live=yes]");
  return page;
}

/** As far as the page that asks for consent. */
async function goToConsent(page: Page): Promise<void> {
  await page.click("#scan");
  const phone = page.frameLocator("#phone");
  await phone.getByText("Is this the code").waitFor();
  await phone.getByRole("button", { name: "Continue" }).click();
  await phone.getByRole("button", { name: /Ada Brook/ }).click();
  await phone.getByRole("button", { name: "Allow", exact: true }).waitFor();
}

async function takePanel(browser: Browser): Promise<void> {
  const bench = await startSimulator(["--port", "8628"]);
  try {
    const page = await open(browser, `${bench.url}/panel`, DESK);
    const press = (command: string): Promise<void> => page.click(`[data-command='${command}']`);
    await shows(page, "Code ");
    await goToConsent(page);
    await take(page, "panel-pending");
    await page.frameLocator("#phone").getByRole("button", { name: "Allow", exact: true }).click();
    await shows(page, "Harbour regatta");
    await page.locator("#sequence summary", { hasText: "call the API" }).last().click();
    await take(page, "panel-signed-in");
    await page.locator("#sequence summary", { hasText: "call the API" }).last().click();
    await press("press sign-out");
    await shows(page, "Not signed in");
    await press("press new-code");
    await shows(page, "Code ");
    await press("deny");
    await shows(page, "refused");
    await take(page, "panel-denied");
    await press("press new-code");
    await shows(page, "Code ");
    await bench.controller.run("fault offline");
    await bench.controller.run("power");
    await take(page, "panel-power-cut");
    await bench.controller.run("mend");
    await bench.controller.run("device printer");
    await bench.controller.run("power");
    await press("press new-code");
    await shows(page, "Code ");
    await take(page, "panel-printer");
    await bench.controller.run("device console");
    await press("press new-code");
    await shows(page, "Code ");
    await take(page, "panel-console");
    const narrow = await open(browser, `${bench.url}/panel`, PHONE);
    await shows(narrow, "Code ");
    await take(narrow, "panel-narrow-dark");
  } finally {
    await bench.close();
  }
}

async function takePlayground(browser: Browser): Promise<void> {
  const playground = await startPlayground();
  try {
    const page = await open(browser, playground.url, { ...DESK, colorScheme: "dark" });
    await shows(page, "Code ");
    await goToConsent(page);
    await take(page, "playground");
  } finally {
    await playground.close();
  }
}

commandLine("pictures", "Makes the documentation's pictures anew (needs chromium).").parse();
const browser = await launchChromium();
try {
  await takePanel(browser);
  await takePlayground(browser);
} finally {
  await browser.close();
}
