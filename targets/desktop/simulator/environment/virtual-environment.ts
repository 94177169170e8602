// A simulation without sockets and files, for scenarios and the playground. Random numbers come from a seed.
import * as core from "../../../../core/complete.ts";
import type { Http, HttpRequest, HttpSink, Signer } from "../../../../platform/contracts.ts";
import type { Language } from "../../../../platform/display/languages.ts";
import { type Endpoints, noEndpoints } from "../../../../platform/driver.ts";
import { SeededEntropy } from "../../../../platform/testing/display.ts";
import { MemoryStorage } from "../../../../platform/testing/storage.ts";
import type { Environment } from "../../../service/environment.ts";
import type { FixtureInput } from "../../../service/fixture.ts";
import type { Service } from "../../../service/index.ts";
import { PATHS } from "../../../service/metadata.ts";
import type { ServiceOptionsInput } from "../../../service/options.ts";
import { createService } from "../../../service/service.ts";
import { deviceKind } from "../device/kinds.ts";
import { Simulation } from "../simulation.ts";
import { ManufacturerServer } from "./manufacturer-server.ts";
import { SimulatedClock } from "./simulated-clock.ts";

export const POLL_TOLERANCE_MS = 250;

const CLIENT = { id: "living-room-tv", secret: "tv-secret" };
const SCOPE = "https://auth.picogrant.test/auth/video.readonly";

export function endpointsOf(baseUrl: string): Endpoints {
  return {
    ...noEndpoints,
    deviceAuthorization: baseUrl + PATHS.deviceAuthorization,
    token: baseUrl + PATHS.token,
    revocation: baseUrl + PATHS.revocation,
    events: baseUrl + PATHS.streamPoll,
    metadata: `${baseUrl}/.well-known/openid-configuration`,
    // The video API, and the base of the publishing API, whose calls contain the whole path (offer spec §4).
    resources: [baseUrl + PATHS.liveBroadcasts, baseUrl],
  };
}

export interface ClientChoices {
  readonly clientId?: string | undefined;
  readonly clientSecret?: string | undefined;
  readonly scope?: string | undefined;
}

export function deviceConfig(options: ClientChoices) {
  return {
    clientId: options.clientId ?? CLIENT.id,
    clientSecret: options.clientSecret ?? (options.clientId === undefined ? CLIENT.secret : ""),
    scope: options.scope ?? SCOPE,
    clientAuthentication: core.ClientAuthentication.SPECIFICATION,
    // The name of the server in records. With a port in it, a record would not be valid on another port.
    server: "the simulated service",
    deviceParameters: "",
    tokenParameters: "",
    autoStart: 1,
    renewalsMax: 3,
    messages: "",
  };
}

export class DirectHttp implements Http {
  readonly #service: Service;
  readonly #now: () => number;

  constructor(service: Service, now: () => number) {
    this.#service = service;
    this.#now = now;
  }

  send(request: HttpRequest, sink: HttpSink): void {
    const { pathname, search } = new URL(request.url);
    const body = new Uint8Array(request.bodyTo - request.bodyFrom);
    for (let i = 0; i < body.length; i++) body[i] = request.body[request.bodyFrom + i]!;
    const response = this.#service.handle({
      method: request.method,
      path: pathname,
      query: search.slice(1),
      headers: {
        accept: "application/json",
        "content-type": request.contentType || undefined,
        authorization: request.authorization || undefined,
        ...Object.fromEntries(
          (request.headers ?? []).map(([name, value]) => [name.toLowerCase(), value]),
        ),
      },
      body,
    });
    const { "retry-after": retryAfter, "www-authenticate": authenticate } = response.headers;
    const retryAfterS = retryAfter === undefined ? -1 : Number(retryAfter);
    const nonce = response.headers["dpop-nonce"] ?? "";
    sink.status(response.status, retryAfterS, authenticate, nonce, this.#now());
    if (response.body.length > 0) sink.body(response.body, 0, response.body.length);
    sink.end();
  }

  abort(): void {}
}

const EPOCH_MS = Date.UTC(2026, 0, 1);
const BASE_URL = "http://127.0.0.1:8628";

export interface VirtualEnvironmentSettings {
  readonly columns: number;
  readonly rows: number;
  readonly account: string;
  readonly rotate: boolean;
  readonly fixture: FixtureInput;
  /** Without keys, there is no DPoP. */
  readonly keys?: { readonly signer: Signer; readonly verify: Environment["verify"] };
  readonly seed?: number;
  readonly clock?: SimulatedClock;
  /** Real time at the clock's zero, in milliseconds since 1970. */
  readonly epochMs?: number;
  readonly baseUrl?: string;
  readonly client?: string;
  readonly device?: string;
  readonly language?: Language;
  readonly options?: ServiceOptionsInput;
}

export function createVirtualEnvironment(settings: VirtualEnvironmentSettings): Simulation {
  const { seed = 1, epochMs = EPOCH_MS } = settings;
  const baseUrl = settings.options?.baseUrl ?? settings.baseUrl ?? BASE_URL;
  const clock = settings.clock ?? new SimulatedClock({ paused: true });
  const manufacturer = new ManufacturerServer(clock);
  const entropy = new SeededEntropy(seed);
  const environment = {
    now: () => epochMs + clock.nowMs(),
    random(count: number) {
      const bytes = new Uint8Array(count);
      entropy.fill(bytes, 0, count);
      return bytes;
    },
    verify: settings.keys?.verify,
    ...manufacturer.environment,
  };
  const options = {
    baseUrl,
    refreshTokenRotation: settings.rotate,
    verificationUriComplete: true,
    pollToleranceMs: POLL_TOLERANCE_MS,
    // With nonces, the service does not check the time in a proof. The proof has real time, which may be hours behind
    // simulated time.
    dpopNonces: true,
    ...settings.options,
  };
  const service = createService({ ...environment, fixture: settings.fixture, options });
  const simulation = new Simulation({
    clock,
    epochMs,
    http: new DirectHttp(service, environment.now),
    storage: new MemoryStorage(),
    entropy: new SeededEntropy(seed + 1),
    signer: settings.keys?.signer,
    config: deviceConfig({}),
    endpoints: endpointsOf(baseUrl),
    columns: settings.columns,
    rows: settings.rows,
    service,
    account: settings.account,
    issuer: service.issuer,
    fixture: settings.fixture,
    manufacturer,
    kind: deviceKind(settings.device ?? "bare"),
    language: settings.language,
  });
  if (settings.client !== undefined) simulation.useClient(settings.client);
  else simulation.useOwnClient();
  return simulation;
}
