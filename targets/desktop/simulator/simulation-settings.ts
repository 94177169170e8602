// What a simulated world is made of: its clock, its network, what the device keeps and shows, and the service in it.
import type { Entropy, Http, Storage } from "../../../platform/contracts.ts";
import type { Core, DriverConfig, Endpoints, Translate } from "../../../platform/driver.ts";
import type { PrinterSink } from "../../../platform/escpos.ts";
import type { RomName } from "../../../platform/languages/display-rom.ts";
import type { Language } from "../../../platform/languages/index.ts";
import type { FixtureInput } from "../../service/fixture.ts";
import type { Service } from "../../service/service.ts";
import type { DeviceKind } from "./device/kinds.ts";
import type { MakerServer } from "./world/maker-server.ts";
import type { WorldClock } from "./world/world-clock.ts";

export interface SimulationSettings {
  readonly clock: WorldClock;
  /** Calendar time at the clock's zero, ms since 1970. */
  readonly epochMs: number;
  readonly http: Http;
  readonly storage: Storage;
  readonly entropy: Entropy;
  /** What a replay of this world has to be given for the same chance (virtual-world.ts); undefined where there is none. */
  readonly seed?: number | undefined;
  readonly config: DriverConfig;
  readonly endpoints: Endpoints;
  readonly allowHttp?: boolean;
  readonly translate?: Translate | undefined;
  /** The core that the device runs; the sources by default. */
  readonly core?: Core | undefined;
  /** For the core, beside what a large display needs; 6144 by default. */
  readonly memoryBytes?: number | undefined;
  readonly columns: number;
  readonly rows: number;
  /** The server's issuer, for discovery. */
  readonly issuer?: string | undefined;
  /** The embedded service; undefined where the device talks to a real one. */
  readonly service?: Service | undefined;
  /** Who allows, unless another account is named. */
  readonly account: string;
  /** What the device looks like; a bare display by default. */
  readonly kind?: DeviceKind | undefined;
  /** A real printer, for a device that has paper. */
  readonly printer?: PrinterSink | undefined;
  /** Of the display; English by default. */
  readonly language?: Language | undefined;
  /** The display's character ROM; by default the one that suits the language. */
  readonly rom?: RomName | undefined;
  /** Accounts and clients of the embedded service. */
  readonly fixture?: FixtureInput | undefined;
  /** Has the embedded service begin anew with others (world/changeable-service.ts). */
  readonly beginAnew?: ((fixture: FixtureInput) => void) | undefined;
  /** The receiver of security events, whose environment the embedded service was made with. */
  readonly maker?: MakerServer | undefined;
}

/** A poll for security events wants more than 4096 (core/SPEC.md). */
const MEMORY_BYTES = 6144;
/** Frame and status line are in the memory: a large display brings its own. */
const CELLS_INCLUDED = 160;

/** What the core is given, in bytes, with a display of so many cells. */
export function memoryFor(
  { memoryBytes = MEMORY_BYTES }: SimulationSettings,
  cells: number,
): number {
  return memoryBytes + 2 * Math.max(0, cells - CELLS_INCLUDED);
}
