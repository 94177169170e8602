// One simulated world: a device with power switch and buttons, the network, the person with the second
// device, the service, one clock. What is drawn of it, and where, is decided elsewhere (view.ts).
import * as core from "../../../core/complete.ts";
import { State } from "../../../core/complete.ts";
import type { Entropy, Http, Storage } from "../../../platform/contracts.ts";
import type { RomName } from "../../../platform/display/display-rom.ts";
import type { PrinterSink } from "../../../platform/display/escpos.ts";
import { type Language, messagesFor, usualRom } from "../../../platform/display/languages.ts";
import {
  Driver,
  type DriverConfig,
  type Endpoints,
  type Translate,
} from "../../../platform/driver.ts";
import type { DecisionOutcome } from "../../service/decisions.ts";
import type { FixtureInput } from "../../service/fixture.ts";
import type { ServiceOptionsInput } from "../../service/options.ts";
import type { Service } from "../../service/service.ts";
import { Application, type CallName, readWords, withTokenInQuery } from "./device/application.ts";
import { FrameDisplay, shownText } from "./device/display.ts";
import {
  credentialsOf,
  DEVICE_KINDS,
  type DeviceKind,
  firstCall,
  scopeOf,
} from "./device/kinds.ts";
import { MeteredStorage } from "./device/metered-storage.ts";
import { Paper } from "./device/paper.ts";
import { ExchangeLog } from "./log/exchanges.ts";
import { watchPages } from "./log/person.ts";
import { type Decision, Decisions, Moments, Timeline } from "./log/timeline.ts";
import { MakerServer } from "./world/maker-server.ts";
import { Network } from "./world/network.ts";
import type { WorldClock } from "./world/world-clock.ts";

// What a simulated world is made of: its clock, its network, what the device keeps and shows, and the service in it.

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

export type Button = "new-code" | "cancel" | "sign-out" | "list";
export const BUTTONS: readonly Button[] = ["new-code", "cancel", "sign-out", "list"];

/** States in which the device waits for its next request. */
const WAITING: readonly number[] = [
  State.REQUESTING,
  State.PENDING,
  State.REFRESHING,
  State.REVOKING,
];
/** Where a lifetime is not known the core counts down from 100,000,000 (core/SPEC.md): three years are none. */
const UNKNOWN_LIFE_S = 90_000_000;

export class Simulation {
  readonly clock: WorldClock;
  readonly service: Service | undefined;
  readonly storage: MeteredStorage;
  readonly exchanges: ExchangeLog;
  readonly network: Network;
  readonly timeline: Timeline;
  readonly settings: SimulationSettings;
  /** The service's options before anybody changed one. */
  readonly usualOptions: ServiceOptionsInput | undefined;
  readonly paper: Paper;
  readonly maker: MakerServer;
  kind: DeviceKind;
  language: Language;
  /** What the maker of the device has set. */
  config: DriverConfig;
  /** Accounts and clients as the service began with them. */
  readonly fixture: FixtureInput | undefined;
  display: FrameDisplay;
  application: Application;
  driver: Driver | undefined;
  /** The world's time when the device last counted its own clocks. */
  countedMs = 0;
  readonly #decisions: Decisions;
  readonly #listeners = new Set<() => void>();

  constructor(settings: SimulationSettings) {
    this.settings = settings;
    this.clock = settings.clock;
    this.service = settings.service;
    this.fixture = settings.fixture;
    this.usualOptions = settings.service && { ...settings.service.options };
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
    this.#decisions = new Decisions(this.timeline);
    this.language = settings.language ?? "en";
    const rom = settings.rom ?? usualRom(this.language);
    this.config = settings.language
      ? { ...settings.config, messages: messagesFor(this.language, rom) }
      : settings.config;
    this.kind = settings.kind ?? DEVICE_KINDS[0]!;
    this.paper = new Paper(settings.printer);
    this.maker = settings.maker ?? new MakerServer(this.clock);
    this.maker.clientId = this.config.clientId;
    if (settings.service) {
      this.maker.attach(settings.service, settings.fixture ?? {}, moments, (claims) =>
        this.#take(claims),
      );
      this.#watchDecisions(settings.service);
      const told = (): void => this.#tell();
      watchPages(settings.service, this.timeline, () => this.userCode !== "", told);
    }
    this.display = new FrameDisplay(settings.columns, settings.rows, changed, rom);
    this.application = this.#newApplication();
  }

  /** Calls `listener` after anything has changed; the returned function ends that. */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  get isOn(): boolean {
    return this.driver !== undefined;
  }

  powerOn(): void {
    if (this.driver !== undefined) return;
    this.application = this.#newApplication();
    const { columns, rows } = this.display;
    this.driver = new Driver({
      core,
      platform: {
        http: this.#watchedNetwork(),
        timers: this.clock.timers(),
        storage: this.storage,
        display: this.display,
        entropy: this.settings.entropy,
      },
      config: this.config,
      endpoints: this.settings.endpoints,
      eventsAuthorization: this.maker.authorization,
      verifyEvent: (bytes, from, to) => this.maker.verifyPolled(bytes, from, to),
      allowHttp: this.settings.allowHttp ?? false,
      translate: this.settings.translate,
      memoryBytes: memoryFor(this.settings, columns * rows),
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
    const display = new FrameDisplay(columns, rows, () => this.#tell(), this.display.rom);
    this.#whileOff(() => {
      this.display = display;
    });
  }

  /**
   * Another device in the same place: its own display, paper or a screen where it has them, and its own client where
   * the device was by itself what the service knew it as.
   */
  become(kind: DeviceKind): void {
    const wasItself = this.config.clientId === this.kind.client;
    this.#whileOff(() => {
      this.kind = kind;
      if (wasItself) this.useOwnClient();
      this.resize(kind.columns, kind.rows);
      this.timeline.note(`the device is a ${kind.title} now, known as ${this.config.clientId}`);
    });
  }

  /** The client that such a device is by itself, as far as the service has it. */
  useOwnClient(): void {
    const { client } = this.kind;
    const isKnown = this.fixture?.clients?.some(({ id }) => id === client) === true;
    if (isKnown && this.config.clientId !== client) this.useClient(client);
  }

  /**
   * Other credentials for the device: those of a client of the service, or wrong ones. It starts anew, and
   * what it kept belongs to the other client.
   */
  useClient(clientId: string, secret?: string): void {
    // Before the device is switched on again: it asks for the events of this client.
    this.maker.clientId = clientId;
    this.#configure(credentialsOf(this.fixture, clientId, secret));
  }

  /**
   * The display's texts in another language, on a display with that ROM.
   * @throws RangeError where the ROM cannot show them
   */
  useLanguage(language: Language, rom: RomName = usualRom(language)): void {
    const messages = messagesFor(language, rom);
    const { columns, rows } = this.display;
    this.#whileOff(() => {
      this.language = language;
      this.display = new FrameDisplay(columns, rows, () => this.#tell(), rom);
      this.config = { ...this.config, messages };
    });
  }

  /** Other scopes to ask for, by their names in the document, or in full. */
  useScope(scopes: readonly string[]): void {
    this.#configure({ scope: scopeOf(scopes) });
    // A code that the device has kept is for the scopes before.
    this.driver?.signIn();
  }

  #configure(changes: Partial<DriverConfig>): void {
    this.#whileOff(() => {
      this.config = { ...this.config, ...changes };
    });
  }

  /** What changes the device takes it from the power meanwhile. */
  #whileOff(change: () => void): void {
    const wasOn = this.isOn;
    this.powerOff();
    change();
    if (wasOn) this.powerOn();
    this.#tell();
  }

  /** Asks for something that is written in the documents; "" or why that is not possible now. */
  call(name: CallName, words: readonly string[]): string {
    const { driver } = this;
    if (driver === undefined) return "the device has no power";
    const problem = this.application.ask(driver, name, readWords(words));
    this.#tell();
    return problem;
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
    return shownText(this.driver?.device, this.display, core.Field.USER_CODE);
  }

  get verificationUri(): string {
    return shownText(this.driver?.device, this.display, core.Field.VERIFICATION_URI);
  }

  /** For a QR code: "" also while a code is being checked, since only a good one is to be scanned. */
  get verificationUriComplete(): string {
    if (this.driver?.device.codeConfirmed !== 1) return "";
    return shownText(this.driver.device, this.display, core.Field.VERIFICATION_URI_COMPLETE);
  }

  /** The person with the second device allows or denies what the display asks for. */
  decide(decision: "allow" | "deny", account = this.settings.account): DecisionOutcome | "no-code" {
    const { service, userCode } = this;
    if (service === undefined || userCode === "") return "no-code";
    this.#decisions.isByKey = true;
    const outcome =
      decision === "allow" ? service.approve(userCode, account) : service.deny(userCode);
    this.#decisions.isByKey = false;
    this.#tell();
    return outcome;
  }

  /** Who decided last, or would: whom a refusal is about. */
  get lastAccount(): string {
    return this.#decisions.accountId ?? this.settings.account;
  }

  /** How the code on the display was decided about, or the last one where none is there. */
  get decision(): Decision | undefined {
    const state = this.driver?.device.state;
    const isOut = state === State.FAILED || state === State.SIGNED_OUT;
    return this.#decisions.about(this.userCode, isOut);
  }

  /** Whoever decides, by key or on the service's own pages. */
  #watchDecisions(service: Service): void {
    service.observe((event) => {
      if (event.type !== "attempt") return;
      if (event.clientId !== this.config.clientId) return;
      const { name = "the app" } =
        this.fixture?.clients?.find(({ id }) => id === event.clientId) ?? {};
      if (this.#decisions.hear(event, this.userCode, name)) this.#tell();
    });
  }

  /** A security event that the maker's server has verified; undefined where the device is off. */
  #take(claims: Uint8Array): string | undefined {
    const { driver } = this;
    if (driver === undefined) return undefined;
    let isApplied = 0;
    driver.happen(() => {
      isApplied = driver.core.applySecurityEvent?.(driver.device, claims, 0, claims.length) ?? 0;
    });
    this.#tell();
    return isApplied ? "applied" : "nothing to apply it to";
  }

  /** A slip comes out with each new code. */
  #printSlip(driver: Driver): void {
    if (!this.kind.hasPaper) return;
    const { userCode: code, verificationUri: address, verificationUriComplete: complete } = this;
    const minutes = Math.round(driver.device.codeLifeS / 60);
    const isOnPaper = driver.device.codeResumed === 1;
    const slip = { address, code, complete, minutes };
    this.paper.printNew(this.clock.nowMs(), this.language, slip, isOnPaper);
  }

  /** The device is signed in and has done what it does then. */
  get isSettled(): boolean {
    return this.driver?.device.state === State.SIGNED_IN && this.application.isDone;
  }

  /** Tells the listeners; for what changes the world from outside. */
  touch(): void {
    this.#tell();
  }

  #newApplication(): Application {
    const { endpoints } = this.settings;
    const first = firstCall(this.config.scope, endpoints.resources);
    return new Application(first, this.settings.issuer ?? "");
  }

  /** What runs down on the device, ms: until its next request, of the code and of the access token; 0 where nothing does. */
  get left(): { poll: number; code: number; access: number } {
    const device = this.driver?.device;
    if (device === undefined) return { poll: 0, code: 0, access: 0 };
    const sinceMs = this.clock.nowMs() - this.countedMs;
    const left = (ms: number): number => Math.max(0, ms - sinceMs);
    const life = (seconds: number): number =>
      seconds >= UNKNOWN_LIFE_S ? 0 : left(seconds * 1000);
    const { state } = device;
    return {
      poll: WAITING.includes(state) && !device.inFlight ? left(device.waitMs) : 0,
      code: state === State.PENDING ? life(device.codeLifeS) : 0,
      access:
        state === State.SIGNED_IN || state === State.REFRESHING ? life(device.accessLifeS) : 0,
    };
  }

  /** The network, with a look at the device before each request: the state that led to it comes first. */
  #watchedNetwork(): Http {
    const { network, timeline } = this;
    return {
      send: (request, sink) => {
        if (this.driver) timeline.observe(this.driver);
        network.send(this.application.tokenInQuery ? withTokenInQuery(request) : request, sink);
      },
      abort: () => network.abort(),
    };
  }

  #deviceChanged(): void {
    const { driver } = this;
    if (driver === undefined) return;
    this.countedMs = this.clock.nowMs();
    this.timeline.observe(driver);
    this.#printSlip(driver);
    // Whatever it does leads back here.
    if (!this.application.attend(driver)) this.#tell();
  }

  #tell(): void {
    for (const listener of this.#listeners) listener();
  }
}
