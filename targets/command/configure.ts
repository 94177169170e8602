// `picogrant configure`: a complete device.json for hosts without discovery, or the settings page of a device in C.
import { existsSync } from "node:fs";
import path from "node:path";
import { Option } from "commander";
import type { DeviceConfig } from "../../platform/configuration/device-config.ts";
import { NodeHttp, nodeTimers } from "../../platform/node/index.ts";
import { UsageError } from "../desktop/command-line.ts";
import { Exit } from "./exit-codes.ts";
import { httpOptionsOf } from "./login/open.ts";
import { completed, readDeviceJson } from "./login/settings.ts";
import type { Part } from "./option-parser.ts";
import { type KeyFlags, replaceFile, writePages } from "./page.ts";

interface Flags extends KeyFlags {
  dpop?: DeviceConfig["dpop"];
  out?: string;
  certificates?: string;
  page?: boolean;
  authorities?: string[];
  csv?: string;
}

const HELP = `
The file names a server (a profile) or an issuer. The output is a device.json for every host, with the server's
addresses and the client authentication of the profile or of the server's metadata.

  picogrant configure device.json --out device-c.json

With --page, the output is the settings page of a board or of the host in C. It contains the device.json, the
certificate authorities that the device trusts (--authorities, or else http.certificates), a random seed, and the
device's key (storage.deviceKey), if any. --dpop auto reads once, now, whether the server's metadata offer DPoP for
ES256. With --csv, the first line of the table names members of device.json (clientId, deviceParameters.serial,
limits.renewals), and each further line is a device. The column \`file\` names the page below --out. An empty cell
leaves the member as it is in device.json.

  picogrant configure device.json --page --authorities ca.pem --out device.page
  picogrant configure device.json --page --authorities ca.pem --csv devices.csv --out pages`;

const DPOP = ["require", "auto", "off"];
const AUDIENCES = ["issuer", "token_endpoint"];

/** If the option is given without a value, its value is the first of `choices`. */
function keyOption(flags: string, what: string, choices: readonly string[]): Option {
  return new Option(flags, `with --page: ${what}`).choices(choices).preset(choices[0]);
}

export const configure: Part = {
  line: (line) =>
    line
      .argument("<file>", "the device.json")
      .option("--out <file>", "write it there, readable by you alone, instead of printing it")
      .option("--certificates <file>", "trust these (PEM) instead of the system's")
      .option("--page", "write a settings page instead")
      .option("--authorities <file...>", "with --page: the authorities to trust, in PEM")
      .option("--csv <file>", "with --page: a table of devices, a page for each line")
      .addOption(keyOption("--dpop [when]", "bind tokens to the device's key", DPOP))
      .addOption(keyOption("--private-key-jwt [audience]", "authenticate by that key", AUDIENCES))
      .option("--key <file>", "with --page: the private key of a board, in PEM or as a JWK")
      .addHelpText("after", HELP),
  act: async (line) => {
    const [file = ""] = line.args;
    const { out, certificates, page, authorities, csv, dpop, ...keys } = line.opts<Flags>();
    if (page && out === undefined) throw new UsageError("--page needs --out FILE");
    if (!page && (authorities ?? csv ?? dpop ?? Object.values(keys)[0]) !== undefined) {
      throw new UsageError("--authorities, --csv, --dpop, --private-key-jwt, --key need --page");
    }
    if (out !== undefined && path.resolve(out) === path.resolve(file))
      throw new UsageError(`${out}: is the configuration itself; choose another file with --out`);
    const host = { http: new NodeHttp(httpOptionsOf({ certificates })), timers: nodeTimers() };
    const read = readDeviceJson(file);
    const when = dpop ?? read.dpop;
    const config = await completed(file, { ...read, dpop: when }, host);
    const text = `${JSON.stringify(config, null, 2)}\n`;
    if (page) {
      const trusted = authorities ?? authoritiesIn(config);
      const output = writePages(file, JSON.stringify(config), trusted, csv, out ?? "", keys);
      const binds = when === "auto" ? `, DPoP: ${config.dpop ? "on" : "off"}` : "";
      process.stdout.write(`${output}${binds}\n`);
    } else if (out === undefined) process.stdout.write(text);
    else if (existsSync(out)) throw new UsageError(`${out}: exists already; remove it first`);
    else replaceFile(out, text);
    return Exit.DONE;
  },
};

/** The authorities that device.json names. @throws UsageError if they are needed and not named */
function authoritiesIn({ http, endpoints = {} }: DeviceConfig): string[] {
  if (http?.certificates !== undefined) return [http.certificates];
  const addresses = Object.values(endpoints).flat();
  if (addresses.every((address) => address.startsWith("http:"))) return [];
  throw new UsageError("--authorities is missing: without one the device trusts no server");
}
