// PEERS.md is what `npm run tool -- peers --write` wrote at the release of this version. Its measurements are not made
// again at each change; what it says of the sources is compared with them.

import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import manifest from "../../package.json" with { type: "json" };
import { clients } from "../../targets/workbench/peers/clients.ts";
import { scenarios } from "../../targets/workbench/peers/compared-sign-ins.ts";

const page = readFileSync(new URL("../../targets/bundle/PEERS.md", import.meta.url), "utf8");
const lines = page.split("\n");

it("was measured for this version: a new one is compared anew (npm run tool -- peers --write)", () => {
  expect(page).toContain(`picogrant ${manifest.version}, Node `);
});

it("every scenario has its line, and in each picogrant completes", () => {
  const head = `| scenario | ${clients.map(({ name }) => name).join(" | ")} |`;
  const rows = lines.slice(lines.indexOf(head) + 2).filter((line) => line.startsWith("| "));
  expect(rows.map((row) => row.split(" | ")[0])).toEqual(scenarios.map(({ name }) => `| ${name}`));
  expect(rows.map((row) => row.split(" | ")[1])).toEqual(scenarios.map(() => "completes"));
});
