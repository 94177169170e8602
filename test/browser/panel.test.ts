// The panel as a person uses it, in a real browser against the simulator: a sign-in by clicks alone, a
// denial, a power cut, keys, a narrow screen, dark mode.

import { expect, test } from "vitest";
import { describeInChromium } from "./chromium.ts";
import { atPanel, decideOnPhone, isInSight } from "./panel-page.ts";
import { shows } from "./playground-page.ts";

describeInChromium("the panel", (browser) => {
  test("a whole sign-in by clicks: code, phone, consent, tokens, broadcasts", () =>
    atPanel(browser(), async (page, { simulation }) => {
      await shows(page, "Code ");
      expect(await page.locator("#qr path").getAttribute("d")).toMatch(/^M/);
      await decideOnPhone(page, "Allow");
      await page.frameLocator("#phone").getByText("Connected").first().waitFor();
      await shows(page, "3 broadcasts: Harbour regatta");
      await page.waitForFunction(
        () => document.getElementById("state")?.textContent === "signed in",
      );
      expect(await page.locator("#sequence").textContent()).toMatch(
        /ask for a code.*shows code.*enters the code.*confirms the code.*signs in as ada.*ada allows.*200 OK.*signed in/,
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

  test("a key that does nothing says so, and no message stays", () =>
    atPanel(browser(), async (page) => {
      await shows(page, "Code ");
      await page.keyboard.press("Z");
      await page.getByText("The key Z does nothing").waitFor();
      await page.waitForFunction(() => document.getElementById("message")?.textContent === "");
    }));

  test("a message belongs to what was pressed: the next press ends it, and so does what makes it untrue", () =>
    atPanel(browser(), async (page) => {
      const message = page.locator("#message");
      await shows(page, "Code ");
      await page.click("[data-command='fault offline']");
      await message.getByText("from now on: network unplugged").waitFor();
      await page.click("[data-command='power']");
      await page.waitForFunction(() => document.getElementById("state")?.textContent === "off");
      expect(await message.textContent()).toBe("");
      await page.click("[data-command='mend']");
      await page.click("#scan", { force: true });
      expect(await message.textContent()).toMatch("no code on the display");
      await page.keyboard.press("a");
      await message.getByText("there is no code on the display").waitFor();
      await page.keyboard.press("Z");
      await message.getByText("The key Z does nothing").waitFor();
      await page.keyboard.press("a");
      await message.getByText("there is no code on the display").waitFor();
      await page.click("[data-command='power']");
      await shows(page, "Code ");
      expect(await message.textContent()).toBe("");
    }));

  test("an answer with nothing to say, however late, does not take away what was said after it was asked for", () =>
    atPanel(browser(), async (page) => {
      await shows(page, "Code ");
      let letGo = (): void => {};
      const held = new Promise<void>((resolve) => {
        letGo = resolve;
      });
      await page.route("**/panel/command", async (route) => {
        await held;
        await route.continue();
      });
      await page.click("[data-command='power']");
      await page.keyboard.press("Z");
      await page.getByText("The key Z does nothing").waitFor();
      letGo();
      // What it says is read in the moment in which the answer is seen: after a while, a message goes by itself.
      const said = await page.waitForFunction(
        () =>
          document.getElementById("state")?.textContent === "off" && [
            document.getElementById("message")?.textContent,
          ],
      );
      expect(await said.jsonValue()).toEqual([expect.stringContaining("The key Z does nothing")]);
    }));

  test("on a desk of 1280x800 device, phone and diagram are in sight at once", () =>
    atPanel(
      browser(),
      async (page) => {
        await shows(page, "Code ");
        for (const part of ["#next", "#lcd", ".phone", "#scan", ".lanes"]) {
          const box = (await page.locator(part).first().boundingBox())!;
          expect(box.y).toBeGreaterThanOrEqual(0);
          expect(box.y + box.height).toBeLessThanOrEqual(800);
        }
        expect(await page.evaluate(() => document.documentElement.scrollHeight)).toBe(800);
      },
      { viewport: { width: 1280, height: 800 } },
    ));

  test("by keyboard alone: pause, jump past the expiry, a new code, allow", () =>
    atPanel(browser(), async (page, { simulation }) => {
      await shows(page, "Code ");
      await page.keyboard.press("Space");
      await page.waitForFunction(() => document.getElementById("speed")?.textContent === "paused");
      const before = simulation.userCode;
      await page.keyboard.press("j");
      // Before its end, the space bar would end the jump.
      await expect.poll(() => simulation.clock.nowMs()).toBeGreaterThan(1_800_000);
      await expect.poll(() => simulation.clock.jumpLeftMs).toBe(0);
      await page.keyboard.press("Space");
      await expect
        .poll(() => simulation.userCode)
        .toSatisfy((code: string) => code !== "" && code !== before);
      expect(simulation.clock.nowMs()).toBeGreaterThan(1_800_000);
      // As a person would: what is not on the display yet cannot be allowed.
      await shows(page, simulation.userCode);
      await page.keyboard.press("a");
      await shows(page, "Signed in");
    }));

  test("the phone's page, however late it comes, does not take the keys from the panel", () =>
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
      // A page gives its focus away when it is drawn.
      await field.evaluate(
        () => new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn))),
      );
      expect(await page.locator(":focus").getAttribute("id")).toBe("enter");
      await page.keyboard.press(".");
      await page.waitForFunction(() => document.getElementById("speed")?.textContent === "paused");
    }));

  test("what is of no use now is disabled and says why; one strong button says what to press next", () =>
    atPanel(browser(), async (page) => {
      await shows(page, "Code ");
      const next = page.locator("#next");
      expect(await next.textContent()).toBe("enter the code");
      expect(await page.locator("#bench button.main:visible").count()).toBe(1);
      const list = page.locator("[data-command='press list']");
      expect(await list.getAttribute("aria-disabled")).toBe("true");
      await list.click({ force: true });
      await page.locator("#message", { hasText: "nobody is signed in" }).waitFor();
      await next.click();
      // Where the person goes on on the phone, nothing beside it is as strong.
      await page.frameLocator("#phone").getByRole("button", { name: "Continue" }).click();
      await next.waitFor({ state: "hidden" });
      await page
        .frameLocator("#phone")
        .getByRole("button", { name: /Ada Brook/ })
        .click();
      await page.locator("#guide [aria-current]", { hasText: "Allow" }).waitFor();
      const allow = page.frameLocator("#phone").getByRole("button", { name: "Allow", exact: true });
      const box = (await allow.boundingBox())!;
      const glass = (await page.locator("#phone").boundingBox())!;
      expect(box.y + box.height).toBeLessThanOrEqual(glass.y + glass.height + 1);
      await allow.click();
      // Where the faults are in sight, nothing has to lead there.
      await page.locator("#guide-says", { hasText: "under “What can go wrong”" }).waitFor();
      expect(await next.isVisible()).toBe(false);
      await page.click("#tab-service");
      await page.locator("#next", { hasText: "What can go wrong?" }).click();
      expect(await page.locator(":focus").getAttribute("id")).toBe("tab-fault");
      await next.waitFor({ state: "hidden" });
      expect(await list.getAttribute("aria-disabled")).toBe("false");
    }));

  test("a decision by a button is told on the phone; a page about another code is no step of this sign-in", () =>
    atPanel(browser(), async (page) => {
      await shows(page, "Code ");
      await page.click("#scan");
      const phone = page.frameLocator("#phone");
      await phone.getByRole("button", { name: "Continue" }).click();
      await page.click("[data-command='press new-code']");
      // The page asks about the code before: what helps is this one.
      await page.locator("#next", { hasText: "enter the code" }).waitFor();
      await page.click("#enter");
      await phone.getByText("Enter the code your device shows").waitFor();
      await page.locator("#guide-says", { hasText: "Type the code on the phone" }).waitFor();
      expect(await page.locator("#next").textContent()).toBe("enter the code");
      await page.getByRole("link", { name: "every answer" }).click();
      await page.click("[data-command='answer admin-policy-enforced']");
      // What has happened, and what to do next: on the phone as everywhere.
      const asks = "Ask your administrator to allow what the app asks for.";
      const title = "Your organization does not allow this";
      await page.locator("#phone-says", { hasText: title }).waitFor();
      await page.locator("#phone-does", { hasText: `${asks} Then get a new code` }).waitFor();
      expect(await page.locator("#phone").isVisible()).toBe(false);
      await page.locator("#reason", { hasText: asks }).waitFor();
      await page.locator("#guide-says", { hasText: asks }).waitFor();
      const wide = await page.evaluate(() => {
        const { scrollWidth, clientWidth } = document.querySelector("#phone-home")!;
        return scrollWidth - clientWidth;
      });
      expect(wide).toBeLessThanOrEqual(0);
      await page.locator("#next", { hasText: "be the administrator" }).click();
      await page.locator("#next", { hasText: "get a code" }).click();
      await page.locator("#phone-says", { hasText: "Your phone" }).waitFor();
    }));

  test("of panel and phone, one strong button at a time says what to press", () =>
    atPanel(browser(), async (page, { controller, simulation }) => {
      await shows(page, "Code");
      const phone = page.frameLocator("#phone");
      const next = page.locator("#next");
      const isStrong = (key: Element): boolean => {
        const { backgroundColor } = getComputedStyle(key);
        return !/^rgba\(.*, 0\)$|^transparent$/.test(backgroundColor);
      };
      const onPhone = async (name: string): Promise<string[]> => {
        const key = phone.getByRole("button", { name, exact: true });
        await key.waitFor();
        // What changes with a page fades.
        await page.waitForTimeout(300);
        const own = (await key.evaluate(isStrong)) ? [name] : [];
        const beside = (await next.isVisible()) ? [(await next.textContent())!] : [];
        return [...beside, ...own];
      };
      await page.click("#enter");
      expect(await onPhone("Continue")).toEqual(["enter the code"]);
      await phone.locator("input[name=user_code]").fill(simulation.userCode);
      await next.waitFor({ state: "hidden" });
      expect(await onPhone("Continue")).toEqual(["Continue"]);
      await phone.getByRole("button", { name: "Continue" }).click();
      await phone.getByRole("button", { name: /Ada Brook/ }).click();
      expect(await onPhone("Allow")).toEqual(["Allow"]);
      await controller.run("offline");
      await next.waitFor();
      expect(await onPhone("Allow")).toEqual(["plug the network in"]);
    }));

  test.each([
    [1280, 800],
    [1920, 1080],
    [390, 844],
  ])(
    "%i pixels wide, account, code, warning and what it is about stand above what is decided",
    (width, height) =>
      atPanel(
        browser(),
        async (page) => {
          await shows(page, "Code ");
          await page.click("#scan");
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

  test("every answer: a page of its own, from which each is provoked", () =>
    atPanel(browser(), async (page) => {
      await shows(page, "Code ");
      await page.getByRole("link", { name: "every answer" }).click();
      await page.locator("#gallery").waitFor();
      expect(await page.locator("#bench").isVisible()).toBe(false);
      await page.click("[data-command='answer invalid-client']");
      await shows(page, "Device refused. Ask its maker");
      await page.locator("#reason", { hasText: "Ask the maker: check identifier" }).waitFor();
      expect(await page.locator("#bench").isVisible()).toBe(true);
      // What has just happened is in sight, also where it happened while the gallery was.
      await page.getByRole("link", { name: "every answer" }).click();
      const rows = page.locator("#sequence li");
      for (let cut = 1; cut <= 3; cut++) {
        const before = await rows.count();
        await page.keyboard.press("p");
        await expect.poll(() => rows.count()).toBeGreaterThan(before);
      }
      await page.getByRole("link", { name: "Back to device and phone" }).click();
      await expect.poll(() => isInSight(page, "#sequence li:last-child")).toBe(true);
    }));

  test("what one did is played anew beside the world that goes by itself, with a phone of its own", () =>
    atPanel(browser(), async (page, { simulation }) => {
      await shows(page, "Code ");
      await decideOnPhone(page, "Allow");
      await shows(page, "Harbour regatta");
      await page.click("#tab-scenarios");
      await page.click("#scenario-mine");
      await page.getByText("What you have done so far").waitFor();
      expect(await page.inputValue("#scenario-text")).toMatch(/\nallow ada\n/);
      const [download] = await Promise.all([
        page.waitForEvent("download"),
        page.click("#scenario-save"),
      ]);
      expect(download.suggestedFilename()).toBe("session.scenario");
      const before = simulation.exchanges.count;
      await page.click("#scenario-all");
      await page.getByText(/All \d+ expectations held/).waitFor();
      expect(simulation.exchanges.count).toBe(before);
      // A scenario's code is that of its own service, and so is the phone.
      await page.click("#scenario-edit");
      await page.fill("#scenario-text", 'expect "Code " within 10s\n');
      await page.click("#scenario-all");
      await page.getByText("All 1 expectations held").waitFor();
      await shows(page, "Code ");
      await page.click("#scan");
      await page.frameLocator("#phone").getByRole("button", { name: "Continue" }).click();
      await page
        .frameLocator("#phone")
        .getByRole("button", { name: /Ada Brook/ })
        .waitFor();
      await page.click("#scenario-live");
      await page.getByText("goes on where it was").waitFor();
      await shows(page, "Harbour regatta");
    }));

  test("narrow and dark: nothing is wider than the screen, every button has a name", () =>
    atPanel(
      browser(),
      async (page) => {
        await shows(page, "Code ");
        const [inner, outer] = await page.evaluate(() => [
          document.documentElement.scrollWidth,
          innerWidth,
        ]);
        expect(inner).toBeLessThanOrEqual(outer!);
        for (const button of await page.getByRole("button").all())
          expect((await button.textContent())?.trim()).not.toBe("");
        // The page of all answers begins at its top, and so does what one comes back to.
        const scrolled = (): Promise<number> => page.evaluate(() => scrollY);
        await page.getByRole("link", { name: "every answer" }).click();
        await page.locator("#gallery").waitFor();
        await expect.poll(scrolled).toBe(0);
        await page.locator("#gallery button").last().click();
        await page.locator("#bench").waitFor();
        await expect.poll(scrolled).toBe(0);
      },
      { viewport: { width: 390, height: 844 }, colorScheme: "dark" },
    ));

  test("who cannot be the panel gets nothing: foreign commands, foreign names, unknown commands", () =>
    atPanel(browser(), async (_page, { url, simulation }) => {
      const send = (headers: Record<string, string>, command: string): Promise<Response> =>
        fetch(`${url}/panel/command`, {
          method: "POST",
          headers: { "content-type": "application/json", ...headers },
          body: JSON.stringify({ command }),
        });
      expect((await send({}, "power")).status).toBe(403);
      expect((await send({ "x-picogrant-panel": "1" }, "advance 9h")).status).toBe(400);
      expect(simulation.isOn).toBe(true);
      expect((await send({ "x-picogrant-panel": "1" }, "power")).status).toBe(204);
      expect(simulation.isOn).toBe(false);
      const { request } = await import("node:http");
      const status = await new Promise((resolve) => {
        const options = { headers: { host: "rebound.example:80" } };
        request(`${url}/panel`, options, (answer) => resolve(answer.statusCode)).end();
      });
      expect(status).toBe(403);
    }));
});
