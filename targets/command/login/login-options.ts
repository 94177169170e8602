// The options of `picogrant login`, and their conversion to settings.
import path from "node:path";
import { type Command, Option } from "commander";
import table from "../../../platform/configuration/settings.json";
import { profileName, SERVERS } from "../../../platform/servers/index.ts";
import { integer, settingOption, UsageError } from "../../desktop/command-line.ts";
import { directoryOf, type Place, withPlace } from "./open.ts";
import { type LoginSettings, SECRET_VARIABLE } from "./settings.ts";

interface Behavior {
  readonly json?: boolean;
  /** Whether to end the stored session first. */
  readonly again?: boolean;
  /** In seconds. */
  readonly timeout?: number;
  /** Undefined: draw a QR code if the terminal is large enough and shows UTF-8. */
  readonly qr?: boolean;
  readonly browser: boolean;
}

export interface LoginOptions extends Behavior {
  readonly state: string;
  readonly settings: LoginSettings;
}

interface Flags extends Omit<Partial<LoginSettings>, "secret">, Place, Behavior {
  readonly clientSecretFile?: string;
}

const HELP = `
Servers with a profile: ${SERVERS.map(({ name }) => name).join(", ")}.
The client's secret, where it has one, is read from --client-secret-file or ${SECRET_VARIABLE}: arguments
can be seen by other users of the machine. The secret is not stored.

Examples:
  picogrant login --server github --client-id ID
  picogrant login --server keycloak --server-parameter host=sso.example.com realm=home --client-id ID
  picogrant login --server https://login.example.com --client-id ID --scope "openid offline_access"
  picogrant login --config device.json --state ./tokens

With --json each line on standard output is one object, by its "event": "code" (user_code, verification_uri,
verification_uri_complete, expires_in), "trouble" (code, message), "signed_in" (server, client_id, who, scope,
expires_in, renews, ends_in, resumed; null: not known), "error" (code, remedy, message). Tokens are in none of them.`;

const WITH_CONFIG = ["scope", "dpop", "deviceKey", "ca"];

export function loginLine(command: Command): Command {
  const line = withPlace(command);
  const config = new Option("--config <file>", "server and client as in this device.json");
  const first = table.settings.filter(({ name }) => name.startsWith("server"));
  for (const setting of new Set([...first, ...table.settings])) {
    if (setting.flag === undefined || setting.name === "state") continue;
    const option = settingOption(setting.name);
    line.addOption(option);
    if (!WITH_CONFIG.includes(setting.name)) config.conflicts(option.attributeName());
  }
  return line
    .addOption(config)
    .option("--again", "sign out first if a user is signed in, and request a new code")
    .option(
      "--timeout <seconds>",
      "give up if the user has not allowed it by then",
      integer(1, 86_400),
    )
    .option("--qr", "draw a QR code also without a terminal that has space and UTF-8 for it")
    .option("--no-qr", "draw none")
    .option("--no-browser", "do not offer to open the address in a browser")
    .option(
      "--json",
      "one JSON object for each line on standard output; texts go to standard error",
    )
    .addHelpText("after", HELP);
}

/** @throws UsageError if options are missing or contradict each other */
export function loginOptionsOf(line: Command): LoginOptions {
  const flags = line.opts<Flags>();
  checkTogether(flags);
  const { state: _, account: __, json, again, timeout, qr, browser, ...more } = flags;
  const { clientSecretFile, ...settings } = more;
  const fromEnvironment = process.env[SECRET_VARIABLE] ? "environment" : "none";
  const requested = clientSecretFile ? { file: path.resolve(clientSecretFile) } : fromEnvironment;
  return {
    ...flags,
    state: directoryOf(flags),
    settings: {
      ...settings,
      server: settings.server && profileName(settings.server),
      secret: flags.config === undefined ? requested : "none",
      config: absolute(flags.config),
      keyFile: absolute(flags.keyFile),
      certificates: absolute(flags.certificates),
      allowHttp: flags.allowHttp === true,
    },
  };
}

function absolute(file: string | undefined): string | undefined {
  return file === undefined ? undefined : path.resolve(file);
}

function checkTogether(flags: Flags): void {
  const { server, config, clientId, serverParameters } = flags;
  if (server === undefined && config === undefined) {
    throw new UsageError("--server is missing: a profile's name, an issuer's address, or --config");
  }
  if (config !== undefined) return;
  if (!clientId) throw new UsageError("--client-id is missing: your client's identifier there");
  if (server?.includes("://") && serverParameters !== undefined) {
    throw new UsageError("--server-parameter goes with a profile's name, not with an address");
  }
}
