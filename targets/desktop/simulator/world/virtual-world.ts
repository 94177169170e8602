// A world without sockets and files: requests go straight to the service's logic, records into memory, and
// chance comes from a seed. Scenarios run in it on a clock of their own, and the playground in a page.
import type { Core } from "../../../../platform/driver.ts";
import { SeededEntropy } from "../../../../platform/fake/entropy.ts";
import { MemoryStorage } from "../../../../platform/fake/storage.ts";
import type { Language } from "../../../../platform/languages/index.ts";
import type { FixtureInput } from "../../../service/fixture.ts";
import type { ServiceOptionsInput } from "../../../service/options.ts";
import { createService } from "../../../service/service.ts";
import { deviceKind } from "../device/kinds.ts";
import { Simulation } from "../simulation.ts";
import { changeableService } from "./changeable-service.ts";
import { DirectHttp } from "./direct-http.ts";
import { MakerServer } from "./maker-server.ts";
import { deviceConfig, endpointsOf, POLL_TOLERANCE_MS } from "./simulated.ts";
import { WorldClock } from "./world-clock.ts";

const EPOCH_MS = Date.UTC(2026, 0, 1);
/** Scenarios name it, and are written for it. */
const BASE_URL = "http://127.0.0.1:8628";

export interface VirtualWorldSettings {
  readonly columns: number;
  readonly rows: number;
  readonly account: string;
  readonly rotate: boolean;
  readonly fixture: FixtureInput;
  readonly seed?: number;
  /** By default one that stands still until it is driven. */
  readonly clock?: WorldClock;
  /** Calendar time at the clock's zero; 2026-01-01 by default. */
  readonly epochMs?: number;
  /** Where the service is said to be; by default where scenarios have it. */
  readonly baseUrl?: string;
  /** The core that the device runs, such as the shipped bundle; the sources by default. */
  readonly core?: Core | undefined;
  /** Whether the phone's pages are to be shown in a frame. */
  readonly framed?: boolean;
  /** Client of the fixture that the device is; the TV by default. */
  readonly client?: string;
  /** What the device looks like (device/kinds.ts); a bare display by default. */
  readonly device?: string;
  /** Of the display; English by default. */
  readonly language?: Language;
  /** Further options of the service. */
  readonly options?: ServiceOptionsInput;
}

/** The device has dice of its own. */
export function deviceSeed(seed: number): number {
  return seed + 1;
}

export function createVirtualWorld(settings: VirtualWorldSettings): Simulation {
  const { seed = 1, epochMs = EPOCH_MS } = settings;
  const baseUrl = settings.options?.baseUrl ?? settings.baseUrl ?? BASE_URL;
  const clock = settings.clock ?? new WorldClock({ paused: true });
  const maker = new MakerServer(clock);
  const entropy = new SeededEntropy(seed);
  const environment = {
    now: () => epochMs + clock.nowMs(),
    random(count: number) {
      const bytes = new Uint8Array(count);
      entropy.fill(bytes, 0, count);
      return bytes;
    },
    ...maker.environment,
  };
  const options = {
    baseUrl,
    refreshTokenRotation: settings.rotate,
    pollToleranceMs: POLL_TOLERANCE_MS,
    framedBySelf: settings.framed ?? false,
    ...settings.options,
  };
  const first = createService({ ...environment, fixture: settings.fixture, options });
  const { service, beginAnew } = changeableService(first, (fixture, present) =>
    createService({ ...environment, fixture, options: present }),
  );
  const simulation = new Simulation({
    clock,
    epochMs,
    http: new DirectHttp(service),
    storage: new MemoryStorage(),
    entropy: new SeededEntropy(deviceSeed(seed)),
    seed,
    config: deviceConfig({}),
    endpoints: endpointsOf(baseUrl),
    columns: settings.columns,
    rows: settings.rows,
    service,
    account: settings.account,
    core: settings.core,
    issuer: baseUrl,
    fixture: settings.fixture,
    beginAnew,
    maker,
    kind: deviceKind(settings.device ?? "bare"),
    language: settings.language,
  });
  if (settings.client !== undefined) simulation.useClient(settings.client);
  else simulation.useOwnClient();
  return simulation;
}
