// Tests the consent and account pages in a real browser with a polling device, mostly as on a phone (RFC 8628 §3.3).
import { createServer } from "node:http";
import type { BrowserContextOptions, Page } from "playwright-core";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { RealEnvironment } from "../environment/real-environment.ts";
import { listening } from "../listening.ts";
import { DEVICE_GRANT, SCOPE_BASE, TV } from "../service/harness.ts";
import { describeInChromium, visit } from "./pages.ts";

const SCOPES = ["video.readonly", "storage.file"].map((name) => `${SCOPE_BASE}/auth/${name}`);
const PHONE: BrowserContextOptions = { viewport: { width: 360, height: 700 }, hasTouch: true };

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
  const running = new RealEnvironment("http");
  let url: string;
  beforeAll(async () => {
    await running.open();
    url = running.url;
  });
  afterAll(() => running.end());
  beforeEach(() => {
    // Clear codes and quotas. Otherwise the wrong codes of one test could block the next test.
    running.service.restart({ loseCodes: true });
  });

  const enter = async (page: Page, code: string) => {
    await page.goto(`${url}/device`);
    await page.getByLabel("Enter the code your device shows").fill(code);
    await page.getByRole("button", { name: "Continue" }).click();
  };
  /** Polls, because a click may return before the next page has loaded. */
  const reads = (page: Page, heading: string) =>
    expect.poll(() => page.getByRole("heading", { level: 1 }).innerText()).toBe(heading);
  const description = (page: Page, role: "alert" | "status", words: string) =>
    expect.poll(() => page.getByRole(role).innerText()).toContain(words);

  test("device doc §3: a second click on Allow, and a reload of its page, show Connected and no error", async () => {
    const device = await new Device(url).start();
    await visit(browser(), PHONE, async (page) => {
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
      await reads(page, "Already connected");
    });
  });

  test("a user can grant access with the keyboard alone, and the focus is always visible", async () => {
    const device = await new Device(url).start();
    await visit(browser(), {}, async (page) => {
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

  test("all pages work without JavaScript", async () => {
    const device = await new Device(url).start();
    await visit(browser(), { ...PHONE, javaScriptEnabled: false }, async (page) => {
      await enter(page, device.userCode);
      await page.getByRole("button", { name: "Ada Brook" }).click();
      await page.getByLabel("How long?").selectOption("For 1 day");
      await page.getByRole("button", { name: "Allow" }).click();
      await page.getByRole("heading", { name: "Connected" }).waitFor();
    });
    expect((await device.poll()).refresh_token_expires_in).toBe(86_400);
  });

  test("device doc §2.1: a wrong code is announced and stays in the field, which has the focus", async () => {
    await visit(browser(), PHONE, async (page) => {
      await enter(page, "BBBB-BBBB");
      await description(page, "alert", "This code is wrong");
      expect(await page.title()).toMatch(/^Error/);
      const field = page.getByLabel("Enter the code");
      expect(await field.inputValue()).toBe("BBBB-BBBB");
      expect(await field.getAttribute("aria-invalid")).toBe("true");
      expect(await page.locator(":focus").getAttribute("id")).toBe("user_code");
      expect(await page.locator("#code-help").isVisible()).toBe(true);
    });
  });

  test.each([
    ["a narrow phone", { viewport: { width: 280, height: 600 } }, ""],
    ["a phone with text twice as large", { viewport: { width: 320, height: 640 } }, "200%"],
    ["a desktop", { viewport: { width: 1280, height: 800 } }, ""],
  ])("on %s nothing overflows, and targets are large", async (_, look, textSize) => {
    const device = await new Device(url).start();
    await visit(browser(), look, async (page) => {
      const isValid = async (): Promise<void> =>
        expect(await page.evaluate(misfits, textSize)).toEqual([]);
      await enter(page, "B");
      await description(page, "alert", "This code is wrong");
      await isValid();
      await enter(page, device.userCode);
      await reads(page, "Choose an account");
      await isValid();
      await page.getByRole("button", { name: "Ada Brook" }).click();
      await reads(page, "Living Room TV wants to use your account");
      await isValid();
      await page.getByRole("button", { name: "Deny" }).click();
      await reads(page, "Not connected");
      for (const address of [`${url}/account`, url]) {
        await page.goto(address);
        await isValid();
      }
    });
  });

  test("a page of another site can neither submit the forms nor frame the pages", async () => {
    const device = await new Device(url).start();
    const foreign = createServer((_, response) => {
      response.setHeader("content-type", "text/html");
      response.end(`<form method="post" action="${url}/device/decision">
        <input name="user_code" value="${device.userCode}"><input name="account" value="ada">
        <input name="decision" value="allow"><button>Win a prize</button></form>
        <iframe src="${url}/device"></iframe>`);
    });
    // Another name of the same machine counts as another site.
    const address = `http://localhost:${await listening(foreign)}`;
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
    expect((await device.poll()).error).toBe("authorization_pending");
  });

  test("the policy blocks a script that was injected into a page", async () => {
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

/** In the page, finds content wider than the screen, and targets too small for a finger. */
function misfits(textSize: string): string[] {
  document.documentElement.style.setProperty("font-size", textSize);
  const { scrollWidth, clientWidth } = document.documentElement;
  const problems =
    scrollWidth > clientWidth ? [`overflows by ${scrollWidth - clientWidth} px`] : [];
  for (const one of document.querySelectorAll(
    "button, select, summary, input:not([type=hidden])",
  )) {
    const { height } = (one.closest("label") ?? one).getBoundingClientRect();
    const least = one.matches("[type=checkbox]") ? 24 : 44;
    const isVisible = one.getClientRects().length > 0;
    if (isVisible && height < least - 0.5) problems.push(`${height} px: ${one.outerHTML}`);
  }
  return problems;
}
