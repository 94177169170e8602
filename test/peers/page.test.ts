// PEERS.md is what `npm run tool -- peers --write` wrote: sizes that can be had again in seconds are measured here
// once more, the table of facts is the one in the sources.

import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { shippedClients } from "../../targets/workbench/peers/bundles.ts";
import { clients } from "../../targets/workbench/peers/clients.ts";
import { scenarios } from "../../targets/workbench/peers/compared-sign-ins.ts";
import { FIVE_LINES } from "../../targets/workbench/peers/five-lines.ts";

const page = readFileSync(new URL("../../targets/bundle/PEERS.md", import.meta.url), "utf8");
const lines = page.split("\n");

it("sizes are today's: those of the others to the byte, ours to a twentieth", async () => {
  for (const { name, min, gzip, heap, loads, missing } of await shippedClients()) {
    const cells = lines
      .find((line) => line.startsWith(`| ${name} | `))!
      .split(" | ")
      .slice(1);
    const [shownMin, shownGzip, shownHeap] = cells.slice(0, 3).map(Number);
    if (name.startsWith("picogrant")) {
      for (const [shown, measured] of [
        [shownMin!, min],
        [shownGzip!, gzip],
        [shownHeap!, heap],
      ] as const) {
        expect(Math.abs(shown - measured) / measured).toBeLessThan(0.05);
      }
    } else {
      expect([shownMin, shownGzip, shownHeap]).toEqual([min, gzip, heap]);
    }
    expect(cells[3]).toBe(loads ? "yes" : "no");
    expect(cells[4]).toBe(`${missing.join(" ") || "none"} |`);
  }
}, 300_000);

it("what a program writes with each client is the table of the sources", () => {
  expect(page).toContain(FIVE_LINES);
});

it("every scenario has its line, and in each picogrant completes", () => {
  const head = `| scenario | ${clients.map(({ name }) => name).join(" | ")} |`;
  const rows = lines.slice(lines.indexOf(head) + 2).filter((line) => line.startsWith("| "));
  expect(rows.map((row) => row.split(" | ")[0])).toEqual(scenarios.map(({ name }) => `| ${name}`));
  expect(rows.map((row) => row.split(" | ")[1])).toEqual(scenarios.map(() => "completes"));
});
