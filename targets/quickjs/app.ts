// The device program: a driver on the QuickJS adapters, commands read line by line, and events printed
// line by line for other programs. Not here: the command line (main.ts) and the configuration.

import * as core from "../../core/complete.ts";
import { type DeviceConfig, driverOptionsOf } from "../../platform/configuration/device-config.ts";
import type { Bytes } from "../../platform/contracts.ts";
import { CopyingHttp, clientAuthenticationFor, methodsIn } from "../../platform/discovery.ts";
import { Driver, type StepUp } from "../../platform/driver.ts";
import type { QuickJsPlatform } from "../../platform/quickjs/index.ts";
import { asciiOf, bytesOf } from "../../platform/text.ts";
import { missingMemberOf, missingRoomOf } from "../../platform/unfit-answer.ts";

const { Endpoint, CallState, ErrorCode, Field, State } = core;

/** Where events go; `bytes` follow their line as they are. */
export type Emit = (event: Record<string, string | number>, bytes?: readonly number[]) => void;

/** Calls back once, `afterMs` from now. */
export type Later = (afterMs: number, ring: () => void) => void;

type Asked = "none" | "call" | "discovery";

/** Without the metadata there is nothing to do but to ask again: soon at first, then once a minute. */
const DISCOVERY_WAIT_MIN_MS = 2500;
const DISCOVERY_WAIT_MAX_MS = 60_000;

export class App {
  #driver: Driver;
  #config: DeviceConfig;
  readonly #platform: QuickJsPlatform;
  readonly #http: CopyingHttp;
  readonly #emit: Emit;
  /** Whether the server's addresses are known. */
  #isFound: boolean;
  #asked: Asked = "none";
  #answer: number[] = [];
  /** Of the next sign-in, by an API. */
  #demand: StepUp | undefined;
  #shown = "";
  #discoveryWaitMs = DISCOVERY_WAIT_MIN_MS;
  readonly #later: Later;

  constructor(config: DeviceConfig, platform: QuickJsPlatform, emit: Emit, later: Later) {
    this.#later = later;
    this.#config = config;
    this.#emit = emit;
    this.#http = new CopyingHttp(platform.http);
    // Not a copy of its members: what stands before another platform has some of them from that one.
    this.#platform = Object.assign(Object.create(platform) as QuickJsPlatform, {
      http: this.#http,
    });
    this.#isFound = config.issuer === undefined;
    this.#driver = this.#makeDriver();
  }

  #makeDriver(): Driver {
    const own = driverOptionsOf(this.#config);
    return new Driver({
      core,
      platform: this.#platform,
      ...own,
      // Without addresses nothing can be asked for yet.
      config: this.#isFound ? own.config : { ...own.config, autoStart: 0 },
      onChange: () => this.#changed(),
      onApiBody: (bytes, from, to) => this.#gather(bytes, from, to),
    });
  }

  start(): void {
    this.#driver.start();
    if (this.#config.issuer !== undefined) this.#discover();
  }

  stop(): void {
    this.#driver.stop();
  }

  /** One command of the user, or of another program; an unknown one is answered with an event. */
  command(line: string): void {
    const [verb = "", ...rest] = line.trim().split(" ");
    switch (verb) {
      case "":
        break;
      case "sign-in":
        this.#signIn();
        break;
      case "cancel":
        this.#driver.cancel();
        break;
      case "sign-out":
        this.#driver.signOut();
        break;
      case "status":
        this.#driver.setStatus(rest.join(" ").replace(/[^ -~]/g, "?"));
        break;
      case "get":
        this.#call(rest[0] ?? "", rest.slice(1).join(" "));
        break;
      default:
        this.#emit({ event: "refused", reason: "unknown command" });
    }
  }

  /** What an API has wanted of a sign-in goes into the request for a code (RFC 9470 §4): by another device, then. */
  #signIn(): void {
    const { state } = this.#driver.device;
    const demand = this.#demand;
    const isFree = state === State.SIGNED_OUT || state === State.FAILED;
    this.#demand = isFree ? undefined : demand;
    if (isFree && demand !== undefined) {
      const { deviceParameters } = this.#config;
      this.#startAnew({ deviceParameters: { ...deviceParameters, ...demand } });
    }
    this.#driver.signIn();
  }

  /** Calls an API: its place in the configuration's endpoints.resources, and what follows its address. */
  #call(place: string, target: string): void {
    if (!/^\d{1,2}$/.test(place) || !/^[!-~]*$/.test(target)) {
      const reason = "get N TARGET: N is the API's place in endpoints.resources, from 0";
      this.#emit({ event: "refused", reason });
      return;
    }
    const endpoint = Endpoint.RESOURCE + Number(place);
    const { device } = this.#driver;
    const bytes = bytesOf(target);
    if (this.#asked !== "none" || core.beginCall(device) === 0) {
      this.#emit({ event: "refused", reason: "not signed in, or a call is under way" });
      return;
    }
    core.addPath(device, bytes, 0, bytes.length);
    this.#answer = [];
    if (core.sendCall(device, endpoint, 1, null, 0, 0) === 0) {
      this.#emit({ event: "refused", reason: "the target is too long" });
      return;
    }
    this.#asked = "call";
    this.#driver.run();
  }

  #discover(): void {
    if (this.#asked !== "none") {
      this.#later(DISCOVERY_WAIT_MIN_MS, () => this.#discover());
      return;
    }
    const issuer = bytesOf(this.#config.issuer ?? "");
    if (core.discover(this.#driver.device, issuer, 0, issuer.length) === 0) {
      this.#emit({ event: "refused", reason: "issuer is too long for limits.memoryBytes" });
      return;
    }
    this.#asked = "discovery";
    if (this.#learnsMethod()) this.#http.begin();
    this.#driver.run();
  }

  /** Whether the metadata has to say how the client authenticates: it has a secret, and nobody has said. */
  #learnsMethod(): boolean {
    const { clientSecret, clientAuthentication } = this.#config;
    return clientSecret !== undefined && clientAuthentication === undefined;
  }

  /** A device that the server wants to be otherwise; what is stored stays. */
  #startAnew(changed: Partial<DeviceConfig>): void {
    const config = this.#config;
    const driver = this.#driver;
    this.#config = { ...config, ...changed, endpoints: driver.endpoints };
    this.#isFound = true;
    try {
      this.#driver = this.#makeDriver();
    } catch (error) {
      // There is no room for it: the one before goes on.
      this.#config = config;
      this.#emit({ event: "refused", reason: (error as Error).message });
      return;
    }
    driver.stop();
    this.#driver.start();
  }

  #signInByItself(): void {
    const waits = this.#driver.device.state === State.SIGNED_OUT;
    if (waits && this.#config.autoStart !== false) this.#driver.signIn();
  }

  /** The device may have moved on: says so once, and finishes a call that is done. */
  #changed(): void {
    this.#report();
    const { callState } = this.#driver.device;
    if (this.#asked === "none" || callState !== CallState.DONE) return;
    const done = this.#asked;
    this.#asked = "none";
    if (done === "call") this.#answered();
    else this.#discovered();
  }

  #report(): void {
    const { state, error } = this.#driver.device;
    const room = missingRoomOf(this.#driver.device);
    const lack = missingMemberOf(this.#driver.device);
    const now = {
      event: "state",
      state: nameOf(State, state),
      error: nameOf(ErrorCode, error),
      ...(room !== "" && { room }),
      ...(lack !== "" && { lack }),
    };
    const text = JSON.stringify(now);
    if (text === this.#shown) return;
    this.#shown = text;
    this.#emit(now);
  }

  #answered(): void {
    const { stepUp } = this.#driver;
    const { callError, callStatus } = this.#driver.device;
    this.#demand = stepUp ?? this.#demand;
    const event = {
      event: "answer",
      // The core was told otherwise, so that it refreshes nothing.
      status: stepUp === undefined ? callStatus : 401,
      ...stepUp,
      error: nameOf(ErrorCode, callError),
      bytes: this.#answer.length,
    };
    this.#emit(event, this.#answer);
    this.#answer = [];
  }

  #discovered(): void {
    const { device } = this.#driver;
    const document = this.#http.take();
    this.#emit({ event: "discovery", error: nameOf(ErrorCode, device.callError) });
    if (device.callError !== ErrorCode.NONE) {
      this.#discoveryWaitMs = Math.min(2 * this.#discoveryWaitMs, DISCOVERY_WAIT_MAX_MS);
      this.#later(this.#discoveryWaitMs, () => this.#discover());
      return;
    }
    const found = {
      deviceAuthorization: textOf(this.#driver, Field.VALUE_B),
      token: textOf(this.#driver, Field.VALUE_C),
      revocation: textOf(this.#driver, Field.VALUE_D),
    };
    this.#driver.endpoints = { ...this.#driver.endpoints, ...found, ...this.#config.endpoints };
    if (!this.#learnsMethod()) {
      this.#signInByItself();
      return;
    }
    try {
      const method = clientAuthenticationFor(methodsIn(document), true);
      // Not from within the driver that is to end.
      this.#later(0, () => this.#startAnew({ clientAuthentication: method }));
    } catch (error) {
      this.#emit({ event: "refused", reason: (error as Error).message });
    }
  }

  #gather(bytes: Bytes, from: number, to: number): void {
    for (let at = from; at < to; at++) this.#answer.push(bytes[at]!);
  }
}

function textOf(driver: Driver, field: number): string {
  const from = driver.device.start[field]!;
  return asciiOf(driver.memory, from, from + Math.max(0, driver.device.length[field]!));
}

/** `SIGNED_IN` of an enum as `signed-in`. */
function nameOf(names: Record<number, string>, value: number): string {
  return (names[value] ?? String(value)).toLowerCase().replaceAll("_", "-");
}
