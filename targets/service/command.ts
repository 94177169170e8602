// The command line of the simulated service: npm run service, and picogrant service.
import { createPrivateKey, X509Certificate } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { type Command, InvalidArgumentError, Option } from "commander";
import { addressProblem } from "../../platform/servers/address.ts";
import { commandText } from "../command/option-parser.ts";
import { commandLine, readPort, readText, UsageError } from "../desktop/command-line.ts";
import { makeTlsIdentities } from "./certificates.ts";
import { DIALECTS, type Dialect } from "./dialects.ts";
import { type FixtureInput, readFixture } from "./fixture.ts";
import { nodeEnvironment } from "./node-environment.ts";
import { accessLogLine } from "./observers.ts";
import { optionsSchema, readOptions, type ServiceOptionsInput } from "./options.ts";
import { describeListenError, serve } from "./server.ts";
import { approveAll, createService, type Service } from "./service.ts";

interface Flags {
  port: number;
  host: string;
  fixture?: string;
  options?: string;
  publicUrl?: string;
  dialect?: Dialect;
  issuerPath?: string;
  interval?: string;
  key?: string;
  cert?: string;
  approve?: string;
  provoke?: string[];
  quiet?: boolean;
  https?: boolean;
}

// How early a poll may be without a slow_down. Timers of devices on the same machine may fire a little early.
const POLL_TOLERANCE_MS = 250;

const HELP = `
For scripts: picogrant service --port 0 --approve ada`;

export function serviceLine(usage: string): Command {
  return commandLine(
    usage,
    "The simulated service: device authorization, tokens, APIs, consent pages, events.",
  )
    .option("-p, --port <number>", "port to listen on; 0 lets the system choose", readPort, 8080)
    .option("-H, --host <address>", "address to listen on; 0.0.0.0 lets phones in", "127.0.0.1")
    .option(
      "-f, --fixture <file>",
      "JSON file with accounts and clients; default: the built-in one",
    )
    .option(
      "-o, --options <file>",
      "JSON file with options (docs/service.md of picogrant-tools lists them)",
    )
    .option(
      "-u, --public-url <url>",
      "the address that devices and phones use, if it differs",
      readPublicUrl,
    )
    .addOption(
      new Option(
        "--dialect <name>",
        "the server whose responses it imitates; default: specification",
      ).choices(DIALECTS),
    )
    .option("--issuer-path <path>", "the issuer's path, such as /realms/home")
    .option("--interval <seconds>", "minimum wait between polls; default: 5")
    .option("--key <file>", "PEM file with the private key, for HTTPS")
    .option("--cert <file>", "PEM file with the certificate, for HTTPS")
    .option("--approve <account>", "approve each code at once as this account, for scripts")
    .option(
      "--provoke <request=response...>",
      "responses to replace: refresh=interaction_required (the same page lists them)",
    )
    .option("-q, --quiet", "no access log")
    .option("--https", "use HTTPS with a certificate made for this run")
    .addHelpText("after", HELP);
}

/** Returns 0 when the server runs. SIGINT and SIGTERM end the process. @throws UsageError if the server cannot start */
export async function runService(line: Command, name: string): Promise<number> {
  try {
    await listen(line.opts<Flags>(), name);
    return 0;
  } catch (error) {
    throw new UsageError((error as Error).message.split("\n", 1)[0]!);
  }
}

function readJson(what: "fixture" | "options", file: string, check: (value: never) => void) {
  const text = readText(file, what);
  let problem = "is not JSON: ";
  try {
    const value = JSON.parse(text) as unknown;
    problem = "";
    // Without this check, a number or an empty array would count as options without members.
    if (typeof value !== "object" || value === null || Array.isArray(value)) {
      throw new Error("holds no JSON object");
    }
    check(value as never);
    return value;
  } catch (error) {
    throw new UsageError(`--${what} ${file}: ${problem}${(error as Error).message}`);
  }
}

export function readFixtureFile(
  file: string = fileURLToPath(new URL("fixture.json", import.meta.url)),
): FixtureInput {
  return readJson("fixture", file, readFixture) as FixtureInput;
}

export function readOptionsFile(file: string): ServiceOptionsInput {
  return readJson("options", file, readOptions);
}

/** Parses REQUEST=RESPONSE. `readOptions` rejects unknown names. */
function readProvoked(words: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    words.map((word) => {
      const at = word.indexOf("=");
      if (at < 1) throw new UsageError(`--provoke ${word} is not a request=response`);
      return [word.slice(0, at), word.slice(at + 1)];
    }),
  );
}

function readPublicUrl(text: string): string {
  const { error } = optionsSchema.shape.baseUrl.safeParse(text);
  if (error) throw new InvalidArgumentError(`It ${error.issues[0]!.message}.`);
  return text;
}

/** The certificate file that clients must trust: the authority's with --https, or a self-signed --cert; "": none. */
let authorityFile = "";

function readPair(flags: Flags): { key?: string; cert?: string } {
  if ((flags.key === undefined) !== (flags.cert === undefined))
    throw new UsageError("--key and --cert go together; give both for HTTPS");
  if (flags.key === undefined || flags.cert === undefined) return {};
  const pair = { key: readText(flags.key, "key"), cert: readText(flags.cert, "certificate") };
  try {
    // Node starts a server with a key whose type differs from the certificate's, but then each handshake fails.
    const certificate = new X509Certificate(pair.cert);
    const belongs = certificate.checkPrivateKey(createPrivateKey(pair.key));
    if (!belongs) throw new Error("they do not belong together");
    if (certificate.checkIssued(certificate)) authorityFile = path.resolve(flags.cert);
  } catch (error) {
    const { message } = error as Error;
    throw new UsageError(
      `${flags.key} and ${flags.cert} are no PEM key and its certificate (${message})`,
    );
  }
  return pair;
}

async function listen(flags: Flags, prefix: string): Promise<void> {
  const pair = flags.https ? throwAwayPair(flags) : readPair(flags);
  const fixture = readFixtureFile(flags.fixture);
  const options: ServiceOptionsInput = {
    pollToleranceMs: POLL_TOLERANCE_MS,
    ...(flags.options !== undefined && readOptionsFile(flags.options)),
    ...(flags.publicUrl !== undefined && { baseUrl: flags.publicUrl }),
    ...(flags.dialect !== undefined && { dialect: flags.dialect }),
    ...(flags.issuerPath !== undefined && { issuerPath: flags.issuerPath }),
    ...(flags.interval !== undefined && { interval: Number(flags.interval) }),
    ...(flags.provoke !== undefined && { provoke: readProvoked(flags.provoke) }),
  };
  const service = createService({ ...nodeEnvironment(), fixture, options });
  if (!flags.quiet)
    service.observe((event) => {
      const line = accessLogLine(event);
      if (line !== undefined) console.log(line);
    });
  if (flags.approve !== undefined) approveAll(service, fixture, flags.approve);
  const server = await serve(service, {
    host: flags.host,
    port: flags.port,
    ...pair,
    onError: (error) => console.error(`${prefix}: ${error.message}`),
  }).catch((error: NodeJS.ErrnoException) => {
    throw new UsageError(describeListenError(error, flags));
  });
  const { dialect, verificationPath } = service.options;
  const others = DIALECTS.filter((one) => one !== dialect).join(", ");
  console.log(`${prefix}: listening on ${server.url}, enter codes at ${service.baseUrl}/device`);
  console.log(`${prefix}: dialect ${dialect}, issuer ${service.issuer}; --dialect: ${others}`);
  // Each display has at least 40 characters for the address (device spec §8). The device can omit the scheme.
  const address = `${service.baseUrl}${verificationPath}`.replace(/^https?:\/\//, "");
  if (address.length > 40)
    console.log(`${prefix}: ${address} is longer than the 40 characters that every display has`);
  for (const line of introduce(service, fixture, flags)) console.log(line);
  process.on("SIGHUP", () => {
    service.rotateKeys();
    console.log(`${prefix}: the keys of ID tokens are new`);
  });
  for (const signal of ["SIGINT", "SIGTERM"] as const)
    process.once(signal, () => {
      server.close().then(() => process.exit(0));
    });
}

function throwAwayPair(flags: Flags): { key: string; cert: string } {
  if (flags.key !== undefined || flags.cert !== undefined) {
    throw new UsageError(
      "--https makes a certificate; leave --key and --cert out, or leave it out",
    );
  }
  if (flags.host !== "127.0.0.1" && flags.host !== "localhost") {
    throw new UsageError("--https is for 127.0.0.1; elsewhere give --key and --cert");
  }
  const { ca, identities } = makeTlsIdentities();
  const folder = mkdtempSync(path.join(tmpdir(), "picogrant-"));
  process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
  authorityFile = path.join(folder, "authority.pem");
  writeFileSync(authorityFile, ca);
  return identities.trusted;
}

/** Lines with clients, accounts and a command to try. The secrets of the built-in fixture are public, so they are shown. */
function introduce(running: Service, fixture: FixtureInput, flags: Flags): string[] {
  const isBuiltIn = flags.fixture === undefined;
  const clients = (fixture.clients ?? []).map(({ id, secret, name }) => {
    const shown = secret === undefined ? "(none)" : isBuiltIn ? secret : "(as in your file)";
    return `  ${id.padEnd(20)}${shown.padEnd(20)}${name}`;
  });
  const accounts = (fixture.accounts ?? []).map(({ id, name }) => `  ${id.padEnd(20)}${name}`);
  const { issuer: server } = running;
  const publicClient = (fixture.clients ?? []).find(({ secret }) => secret === undefined);
  const trial = commandText("login", {
    ...{ server, clientId: publicClient?.id, scope: "openid", state: "tokens" },
    certificates: authorityFile || undefined,
    allowHttp: addressProblem(server, false) !== "",
  });
  return [
    "client              secret",
    ...clients,
    "",
    "account",
    ...accounts,
    "",
    ...(publicClient ? [`Try: ${trial}`] : []),
    ...(authorityFile ? [`Certificates are signed by ${authorityFile}`] : []),
    "",
  ];
}
