// The command line of the simulated service: npm run service, and picogrant service. Reads the fixture, listens, prints
// one line per request. Errors are one line and exit code 2.
import { createPrivateKey, X509Certificate } from "node:crypto";
import { fileURLToPath } from "node:url";
import { Command, InvalidArgumentError, Option } from "commander";
import { readPort, readText, UsageError } from "../desktop/command-line.ts";
import { DIALECTS, type Dialect } from "./dialects.ts";
import { type FixtureInput, readFixture } from "./fixture.ts";
import { nodeEnvironment } from "./node-environment.ts";
import { accessLogLine } from "./observers.ts";
import { readOptions, type ServiceOptionsInput } from "./options.ts";
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
}

/** How the command is called. */
export interface ServiceCommand {
  /** Of its help. */
  readonly usage: string;
  /** What its lines begin with. */
  readonly prefix: string;
  /** Further options, for a caller who has more. */
  readonly addOptions?: (command: Command) => void;
  /** A key and a certificate where no files were given; told of all options. */
  readonly pairFor?: (flags: Record<string, unknown>) => { key: string; cert: string } | undefined;
  /** Called once it listens; its lines are printed. */
  readonly introduce?: (service: Service, fixture: FixtureInput, flags: object) => string[];
}

// Timers of devices on the same machine may fire a little early; the command line is for them.
const POLL_TOLERANCE_MS = 250;

export function serviceLine({ usage, prefix, addOptions }: ServiceCommand): Command {
  const command = new Command(usage)
    .description(
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
      "the address that devices and phones use, if it is another",
      readPublicUrl,
    )
    .addOption(
      new Option("--dialect <name>", "as which server it answers; default: documents").choices(
        DIALECTS,
      ),
    )
    .option("--issuer-path <path>", "what the issuer has behind its address, such as /realms/home")
    .option("--interval <seconds>", "minimum wait between polls; default: 5")
    .option("--key <file>", "PEM file with the private key, for HTTPS")
    .option("--cert <file>", "PEM file with the certificate, for HTTPS")
    .option("--approve <account>", "allow each code at once as this account, for scripts")
    .option(
      "--provoke <request=answer...>",
      "answers in place of its own: refresh=interaction_required (the same page lists them)",
    )
    .option("-q, --quiet", "no access log")
    .allowExcessArguments(false)
    .configureOutput({
      outputError: (text, write) => write(text.replace(/^error: /, `${prefix}: `)),
    })
    .exitOverride((error) => process.exit(error.exitCode === 0 ? 0 : 2));
  addOptions?.(command);
  return command;
}

/** Runs until it is told to stop; ends the process for mistakes. @param line has been parsed */
export async function runService(line: Command, how: ServiceCommand): Promise<void> {
  const flags = line.opts<Flags>();
  try {
    await listen(flags, how);
  } catch (error) {
    console.error(`${how.prefix}: ${(error as Error).message.split("\n", 1)[0]}`);
    process.exit(2);
  }
}

/** @throws UsageError with one line that says where the file is wrong */
function readJson(what: "fixture" | "options", file: string, check: (value: never) => void) {
  const text = readText(file, what);
  let problem = "is not JSON: ";
  try {
    const value = JSON.parse(text) as unknown;
    problem = "";
    // Spread, a list or a word would be no options at all, and nobody would learn of it.
    if (typeof value !== "object" || value === null || Array.isArray(value)) {
      throw new Error("holds no JSON object");
    }
    check(value as never);
    return value;
  } catch (error) {
    // One line, whatever part of the text it shows.
    throw new UsageError(`--${what} ${file}: ${problem}${(error as Error).message}`);
  }
}

/** Accounts, clients and the rest of the service, by a file of the user's own or as they are built in. */
export function readFixtureFile(
  file: string = fileURLToPath(new URL("fixture.json", import.meta.url)),
): FixtureInput {
  return readJson("fixture", file, readFixture) as FixtureInput;
}

/** The service's settings. */
export function readOptionsFile(file: string): ServiceOptionsInput {
  return readJson("options", file, readOptions);
}

/** What is wrong with the names is told by the option itself. */
function readProvoked(words: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    words.map((word) => {
      const at = word.indexOf("=");
      if (at < 1) throw new UsageError(`--provoke ${word} is not a request=answer`);
      return [word.slice(0, at), word.slice(at + 1)];
    }),
  );
}

function readPublicUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const fits = url && /^https?:$/.test(url.protocol) && !url.search && !url.hash && !url.username;
  if (!fits) throw new InvalidArgumentError("It is an http or https address without ? and #.");
  if (!/^\/*$/.test(url.pathname))
    throw new InvalidArgumentError("It is an address without a path.");
  return text;
}

function readPair(flags: Flags): { key?: string; cert?: string } {
  if ((flags.key === undefined) !== (flags.cert === undefined))
    throw new UsageError("--key and --cert go together; give both for HTTPS");
  if (flags.key === undefined || flags.cert === undefined) return {};
  const pair = { key: readText(flags.key, "key"), cert: readText(flags.cert, "certificate") };
  try {
    // TLS itself takes a key and a certificate of different kinds, and fails at each handshake.
    const belongs = new X509Certificate(pair.cert).checkPrivateKey(createPrivateKey(pair.key));
    if (!belongs) throw new Error("they do not belong together");
  } catch (error) {
    const { message } = error as Error;
    throw new UsageError(
      `${flags.key} and ${flags.cert} are no PEM key and its certificate (${message})`,
    );
  }
  return pair;
}

async function listen(flags: Flags, how: ServiceCommand): Promise<void> {
  const { prefix } = how;
  const pair = how.pairFor?.({ ...flags }) ?? readPair(flags);
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
  // Device doc §8: a display has room for so many; the scheme may be left out.
  const address = `${service.baseUrl}${verificationPath}`.replace(/^https?:\/\//, "");
  if (address.length > 40)
    console.log(`${prefix}: ${address} is longer than the 40 characters that every display has`);
  for (const line of how.introduce?.(service, fixture, flags) ?? []) console.log(line);
  process.on("SIGHUP", () => {
    service.rotateKeys();
    console.log(`${prefix}: the keys of ID tokens are new`);
  });
  for (const signal of ["SIGINT", "SIGTERM"] as const)
    process.once(signal, () => {
      server.close().then(() => process.exit(0));
    });
}
