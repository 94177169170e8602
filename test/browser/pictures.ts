// npm run tool -- pictures: makes the documentation's pictures of panel and playground anew, in headless Chromium. In the
// order in which somebody who has never seen it meets them: nothing pressed first, then step by step.
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { commandLine } from "../../targets/workbench/script-options.ts";
import { PATIENCE_MS } from "../patience.ts";
import { launchChromium } from "./launch.ts";
import { shows, startPlayground } from "./playground-page.ts";

const FOLDER = fileURLToPath(new URL("../../targets/desktop/docs/", import.meta.url));
const DESK = { viewport: { width: 1280, height: 800 } };
const LARGE = { viewport: { width: 1920, height: 1080 } };
const PHONE = {
  viewport: { width: 390, height: 844 },
  isMobile: true,
  hasTouch: true,
} as const;

async function take(page: Page, name: string): Promise<void> {
  // What was pressed far down a tab has it scrolled.
  await page.evaluate(() => {
    for (const tab of document.querySelectorAll("[role=tabpanel]")) tab.scrollTop = 0;
  });
  // What fades in or is still being drawn.
  await page.waitForTimeout(500);
  await page.screenshot({ path: `${FOLDER}${name}.png` });
  console.log(`targets/desktop/docs/${name}.png`);
}

async function open(browser: Browser, url: string, look: BrowserContextOptions): Promise<Page> {
  const context = await browser.newContext(look);
  context.setDefaultTimeout(PATIENCE_MS);
  const page = await context.newPage();
  await page.goto(url);
  await page.waitForSelector("body[data-live=yes]");
  return page;
}

/** Waits until the page says so in one of its places. */
async function says(page: Page, place: string, text: string): Promise<void> {
  await page.locator(place, { hasText: text }).waitFor();
}

/** As far as the page that asks for consent; the second time the phone knows who signs in. */
async function goToConsent(page: Page, isKnown = false): Promise<void> {
  await page.click("#scan");
  const phone = page.frameLocator("#phone");
  await phone.getByText("Is this the code").waitFor();
  await phone.getByRole("button", { name: "Continue" }).click();
  if (!isKnown) await phone.getByRole("button", { name: /Ada Brook/ }).click();
  await phone.getByRole("button", { name: "Allow", exact: true }).waitFor();
}

interface Simulator {
  readonly url: string;
  close(): Promise<void>;
}

/** The real program, ten times as fast as the world. */
async function startSimulator(port: number): Promise<Simulator> {
  const state = mkdtempSync(path.join(tmpdir(), "picogrant-"));
  const main = fileURLToPath(new URL("../../targets/desktop/main.ts", import.meta.url));
  const flags = ["--port", String(port), "--speed", "10", "--state", state];
  const child = spawn(process.execPath, ["--import", "tsx", main, ...flags]);
  const ended = new Promise<void>((resolve) => {
    child.once("close", () => resolve());
  });
  await new Promise<void>((resolve, reject) => {
    child.stdout.on("data", (text: Buffer) => text.includes("Panel: open") && resolve());
    child.stderr.on("data", (text: Buffer) => reject(new Error(text.toString())));
  });
  const url = `http://127.0.0.1:${port}`;
  return {
    url,
    async close() {
      child.kill();
      await ended;
      rmSync(state, { recursive: true, force: true });
    },
  };
}

async function takePanel(browser: Browser): Promise<void> {
  const bench = await startSimulator(8628);
  try {
    const page = await open(browser, `${bench.url}/panel`, DESK);
    const press = (command: string): Promise<void> => page.click(`[data-command='${command}']`);
    await shows(page, "Code ");
    await take(page, "panel-first");
    await goToConsent(page);
    await take(page, "panel-pending");
    await page.frameLocator("#phone").getByRole("button", { name: "Allow", exact: true }).click();
    await shows(page, "Harbour regatta");
    await take(page, "panel-person");
    await page.locator("#sequence summary", { hasText: "call the API" }).last().click();
    await page.locator("#sequence .side").last().waitFor();
    await take(page, "panel-signed-in");
    await page.locator("#sequence summary", { hasText: "call the API" }).last().click();
    await press("press sign-out");
    await shows(page, "Not signed in");
    await press("press new-code");
    await shows(page, "Code ");
    await goToConsent(page, true);
    await page.frameLocator("#phone").getByRole("button", { name: "Deny", exact: true }).click();
    await shows(page, "refused");
    await take(page, "panel-denied");
    await page.click("#enter");
    await press("press new-code");
    await shows(page, "Code ");
    await press("fault offline");
    await page.locator("[data-fault=offline][aria-pressed=true]").waitFor();
    await press("power");
    await says(page, "#state", "off");
    await take(page, "panel-power-cut");
    await press("mend");
    await page.click("[data-key='k']");
    await says(page, "#device-name", "Printer");
    await press("power");
    await shows(page, "Code");
    await page.locator("#slip").waitFor();
    await take(page, "panel-printer");
    await page.click("[data-key='k']");
    await says(page, "#device-name", "Console");
    await shows(page, "Code");
    await page.locator("#screen-qr").waitFor();
    await take(page, "panel-console");
    await page.click("[data-key='k']");
    await page.close();
    const large = await open(browser, `${bench.url}/panel`, LARGE);
    await large.click("a[href='#gallery']");
    await take(large, "panel-answers");
    await large.click("[data-command='answer admin-policy-enforced']");
    await shows(large, "Ask your administrator");
    await take(large, "panel-large");
    await large.click("#next");
    await says(large, "#next", "get a code");
    await large.click("#next");
    await shows(large, "Code ");
    await large.emulateMedia({ colorScheme: "dark" });
    await take(large, "panel-large-dark");
    const narrow = await open(browser, `${bench.url}/panel`, { ...PHONE, colorScheme: "dark" });
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
    const narrow = await open(browser, playground.url, PHONE);
    await shows(narrow, "Code ");
    await take(narrow, "playground-narrow-first");
    await goToConsent(narrow);
    await narrow.locator(".second").evaluate((phone) => phone.scrollIntoView());
    await take(narrow, "playground-narrow");
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
