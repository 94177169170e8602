// npm run tool -- pictures: makes the documentation's pictures of panel and playground anew, in headless Chromium.
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { commandLine } from "../../targets/workbench/script-options.ts";
import { PATIENCE_MS } from "../patience.ts";
import { launchChromium, shows, startPlayground } from "./launch.ts";

const FOLDER = fileURLToPath(new URL("../../targets/desktop/docs/", import.meta.url));
const DESK = { viewport: { width: 1280, height: 800 } };
const PHONE = { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true };
const PORT = 8628;

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
  await shows(page, "Code ");
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

/** The real program, ten times as fast as the world, while `use` runs. */
async function withSimulator(use: () => Promise<void>): Promise<void> {
  const state = mkdtempSync(path.join(tmpdir(), "picogrant-"));
  const main = fileURLToPath(new URL("../../targets/desktop/main.ts", import.meta.url));
  const flags = ["--port", `${PORT}`, "--speed", "10", "--state", state];
  const child = spawn(process.execPath, ["--import", "tsx", main, ...flags]);
  const ended = new Promise((resolve) => child.once("close", resolve));
  try {
    await new Promise<void>((resolve, reject) => {
      child.stdout.on("data", (text: Buffer) => text.includes("Panel: open") && resolve());
      child.stderr.on("data", (text: Buffer) => reject(new Error(text.toString())));
    });
    await use();
  } finally {
    child.kill();
    await ended;
    rmSync(state, { recursive: true, force: true });
  }
}

async function takePanel(browser: Browser): Promise<void> {
  const page = await open(browser, `http://127.0.0.1:${PORT}/panel`, DESK);
  const press = (command: string): Promise<void> => page.click(`[data-command='${command}']`);
  await goToConsent(page);
  await take(page, "panel-pending");
  await page.frameLocator("#phone").getByRole("button", { name: "Allow", exact: true }).click();
  await shows(page, "Harbour regatta");
  await page.locator("#sequence summary", { hasText: "call the API" }).last().click();
  await page.locator("#sequence .side").last().waitFor();
  await take(page, "panel-signed-in");
  await page.locator("#sequence summary", { hasText: "call the API" }).last().click();
  await press("press sign-out");
  await shows(page, "Not signed in");
  await press("press new-code");
  await shows(page, "Code ");
  await press("fault offline");
  await page.locator("[data-fault=offline][aria-pressed=true]").waitFor();
  await press("power");
  await page.locator("#state", { hasText: "off" }).waitFor();
  await take(page, "panel-power-cut");
}

async function takePlayground(browser: Browser): Promise<void> {
  const playground = await startPlayground();
  try {
    const page = await open(browser, playground.url, PHONE);
    await goToConsent(page);
    await page.locator(".second").evaluate((phone) => phone.scrollIntoView());
    await take(page, "playground-narrow");
  } finally {
    await playground.close();
  }
}

commandLine("pictures", "Makes the documentation's pictures anew (needs chromium).").parse();
const browser = await launchChromium();
try {
  await withSimulator(() => takePanel(browser));
  await takePlayground(browser);
} finally {
  await browser.close();
}
