// The tables that are made of profiles and recordings are today's, on the pages of servers and of sizing.

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

const pages = ["platform/servers/README.md", "targets/docs/sizing.md"]
  .map((page) => readFileSync(new URL(`../../${page}`, import.meta.url), "utf8"))
  .join("");

const TABLES = [
  ["profiles", profileTable],
  ["sources", sourceTable],
  ["notes", notesList],
  ["recorded", outcomeTable],
] as const;
/** Seconds: every server is measured. */
const MEASURED = [["sizing of servers", sizingTableOfServers]] as const;

it.each([...TABLES, ...(isFullRun ? MEASURED : [])])("%s: npm run generate", (name, table) => {
  expect(pages).toContain(`<!-- ${name} -->\n${table(SERVERS)}\n<!-- end of ${name} -->`);
});
