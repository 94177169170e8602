// The simulation as plain data for terminal and panel, without secrets except what the device displays.
import { Field, Region } from "../../../core/complete.ts";
import { printable } from "../../../platform/text/text.ts";
import type { CallOutcome } from "./device/application.ts";
import { type Modules, qrModules } from "./device/display.ts";
import type { DeviceName } from "./device/kinds.ts";
import type { SlotView } from "./device/metered-storage.ts";
import type { PrintedSlip } from "./device/paper.ts";
import { activeFaults } from "./environment/faults.ts";
import type { SecurityEvent } from "./environment/manufacturer-server.ts";
import type { ExchangeEntry } from "./log/exchanges.ts";
import { type Reason, reasonOfDevice } from "./log/reasons.ts";
import { type Decision, errorName, stateName, type TimelineEntry } from "./log/timeline.ts";
import type { Simulation } from "./simulation.ts";
import { administratorsStep, NO_CODE } from "./steps.ts";

/** A countdown. `totalMs` is 0 if none runs. */
export interface Gauge {
  readonly leftMs: number;
  readonly totalMs: number;
}

export interface View {
  readonly clock: {
    readonly ms: number;
    readonly speed: number;
    readonly paused: boolean;
    readonly jumpLeftMs: number;
  };
  readonly display: {
    readonly columns: number;
    readonly lit: boolean;
    /** The rows in Unicode, as the display's ROM shows them, without control characters. */
    readonly lines: readonly string[];
  };
  readonly device: {
    readonly kind: DeviceName;
    readonly title: string;
    readonly client: string;
    readonly on: boolean;
    readonly state: string;
    readonly error: string;
    readonly reason: Reason | undefined;
    readonly inFlight: boolean;
    readonly poll: Gauge;
    readonly code: Gauge;
    readonly access: Gauge;
    readonly userCode: string;
    readonly verificationUri: string;
  };
  /** The QR code, as rows of `1` (dark) and `0`; [] if there is no code. */
  readonly qr: readonly string[];
  readonly slips: readonly SlipView[];
  readonly call: CallOutcome | undefined;
  readonly decision: Decision | undefined;
  /** The step with which an administrator fixes the device's error (steps.ts); "" if there is none. */
  readonly administrator: string;
  readonly events: readonly SecurityEvent[];
  readonly memory: {
    readonly bytes: number;
    readonly tokens: number;
  };
  readonly slots: readonly SlotView[];
  /** From this position (`Moment.order`) on, `exchanges`, `timeline` and `events` are complete. */
  readonly fromOrder: number;
  readonly exchanges: readonly ExchangeEntry[];
  readonly exchangeCount: number;
  readonly timeline: readonly TimelineEntry[];
  readonly faults: readonly string[];
  readonly hasKeys: boolean;
  readonly hasNextPage: boolean;
  readonly message: string;
  /** Distinguishes two messages with the same text. */
  readonly messageNumber: number;
}

export interface SlipView extends Omit<PrintedSlip, "modules"> {
  readonly qr: readonly string[];
}

const MESSAGE_MS = 8000;
const SHOWN = 80;

/** The core reports only the remaining time, so this class stores the total. */
class Countdown {
  #leftMs = 0;
  #totalMs = 0;

  read(leftMs: number): Gauge {
    if (leftMs > this.#leftMs) this.#totalMs = leftMs;
    this.#leftMs = leftMs;
    return { leftMs, totalMs: leftMs > 0 ? this.#totalMs : 0 };
  }
}

export class Viewer {
  #message = "";
  #messageAtMs = 0;
  #messageNumber = 0;
  readonly #code = new Countdown();
  readonly #poll = new Countdown();
  readonly #access = new Countdown();

  readonly #simulation: Simulation;

  constructor(simulation: Simulation) {
    this.#simulation = simulation;
  }

  /** "" after some seconds, or if the message no longer applies. */
  get message(): string {
    if (this.#message === NO_CODE && this.#simulation.userCode !== "") return "";
    return performance.now() - this.#messageAtMs < MESSAGE_MS ? this.#message : "";
  }

  set message(text: string) {
    this.#message = printable(text);
    this.#messageNumber++;
    this.#messageAtMs = performance.now();
  }

  view(): View {
    const simulation = this.#simulation;
    const { clock, display, exchanges, storage, settings } = simulation;
    return {
      clock: {
        ms: clock.nowMs(),
        speed: clock.speed,
        paused: clock.paused,
        jumpLeftMs: clock.jumpLeftMs,
      },
      display: {
        columns: display.columns,
        lit: display.lit,
        lines: display.lines,
      },
      device: this.#device(),
      qr: rowsOf(qrModules(simulation.verificationUriComplete)),
      slips: simulation.paper.slips.map(({ modules, ...slip }) => ({
        ...slip,
        qr: rowsOf(modules),
      })),
      call: simulation.application.outcome,
      decision: simulation.decision,
      administrator: administratorsStep(simulation),
      memory: this.#memory(),
      slots: storage.views(),
      ...lastOf(simulation),
      exchangeCount: exchanges.count,
      faults: activeFaults(simulation),
      hasKeys: settings.signer !== undefined,
      hasNextPage: simulation.application.hasNextPage(simulation.driver),
      message: this.message,
      messageNumber: this.#messageNumber,
    };
  }

  #device(): View["device"] {
    const simulation = this.#simulation;
    const device = simulation.driver?.device;
    const { left } = simulation;
    return {
      kind: simulation.kind.name,
      title: simulation.kind.title,
      client: simulation.config.clientId,
      on: device !== undefined,
      state: device ? stateName(device.state) : "off",
      error: device ? errorName(device.error) : "",
      reason: simulation.driver && reasonOfDevice(simulation.driver),
      inFlight: device?.inFlight === 1,
      poll: this.#poll.read(left.poll),
      code: this.#code.read(left.code),
      access: this.#access.read(left.access),
      userCode: simulation.userCode,
      verificationUri: simulation.verificationUri,
    };
  }

  #memory(): View["memory"] {
    const device = this.#simulation.driver?.device;
    if (device === undefined) return { bytes: 0, tokens: 0 };
    const tokens = [Field.ACCESS_TOKEN, Field.RECEIVED_REFRESH_TOKEN, Region.REFRESH_TOKEN];
    const used = tokens.reduce((sum, region) => sum + Math.max(0, device.length[region]!), 0);
    return { bytes: device.memory.length, tokens: used };
  }
}

/** The last entries of all logs, from a common position on. */
function lastOf({ exchanges, timeline, manufacturer }: Simulation) {
  const logs = [exchanges, timeline, { entries: manufacturer.events, count: manufacturer.count }];
  const fromOrder = Math.max(
    0,
    ...logs.map(({ entries, count }) => {
      const shown = entries.slice(-SHOWN);
      return count > shown.length ? shown[0]!.order : 0;
    }),
  );
  return {
    fromOrder,
    exchanges: exchanges.entries
      .slice(-SHOWN - 1)
      .filter(({ order, ended }) => (ended ?? { order }).order >= fromOrder),
    timeline: timeline.entries.filter(({ order }) => order >= fromOrder),
    events: manufacturer.events.filter(({ order }) => order >= fromOrder),
  };
}

function rowsOf(modules: Modules): string[] {
  return modules.map((row) => row.map((isDark) => (isDark ? "1" : "0")).join(""));
}
