// One simulated world: a device with power switch and buttons, the network, the person with the second
// device, the service, one clock. What is drawn of it, and where, is decided elsewhere (view.ts).
import * as core from "../../../core/complete.ts";
import { State } from "../../../core/complete.ts";
import type { Entropy, Http, Storage } from "../../../platform/contracts.ts";
import {
  type Core,
  Driver,
  type DriverConfig,
  type Endpoints,
  type Translate,
} from "../../../platform/driver.ts";
import { asciiOf } from "../../../platform/text.ts";
import type { DecisionOutcome } from "../../service/decisions.ts";
import type { Service } from "../../service/service.ts";
import { Application } from "./device/application.ts";
import { FrameDisplay } from "./device/frame-display.ts";
import { MeteredStorage } from "./device/metered-storage.ts";
import { ExchangeLog } from "./log/exchanges.ts";
import { Moments } from "./log/moments.ts";
import { Timeline } from "./log/timeline.ts";
import { Network } from "./world/network.ts";
import type { WorldClock } from "./world/world-clock.ts";

export interface SimulationSettings {
  readonly clock: WorldClock;
  /** Calendar time at the clock's zero, ms since 1970. */
  readonly epochMs: number;
  readonly http: Http;
  readonly storage: Storage;
  readonly entropy: Entropy;
  readonly config: DriverConfig;
  readonly endpoints: Endpoints;
  readonly allowHttp?: boolean;
  readonly translate?: Translate | undefined;
  /** The core that the device runs; the sources by default. */
  readonly core?: Core | undefined;
  /** For the core, beside what a large display needs; 4096 by default. */
  readonly memoryBytes?: number | undefined;
  readonly columns: number;
  readonly rows: number;
  /** The embedded service; undefined where the device talks to a real one. */
  readonly service?: Service | undefined;
  /** Who allows, unless another account is named. */
  readonly account: string;
}

export type Button = "new-code" | "cancel" | "sign-out" | "list";
export const BUTTONS: readonly Button[] = ["new-code", "cancel", "sign-out", "list"];

const MEMORY_BYTES = 4096;
/** Frame and status line are in the memory: a large display brings its own. */
const CELLS_INCLUDED = 160;

export class Simulation {
  readonly clock: WorldClock;
  readonly service: Service | undefined;
  readonly storage: MeteredStorage;
  readonly exchanges: ExchangeLog;
  readonly network: Network;
  readonly timeline: Timeline;
  readonly settings: SimulationSettings;
  display: FrameDisplay;
  application: Application;
  driver: Driver | undefined;
  /** The world's time when the device last counted its own clocks. */
  countedMs = 0;
  readonly #listeners = new Set<() => void>();

  constructor(settings: SimulationSettings) {
    this.settings = settings;
    this.clock = settings.clock;
    this.service = settings.service;
    this.storage = new MeteredStorage(settings.storage);
    const changed = (): void => this.#tell();
    const moments = new Moments(() => this.clock.nowMs());
    this.exchanges = new ExchangeLog(moments, changed);
    this.network = new Network(
      settings.http,
      this.clock,
      this.exchanges,
      settings.service !== undefined,
    );
    this.timeline = new Timeline(moments);
    this.display = new FrameDisplay(settings.columns, settings.rows, changed);
    this.application = this.#newApplication();
  }

  /** Calls `listener` after anything has changed; the returned function ends that. */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  get calendarMs(): number {
    return this.settings.epochMs + this.clock.nowMs();
  }

  get isOn(): boolean {
    return this.driver !== undefined;
  }

  powerOn(): void {
    if (this.driver !== undefined) return;
    this.application = this.#newApplication();
    const { columns, rows } = this.display;
    this.driver = new Driver({
      core: this.settings.core ?? core,
      platform: {
        http: this.#watchedNetwork(),
        timers: this.clock.timers(),
        storage: this.storage,
        display: this.display,
        entropy: this.settings.entropy,
      },
      config: this.settings.config,
      endpoints: this.settings.endpoints,
      allowHttp: this.settings.allowHttp ?? false,
      translate: this.settings.translate,
      memoryBytes:
        (this.settings.memoryBytes ?? MEMORY_BYTES) +
        2 * Math.max(0, columns * rows - CELLS_INCLUDED),
      onChange: () => this.#deviceChanged(),
      onApiBody: (bytes, from, to) => this.application.body(bytes, from, to),
    });
    this.timeline.note("power on");
    this.countedMs = this.clock.nowMs();
    this.driver.start();
  }

  powerOff(): void {
    if (this.driver === undefined) return;
    this.timeline.note("power off");
    this.driver.stop();
    this.driver = undefined;
    this.display.darken();
  }

  powerCycle(): void {
    this.powerOff();
    this.powerOn();
  }

  /** Another display on the same device: it is taken from the power meanwhile. */
  resize(columns: number, rows: number): void {
    const display = new FrameDisplay(columns, rows, () => this.#tell());
    const wasOn = this.isOn;
    this.powerOff();
    this.display = display;
    if (wasOn) this.powerOn();
    this.#tell();
  }

  /** A button of the device. Nothing happens without power. */
  press(button: Button): void {
    const { driver } = this;
    if (driver === undefined) return;
    if (button === "new-code") driver.signIn();
    else if (button === "cancel") driver.cancel();
    else if (button === "sign-out") driver.signOut();
    else {
      this.application.refresh();
      if (this.application.attend(driver)) this.#tell();
    }
  }

  /** The code on the display, "" where none is shown. */
  get userCode(): string {
    return this.#shown(core.Field.USER_CODE);
  }

  get verificationUri(): string {
    return this.#shown(core.Field.VERIFICATION_URI);
  }

  get verificationUriComplete(): string {
    return this.#shown(core.Field.VERIFICATION_URI_COMPLETE);
  }

  /** The person with the second device allows or denies what the display asks for. */
  decide(decision: "allow" | "deny", account = this.settings.account): DecisionOutcome | "no-code" {
    const { service, userCode } = this;
    if (service === undefined || userCode === "") return "no-code";
    this.timeline.note(decision === "allow" ? `${account} allows` : "user denies");
    const outcome =
      decision === "allow" ? service.approve(userCode, account) : service.deny(userCode);
    this.#tell();
    return outcome;
  }

  /** The device is signed in and has done what it does then. */
  get isSettled(): boolean {
    return this.driver?.device.state === State.SIGNED_IN && this.application.isDone;
  }

  /** Tells the listeners; for what changes the world from outside. */
  touch(): void {
    this.#tell();
  }

  #shown(region: number): string {
    const device = this.driver?.device;
    if (device === undefined || device.codeShown !== 1) return "";
    const from = device.start[region]!;
    return asciiOf(device.memory, from, from + Math.max(0, device.length[region]!));
  }

  #newApplication(): Application {
    return new Application(this.settings.endpoints.videoApi !== "");
  }

  /** The network, with a look at the device before each request: the state that led to it comes first. */
  #watchedNetwork(): Http {
    const { network, timeline } = this;
    return {
      send: (request, sink) => {
        if (this.driver) timeline.observe(this.driver.device);
        network.send(request, sink);
      },
      abort: () => network.abort(),
    };
  }

  #deviceChanged(): void {
    const { driver } = this;
    if (driver === undefined) return;
    this.countedMs = this.clock.nowMs();
    this.timeline.observe(driver.device);
    // Whatever it does leads back here.
    if (!this.application.attend(driver)) this.#tell();
  }

  #tell(): void {
    for (const listener of this.#listeners) listener();
  }
}
