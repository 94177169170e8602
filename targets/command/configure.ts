// `picogrant configure`: a complete device.json for hosts without discovery, or with --page the settings page of a device
// in C.
import { writeFileSync } from "node:fs";
import type { DeviceConfig } from "../../platform/configuration/device-config.ts";
import { NodeHttp, nodeTimers } from "../../platform/node/index.ts";
import { UsageError } from "../desktop/command-line.ts";
import { Exit } from "./exit-codes.ts";
import { httpOptionsOf } from "./login/open.ts";
import { completed, readDeviceJson } from "./login/settings.ts";
import type { Part } from "./option-parser.ts";
import { writePages } from "./page.ts";

interface Flags {
  out?: string;
  certificates?: string;
  page?: boolean;
  authorities?: string[];
  csv?: string;
  dpop?: boolean;
  privateKeyJwt?: boolean;
  key?: string;
}

const HELP = `
The file names a server (a profile) or an issuer. What comes out names its addresses and how the client
authenticates, as the profile or the server's metadata has it, and stays a device.json for every host.

  picogrant configure device.json --out device-c.json

With --page it is the settings page of a board or of the host in C: that, the authorities which the device trusts
(--authorities, or else http.certificates), a seed for randomness of its own, and its key (storage.deviceKey) where it
has one. With a table each line is a device: its
first line names members of device.json (clientId, deviceParameters.serial, limits.renewals), its column \`file\`
names what is written below --out, and a cell that is empty leaves the member as device.json has it.

  picogrant configure device.json --page --authorities ca.pem --out device.page
  picogrant configure device.json --page --authorities ca.pem --csv devices.csv --out pages`;

export const configure: Part = {
  line: (line) =>
    line
      .argument("<file>", "the device.json")
      .option("--out <file>", "write it there, readable by you alone, instead of printing it")
      .option("--certificates <file>", "trust these (PEM) instead of the system's")
      .option("--page", "write a settings page instead")
      .option("--authorities <file...>", "with --page: whom the device trusts, in PEM")
      .option("--csv <file>", "with --page: a table of devices, a page for each line")
      .option("--dpop", "with --page: tokens are bound to the device's key (DPoP)")
      .option("--private-key-jwt", "with --page: the client authenticates with the device's key")
      .option("--key <file>", "with --page: the private key of a board, in PEM or as a JWK")
      .addHelpText("after", HELP),
  act: async (line) => {
    const [file = ""] = line.args;
    const { out, certificates, page, authorities, csv, ...keys } = line.opts<Flags>();
    if (page && out === undefined) throw new UsageError("--page needs --out FILE");
    if (!page && (authorities ?? csv ?? Object.values(keys)[0]) !== undefined) {
      throw new UsageError(
        "--authorities, --csv, --dpop, --private-key-jwt and --key go with --page",
      );
    }
    const host = { http: new NodeHttp(httpOptionsOf({ certificates })), timers: nodeTimers() };
    const config = await completed(file, readDeviceJson(file), host);
    const text = `${JSON.stringify(config, null, 2)}\n`;
    if (page) {
      const trusted = authorities ?? authoritiesIn(config);
      const output = writePages(file, JSON.stringify(config), trusted, csv, out ?? "", keys);
      process.stdout.write(`${output}\n`);
    } else if (out === undefined) process.stdout.write(text);
    else write(out, text);
    return Exit.DONE;
  },
};

/**
 * The file of certificate authorities that a device.json names. A device that connects only to itself needs none.
 * @throws UsageError if the file is needed and not named
 */
function authoritiesIn({ http, endpoints = {} }: DeviceConfig): string[] {
  if (http?.certificates !== undefined) return [http.certificates];
  const addresses = Object.values(endpoints).flat();
  if (addresses.every((address) => address.startsWith("http:"))) return [];
  throw new UsageError("--authorities is missing: without one the device trusts no server");
}

/** The file may contain the client's secret. */
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
