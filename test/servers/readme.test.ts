// The tables of platform/servers/README.md that are made of profiles and recordings are today's.

import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { SERVERS } from "../../platform/servers/index.ts";
import { isFullRun } from "../full-run.ts";
import {
  notesList,
  outcomeTable,
  profileTable,
  sizingTableOfServers,
  sourceTable,
} from "./profile-tables.ts";

const page = readFileSync(new URL("../../platform/servers/README.md", import.meta.url), "utf8");

const TABLES = [
  ["profiles", profileTable],
  ["sources", sourceTable],
  ["notes", notesList],
  ["recorded", outcomeTable],
] as const;
/** Seconds: every server is measured. */
const MEASURED = [["sizing of servers", sizingTableOfServers]] as const;

it.each([...TABLES, ...(isFullRun ? MEASURED : [])])("%s: npm run generate", (name, table) => {
  expect(page).toContain(`<!-- ${name} -->\n${table(SERVERS)}\n<!-- end of ${name} -->`);
});
