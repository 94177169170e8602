// The documentation site, made anew and looked at in a real browser, from its files as a reader without a network
// opens it: in light and in dark, as wide as a desk and as a phone, by axe's rules, with its search and its drawing.

import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import type { BrowserContextOptions, Page } from "playwright-core";
import { beforeAll, expect, test } from "vitest";
import { State, transitions } from "../../core/device/states.ts";
import { chapters, pages } from "../../targets/workbench/docs/pages.ts";
import { ENTRIES, makeSite } from "../../targets/workbench/docs/site.ts";
import { QUESTIONS } from "../docs/questions.ts";
import { PATIENCE_MS } from "../patience.ts";
import { accessibilityProblems } from "./axe.ts";
import { describeInChromium } from "./chromium.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));
const site = path.join(root, "dist/docs");

/** One of each kind beside the start: a guide, tables, the drawing, an entry of the package, a class, a source file. */
const IN_MENU = [
  "Firmware in JavaScript",
  "Errors, and what to do",
  "The core's border",
  "picogrant-tools/service",
];
const BEYOND_MENU = [
  "classes/picogrant_driver.Driver.html",
  "documents/Source_files.core_loop_tick.ts.html",
];

const DESK: BrowserContextOptions = { viewport: { width: 1280, height: 800 } };
const PHONE: BrowserContextOptions = { viewport: { width: 390, height: 844 } };

const LOOKS: readonly (readonly [string, BrowserContextOptions])[] = [
  ["on a desk", DESK],
  ["on a phone", PHONE],
];

const addressOf = (name: string): string => pathToFileURL(path.join(site, name)).href;

/** How far the page is wider than the screen, in pixels. */
function overhangOf(page: Page): Promise<number> {
  return page.evaluate(
    () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
  );
}

describeInChromium("documentation", (browser) => {
  beforeAll(() => {
    execFileSync("npm", ["run", "-s", "docs"], { cwd: root, stdio: ["ignore", "pipe", "inherit"] });
  }, 900_000);

  /** Every complaint of the pages is one of the test; so is every request that leaves the site's files. */
  async function visit(
    options: BrowserContextOptions,
    body: (page: Page) => Promise<void>,
  ): Promise<void> {
    const context = await browser().newContext({ ...options, offline: true });
    context.setDefaultTimeout(PATIENCE_MS);
    const page = await context.newPage();
    const complaints: string[] = [];
    page.on("console", (message) => {
      // Opened as a file, a page may not take its icons out of another one; a script brings them instead.
      const isIcon = /^Unsafe attempt to load URL file:\S+icons\.svg/.test(message.text());
      if (message.type() === "error" && !isIcon) complaints.push(message.text());
    });
    page.on("pageerror", (error) => complaints.push(error.message));
    page.on("request", (request) => {
      if (!/^(file|data|blob):/.test(request.url())) complaints.push(`asked ${request.url()}`);
    });
    try {
      await body(page);
      expect(complaints).toEqual([]);
    } finally {
      await context.close();
    }
  }

  async function open(page: Page, file: string): Promise<void> {
    await page.goto(addressOf(file));
    // Shown once its script has run. A locator would ask, and ask again a second later.
    const isShown = () => document.querySelector("h1")?.checkVisibility();
    await page.waitForFunction(isShown, undefined, { polling: 20 });
  }

  /** The menu: each page's title, and its address from the site's top. */
  async function menuOf(page: Page): Promise<Map<string, string>> {
    await open(page, "index.html");
    const links = await page.locator("nav.tsd-navigation a").all();
    return new Map(
      await Promise.all(
        links.map(async (link) => {
          const [title, address] = await Promise.all([
            link.textContent(),
            link.getAttribute("href"),
          ]);
          return [title!, address!] as const;
        }),
      ),
    );
  }

  test.each(LOOKS)("%s: no rule of axe broken, nothing beyond the screen", (_name, look) =>
    visit(look, async (page) => {
      const problems: string[] = [];
      const menu = await menuOf(page);
      const files = ["index.html", ...IN_MENU.map((title) => menu.get(title)!), ...BEYOND_MENU];
      for (const file of files) {
        await open(page, file);
        const overhang = await overhangOf(page);
        if (overhang > 0) problems.push(`${file}: ${overhang} pixels beyond the screen`);
        problems.push(
          ...(await accessibilityProblems(page, { preload: false })).map(
            (line) => `${file}: ${line}`,
          ),
        );
      }
      expect(problems).toEqual([]);
    }),
  );

  test("every page has its title, and none is wider than a phone", () =>
    visit(PHONE, async (page) => {
      const problems: string[] = [];
      for (const file of (await menuOf(page)).values()) {
        await open(page, file);
        if ((await page.locator("h1").count()) !== 1) problems.push(`${file}: not one title`);
        const overhang = await overhangOf(page);
        if (overhang > 0) problems.push(`${file}: ${overhang} pixels beyond the screen`);
      }
      expect(problems).toEqual([]);
    }));

  test("the checks above can fail", () =>
    visit(PHONE, async (page) => {
      await page.setContent('<!doctype html><div style="width: 500px">wide</div>');
      expect(await overhangOf(page)).toBeGreaterThan(100);
    }));

  test("search finds a guide by its words and a function by its name, and leads there", () =>
    visit(DESK, async (page) => {
      for (const [words, place, title] of [
        ["captive portal", "Troubleshooting.html", "Troubleshooting"],
        ["responseStart", "picogrant_core.responseStart.html", "responseStart"],
        ["startSimulatedService", "startSimulatedService.html", "startSimulatedService"],
      ] as const) {
        await open(page, "index.html");
        await page.locator("#tsd-search-trigger").click();
        await page.locator("#tsd-search-input").fill(words);
        await page.locator(`#tsd-search-results a[href$="${place}"]`).click();
        await page.waitForURL(`**/*${place}`);
        expect(await page.locator("h1").first().innerText()).toContain(title);
      }
    }));

  test("search answers what users ask with the page for it first, and never with a source or a test", () =>
    visit(DESK, async (page) => {
      await open(page, "index.html");
      await page.locator("#tsd-search-trigger").click();
      const problems: string[] = [];
      for (const [at, [question, wanted]] of QUESTIONS.entries()) {
        await page.locator("#tsd-search-input").fill(question);
        // Each search counts on: these are the answers to this question.
        await page.locator(`#tsd-search-results li[id="tsd-search:${at + 1}-0"]`).waitFor();
        const found = await page.locator("#tsd-search-results a .text").allTextContents();
        const { title } = pages.find(({ name }) => name === wanted)!;
        if (!found[0]!.endsWith(title))
          problems.push(`${question}: ${found.slice(0, 3).join("; ")}`);
        const inside = found.filter((one) =>
          /Source files|\.(ts|c|h|mjs)$|Their rows|Mutation/.test(one),
        );
        problems.push(...inside.map((one) => `${question}: ${one}`));
      }
      expect(problems).toEqual([]);
    }));

  test("the menu has every page and every entry of the package, on a phone behind its button", () =>
    visit(PHONE, async (page) => {
      const titles = [...(await menuOf(page)).keys()];
      const wanted = chapters.flatMap((chapter) => chapter.pages.map(({ title }) => title));
      const entryNames = ENTRIES.map(([name]) => name);
      expect(titles).toEqual(["Start", ...wanted, ...entryNames, "Source files"]);
      const menu = page.locator("nav.tsd-navigation");
      expect(await menu.isVisible()).toBe(false);
      await page.locator("[data-toggle='menu']").click();
      await menu.waitFor();
    }));

  test("the states are drawn, with every move of the core", () =>
    visit(DESK, async (page) => {
      await open(page, (await menuOf(page)).get("The core's border")!);
      const drawing = page.locator(".drawing svg");
      await drawing.waitFor();
      const texts = new Set(await drawing.locator("text").allTextContents());
      const states = transitions().flatMap(({ from, to }) => [State[from]!, State[to]!]);
      expect([...texts]).toEqual(expect.arrayContaining(states));
      const arrows = new Set(transitions().map(({ from, to }) => `${from} ${to}`));
      expect(await drawing.locator(".edge").count()).toBe(arrows.size);
    }));
});

test("something public without a description is a complaint, and the site is not made", async () => {
  const scratch = mkdtempSync(path.join(tmpdir(), "picogrant-docs-"));
  try {
    const write = (name: string, text: string): void => {
      writeFileSync(path.join(scratch, name), text);
    };
    write("package.json", "{}");
    write("tsconfig.json", JSON.stringify({ files: ["entry.ts"] }));
    write("start.md", "# Start\n");
    const complaintsOf = (source: string): Promise<number> => {
      write("entry.ts", source);
      const prepared = { readme: path.join(scratch, "start.md"), documents: [] };
      return makeSite(`${scratch}/`, prepared, path.join(scratch, "site"), [
        ["picogrant", "entry.ts"],
      ]);
    };
    mkdirSync(path.join(scratch, "site"));
    expect(await complaintsOf("/** Adds. */\nexport const add = (a: number): number => a;\n")).toBe(
      0,
    );
    expect(await complaintsOf("export const add = (a: number): number => a;\n")).toBe(1);
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
});
