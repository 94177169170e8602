// npm run tool -- NAME: runs one of the less common commands. Without NAME, lists them.

import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { argumentsOf, TOOLS } from "../targets/workbench/tool-list.ts";

const root = fileURLToPath(new URL("../", import.meta.url));

function list(): string {
  const width = Math.max(...Object.keys(TOOLS).map((name) => name.length));
  const lines = Object.entries(TOOLS).map(
    ([name, { description }]) => `  ${name.padEnd(width)}  ${description}`,
  );
  return `Usage: npm run tool -- NAME [options]; NAME --help says which.\n\n${lines.join("\n")}\n`;
}

const [name, ...words] = process.argv.slice(2);
const tool = name !== undefined && Object.hasOwn(TOOLS, name) ? TOOLS[name] : undefined;
if (name === undefined || name === "--help") process.stdout.write(list());
else if (tool === undefined) {
  console.error(`tool: there is no tool ${name}; npm run tool lists them`);
  process.exitCode = 2;
} else {
  const env = { ...process.env, ...tool.environment };
  const child = spawn(process.execPath, argumentsOf(tool, words), {
    cwd: root,
    env,
    stdio: "inherit",
  });
  // In a terminal, Ctrl-C reaches this process and the command that it has started. Wait until the command has ended.
  process.on("SIGINT", () => {});
  process.on("SIGTERM", () => child.kill("SIGTERM"));
  child.on("close", (code, signal) => {
    process.exitCode = code ?? (signal === null ? 1 : 128);
  });
}
