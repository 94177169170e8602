// The consent and account pages in a real browser, with a device that polls beside it: what a person
// on a phone meets (device doc §1 step 5, §3, §5.8; RFC 8628 §3.3).
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { BrowserContextOptions, Page } from "playwright-core";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { PATIENCE_MS } from "../patience.ts";
import { type Running, startService } from "../peers/own-service.ts";
import { DEVICE_GRANT, SCOPE_BASE, TV } from "../service/harness.ts";
import { describeInChromium } from "./chromium.ts";

const SCOPES = ["video.readonly", "storage.file"].map((name) => `${SCOPE_BASE}/auth/${name}`);
const PHONE: BrowserContextOptions = { viewport: { width: 360, height: 700 }, hasTouch: true };

/** A device: asks for a code over HTTP, polls over HTTP. */
class Device {
  readonly #url: string;
  userCode = "";
  #deviceCode = "";

  constructor(url: string) {
    this.#url = url;
  }

  async start(clientId: string = TV.client_id, scope = `${SCOPES.join(" ")} email`): Promise<this> {
    const codes = await this.#send("/device/code", { client_id: clientId, scope });
    this.userCode = codes.user_code!;
    this.#deviceCode = codes.device_code!;
    return this;
  }

  poll(): Promise<Record<string, string>> {
    return this.#send("/token", {
      ...TV,
      device_code: this.#deviceCode,
      grant_type: DEVICE_GRANT,
    });
  }

  refresh(refresh_token: string): Promise<Record<string, string>> {
    return this.#send("/token", { ...TV, refresh_token, grant_type: "refresh_token" });
  }

  async #send(path: string, fields: Record<string, string>) {
    const init = { method: "POST", body: new URLSearchParams(fields) };
    return (await (await fetch(this.#url + path, init)).json()) as Record<string, string>;
  }
}

describeInChromium("consent pages", (browser) => {
  let running: Running;
  let url: string;
  beforeAll(async () => {
    running = await startService();
    url = running.url;
  });
  afterAll(async () => {
    await running.server.close();
  });
  beforeEach(() => {
    // Wrong codes of one test must not lock out the next.
    running.service.restart({ loseCodes: true });
  });

  /** Opens a page whose complaints (blocked scripts or styles, failed loads) become a failure. */
  async function visit(
    options: BrowserContextOptions,
    body: (page: Page) => Promise<void>,
  ): Promise<void> {
    const context = await browser().newContext(options);
    context.setDefaultTimeout(PATIENCE_MS);
    const page = await context.newPage();
    const complaints: string[] = [];
    page.on("console", (message) => {
      // Chromium reports, too: forms refused with 4xx on purpose; and a field that was used before the page
      // came to focus it.
      const isExpected = /^(Failed to load resource|Autofocus processing was blocked)/;
      if (!isExpected.test(message.text())) complaints.push(message.text());
    });
    page.on("pageerror", (error) => complaints.push(error.message));
    page.on("dialog", (dialog) => {
      complaints.push(`dialog: ${dialog.message()}`);
      void dialog.dismiss();
    });
    try {
      await body(page);
      expect(complaints).toEqual([]);
    } finally {
      await context.close();
    }
  }

  const enter = async (page: Page, code: string) => {
    await page.goto(`${url}/device`);
    await page.getByLabel("Enter the code your device shows").fill(code);
    await page.getByRole("button", { name: "Continue" }).click();
  };
  /** Waits for the page with this heading: a click may return before the page it leads to is there. */
  const reads = (page: Page, heading: string) =>
    expect.poll(() => page.getByRole("heading", { level: 1 }).innerText()).toBe(heading);
  /** Waits for the page whose message of this kind has these words. */
  const says = (page: Page, role: "alert" | "status", words: string) =>
    expect.poll(() => page.getByRole(role).innerText()).toContain(words);

  test("device doc §3: Allow clicked twice, and its page loaded again, says Connected, not an error", async () => {
    const device = await new Device(url).start();
    await visit(PHONE, async (page) => {
      await enter(page, device.userCode);
      await page.getByRole("button", { name: "Ada Brook" }).click();
      await page.getByRole("button", { name: "Allow" }).dblclick();
      await reads(page, "Connected");
      expect((await device.poll()).token_type).toBe("Bearer");
      await page.reload();
      await reads(page, "Connected");
      await page.goBack();
      await reads(page, "Living Room TV wants to use your account");
      await page.getByRole("button", { name: "Deny" }).click();
      await reads(page, "Connected already");
    });
  });

  test("device doc §3: the way back leads through every page, and on again", async () => {
    const device = await new Device(url).start();
    await visit(PHONE, async (page) => {
      await enter(page, "BBBB-BBBB");
      await says(page, "alert", "not right");
      await page.getByLabel("Enter the code your device shows").fill(device.userCode);
      await page.getByRole("button", { name: "Continue" }).click();
      await page.getByRole("button", { name: "Ada Brook" }).click();
      await reads(page, "Living Room TV wants to use your account");
      await page.goBack();
      await reads(page, "Choose an account");
      await page.goBack();
      await page.goBack();
      await reads(page, "Connect a device");
      await page.getByLabel("Enter the code your device shows").fill(device.userCode);
      await page.getByRole("button", { name: "Continue" }).click();
      await page.getByRole("button", { name: "Allow" }).click();
      await reads(page, "Connected");
    });
    expect((await device.poll()).token_type).toBe("Bearer");
  });

  test("with the keyboard alone, from the focused field to the grant, the focus always visible", async () => {
    const device = await new Device(url).start();
    await visit({}, async (page) => {
      const press = async (key: string, until: string) => {
        for (let i = 0; i < 20; i++) {
          await page.keyboard.press(key);
          const focused = page.locator(":focus");
          const outline = await focused.evaluate((one) => getComputedStyle(one).outlineStyle);
          expect(outline).not.toBe("none");
          if ((await focused.innerText()).includes(until)) return;
        }
        throw new Error(`the keyboard does not reach ${until}`);
      };
      await page.goto(`${url}/device`);
      expect(await page.locator(":focus").getAttribute("name")).toBe("user_code");
      await page.keyboard.type(device.userCode);
      await page.keyboard.press("Enter");
      await page.getByRole("heading", { name: "Choose an account" }).waitFor();
      await press("Tab", "Ben Calder");
      await page.keyboard.press("Enter");
      await page.getByRole("heading", { name: /wants to use/ }).waitFor();
      await press("Tab", "Allow");
      await page.keyboard.press("Enter");
      await page.getByRole("heading", { name: "Connected" }).waitFor();
    });
    expect((await device.poll()).token_type).toBe("Bearer");
  });

  test("without JavaScript everything works the same", async () => {
    const device = await new Device(url).start();
    await visit({ ...PHONE, javaScriptEnabled: false }, async (page) => {
      await enter(page, device.userCode);
      await page.getByRole("button", { name: "Ada Brook" }).click();
      await page.getByLabel("How long?").selectOption("For 1 day");
      await page.getByRole("button", { name: "Allow" }).click();
      await page.getByRole("heading", { name: "Connected" }).waitFor();
    });
    expect((await device.poll()).refresh_token_expires_in).toBe(86_400);
  });

  test("device doc §2.1: a wrong code is announced, kept in the field, and the field is focused", async () => {
    await visit(PHONE, async (page) => {
      await enter(page, "BBBB-BBBB");
      await says(page, "alert", "not right");
      expect(await page.title()).toMatch(/^Error/);
      const field = page.getByLabel("Enter the code");
      expect(await field.inputValue()).toBe("BBBB-BBBB");
      expect(await field.getAttribute("aria-invalid")).toBe("true");
      expect(await page.locator(":focus").getAttribute("id")).toBe("user_code");
      expect(await page.locator("#code-help").isVisible()).toBe(true);
    });
  });

  test.each([
    ["a narrow phone", { viewport: { width: 280, height: 600 } }],
    ["a phone in the dark", { ...PHONE, colorScheme: "dark" as const }],
    ["a desktop", { viewport: { width: 1280, height: 800 } }],
  ])(
    "on %s: nothing overflows, targets are large, names are there, contrast suffices",
    async (_, options) => {
      const device = await new Device(url).start();
      const grant = await new Device(url).start();
      running.service.approve(grant.userCode, "ada");
      await grant.poll();
      await visit(options, async (page) => {
        await page.goto(`${url}/device`);
        await expectGood(page);
        await enter(page, "B");
        await says(page, "alert", "not right");
        await expectGood(page);
        await enter(page, device.userCode);
        await reads(page, "Choose an account");
        await expectGood(page);
        await page.getByRole("button", { name: "Ada Brook" }).click();
        await reads(page, "Living Room TV wants to use your account");
        await expectGood(page);
        await page.getByRole("button", { name: "Deny" }).click();
        await reads(page, "Not connected");
        await expectGood(page);
        await page.goto(`${url}/account`);
        await expectGood(page);
        await page.goto(url);
        await expectGood(page);
      });
    },
  );

  test("text twice as large on a narrow phone still fits", async () => {
    const device = await new Device(url).start();
    await visit({ viewport: { width: 320, height: 640 } }, async (page) => {
      await enter(page, device.userCode);
      await page.getByRole("button", { name: "Ada Brook" }).click();
      await reads(page, "Living Room TV wants to use your account");
      const overflow = await page.evaluate(() => {
        document.documentElement.style.setProperty("font-size", "200%");
        return document.documentElement.scrollWidth - document.documentElement.clientWidth;
      });
      expect(overflow).toBeLessThanOrEqual(0);
    });
  });

  test("a foreign page can neither send the forms nor frame the pages", async () => {
    const device = await new Device(url).start();
    const foreign = createServer((_, response) => {
      response.setHeader("content-type", "text/html");
      response.end(`<form method="post" action="${url}/device/decision">
        <input name="user_code" value="${device.userCode}"><input name="account" value="ada">
        <input name="decision" value="allow"><button>Win a prize</button></form>
        <iframe src="${url}/device"></iframe>`);
    });
    await new Promise<void>((resolve) => foreign.listen(0, "127.0.0.1", resolve));
    // Another name for the same machine is another site.
    const address = `http://localhost:${(foreign.address() as AddressInfo).port}`;
    const context = await browser().newContext();
    const page = await context.newPage();
    await page.goto(`${url}/device`);
    await enter(page, device.userCode);
    await page.getByRole("button", { name: "Ada Brook" }).click();
    await page.goto(address);
    const framed = page.frames().find((frame) => frame !== page.mainFrame());
    expect(framed?.url()).not.toBe(`${url}/device`);
    await page.getByRole("button", { name: "Win a prize" }).click();
    await reads(page, "Please start again");
    await context.close();
    await new Promise((resolve) => foreign.close(resolve));
    expect((await device.poll()).error).toBe("authorization_pending");
  });

  test("even a script that got into a page would not run: the policy forbids it", async () => {
    const context = await browser().newContext();
    const page = await context.newPage();
    await page.goto(`${url}/device`);
    const ran = await page.evaluate(() => {
      const script = document.createElement("script");
      script.textContent = "window.ran = true";
      document.body.append(script);
      return "ran" in window;
    });
    expect(ran).toBe(false);
    await context.close();
  });
});

/** Layout, targets, names and contrast of the page as it stands, measured in the browser. */
async function expectGood(page: Page): Promise<void> {
  const found = await page.evaluate(() => {
    const problems: string[] = [];
    const { scrollWidth, clientWidth } = document.documentElement;
    if (scrollWidth > clientWidth) problems.push(`overflows by ${scrollWidth - clientWidth} px`);
    if (document.querySelectorAll("h1").length !== 1) problems.push("not exactly one h1");

    const visible = (one: Element) => one.getClientRects().length > 0;
    for (const one of document.querySelectorAll(
      "button, select, summary, input:not([type=hidden])",
    )) {
      if (!visible(one)) continue;
      const target = one.closest("label") ?? one;
      const name = one.getAttribute("aria-label") ?? target.textContent?.trim();
      const labels = (one as HTMLInputElement).labels?.length ?? 0;
      if (!name && labels === 0) problems.push(`no name: ${one.outerHTML.slice(0, 80)}`);
      const box = target.getBoundingClientRect();
      const least = one.matches("[type=checkbox]") ? 24 : 44;
      if (box.height < least - 0.5)
        problems.push(`${box.height} px high: ${one.outerHTML.slice(0, 80)}`);
    }

    // WCAG 2 contrast of every visible text against the nearest solid ground behind it.
    const channels = (color: string) => (color.match(/[\d.]+/g) ?? []).map(Number);
    const luminance = ([r = 0, g = 0, b = 0]: number[]) =>
      [r, g, b]
        .map((value) => value / 255)
        .map((value) => (value <= 0.03928 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4))
        .reduce((sum, value, at) => sum + value * [0.2126, 0.7152, 0.0722][at]!, 0);
    const groundOf = (one: Element): number[] => {
      for (let at: Element | null = one; at; at = at.parentElement) {
        const ground = channels(getComputedStyle(at).backgroundColor);
        if ((ground[3] ?? 1) === 1 && ground.length >= 3) return ground;
      }
      return [255, 255, 255];
    };
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      const one = node.parentElement;
      // Disabled controls are exempt (WCAG 1.4.3); the options of a select are drawn by the system.
      if (!one || !node.textContent?.trim() || !visible(one)) continue;
      if (one.closest(":disabled, option")) continue;
      const text = luminance(channels(getComputedStyle(one).color));
      const ground = luminance(groundOf(one));
      const ratio = (Math.max(text, ground) + 0.05) / (Math.min(text, ground) + 0.05);
      if (ratio < 4.5) problems.push(`contrast ${ratio.toFixed(2)}: ${node.textContent.trim()}`);
    }
    return problems;
  });
  expect(found).toEqual([]);
}
