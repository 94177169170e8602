import { type Command, InvalidArgumentError, Option } from "commander";
import type { Client } from "../../platform/configuration/settings.ts";
import { type Language, languages } from "../../platform/display/languages.ts";
import { addressProblem } from "../../platform/servers/address.ts";
import {
  commandLine,
  integer,
  readPort,
  settingOption,
  UsageError,
  version,
} from "./command-line.ts";
import { DEVICE_KINDS, type DeviceName, deviceKind } from "./simulator/device/kinds.ts";

export const EXIT_CONDITIONS = ["signed-in", "denied", "expired"] as const;
export type ExitCondition = (typeof EXIT_CONDITIONS)[number];

export interface Options
  extends Partial<Pick<Client, "clientId" | "clientAuthentication" | "scope">> {
  display: { columns: number; rows: number };
  device: DeviceName;
  language?: Language;
  fixture?: string;
  options?: string;
  client?: string;
  port: number;
  host: string;
  publicUrl?: string;
  state: string;
  account: string;
  rotate?: boolean;
  speed: number;
  fast?: boolean;
  approve?: boolean;
  deny?: boolean;
  exitWhen?: ExitCondition;
  open?: boolean;
  plain?: boolean;
  scenario?: string;
  issuer?: string;
  clientSecret?: string;
  server?: string;
  serverParameters?: Record<string, string>;
  allowHttp?: boolean;
  memory?: number;
}

/** The number of RFC 8628, which is easy to remember. */
const PORT_DEFAULT = 8628;
export const FAST_SPEED = 1000;

const NPM_START = "npm start --";

const HELP = `
Type allow, deny, new-code, power, sign-out ... or quit; tab completes, ? lists.
Without a terminal each changed frame is printed as text.

Examples:
  npm start                                              a device, a service, a page to open
  npm start -- --display 16x2
  npm start -- --device printer                          a slip of paper with the code
  npm start -- --client publisher-console                then create-offer and activate-offer
  npm start -- --approve --exit-when signed-in --fast    for scripts
  npm start -- --scenario expire-and-renew
  npm start -- --server github --client-id ID
  npm start -- --server keycloak --server-parameter host=sso.example.com realm=home --client-id ID
  npm start -- --issuer https://login.example.com --client-id ID --client-secret SECRET --scope openid

Exit codes: 0 quit, or the condition of --exit-when is met; 1 it can no longer be met, or a
scenario failed; 2 the command line, the port or the state folder is wrong.`;

function readDisplay(text: string): { columns: number; rows: number } {
  const [, columns, rows] = /^(\d{1,3})x(\d{1,2})$/.exec(text)?.map(Number) ?? [];
  if (!(columns! >= 16 && columns! <= 80 && rows! >= 2 && rows! <= 8)) {
    throw new InvalidArgumentError("It is 16x2 to 80x8, such as 20x4 or 40x2.");
  }
  return { columns: columns!, rows: rows! };
}

function readSpeed(text: string): number {
  const speed = Number(text);
  if (!(speed >= 0.1 && speed <= 10_000)) throw new InvalidArgumentError("It is 0.1 to 10000.");
  return speed;
}

function readAddress(text: string): string {
  if (!/^https?:\/\/[^\s]+$/.test(text) || !URL.canParse(text)) {
    throw new InvalidArgumentError("It is an http or https address.");
  }
  return text;
}

const FIT_SCENARIOS = ["scenario", "plain", "version"];

/** --scenario excludes all options except FIT_SCENARIOS, because a scenario defines the whole simulation. */
export function simulatorLine(usage: string): Command {
  const command = describedProgram(usage);
  const names = command.options.map((option) => option.attributeName());
  const scenario = command.options.find((option) => option.attributeName() === "scenario");
  scenario?.conflicts(names.filter((name) => !FIT_SCENARIOS.includes(name)));
  return command;
}

function describedProgram(usage: string): Command {
  return commandLine(
    usage,
    "A device with a character display signs in: the simulator of picogrant.\n" +
      "The device runs the real core over real HTTP against the simulated service, or your own.",
  )
    .version(version())
    .addOption(
      new Option("--display <size>", "columns x rows of the character display")
        .argParser(readDisplay)
        .default({ columns: 20, rows: 4 }, "20x4"),
    )
    .addOption(
      new Option("--device <kind>", "kind of device: printer has paper, console a large display")
        .choices(DEVICE_KINDS.map(({ name }) => name))
        .default("bare"),
    )
    .addOption(
      new Option("--language <code>", "language of the display's texts").choices(languages),
    )
    .option(
      "--fixture <file>",
      "accounts, clients and other data of the simulated service, as JSON",
    )
    .option("--options <file>", "settings of the service, as JSON: lifetimes, interval, quotas ...")
    .option("--client <id>", "the client of the service that the device uses")
    .option(
      "-p, --port <number>",
      "port of the service and the panel; 0: any",
      readPort,
      PORT_DEFAULT,
    )
    .option("--host <address>", "address to listen on; 0.0.0.0 lets your phone in", "127.0.0.1")
    .option("--public-url <url>", "the address for devices and phones, if it differs", readAddress)
    .option("--state <folder>", "where device and service store their state", ".state")
    .option("--account <id>", "account that allows: ada, ben, pupil, nora, guest, gone ...", "ada")
    .option("--rotate", "the service issues a new refresh token at each refresh")
    .option("--speed <factor>", "speed of the simulation's clock", readSpeed, 1)
    .addOption(new Option("--fast", `the same as --speed ${FAST_SPEED}`).conflicts("speed"))
    .option("--approve", "the user allows each code at once")
    .option("--deny", "the user denies each code at once")
    .addOption(
      new Option(
        "--exit-when <condition>",
        "end when the device is signed in, denied, or its code has expired",
      ).choices(EXIT_CONDITIONS),
    )
    .option("--open", "open the panel in the browser")
    .option("--plain", "print frames as text even in a terminal")
    .option(
      "--scenario <name>",
      "play a scenario in its own simulation: a name in targets/desktop/scenarios, or a file",
    )
    .option("--server <name>", "a real authorization server, by its profile (platform/servers)")
    .addOption(settingOption("serverParameters"))
    .option("--issuer <url>", "... or by its discovery document", readAddress)
    .addOption(settingOption("clientId"))
    .option("--client-secret <secret>", "your client's secret; better in PICOGRANT_CLIENT_SECRET")
    .addOption(settingOption("clientAuthentication"))
    .addOption(settingOption("scope"))
    .addOption(settingOption("allowHttp"))
    .option(
      "--memory <bytes>",
      "memory of the device's core; see picogrant sizing",
      integer(2048, 65_535),
    )
    .addHelpText(
      "after",
      usage === NPM_START ? HELP : HELP.replaceAll(/npm start(?: --)?/g, usage),
    );
}

export function isRemote(options: Options): boolean {
  return (options.server ?? options.issuer) !== undefined;
}

/** Ends the process for --help and --version. @throws UsageError */
export function readOptions(argv: readonly string[]): Options {
  return optionsOf(simulatorLine(NPM_START).parse(argv, { from: "user" }));
}

export function optionsOf(command: Command): Options {
  const options = command.opts<Options>();
  const kind = deviceKind(options.device)!;
  if (command.getOptionValueSource("display") === "default") {
    options.display = { columns: kind.columns, rows: kind.rows };
  }
  if (options.fast) options.speed = FAST_SPEED;
  // Other users of the machine can read the arguments of a process, so the secret may be in the environment instead.
  const secret = process.env.PICOGRANT_CLIENT_SECRET;
  if (options.clientSecret === undefined && secret) options.clientSecret = secret;
  checkTogether(options);
  return options;
}

function checkTogether(options: Options): void {
  const { issuer } = options;
  if (options.approve && options.deny)
    throw new UsageError("--approve and --deny exclude each other");
  if (options.server !== undefined && issuer !== undefined) {
    throw new UsageError("give --server or --issuer, not both");
  }
  if (options.server === undefined && options.serverParameters !== undefined) {
    throw new UsageError("--server-parameter goes with --server");
  }
  if (!isRemote(options)) return;
  for (const flag of ["fixture", "options", "client"] as const) {
    if (options[flag] !== undefined) {
      throw new UsageError(`--${flag} is for the simulated service; a real one has its own`);
    }
  }
  // The server receives secrets, so its address must be safe for them.
  const problem = issuer && addressProblem(issuer, options.allowHttp);
  if (problem) throw new UsageError(`--issuer ${problem.replace("allowHttp", "--allow-http")}`);
  if (!options.clientId) throw new UsageError("a real server needs --client-id");
  if (!options.scope && options.server === undefined) {
    throw new UsageError("a real server needs --scope");
  }
  if (options.approve || options.deny) {
    throw new UsageError("--approve and --deny work with the simulated service only");
  }
  if (options.speed !== 1) {
    throw new UsageError("a real server runs on real time: remove --fast and --speed");
  }
}
