// npm run tool -- servers: what a device gets through with each authorization server, tried just now. With
// --write the tables go into platform/servers/README.md.

import { readFileSync, writeFileSync } from "node:fs";
import { SERVERS } from "../../platform/servers/index.ts";
import { commandLine } from "../../targets/workbench/script-options.ts";

const README = new URL("../../platform/servers/README.md", import.meta.url);

const { write } = commandLine("servers", "Authorization servers: what completes with each.")
  .option("--write", "put the tables into platform/servers/README.md")
  .parse()
  .opts<{ write?: boolean }>();

await printTables();

async function printTables(): Promise<void> {
  const tables = await import("./profile-tables.ts");
  const blocks: Record<string, string> = {
    profiles: tables.profileTable(SERVERS),
    sources: tables.sourceTable(SERVERS),
    recorded: tables.outcomeTable(SERVERS),
    notes: tables.notesList(SERVERS),
    sizing: tables.sizingTable(),
    "sizing of servers": tables.sizingTableOfServers(SERVERS),
  };
  if (!write) {
    process.stdout.write(`${Object.values(blocks).join("\n\n")}\n`);
    return;
  }
  let text = readFileSync(README, "utf8");
  for (const [name, block] of Object.entries(blocks)) {
    const [begin, end] = [`<!-- ${name} -->`, `<!-- end of ${name} -->`];
    const [from, to] = [text.indexOf(begin), text.indexOf(end)];
    if (from < 0 || to < from) throw new Error(`platform/servers/README.md has no ${begin}`);
    text = `${text.slice(0, from + begin.length)}\n${block}\n${text.slice(to)}`;
  }
  writeFileSync(README, text);
}
