// `picogrant sizing`: the memory that a core needs for tokens of given lengths, found by trying.
import { SERVERS } from "../../platform/servers/index.ts";
import { integer } from "../desktop/command-line.ts";
import { commandLine } from "./option-parser.ts";
import { memoryFor, type Tokens } from "./sizing/memory-for.ts";
import { sizingTable, sizingTableOfServers } from "./sizing/sizing-tables.ts";

const LONGEST = 65_535;

interface Flags {
  access?: number;
  refresh?: number;
  json?: boolean;
}

export async function sizing(argv: readonly string[]): Promise<number> {
  const { access, refresh, json } = commandLine(
    "sizing",
    "The memory that the core needs for tokens of given lengths, in bytes.\n" +
      "Without lengths: a table of usual ones, and of the servers that have a profile.",
  )
    .option("--access <bytes>", "length of the access token", integer(1, LONGEST))
    .option("--refresh <bytes>", "length of the refresh token; 0: none", integer(0, LONGEST))
    .option("--json", "for given lengths: complete and grant_alone as one JSON object")
    .parse(argv, { from: "user" })
    .opts<Flags>();
  if (access === undefined && refresh === undefined) {
    process.stderr.write("Measuring by whole lives of devices; this takes a while.\n");
    process.stdout.write(`${sizingTable()}\n\n${sizingTableOfServers(SERVERS)}\n`);
    return 0;
  }
  const tokens: Tokens = { accessBytes: access ?? 64, refreshBytes: refresh ?? 0 };
  const complete = memoryFor("complete", tokens) ?? null;
  const grantAlone = memoryFor("grant alone", tokens) ?? null;
  if (json) {
    process.stdout.write(`${JSON.stringify({ complete, grant_alone: grantAlone })}\n`);
    return 0;
  }
  const tooMany = `more than ${LONGEST}`;
  process.stdout.write(
    `complete     ${complete ?? tooMany}\ngrant alone  ${grantAlone ?? tooMany}\n`,
  );
  return 0;
}
