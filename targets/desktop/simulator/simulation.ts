// A simulation: a device with power switch and buttons, the network, the user with a phone, the service and a clock.
import * as core from "../../../core/complete.ts";
import { State } from "../../../core/complete.ts";
import type { Entropy, Http, HttpRequest, Signer, Storage } from "../../../platform/contracts.ts";
import type { RomName } from "../../../platform/display/display-rom.ts";
import { type Language, messagesFor, usualRom } from "../../../platform/display/languages.ts";
import {
  Driver,
  type DriverConfig,
  type Endpoints,
  type Translate,
} from "../../../platform/driver.ts";
import { Keys } from "../../../platform/exchange/keys.ts";
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
import { ManufacturerServer } from "./environment/manufacturer-server.ts";
import { Network } from "./environment/network.ts";
import type { SimulatedClock } from "./environment/simulated-clock.ts";
import { ExchangeLog } from "./log/exchanges.ts";
import { type Decision, Decisions, Moments, Timeline } from "./log/timeline.ts";
import { watchPages } from "./log/user.ts";

export interface SimulationSettings {
  readonly clock: SimulatedClock;
  /** Real time at the clock's zero, in milliseconds since 1970. */
  readonly epochMs: number;
  readonly http: Http;
  readonly storage: Storage;
  readonly entropy: Entropy;
  /** Signs proofs of possession (DPoP). Undefined: the device has no key. */
  readonly signer?: Signer | undefined;
  readonly config: DriverConfig;
  readonly endpoints: Endpoints;
  readonly allowHttp?: boolean;
  readonly translate?: Translate | undefined;
  /** Device memory in bytes, without the extra bytes for a large display. Default: 6144. */
  readonly memoryBytes?: number | undefined;
  readonly columns: number;
  readonly rows: number;
  readonly issuer?: string | undefined;
  readonly service?: Service | undefined;
  readonly account: string;
  readonly kind?: DeviceKind | undefined;
  readonly language?: Language | undefined;
  readonly rom?: RomName | undefined;
  readonly fixture?: FixtureInput | undefined;
  readonly manufacturer?: ManufacturerServer | undefined;
}

/** With 4096 bytes, the core could not poll for security events (core/SPEC.md). */
const MEMORY_BYTES = 6144;
/** MEMORY_BYTES suffices for a display with this number of cells. Each further cell needs two more bytes. */
const CELLS_INCLUDED = 160;

export function memoryFor(
  { memoryBytes = MEMORY_BYTES }: SimulationSettings,
  cells: number,
): number {
  return memoryBytes + 2 * Math.max(0, cells - CELLS_INCLUDED);
}

export type Button = "new-code" | "cancel" | "sign-out" | "list";
export const BUTTONS: readonly Button[] = ["new-code", "cancel", "sign-out", "list"];

const WAITING: readonly number[] = [
  State.REQUESTING,
  State.PENDING,
  State.REFRESHING,
  State.REVOKING,
];
/** The core reports 100,000,000 s for an unknown or very long lifetime (core/SPEC.md). No countdown is shown for it. */
const UNKNOWN_LIFETIME_S = 90_000_000;

export class Simulation {
  readonly clock: SimulatedClock;
  readonly service: Service | undefined;
  readonly storage: MeteredStorage;
  readonly exchanges: ExchangeLog;
  readonly network: Network;
  readonly timeline: Timeline;
  readonly settings: SimulationSettings;
  readonly usualOptions: ServiceOptionsInput | undefined;
  readonly paper: Paper;
  readonly manufacturer: ManufacturerServer;
  kind: DeviceKind;
  language: Language;
  config: DriverConfig;
  readonly fixture: FixtureInput | undefined;
  display: FrameDisplay;
  application: Application;
  driver: Driver | undefined;
  /** The device's last GET with an access token in the header. */
  lastCall: HttpRequest | undefined;
  /** The simulated time of the device's last change. Its countdowns, such as `waitMs`, are from then. */
  countedMs = 0;
  #keys: Keys | undefined;
  readonly #decisions: Decisions;
  readonly #listeners = new Set<() => void>();

  constructor(settings: SimulationSettings) {
    this.settings = settings;
    this.clock = settings.clock;
    this.service = settings.service;
    this.fixture = settings.fixture;
    this.usualOptions = settings.service && { ...settings.service.options };
    this.storage = new MeteredStorage(settings.storage);
    const changed = (): void => this.#report();
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
    this.paper = new Paper();
    this.manufacturer = settings.manufacturer ?? new ManufacturerServer(this.clock);
    this.manufacturer.clientId = this.config.clientId;
    if (settings.service) {
      this.manufacturer.attach(settings.service, settings.fixture ?? {}, moments, (claims) =>
        this.#take(claims),
      );
      this.#watchDecisions(settings.service);
      const reported = (): void => this.#report();
      watchPages(settings.service, this.timeline, () => this.userCode !== "", reported);
    }
    this.display = new FrameDisplay(settings.columns, settings.rows, changed, rom);
    this.application = this.#newApplication();
  }

  /** Calls `listener` after each change. The returned function ends this. */
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
      eventsAuthorization: this.manufacturer.authorization,
      verifyEvent: (bytes, from, to) => this.manufacturer.verifyPolled(bytes, from, to),
      allowHttp: this.settings.allowHttp ?? false,
      translate: this.settings.translate,
      keys: this.#usedKeys(),
      memoryBytes: memoryFor(this.settings, columns * rows),
      onChange: () => this.#deviceChanged(),
      onApiBody: (bytes, from, to) => this.application.body(bytes, from, to),
    });
    this.timeline.note("power on");
    this.countedMs = this.clock.nowMs();
    this.driver.start();
  }

  /** Returns the same object after a power cycle, because the object stores whether the tokens are bound to the key. */
  #usedKeys(): Keys | undefined {
    const { signer, entropy } = this.settings;
    if (signer === undefined || (this.service?.options.dpop ?? "off") === "off") return undefined;
    // Signing takes real time, so the simulated clock stops until the request is sent.
    const sign: Signer["sign"] = (bytes) => {
      setImmediate(this.clock.hold());
      return signer.sign(bytes);
    };
    const { clientId } = this.config;
    const own = { signer: { ...signer, sign }, entropy, clientId };
    this.#keys ??= new Keys({ ...own, dpop: "auto" });
    return this.#keys;
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

  resize(columns: number, rows: number): void {
    const display = new FrameDisplay(columns, rows, () => this.#report(), this.display.rom);
    this.#whileOff(() => {
      this.display = display;
    });
  }

  /** Changes the kind of device, and its client if that was the default one. */
  become(kind: DeviceKind): void {
    const wasItself = this.config.clientId === this.kind.client;
    this.#whileOff(() => {
      this.kind = kind;
      if (wasItself) this.useOwnClient();
      this.resize(kind.columns, kind.rows);
      this.timeline.note(`the device is a ${kind.title} now, known as ${this.config.clientId}`);
    });
  }

  /** Selects the device's default client, if the service has it. */
  useOwnClient(): void {
    const { client } = this.kind;
    const isKnown = this.fixture?.clients?.some(({ id }) => id === client) === true;
    if (isKnown && this.config.clientId !== client) this.useClient(client);
  }

  /** Changes the credentials. The device ignores its stored record, which belongs to the previous client. */
  useClient(clientId: string, secret?: string): void {
    // Set this before the restart, because the device may then poll for this client's events.
    this.manufacturer.clientId = clientId;
    this.#configure(credentialsOf(this.fixture, clientId, secret));
  }

  /** Changes the language and the ROM of the display. @throws RangeError if the ROM does not have the letters */
  useLanguage(language: Language, rom: RomName = usualRom(language)): void {
    const messages = messagesFor(language, rom);
    const { columns, rows } = this.display;
    this.#whileOff(() => {
      this.language = language;
      this.display = new FrameDisplay(columns, rows, () => this.#report(), rom);
      this.config = { ...this.config, messages };
    });
  }

  /** `scopes` are short names (device spec §5.5), or full names. */
  useScope(scopes: readonly string[]): void {
    this.#configure({ scope: scopeOf(scopes) });
    // Request a new code, because a stored one has the previous scopes.
    this.driver?.signIn();
  }

  #configure(changes: Partial<DriverConfig>): void {
    this.#whileOff(() => {
      this.config = { ...this.config, ...changes };
    });
  }

  #whileOff(change: () => void): void {
    const wasOn = this.isOn;
    this.powerOff();
    change();
    if (wasOn) this.powerOn();
    this.#report();
  }

  /** Starts an API call. Returns "", or the reason why the call cannot start. */
  call(name: CallName, words: readonly string[]): string {
    const { driver } = this;
    if (driver === undefined) return "the device has no power";
    const problem = this.application.request(driver, name, readWords(words));
    this.#report();
    return problem;
  }

  press(button: Button): void {
    const { driver } = this;
    if (driver === undefined) return;
    if (button === "new-code") driver.signIn();
    else if (button === "cancel") driver.cancel();
    else if (button === "sign-out") driver.signOut();
    else {
      this.application.refresh();
      if (this.application.attend(driver)) this.#report();
    }
  }

  get userCode(): string {
    return shownText(this.driver?.device, this.display, core.Field.USER_CODE);
  }

  get verificationUri(): string {
    return shownText(this.driver?.device, this.display, core.Field.VERIFICATION_URI);
  }

  /** Empty until the server has confirmed the code, because users should only scan valid codes. */
  get verificationUriComplete(): string {
    if (this.driver?.device.codeConfirmed !== 1) return "";
    return shownText(this.driver.device, this.display, core.Field.VERIFICATION_URI_COMPLETE);
  }

  /** The user allows or denies the code on the display. */
  decide(decision: "allow" | "deny", account = this.settings.account): DecisionOutcome | "no-code" {
    const { service, userCode } = this;
    if (service === undefined || userCode === "") return "no-code";
    this.#decisions.isByKey = true;
    const outcome =
      decision === "allow" ? service.approve(userCode, account) : service.deny(userCode);
    this.#decisions.isByKey = false;
    this.#report();
    return outcome;
  }

  get lastAccount(): string {
    return this.#decisions.accountId ?? this.settings.account;
  }

  /** The decision about the code on the display; without a code, the last decision. */
  get decision(): Decision | undefined {
    const state = this.driver?.device.state;
    const isOut = state === State.FAILED || state === State.SIGNED_OUT;
    return this.#decisions.about(this.userCode, isOut);
  }

  #watchDecisions(service: Service): void {
    service.observe((event) => {
      if (event.type !== "attempt") return;
      if (event.clientId !== this.config.clientId) return;
      const { name = "the app" } =
        this.fixture?.clients?.find(({ id }) => id === event.clientId) ?? {};
      if (this.#decisions.receive(event, this.userCode, name)) this.#report();
    });
  }

  #take(claims: Uint8Array): string | undefined {
    const { driver } = this;
    if (driver === undefined) return undefined;
    let isApplied = 0;
    driver.happen(() => {
      isApplied = driver.core.applySecurityEvent?.(driver.device, claims, 0, claims.length) ?? 0;
    });
    this.#report();
    return isApplied ? "applied" : "nothing to apply it to";
  }

  #printSlip(driver: Driver): void {
    if (!this.kind.hasPaper) return;
    const { userCode: code, verificationUri: address, verificationUriComplete: complete } = this;
    const minutes = Math.round(driver.device.codeLifetimeS / 60);
    const isOnPaper = driver.device.codeResumed === 1;
    const slip = { address, code, complete, minutes };
    this.paper.printNew(this.clock.nowMs(), this.language, slip, isOnPaper);
  }

  /** Whether the device is signed in, and the API call after the sign-in has ended. */
  get isSettled(): boolean {
    return this.driver?.device.state === State.SIGNED_IN && this.application.isDone;
  }

  touch(): void {
    this.#report();
  }

  #newApplication(): Application {
    const { endpoints } = this.settings;
    const first = firstCall(this.config.scope, endpoints.resources);
    return new Application(first, this.settings.issuer ?? "");
  }

  /** Milliseconds until the next request, and until code and token expire. 0: unknown, or it does not apply now. */
  get left(): { poll: number; code: number; access: number } {
    const device = this.driver?.device;
    if (device === undefined) return { poll: 0, code: 0, access: 0 };
    const sinceMs = this.clock.nowMs() - this.countedMs;
    const left = (ms: number): number => Math.max(0, ms - sinceMs);
    const lifetime = (seconds: number): number =>
      seconds >= UNKNOWN_LIFETIME_S ? 0 : left(seconds * 1000);
    const { state } = device;
    return {
      poll: WAITING.includes(state) && !device.inFlight ? left(device.waitMs) : 0,
      code: state === State.PENDING ? lifetime(device.codeLifetimeS) : 0,
      access:
        state === State.SIGNED_IN || state === State.REFRESHING
          ? lifetime(device.accessLifetimeS)
          : 0,
    };
  }

  /** Logs the device's state before each request. */
  #watchedNetwork(): Http {
    const { network, timeline } = this;
    return {
      send: (request, sink) => {
        if (this.driver) timeline.observe(this.driver);
        const { method, authorization } = request;
        if (method === "GET" && /^(Bearer|DPoP) /.test(authorization)) this.lastCall = request;
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
    // If `attend` has started or ended a call, the device changes again, and this function runs again.
    if (!this.application.attend(driver)) this.#report();
  }

  #report(): void {
    for (const listener of this.#listeners) listener();
  }
}
