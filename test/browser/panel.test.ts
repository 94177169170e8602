// Tests what needs a real browser in the panel of the simulator.
import { expect, test } from "vitest";
import { atPanel, decideOnPhone, describeInChromium, isInSight, shows } from "./pages.ts";

describeInChromium("the panel", (browser) => {
  test("a user can sign in by clicks: code, phone, consent, tokens, broadcasts", () =>
    atPanel(browser(), async (page, { simulation }) => {
      await shows(page, "Code ");
      expect(await page.locator("#qr path").getAttribute("d")).toMatch(/^M/);
      await decideOnPhone(page, "Allow");
      await page.frameLocator("#phone").getByText("Connected").first().waitFor();
      await shows(page, "3 broadcasts: Harbour regatta");
      await page.locator("#state", { hasText: "signed in" }).waitFor();
      expect(await page.locator("#sequence").textContent()).toMatch(
        /request a code.*shows code.*enters the code.*confirms the code.*signs in as ada.*ada allows.*200 OK.*signed in/,
      );
      await page.locator("#sequence summary", { hasText: "call the API" }).click();
      const detail = page.locator("#sequence .detail pre");
      await expect.poll(() => detail.last().textContent()).toContain('"title": "Harbour regatta"');
      expect(await detail.first().textContent()).toContain("Authorization: Bearer ***");
      expect(await page.content()).not.toMatch(/pga\.|pgr\.|tv-secret/);
      await page.click("[data-command='press sign-out']");
      await shows(page, "Not signed in");
      expect(simulation.exchanges.counts.get("revoke")).toBe(1);
    }));

  test("a user can work with the keyboard alone: pause, jump past the expiry, a new code, allow", () =>
    atPanel(browser(), async (page, { simulation }) => {
      await shows(page, "Code ");
      await page.keyboard.press("Z");
      await page.getByText("The key Z does nothing").waitFor();
      await page.keyboard.press("Space");
      await page.locator("#speed", { hasText: "paused" }).waitFor();
      // Each step that the panel sends removes the panel's last message.
      await page.locator("#message", { hasText: /^$/ }).waitFor({ state: "attached" });
      const before = simulation.userCode;
      await page.keyboard.press("j");
      // Wait for the end of the jump, because the space bar would interrupt it.
      await expect.poll(() => simulation.clock.nowMs()).toBeGreaterThan(1_800_000);
      await expect.poll(() => simulation.clock.jumpLeftMs).toBe(0);
      await page.keyboard.press("Space");
      await expect
        .poll(() => simulation.userCode)
        .toSatisfy((code: string) => code !== "" && code !== before);
      // The user can allow a code only while the display shows it.
      await shows(page, simulation.userCode);
      await page.keyboard.press("a");
      await shows(page, "Signed in");
    }));

  test("the phone's page does not take the keyboard focus from the panel, even when it loads late", () =>
    atPanel(browser(), async (page) => {
      let letGo = (): void => {};
      const held = new Promise<void>((resolve) => {
        letGo = resolve;
      });
      await page.route("**/device", async (route) => {
        await held;
        await route.continue();
      });
      await shows(page, "Code ");
      await page.click("#enter");
      letGo();
      const field = page.frameLocator("#phone").locator("input[name=user_code]");
      // A browser may remove the focus while it draws the page.
      await field.evaluate(
        () => new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn))),
      );
      expect(await page.locator(":focus").getAttribute("id")).toBe("enter");
      await page.keyboard.press(".");
      await page.locator("#speed", { hasText: "paused" }).waitFor();
    }));

  test("unavailable actions are disabled with a reason; one primary button suggests the next step", () =>
    atPanel(browser(), async (page) => {
      await shows(page, "Code ");
      const next = page.locator("#next");
      const phone = page.frameLocator("#phone");
      expect(await next.textContent()).toBe("enter the code");
      const list = page.locator("[data-command='press list']");
      expect(await list.getAttribute("aria-disabled")).toBe("true");
      await list.click({ force: true });
      await page.locator("#message", { hasText: "nobody is signed in" }).waitFor();
      await next.click();
      await phone.getByRole("button", { name: "Continue" }).click();
      await next.waitFor({ state: "hidden" });
      await phone.getByRole("button", { name: /Ada Brook/ }).click();
      await page.locator("#guide [aria-current]", { hasText: "Allow" }).waitFor();
      await page.click("[data-command='fault offline']");
      await next.getByText("plug the network in").waitFor();
      await phone.locator("html.quiet").waitFor();
      await next.click();
      await phone.getByRole("button", { name: "Allow", exact: true }).click();
      await page.locator("#guide-says", { hasText: "under “What can go wrong”" }).waitFor();
      expect(await next.isVisible()).toBe(false);
      await page.click("#tab-service");
      await page.locator("#next", { hasText: "What can go wrong?" }).click();
      expect(await page.locator(":focus").getAttribute("id")).toBe("tab-fault");
      expect(await list.getAttribute("aria-disabled")).toBe("false");
    }));

  test("panel and phone show the administrator's fix, and the primary button runs it", () =>
    atPanel(browser(), async (page) => {
      await shows(page, "Code ");
      await page.click("#tab-user");
      await page.click("[data-command='allow pupil']");
      const requests = "Ask your administrator to allow what the app requests.";
      await page.locator("#phone-does", { hasText: `${requests} Then get a new code` }).waitFor();
      for (const place of ["#reason", "#guide-says"])
        await page.locator(place, { hasText: requests }).waitFor();
      await page.locator("#next", { hasText: "be the administrator" }).click();
      await page.locator("#next", { hasText: "get a code" }).click();
      await page.locator("#phone-says", { hasText: "Your phone" }).waitFor();
      const rows = page.locator("#sequence li");
      for (let cut = 1; cut <= 3; cut++) {
        const before = await rows.count();
        await page.keyboard.press("p");
        await expect.poll(() => rows.count()).toBeGreaterThan(before);
      }
      await expect.poll(() => isInSight(page, "#sequence li:last-child")).toBe(true);
    }));

  test.each([
    [390, 844],
    [800, 900],
    [1280, 800],
    [1920, 1080],
  ])("everything fits in a window %i pixels wide", (width, height) =>
    atPanel(
      browser(),
      async (page, { controller }) => {
        await shows(page, "Code ");
        expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(width);
        for (const part of [".guide", ".device", ".second", ".exchange", ".actions"]) {
          const box = (await page.locator(`section${part}`).boundingBox())!;
          expect(box.width, part).toBeGreaterThan(Math.min(width - 60, 280));
          expect(box.height, part).toBeGreaterThan(part === ".guide" ? 40 : 140);
          if (width > 1000) expect(box.y + box.height, part).toBeLessThanOrEqual(height);
        }
        // The response that the user opens here must not cover the rows around it.
        for (let cut = 0; cut < 5; cut++) await controller.run("power-cycle");
        await controller.run("pause");
        const requested = page.locator("#sequence summary", { hasText: "POST /device/code" });
        await requested.click();
        await page.locator("#sequence .side").last().waitFor();
        await requested.scrollIntoViewIfNeeded();
        const covered = await page.evaluate(() => {
          const boxOf = (row: Element): DOMRect => row.getBoundingClientRect();
          const open = document.querySelector("#sequence li:has(details[open])")!;
          const box = boxOf(open);
          const rows = [...document.querySelectorAll("#sequence li")].filter((row) => row !== open);
          return rows.filter(
            (row) => boxOf(row).bottom > box.top + 1 && boxOf(row).top < box.bottom - 1,
          ).length;
        });
        expect(covered).toBe(0);
        // On the phone, account, code, warning and scopes are above the decision.
        await controller.run("pause");
        // The scan button works as soon as the display shows the code again.
        const scan = async (): Promise<boolean> => {
          await page.click("#scan");
          return await page.locator("#phone").isVisible();
        };
        await expect.poll(scan).toBe(true);
        const phone = page.frameLocator("#phone");
        await phone.getByRole("button", { name: "Continue" }).click();
        await phone.getByRole("button", { name: /Ada Brook/ }).click();
        const bar = (await phone.locator(".buttons").boundingBox())!;
        const frame = (await page.locator("#phone").boundingBox())!;
        expect(bar.y + bar.height).toBeLessThanOrEqual(frame.y + frame.height + 1);
        for (const part of [".who", ".note.hint .code", ".note.hint", ".list > li:first-child"]) {
          const box = (await phone.locator(part).boundingBox())!;
          expect(box.y, part).toBeGreaterThanOrEqual(frame.y);
          expect(box.y + box.height, part).toBeLessThanOrEqual(bar.y);
        }
      },
      { viewport: { width, height } },
    ),
  );

  test("the diagram's headings stay visible", () =>
    atPanel(browser(), async (page, { controller }) => {
      await shows(page, "Code ");
      await controller.run("advance 1m");
      await page.getByText(/poll × \d\d/).waitFor();
      for (let count = 0; count < 12; count++) await controller.run("slow");
      await controller.run("pause");
      const place = await page.evaluate(() => {
        const scroll = document.querySelector(".scroll")!;
        scroll.scrollTop = scroll.scrollHeight;
        const lanes = document.querySelector(".lanes")!.getBoundingClientRect();
        const list = document.querySelector("#sequence")!.getBoundingClientRect();
        const under = scroll.getBoundingClientRect().top - lanes.bottom;
        return { under, wide: [list.left - lanes.left, list.right - lanes.right] };
      });
      // The headings are above the scrolling part and as wide as the list, so each heading is above its column.
      expect(place.under).toBeGreaterThanOrEqual(0);
      expect(place.wide).toEqual([0, 0]);
    }));
});
