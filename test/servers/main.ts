// npm run tool -- servers: what a device gets through with each authorization server, tried just now. With
// --write the tables go into platform/servers/README.md and targets/docs/sizing.md.

import { readFileSync, writeFileSync } from "node:fs";
import { SERVERS } from "../../platform/servers/index.ts";
import { commandLine } from "../../targets/workbench/script-options.ts";

const SERVERS_PAGE = "platform/servers/README.md";
const SIZING_PAGE = "targets/docs/sizing.md";

const { write } = commandLine("servers", "Authorization servers: what completes with each.")
  .option("--write", "put the tables into their pages")
  .parse()
  .opts<{ write?: boolean }>();

await printTables();

async function printTables(): Promise<void> {
  const tables = await import("./outcomes.ts");
  const blocks: readonly (readonly [page: string, name: string, table: string])[] = [
    [SERVERS_PAGE, "profiles", tables.profileTable(SERVERS)],
    [SERVERS_PAGE, "sources", tables.sourceTable(SERVERS)],
    [SERVERS_PAGE, "recorded", tables.outcomeTable(SERVERS)],
    [SERVERS_PAGE, "notes", tables.notesList(SERVERS)],
    [SIZING_PAGE, "sizing", tables.sizingTable()],
    [SIZING_PAGE, "sizing of servers", tables.sizingTableOfServers(SERVERS)],
  ];
  if (!write) {
    process.stdout.write(`${blocks.map(([, , table]) => table).join("\n\n")}\n`);
    return;
  }
  for (const [page, name, table] of blocks) {
    const file = new URL(`../../${page}`, import.meta.url);
    const text = readFileSync(file, "utf8");
    const [begin, end] = [`<!-- ${name} -->`, `<!-- end of ${name} -->`];
    const [from, to] = [text.indexOf(begin), text.indexOf(end)];
    if (from < 0 || to < from) throw new Error(`${page} has no ${begin}`);
    writeFileSync(file, `${text.slice(0, from + begin.length)}\n${table}\n${text.slice(to)}`);
  }
}
