// npm run sizing: the memory that a core needs for tokens of given lengths, measured by trying. Without
// lengths: the usual ones, and a row for each server profile.

import { SERVERS } from "../platform/servers/index.ts";
import { memoryFor, type Tokens } from "../targets/command/sizing/memory-for.ts";
import { sizingTable, sizingTableOfServers } from "../targets/command/sizing/sizing-tables.ts";
import { commandLine, integer } from "../tools/script-options.ts";

const options = commandLine("sizing", "The memory for tokens of given lengths, in bytes.")
  .option("--access <bytes>", "length of the access token", integer(1))
  .option("--refresh <bytes>", "length of the refresh token; 0: the server gives none", integer(0))
  .parse()
  .opts<{ access?: number; refresh?: number }>();

if (options.access === undefined && options.refresh === undefined) {
  process.stdout.write(`${sizingTable()}\n\n${sizingTableOfServers(SERVERS)}\n`);
} else {
  const tokens: Tokens = { accessBytes: options.access ?? 64, refreshBytes: options.refresh ?? 0 };
  const say = (build: "complete" | "grant alone"): string =>
    `${build.padEnd(12)} ${memoryFor(build, tokens) ?? "more than 65535"}`;
  process.stdout.write(`${say("complete")}\n${say("grant alone")}\n`);
}
