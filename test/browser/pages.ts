// Helpers for tests in Debian's headless Chromium. Without it, the tests are skipped, or fail under CI=true.
import { existsSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import path from "node:path";
import type { RunOptions } from "axe-core";
import axe from "axe-core";
import { type Browser, type BrowserContextOptions, chromium, type Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { writePlayground } from "../../targets/desktop/playground/folder.ts";
import { type RunningSimulator, startSimulator } from "../desktop/bench.ts";
import { listen, temporaryFolder } from "../listening.ts";
import { TIMEOUT_MS } from "../timeouts.ts";

const EXECUTABLE = process.env.PICOGRANT_CHROMIUM ?? "/usr/bin/chromium-headless-shell";
const MISSING =
  `${EXECUTABLE} is missing: install the Debian package chromium-headless-shell ` +
  "(apt-get install chromium-headless-shell), or name another one in PICOGRANT_CHROMIUM";
const ARGUMENTS = [
  "--no-sandbox",
  "--headless",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

/** A `describe` whose tests share a browser. Call the function `browser` inside a test. */
export function describeInChromium(name: string, body: (browser: () => Browser) => void): void {
  if (!existsSync(EXECUTABLE)) {
    if (process.env.CI === "true") test(`${name}: needs a browser`, () => expect.fail(MISSING));
    else test.skip(`${name}: skipped, ${MISSING}`);
    return;
  }
  describe(name, () => {
    let browser: Browser | undefined;
    beforeAll(async () => {
      browser = await chromium.launch({ executablePath: EXECUTABLE, args: ARGUMENTS });
    });
    afterAll(async () => {
      await browser?.close();
    });
    body(() => {
      if (!browser) throw new Error("the browser is only available inside tests");
      return browser;
    });
  });
}

/** Console messages of pages without a fault: for a response with an error status, a focused field, or a page on a disk. */
const EXPECTED =
  /^(Failed to load resource|Autofocus processing was|Unsafe attempt to load URL file:)/;

/** Opens a page in a new context. Fails at any exception, console message (but see EXPECTED) or dialog of the page. */
export async function visit(
  browser: Browser,
  look: BrowserContextOptions,
  use: (page: Page) => Promise<void>,
): Promise<void> {
  const context = await browser.newContext(look);
  context.setDefaultTimeout(TIMEOUT_MS);
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on("pageerror", (error) => complaints.push(error.message));
  page.on("console", (entry) => EXPECTED.test(entry.text()) || complaints.push(entry.text()));
  page.on("dialog", (dialog) => {
    complaints.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  try {
    await use(page);
    expect(complaints).toEqual([]);
  } finally {
    await context.close();
  }
}

export async function atPanel(
  browser: Browser,
  use: (page: Page, bench: RunningSimulator) => Promise<void>,
  look: BrowserContextOptions = { viewport: { width: 1440, height: 900 } },
): Promise<void> {
  const bench = await startSimulator();
  try {
    await visit(browser, look, async (page) => {
      await page.goto(`${bench.url}/panel`);
      await page.waitForSelector("body[data-live=yes]");
      await use(page, bench);
    });
  } finally {
    await bench.close();
  }
}

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

export function isInSight(page: Page, what: string): Promise<boolean> {
  return page.evaluate((required) => {
    const item = document.querySelector(required)!.getBoundingClientRect();
    const around = document.querySelector(".scroll")!.getBoundingClientRect();
    return item.top >= around.top && item.bottom <= around.bottom + 1;
  }, what);
}

const COLOUR_RULES = ["color-contrast", "link-in-text-block"];

/** Returns a line for each problem outside frames: by axe-core's default rules, and by its color rules in dark mode. */
export async function accessibilityProblems(page: Page): Promise<string[]> {
  // The page's policy blocks foreign scripts, so inject through the debugger.
  await page.evaluate(axe.source);
  const problems = await problemsBy(page, {});
  await page.emulateMedia({ colorScheme: "dark" });
  const inTheDark = await problemsBy(page, { preload: false, runOnly: COLOUR_RULES });
  // If style sheets changed more than colors in dark mode, the color rules would not suffice.
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

/** The properties that style sheets change in dark mode. Omits custom properties, because they only contain colors. */
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

export async function startPlayground(): Promise<{
  readonly url: string;
  readonly folder: string;
  close(): Promise<void>;
}> {
  const folder = temporaryFolder();
  await writePlayground(folder);
  return { ...(await serveFolder(folder, "/some/where/")), folder };
}

/** Polls every 50 ms, because a poll in each animation frame would make the page draw 60 frames per second. */
export async function shows(page: Page, text: string): Promise<void> {
  await page.waitForFunction(
    (required) =>
      document.getElementById("frame")?.textContent?.replace(/\s+/g, " ").includes(required),
    text,
    { polling: 50 },
  );
}

// A static file server below a path, with a strict content security policy.

const TYPES: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript",
  ".css": "text/css",
  ".svg": "image/svg+xml",
};

const POLICY = [
  ...["default-src 'none'", "script-src 'self'", "style-src 'self'", "img-src 'self'"],
  ...["base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'"],
].join("; ");

/** `below` is the path of the folder's files, such as "/some/where/". */
async function serveFolder(folder: string, below: string) {
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? "/", "http://localhost");
    const name = pathname.startsWith(below) ? pathname.slice(below.length) || "index.html" : "";
    try {
      if (!/^[\w.-]+$/.test(name)) throw new Error("not in the folder");
      const content = readFileSync(path.join(folder, name));
      response.setHeader("content-security-policy", POLICY);
      response.setHeader("content-type", TYPES[path.extname(name)] ?? "application/octet-stream");
      response.end(content);
    } catch {
      response.writeHead(404).end();
    }
  });
  const { origin, close } = await listen(server);
  return { url: origin + below, close };
}
