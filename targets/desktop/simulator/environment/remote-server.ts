// A real authorization server, selected by profile or issuer: its addresses and settings for the device.
import type * as core from "../../../../core/complete.ts";
import { clientAuthentications } from "../../../../platform/configuration/settings.ts";
import type { Http } from "../../../../platform/contracts.ts";
import { type Endpoints, noEndpoints, type Translate } from "../../../../platform/driver.ts";
import { clientAuthenticationFor, discoverServer } from "../../../../platform/servers/discovery.ts";
import { ServerError, serverOf } from "../../../../platform/servers/index.ts";
import { UsageError } from "../../command-line.ts";
import type { Options } from "../../options.ts";

export interface RemoteServer {
  readonly endpoints: Endpoints;
  readonly config: {
    readonly scope: string;
    readonly clientAuthentication: core.ClientAuthentication;
    readonly deviceParameters: string;
    readonly tokenParameters: string;
    /** The name of the server in records; default: the address of the token endpoint. */
    readonly server?: string;
  };
  readonly allowHttp: boolean;
  /** The memory that the server's profile recommends. */
  readonly memoryBytes?: number;
  readonly translate?: Translate | undefined;
}

type Method = keyof typeof clientAuthentications;

/**
 * @throws UsageError
 */
export async function remoteServer(options: Options, http: Http): Promise<RemoteServer> {
  return options.server === undefined
    ? byIssuer(options, options.issuer!, http)
    : byProfile(options, options.server);
}

function byProfile(options: Options, name: string): RemoteServer {
  try {
    const server = serverOf(name, options.serverParameter ?? {}, Boolean(options.clientSecret));
    const scope = options.scope ?? server.profile.scope;
    const endpoints = { ...noEndpoints, ...server.addresses };
    return {
      ...described({ ...options, scope }, endpoints, server.clientAuthentication),
      memoryBytes: server.profile.memoryBytes,
      translate: server.translate,
    };
  } catch (error) {
    if (!(error instanceof ServerError)) throw error;
    throw new UsageError(`${flagOf(error.path)} ${error.problem}`);
  }
}

/** The flag for a member of device.json. */
function flagOf(path: string): string {
  const [member = "", word] = path.split(".");
  const flag = `--${member.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
  return word === undefined ? flag : `${flag.replace(/s$/, "")} ${word}`;
}

async function byIssuer(options: Options, issuer: string, http: Http): Promise<RemoteServer> {
  try {
    const { endpoints, clientAuthenticationMethods } = await discoverServer(
      http,
      issuer,
      options.allowHttp,
    );
    const method =
      options.clientAuth ??
      clientAuthenticationFor(clientAuthenticationMethods, Boolean(options.clientSecret));
    const remote = described(options, endpoints, method);
    return { ...remote, config: { ...remote.config, server: issuer } };
  } catch (error) {
    throw new UsageError(`${(error as Error).message}; check --issuer`);
  }
}

function described(options: Options, endpoints: Endpoints, method: Method): RemoteServer {
  return {
    endpoints,
    config: {
      scope: options.scope ?? "",
      clientAuthentication: clientAuthentications[options.clientAuth ?? method],
      deviceParameters: "",
      tokenParameters: "",
    },
    allowHttp: options.allowHttp ?? false,
  };
}
