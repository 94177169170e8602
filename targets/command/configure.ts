// `picogrant configure`: a device.json for hosts that ask nobody where their server is, such as the one in C.

import { writeFileSync } from "node:fs";
import { NodeHttp, nodeTimers } from "../../platform/node/index.ts";
import { UsageError } from "../desktop/usage-error.ts";
import { completed, readDeviceJson } from "./device-json.ts";
import { httpOptionsOf } from "./login/open.ts";
import { commandLine } from "./option-parser.ts";

interface Flags {
  out?: string;
  certificates?: string;
}

const HELP = `
The file names a server (a profile) or an issuer. What comes out names its addresses and how the client
authenticates, as the profile or the server's metadata has it, and stays a device.json for every host.

  picogrant configure device.json --out device-c.json`;

export async function configure(argv: readonly string[]): Promise<number> {
  const command = commandLine(
    "configure",
    "Writes what a server's profile or metadata says into a device.json, for hosts that do no discovery.",
  )
    .argument("<file>", "the device.json")
    .option("--out <file>", "write it there, readable by you alone, instead of printing it")
    .option("--certificates <file>", "trust these (PEM) instead of the system's")
    .addHelpText("after", HELP)
    .parse(argv, { from: "user" });
  const [file = ""] = command.args;
  const { out, certificates } = command.opts<Flags>();
  const host = { http: new NodeHttp(httpOptionsOf({ certificates })), timers: nodeTimers() };
  const config = await completed(file, readDeviceJson(file), host);
  const text = `${JSON.stringify(config, null, 2)}\n`;
  if (out === undefined) process.stdout.write(text);
  else write(out, text);
  return 0;
}

/** It may hold the client's secret. */
function write(file: string, text: string): void {
  try {
    writeFileSync(file, text, { mode: 0o600, flag: "wx" });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const why =
      code === "EEXIST" ? "exists already; remove it first" : `cannot be written (${code})`;
    throw new UsageError(`${file}: ${why}`);
  }
}
