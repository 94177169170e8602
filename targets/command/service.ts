// `picogrant service`: the simulated service for whoever tests a client of the device authorization grant.
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { UsageError } from "../desktop/command-line.ts";
import { runService, type ServiceCommand, serviceLine } from "../service/command.ts";
import type { FixtureInput } from "../service/fixture.ts";
import type { Service } from "../service/service.ts";
import { makeTlsIdentities } from "./certificates.ts";
import { Exit } from "./ending.ts";
import type { Part } from "./option-parser.ts";

/** For --https: where the authority's certificate was written to. */
let authorityFile = "";

const HOW: ServiceCommand = {
  usage: "picogrant service",
  prefix: "picogrant service",
  addOptions: (command) => {
    command.option("--https", "speak HTTPS with a certificate made for this run");
    command.addHelpText("after", HELP);
  },
  pairFor: (flags) => (flags.https === true ? throwAwayPair(flags) : undefined),
  introduce,
};

export const service: Part = {
  line: () => serviceLine(HOW),
  act: async (line) => {
    await runService(line, HOW);
    return Exit.DONE;
  },
};

const HELP = `
A first try, in two terminals:
  picogrant service
  picogrant login --server http://127.0.0.1:8080 --client-id public-printer --scope openid --state tokens

For scripts: picogrant service --port 0 --approve ada`;

function throwAwayPair(flags: Record<string, unknown>): { key: string; cert: string } {
  if (flags.key !== undefined || flags.cert !== undefined) {
    throw new UsageError(
      "--https makes a certificate; leave --key and --cert out, or leave it out",
    );
  }
  if (flags.host !== "127.0.0.1" && flags.host !== "localhost") {
    throw new UsageError("--https is for 127.0.0.1; elsewhere give --key and --cert");
  }
  const { ca, identities } = makeTlsIdentities();
  authorityFile = path.join(mkdtempSync(path.join(tmpdir(), "picogrant-")), "authority.pem");
  writeFileSync(authorityFile, ca);
  return identities.trusted;
}

/** Who and what there is in its world. The secrets are those of a world that everybody can read. */
function introduce(running: Service, fixture: FixtureInput, flags: { fixture?: string }): string[] {
  const isBuiltIn = flags.fixture === undefined;
  const clients = (fixture.clients ?? []).map(({ id, secret, name }) => {
    const shown = secret === undefined ? "(none)" : isBuiltIn ? secret : "(as in your file)";
    return `  ${id.padEnd(20)}${shown.padEnd(20)}${name}`;
  });
  const accounts = (fixture.accounts ?? []).map(({ id, name }) => `  ${id.padEnd(20)}${name}`);
  const trust = authorityFile && ` --certificates ${authorityFile}`;
  const [publicClient] = (fixture.clients ?? []).filter(({ secret }) => secret === undefined);
  return [
    `issuer ${running.baseUrl}`,
    "",
    "client              secret",
    ...clients,
    "",
    "account",
    ...accounts,
    "",
    ...(publicClient
      ? [
          `Try: picogrant login --server ${running.baseUrl} --client-id ${publicClient.id} ` +
            `--scope openid --state tokens${trust}`,
        ]
      : []),
    ...(authorityFile ? [`Certificates are signed by ${authorityFile}`] : []),
    "",
  ];
}
