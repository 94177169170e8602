// The tables of platform/servers/README.md that are made of profiles and recordings are today's.

import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { SERVERS } from "../../platform/servers/index.ts";
import {
  notesList,
  outcomeTable,
  profileTable,
  sizingTableOfServers,
  sourceTable,
} from "./profile-tables.ts";

const page = readFileSync(new URL("../../platform/servers/README.md", import.meta.url), "utf8");

it.each([
  ["profiles", profileTable],
  ["sources", sourceTable],
  ["notes", notesList],
  ["recorded", outcomeTable],
  ["sizing of servers", sizingTableOfServers],
] as const)("%s: npm run generate", (name, table) => {
  expect(page).toContain(`<!-- ${name} -->\n${table(SERVERS)}\n<!-- end of ${name} -->`);
});
