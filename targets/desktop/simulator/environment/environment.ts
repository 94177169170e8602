// Creates a simulation from the command line's options, with the embedded service or a real server.
import { createHash, randomBytes } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import type { ServerSettings } from "../../../../platform/configuration/settings.ts";
import type { Http, PublicJwk, Signer } from "../../../../platform/contracts.ts";
import { makeDirectory } from "../../../../platform/node/files.ts";
import {
  FileStorage,
  NodeEntropy,
  NodeHttp,
  nodeTimers,
  StateDirectoryError,
} from "../../../../platform/node/index.ts";
import { lockDirectory } from "../../../../platform/node/state-lock.ts";
import { ServerError } from "../../../../platform/servers/profile.ts";
import { resolveServer } from "../../../../platform/session/resolve-server.ts";
import { readFixtureFile, readOptionsFile } from "../../../service/command.ts";
import {
  createService,
  type FixtureInput,
  listen,
  type RunningServer,
  type Service,
  serve,
} from "../../../service/index.ts";
import { makeKey, verifyEs256 } from "../../../service/node-environment.ts";
import { describeListenError, reachableName } from "../../../service/server.ts";
import { UsageError } from "../../command-line.ts";
import { isRemote, type Options } from "../../options.ts";
import { deviceKind } from "../device/kinds.ts";
import { Simulation } from "../simulation.ts";
import { ManufacturerServer } from "./manufacturer-server.ts";
import { ServiceStore } from "./service-files.ts";
import { SimulatedClock } from "./simulated-clock.ts";
import { deviceConfig, endpointsOf, POLL_TOLERANCE_MS } from "./virtual-environment.ts";

export interface Environment {
  readonly simulation: Simulation;
  /** The service's address for the phone; "" with a real server. */
  readonly url: string;
  readonly panelUrl: string;
  close(): Promise<void>;
}

/** Handles requests for the panel. Returns undefined for other requests, which the service handles. */
export type Front = (request: Request, env: unknown) => Promise<Response | undefined>;

export function fixture(): FixtureInput {
  const file = new URL("../../../service/fixture.json", import.meta.url);
  return JSON.parse(fs.readFileSync(file, "utf8")) as FixtureInput;
}

/** A new key in memory. */
export function newSigner(): Signer {
  const { publicJwk, sign } = makeKey("ES256");
  return { algorithm: "ES256", publicJwk: publicJwk as unknown as PublicJwk, sign };
}

async function remoteServer(options: Options, http: Http): Promise<ServerSettings> {
  const { server, serverParameters, issuer, clientId = "", memory, ...more } = options;
  const profile = server === undefined ? server : { ...serverParameters, name: server };
  const client = { ...more, clientId, memoryBytes: memory };
  try {
    const host = { http, timers: nodeTimers() };
    return await resolveServer({ ...client, server: { issuer, profile } }, host);
  } catch (error) {
    const { message } = error as Error;
    if (!(error instanceof ServerError)) throw new UsageError(`${message}; check --issuer`);
    const path = error.path.replace("serverParameters.", "server-parameter ");
    throw new UsageError(`--${path.replace("clientSecret", "client-secret")} ${error.problem}`);
  }
}

/** `front.handle` may be set later. @throws UsageError, StateDirectoryError */
export async function createEnvironment(
  options: Options,
  front: { handle?: Front },
  warn: (line: string) => void,
): Promise<Environment> {
  const clock = new SimulatedClock({ speed: options.speed, paused: true });
  const manufacturer = new ManufacturerServer(clock);
  const http = new NodeHttp();
  const closing: (() => Promise<void> | void)[] = [() => clock.close(), () => http.dispose()];
  const close = async (): Promise<void> => {
    // If one of these functions fails, the others still run.
    const ends = await Promise.allSettled(closing.splice(0).map(async (end) => end()));
    const failure = ends.find((end) => end.status === "rejected");
    if (failure) throw failure.reason;
  };
  try {
    makeState(options.state);
    // Two simulators in a folder would overwrite each other's state.
    closing.push(lockState(options.state));
    const storage = openStorage(options);
    closing.push(() => storage.close());
    const store = new ServiceStore(options.state);
    const snapshot = isRemote(options) ? undefined : store.load();
    // The service's clock must not go back. At the end of the last run, it may have been ahead of real time.
    const epochMs = Math.max(Date.now(), snapshot?.atMs ?? 0);
    const embedded = isRemote(options)
      ? undefined
      : await startService(options, front, { clock, epochMs }, snapshot, manufacturer);
    if (embedded) {
      closing.push(embedded.server.close);
      store.attach(embedded.service, warn);
    }
    const remote = embedded ? undefined : await remoteServer(options, http);
    const simulation = new Simulation({
      clock,
      epochMs,
      http,
      storage,
      entropy: new NodeEntropy(),
      signer: newSigner(),
      config: remote?.config ?? deviceConfig(options),
      endpoints: remote?.endpoints ?? endpointsOf(embedded?.localUrl ?? ""),
      allowHttp: options.allowHttp === true,
      translate: remote?.translate,
      memoryBytes: remote?.memoryBytes ?? options.memory,
      ...options.display,
      service: embedded?.service,
      issuer: embedded?.service.issuer ?? options.issuer,
      account: options.account,
      fixture: embedded?.fixture,
      manufacturer,
      kind: deviceKind(options.device),
      language: options.language,
    });
    if (options.client !== undefined) simulation.useClient(options.client);
    else if (embedded && options.clientId === undefined) simulation.useOwnClient();
    closing.unshift(() => simulation.powerOff());
    if (embedded) {
      const url = embedded.service.baseUrl;
      return { simulation, url, panelUrl: `${url}/panel`, close };
    }
    const server = await servePanel(options, front);
    closing.push(server.close);
    return { simulation, url: "", panelUrl: `${server.url}/panel`, close };
  } catch (error) {
    await close();
    throw error;
  }
}

function makeState(directory: string): void {
  try {
    makeDirectory(directory, 0o700);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new UsageError(`cannot create ${directory} (${reason}); choose another with --state`);
  }
}

function lockState(directory: string): () => void {
  try {
    return lockDirectory(directory);
  } catch (error) {
    if (!(error instanceof StateDirectoryError)) throw error;
    throw new UsageError(`${error.message} with --state`);
  }
}

function openStorage(options: Options): FileStorage {
  const { issuer, clientId, client, server: name, serverParameters = {} } = options;
  const profile = name && `${name} ${JSON.stringify(Object.entries(serverParameters).sort())}`;
  const server = issuer ?? profile ?? "";
  const who = createHash("sha256")
    .update(`${server} ${clientId ?? client ?? ""}`)
    .digest("hex");
  const folder = server || clientId || client ? `device-${who.slice(0, 12)}` : "device";
  return new FileStorage(path.join(options.state, folder));
}

function checkClient({ clients = [] }: FixtureInput, id: string | undefined): void {
  if (id === undefined || clients.some((client) => client.id === id)) return;
  const names = clients.map((client) => client.id).join(", ");
  throw new UsageError(`there is no client ${id}; choose --client from ${names}`);
}

interface Embedded {
  readonly service: Service;
  readonly server: RunningServer;
  readonly localUrl: string;
  readonly fixture: FixtureInput;
}

async function startService(
  options: Options,
  front: { handle?: Front },
  { clock, epochMs }: { clock: SimulatedClock; epochMs: number },
  snapshot: ReturnType<ServiceStore["load"]>,
  manufacturer: ManufacturerServer,
): Promise<Embedded> {
  const data = readFixtureFile(options.fixture);
  const settings = options.options === undefined ? {} : readOptionsFile(options.options);
  checkClient(data, options.client);
  if (!data.accounts?.some(({ id }) => id === options.account)) {
    const names = data.accounts?.map(({ id }) => id).join(", ");
    throw new UsageError(`there is no account ${options.account}; choose --account from ${names}`);
  }
  const environment = {
    now: () => epochMs + clock.nowMs(),
    random: (count: number) => randomBytes(count),
    makeKey,
    verify: verifyEs256,
    ...manufacturer.environment,
  };
  const service = createService({
    ...environment,
    fixture: data,
    options: {
      framedBySelf: true,
      // With this path, the address fits one line of each display: 127.0.0.1:8628/d
      verificationPath: "/d",
      refreshTokenRotation: options.rotate ?? false,
      // The devices draw a QR code from this member (RFC 8628 §3.3.1). The service omits it by default, because the
      // device authorization specification does not have it.
      verificationUriComplete: true,
      // With nonces, the service does not check the time in a proof. The proof has real time, which may be hours behind
      // simulated time.
      dpopNonces: true,
      // Times are rounded to milliseconds, so the device may poll a little early.
      pollToleranceMs: POLL_TOLERANCE_MS,
      ...settings,
    },
    snapshot,
  });
  const fetch = async (request: Request, env: unknown): Promise<Response> => {
    return (await front.handle?.(request, env)) ?? (await service.fetch(request, env));
  };
  const fronted: Service = Object.create(service, { fetch: { value: fetch } });
  const { host, port } = options;
  const server = await serve(fronted, { host, port }).catch((error: NodeJS.ErrnoException) => {
    throw new UsageError(describeListenError(error, options));
  });
  if (options.publicUrl) usePublicUrl(service, options.publicUrl);
  else if (isAny(host))
    service.setOptions({ baseUrl: `http://${reachableName(host)}:${server.port}` });
  // The simulated device runs on this machine, so it uses the local address.
  const localUrl = isAny(host) ? `http://127.0.0.1:${server.port}` : server.url;
  return { service, server, localUrl, fixture: data };
}

async function servePanel(options: Options, front: { handle?: Front }): Promise<RunningServer> {
  const { host, port } = options;
  const response = async (request: Request, env: unknown): Promise<Response> =>
    (await front.handle?.(request, env)) ??
    new Response("The panel is at /panel.", { status: 404 });
  return await listen(response, { host, port }).catch((error: NodeJS.ErrnoException) => {
    throw new UsageError(describeListenError(error, options));
  });
}

function isAny(host: string): boolean {
  return host === "0.0.0.0" || host === "::";
}

function usePublicUrl(service: Service, baseUrl: string): void {
  try {
    service.setOptions({ baseUrl });
  } catch (error) {
    throw new UsageError(`--public-url: ${(error as Error).message}`);
  }
}
