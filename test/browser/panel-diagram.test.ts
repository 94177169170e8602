// The diagram of the panel: its headings, rows, opened answers, and what is left out of it, in a real browser.

import { expect, test } from "vitest";
import { describeInChromium } from "./chromium.ts";
import { atPanel } from "./panel-page.ts";
import { shows } from "./playground-page.ts";

describeInChromium("the panel's diagram", (browser) => {
  test("the diagram keeps its headings, and polls that were answered alike are one row", () =>
    atPanel(browser(), async (page, { controller }) => {
      await shows(page, "Code ");
      await controller.run("advance 1m");
      await page.getByText(/poll × \d\d/).waitFor();
      for (let count = 0; count < 12; count++) await controller.run("slow");
      for (let count = 0; count < 12; count++) await controller.run("power-cycle");
      await controller.run("repeat-poll");
      await page.getByText("a proxy repeats the next poll").last().waitFor();
      const top = await page.evaluate(() => {
        const scroll = document.querySelector(".scroll")!;
        scroll.scrollTop = scroll.scrollHeight;
        const lanes = document.querySelector(".lanes")!.getBoundingClientRect();
        const list = document.querySelector("#sequence")!.getBoundingClientRect();
        const { top, height } = scroll.getBoundingClientRect();
        const wide = [list.left - lanes.left, list.right - lanes.right];
        return { rolled: scroll.scrollTop, height, under: top - lanes.bottom, wide };
      });
      // Outside of what scrolls, right above it, and each over its line.
      expect(top.rolled).toBeGreaterThan(100);
      expect(top.height).toBeGreaterThan(100);
      expect(top.under).toBeGreaterThanOrEqual(0);
      expect(top.wide).toEqual([0, 0]);
    }));

  test.each([
    [390, 844],
    [800, 900],
    [1280, 800],
    [1920, 1080],
  ])("%i pixels wide, an opened answer leaves the rows around it in sight", (width, height) =>
    atPanel(
      browser(),
      async (page, { controller }) => {
        await shows(page, "Code ");
        for (let cut = 0; cut < 5; cut++) await controller.run("power-cycle");
        await controller.run("pause");
        const asked = page.locator("#sequence summary", { hasText: "POST /device/code" });
        await asked.click();
        await page.locator("#sequence .side").last().waitFor();
        await asked.scrollIntoViewIfNeeded();
        const seen = await page.evaluate(() => {
          const around = document.querySelector(".scroll")!.getBoundingClientRect();
          const open = document.querySelector("#sequence li:has(details[open])")!;
          const rows = [...document.querySelectorAll("#sequence li")].filter((row) => {
            const { top, bottom } = row.getBoundingClientRect();
            return row !== open && bottom > around.top + 12 && top < around.bottom - 12;
          });
          const box = open.getBoundingClientRect();
          const covered = rows.filter((row) => {
            const { top, bottom } = row.getBoundingClientRect();
            return top < box.bottom - 1 && bottom > box.top + 1;
          });
          return { rows: rows.length, covered: covered.length, whole: box.height < around.height };
        });
        expect(seen).toEqual({ rows: expect.any(Number), covered: 0, whole: true });
        expect(seen.rows).toBeGreaterThan(0);
      },
      { viewport: { width, height } },
    ),
  );

  test("an opened answer lies beside its request, and the first row in sight is whole", () =>
    atPanel(
      browser(),
      async (page, { controller }) => {
        await shows(page, "Code ");
        for (let cut = 0; cut < 9; cut++) await controller.run("power-cycle");
        await controller.run("pause");
        await page.locator("#sequence summary").last().waitFor();
        const cutAtTop = (): Promise<number> =>
          page.evaluate(() => {
            const { top } = document.querySelector(".scroll")!.getBoundingClientRect();
            const rows = [...document.querySelectorAll("#sequence li")];
            const tops = rows.map((row) => row.getBoundingClientRect().top - top);
            return Math.min(...tops.map((one) => Math.abs(one)));
          });
        await expect.poll(cutAtTop).toBeLessThan(1);
        await page.locator("#sequence summary").last().click();
        const sides = page.locator("#sequence .side");
        await sides.last().waitFor();
        const [request, answer] = await Promise.all([
          sides.first().boundingBox(),
          sides.last().boundingBox(),
        ]);
        expect(answer!.x).toBeGreaterThan(request!.x + 100);
        expect(answer!.y).toBe(request!.y);
      },
      { viewport: { width: 1280, height: 800 } },
    ));

  test("the diagram leaves out what is not looked for, and unfolds a run of polls in its place", () =>
    atPanel(browser(), async (page, { controller }) => {
      await shows(page, "Code ");
      await controller.run("advance 40s");
      await page.getByText(/poll × \d/).waitFor();
      await controller.run("pause");
      const rows = page.locator("#sequence li:visible");
      await page.selectOption("#filter-kind", "polls");
      expect(await rows.count()).toBe(1);
      await page.click("#sequence .fold");
      await expect.poll(() => rows.count()).toBeGreaterThan(5);
      await page.fill("#filter-text", "nothing like this");
      expect(await rows.count()).toBe(0);
      await page.fill("#filter-text", "/token");
      await page.click("#sequence .fold");
      await expect.poll(() => rows.count()).toBe(1);
      await page.selectOption("#filter-kind", "all");
      await page.fill("#filter-text", "");
      await page.locator("#sequence summary", { hasText: "POST /device/code" }).click();
      const means = page.locator("#sequence .explained", { hasText: "RFC 8628 §3.2" });
      await means.waitFor();
    }));
});
