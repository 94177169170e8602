// npm run tool -- peers: compares picogrant with other clients: packages, CPU time of a start, sizes, firmware, and the
// tests of `conform --device`. Prints the tables; `--write` also writes them to targets/bundle/PEERS.md. The exit code
// is 1 if picogrant fails a test.

import { execFileSync, spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { rows } from "../targets/command/conform/device-rows.ts";
import { markdownTable } from "../targets/desktop/command-line.ts";
import { ensurePackages, tool } from "../targets/workbench/host/toolchain.ts";
import { TABLES } from "../targets/workbench/peers/costs.ts";
import { commandLine, printTable, spliced } from "../targets/workbench/script-options.ts";

const CLIENTS = ["picogrant", "oauth4webapi", "openid-client", "oidc-agent"];
const SCOPE = JSON.stringify({ scope: "openid offline_access" });
const root = fileURLToPath(new URL("../", import.meta.url));
const DEVICE = `${root}targets/workbench/peers/device.ts`;
const COMMAND = `${root}targets/command/main.ts`;
const file = fileURLToPath(new URL("../targets/bundle/PEERS.md", import.meta.url));
const { version } = JSON.parse(
  readFileSync(new URL("../package.json", import.meta.url), "utf8"),
) as { version: string };

/** Makes a table row for each test of `conform --device`: which clients pass it, and why the others fail. */
async function rowTable(): Promise<string[][]> {
  ensurePackages([tool("oidc-gen", "oidc-agent-cli")], false);
  const output = CLIENTS.map((client) => {
    const device = `NODE_EXTRA_CA_CERTS={directory}/ca.pem exec node --import tsx ${DEVICE} ${client} {config}`;
    const hooks = ["--call", "> a", "--sign-out", "> o", "--no-closure", "--json", "--with", SCOPE];
    const words = ["--import", "tsx", COMMAND, "conform", "--device", device, ...hooks];
    const { stdout } = spawnSync(process.execPath, words, { cwd: root, encoding: "utf8" });
    return stdout
      .split("\n")
      .filter((line) => line.startsWith("{"))
      .map(
        (line) =>
          JSON.parse(line) as { name: string; section: string; passed: boolean; why: string },
      );
  });
  const cell = (one: { passed: boolean; why: string } | undefined): string =>
    one?.passed
      ? "passes"
      : (one?.why ?? "").replaceAll("|", "/").replace(/[<>]/g, "").slice(0, 90);
  // `conform` runs several tests at once, and reports each when it ends. Restore the order of `rows`.
  const table = rows.map(({ name, section }) => [
    name,
    section,
    ...output.map((of) => cell(of.find((one) => one.name === name))),
  ]);
  const counts = output.map((of) => `${of.filter(({ passed }) => passed).length} of ${of.length}`);
  return [["row", "section", ...CLIENTS], ...table, ["pass", "", ...counts]];
}

const { write } = commandLine("peers", "Compares with other clients, in the same run.")
  .option("--write", "write the tables into targets/bundle/PEERS.md")
  .parse()
  .opts<{ write?: boolean }>();
for (const words of [["build"], ["tool", "--", "package"]])
  execFileSync("npm", ["run", "-s", ...words], { stdio: ["ignore", "ignore", "inherit"] });
const tables = [...TABLES, ["rows", rowTable] as const];
const node = process.versions.node.split(".")[0];
let page = spliced(readFileSync(file, "utf8"), "made", `picogrant ${version}, Node ${node}.\n`);
let failed: string[][] = [];
for (const [name, make] of tables) {
  const made = await make();
  printTable(made);
  console.log("");
  page = spliced(page, name, markdownTable(made));
  if (name === "rows") failed = made.slice(1, -1).filter((row) => !/^passes|^--no-/.test(row[2]!));
}
if (write) writeFileSync(file, page);
for (const row of failed) console.error(`picogrant does not pass: ${row[0]}: ${row[2]}`);
process.exitCode = failed.length > 0 ? 1 : 0;
