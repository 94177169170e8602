// One life of a device, from its seed: a stretch of chaos, in which the plan's faults strike and people
// do as they please, then a calm one, in which the device must come round. Then it signs out for good.

import { ClientAuthentication, ErrorCode, State } from "../../core/index.ts";
import type { Storage } from "../../platform/contracts.ts";
import type { Service } from "../../targets/service/index.ts";
import { CLIENT, judgeLog, openStream, SECRET, serviceOf } from "./account-service.ts";
import { Board, type BoardSettings } from "./board.ts";
import { callApi, callResult } from "./calls.ts";
import type { LivesCore } from "./core-of.ts";
import { codeRead, DEEDS, EVENT_DEEDS, repertoire, type World } from "./deeds.ts";
import { Plan, type Roll, type Selection, type StrikeId } from "./dice.ts";
import { FURTHER_DEEDS } from "./further-deeds.ts";
import { Network } from "./network.ts";
import { type Coverage, Oracle } from "./oracle.ts";
import { namesSecret, Records } from "./records.ts";
import { quietReader, Slots } from "./slots.ts";
import {
  drawMedium,
  type MediumName,
  makeMedium,
  SURROUNDINGS,
  type Surroundings,
} from "./surroundings.ts";
import { Time } from "./time.ts";
import { type Invariant, PowerCut, Violation } from "./violation.ts";

export interface LifeOptions extends Selection {
  core: LivesCore;
  coverage: Coverage;
  /** Share of lives whose records are sealed. */
  sealedShare?: number;
  /** What the records lie in; drawn where it is not named. */
  medium?: MediumName;
  /** Its parts, one of them perhaps with a bug in it. */
  surroundings?: Surroundings;
  /** Hears what happens, for a replay. */
  log?: (line: string) => void;
}

export interface LifeResult {
  seed: number;
  violation: { invariant: Invariant; what: string } | undefined;
  struck: readonly StrikeId[];
  powerOns: number;
  steps: number;
  virtualMs: number;
  /** What the life was made of: medium, sealing, events, log. */
  traits: readonly string[];
}

/** Shares of the lives in which events are polled, and in which the service's log is judged. */
const EVENTS_SHARE = 0.3;
const LOG_SHARE = 0.25;
const SEALED_SHARE = 0.5;
const FURTHER_SHARE = 0.5;
const HOUR_MS = 3_600_000;
const CALM_MS_MAX = 3 * HOUR_MS;
const CALM_EVENTS_MAX = 40_000;
/** How often a helpful user looks at the device. */
const LOOK_MS = 1500;

export class Life {
  readonly plan: Plan;
  readonly time = new Time();
  readonly slots: Slots;
  readonly records: Records;
  readonly service: Service;
  readonly oracle: Oracle;
  readonly board: Board;
  readonly network: Network;
  readonly traits: string[] = [];
  powerOns = 0;
  readonly #world: World;
  readonly #log: ((line: string) => void) | undefined;

  constructor(seed: number, options: LifeOptions) {
    this.plan = new Plan(seed, options);
    this.#log = options.log;
    const roll = this.plan.roll("settings");
    const note = (text: string): void => this.note(text);
    const nowMs = (): number => this.time.nowMs;
    const surroundings = options.surroundings ?? SURROUNDINGS;
    const delayMs = roll.pick([0, 0, 3, 40]);
    const mediumRoll = this.plan.roll("medium");
    const mediumName = options.medium ?? drawMedium(mediumRoll);
    const medium = makeMedium(mediumName, mediumRoll);
    this.traits.push(mediumName);
    this.slots = new Slots(this.time, this.plan, delayMs, medium);
    this.slots.note = note;
    const isSealed = roll.chance(options.sealedShare ?? SEALED_SHARE);
    if (isSealed) this.traits.push("sealed");
    const layer = (inner: Storage, number: number): Storage =>
      isSealed ? surroundings.seal(inner, this.plan.roll("seal", number)) : inner;
    const quiet = quietReader(this.slots);
    this.records = new Records(this.slots, {
      nowMs,
      isRevoking: () => this.board.driver?.device.state === State.REVOKING,
      raw: (slot) => medium.peek(slot),
      allRaw: () => (this.slots.hasRemains ? undefined : medium.raw()),
      quiet: () => layer(quiet, 0),
      note,
      session: (token) => this.oracle.ledger.session(token),
    });
    this.slots.onRot = () => this.records.rotted();
    this.slots.onWrite = (bytes) => {
      if (isSealed && namesSecret(bytes)) {
        throw new Violation("sealed-records", "a record reached the medium in the clear");
      }
    };
    this.oracle = new Oracle({
      nowMs,
      note,
      records: this.records,
      coverage: options.coverage,
      clientSecret: SECRET,
    });
    this.service = serviceOf({
      nowMs,
      settings: roll,
      random: this.plan.roll("service"),
      surroundings,
      hasLists: this.plan.further,
    });
    this.network = this.#makeNetwork(roll);
    const hasEvents = this.#watchService();
    this.board = new Board(settingsOf(roll, hasEvents), {
      time: this.time,
      plan: this.plan,
      core: options.core,
      oracle: this.oracle,
      network: this.network,
      storage: this.records,
      makeStorage: (powerOn) => layer(this.slots, powerOn),
    });
    this.#world = {
      board: this.board,
      service: this.service,
      oracle: this.oracle,
      slots: this.slots,
      sleep: (ms) => {
        this.time.nowMs += ms;
      },
    };
  }

  /** Whether the device polls events in this life. */
  #watchService(): boolean {
    const roll = this.plan.roll("watch");
    const hasEvents = roll.chance(EVENTS_SHARE);
    if (hasEvents) {
      openStream(this.service, roll);
      this.traits.push("events");
    }
    if (roll.chance(LOG_SHARE)) {
      judgeLog(this.service, this.oracle.ledger);
      this.traits.push("log");
    }
    return hasEvents;
  }

  #makeNetwork(roll: Roll): Network {
    const { oracle } = this;
    return new Network(
      this.time,
      this.plan,
      this.service,
      {
        sent: (exchange) => oracle.sent(exchange),
        served: (exchange, { status, body }) => oracle.served(exchange, status, body),
        ended: (exchange, complete) => oracle.ended(exchange, complete),
        aborted: (exchange) => oracle.aborted(exchange),
        note: (text) => this.note(text),
      },
      roll.pick([0, 5, 200, 3000]),
      (url) => this.board.originOf(url),
    );
  }

  note(text: string): void {
    this.#log?.(`${(this.time.nowMs / 1000).toFixed(3).padStart(12)}  ${text}`);
  }

  /** The whole life. @throws Violation */
  live(): void {
    this.guard(() => this.#powerOn());
    // Half of the lives meet their faults in a session: signing in amid them often takes too long.
    if (this.plan.roll("begin").chance(0.5)) {
      this.plan.calm = true;
      this.recover(true);
      this.plan.calm = false;
    }
    this.#chaos();
    this.plan.calm = true;
    this.note("calm from here on");
    this.recover(true);
    const roll = this.plan.roll("end");
    if (roll.chance(0.5)) {
      // Whatever reached storage is alive: the device comes back without anybody's help.
      this.guard(() => {
        throw new PowerCut();
      });
      this.recover(!this.#isLasting());
    }
    if (roll.chance(0.5)) this.#signOutForGood();
  }

  #chaos(): void {
    const roll = this.plan.roll("deeds");
    const deeds = repertoire(roll);
    if (this.traits.includes("events")) deeds.push(...EVENT_DEEDS);
    const count = roll.spread(2, 40);
    for (let number = 0; number < count; number++) {
      const until = this.time.nowMs + roll.spread(20, 60_000);
      const deed = roll.pick(deeds);
      const ownRoll = this.plan.roll(deed, number);
      this.#runUntil(until);
      if (!this.plan.allows(`${deed}:${number}`)) continue;
      this.note(`* ${deed}`);
      this.guard(() => DEEDS[deed]!(this.#world, ownRoll));
      if (this.plan.further) this.#doFurther(number);
    }
  }

  /** At the same moment, without anything else in between, what the rest of the border is for. */
  #doFurther(number: number): void {
    const roll = this.plan.roll("further", number);
    if (!roll.chance(FURTHER_SHARE)) return;
    const goesOn = this.oracle.pages.next !== undefined && roll.chance(0.8);
    const deed = goesOn ? "next-page" : roll.pick(Object.keys(FURTHER_DEEDS));
    if (!this.plan.allows(`${deed}:${number}`)) return;
    this.note(`* ${deed}`);
    this.guard(() => FURTHER_DEEDS[deed]!(this.#world, roll));
  }

  #runUntil(untilMs: number): void {
    while (this.time.nextMs() <= untilMs) this.#happen();
    if (untilMs > this.time.nowMs) this.time.nowMs = untilMs;
    if (this.plan.strikes("spurious-run")) this.guard(() => this.board.driver?.run());
    const rot = this.plan.strikes("bit-rot");
    if (rot) this.slots.rot(rot);
  }

  /** The next thing that is due. */
  #happen(): void {
    const run = this.time.next();
    if (this.time.isStorm) throw new Violation("no-busy-loop", "time does not pass any more");
    if (run) this.guard(run);
  }

  /** Lets something happen; a loss of power in it is followed by power-on some time later. */
  guard(run: () => void): void {
    try {
      run();
    } catch (error) {
      if (error instanceof Violation) throw error;
      if (!(error instanceof PowerCut)) throw crash(error);
      this.#powerOff();
    }
  }

  #powerOff(): void {
    const roll = this.plan.roll("power-off", this.powerOns);
    this.note("power goes");
    this.board.powerOff();
    this.slots.cut(roll);
    this.slots.medium.powerOn();
    this.time.cancel(this.#nextPowerOn);
    const offMs = this.plan.calm ? 100 : roll.spread(100, roll.chance(0.2) ? HOUR_MS : 20_000);
    this.#nextPowerOn = this.time.after(offMs, () => this.#powerOn());
  }

  #nextPowerOn: ReturnType<Time["after"]> | undefined;

  #powerOn(): void {
    this.#nextPowerOn = undefined;
    this.powerOns++;
    this.note("power comes");
    this.board.powerOn();
  }

  /** Calm: with or without a user's help the device ends up signed in, with tokens that work. */
  recover(withHelp: boolean): void {
    this.service.enableAccount("ada");
    if (this.service.options.deviceCodeQuota) this.service.setOptions({ deviceCodeQuota: null });
    this.#calmUntil("is not signed in", () => {
      if (withHelp) this.#help();
      const result = callResult(this.board);
      if (this.oracle.isSignedIn && !this.records.isBusy) {
        if (this.#tried && result?.status === 200 && result.error === 0 && this.#isStored())
          return true;
        this.guard(() => {
          if (callApi(this.board)) this.#tried = true;
        });
      }
      return false;
    });
    this.#tried = false;
  }

  #tried = false;

  /** Whether the session outlives a loss of power: stored whole, renewable, for an unlimited time. */
  #isLasting(): boolean {
    const { hasRefreshToken, presentSession, ledger } = this.oracle;
    const { isRotten, isOrderKnown } = this.records;
    const isKept = !isRotten && isOrderKnown;
    return isKept && hasRefreshToken && !ledger.isLimited(presentSession);
  }

  /** Time passes, nothing but the device acts. */
  passTime(ms: number): void {
    this.#runUntil(this.time.nowMs + ms);
  }

  /** The same with a user who helps. */
  helpFor(ms: number): void {
    for (let passedMs = 0; passedMs < ms; passedMs += LOOK_MS) {
      this.#help();
      this.passTime(LOOK_MS);
    }
  }

  #isStored(): boolean {
    if (this.records.isRotten || !this.records.isOrderKnown) return true;
    const newest = this.records.newest();
    return newest?.kind === "token" && newest.secret === this.oracle.presentToken;
  }

  #help(): void {
    const { driver } = this.board;
    if (!driver) return;
    const code = codeRead(this.#world);
    if (code) this.service.approve(code, "ada");
    const { state } = driver.device;
    const isRefused = state === State.REFRESHING && driver.device.error > ErrorCode.SLOW_DOWN;
    if (isRefused || state === State.FAILED || state === State.SIGNED_OUT) {
      this.oracle.userActed();
      this.guard(() => driver.signIn());
    }
  }

  #signOutForGood(): void {
    this.guard(() => this.board.driver?.signOut());
    this.#calmUntil("is not signed out", () => {
      const { driver } = this.board;
      return driver?.device.state === State.SIGNED_OUT && !this.records.isBusy;
    });
    this.records.checkWiped();
    if (this.service.revokeAllFor("ada", CLIENT) > 0 && !this.#mayHaveStrays()) {
      throw new Violation("sign-out-wipes", "the session lives on at the service");
    }
  }

  /** Answers that were lost leave grants at the service that no device knows of. */
  #mayHaveStrays(): boolean {
    return this.plan.struck.length > 0 || this.oracle.isUntold;
  }

  #calmUntil(what: string, isReached: () => boolean): void {
    const endMs = this.time.nowMs + CALM_MS_MAX;
    let lookMs = this.time.nowMs;
    for (let events = 0; events < CALM_EVENTS_MAX && this.time.nowMs < endMs; events++) {
      if (this.time.nowMs >= lookMs) {
        if (isReached()) return;
        lookMs = this.time.nowMs + LOOK_MS;
      }
      const nextMs = this.time.nextMs();
      if (nextMs > lookMs) this.time.nowMs = Math.max(this.time.nowMs, lookMs);
      else this.#happen();
    }
    const state = this.board.driver?.device.state;
    throw new Violation("not-stuck", `the device ${what}, but ${State[state ?? -1] ?? "off"}`);
  }
}

function crash(error: unknown): Violation {
  const what = error instanceof Error ? `${error.message} ${error.stack ?? ""}` : String(error);
  if (/pg[dra]\.|tv-secret/.test(what))
    return new Violation("no-secret", "an error names a secret");
  return new Violation("crash", what.split("\n").slice(0, 4).join(" | "));
}

function settingsOf(roll: Roll, hasEvents: boolean): BoardSettings {
  const [columns, rows] = roll.pick([
    [16, 2],
    [20, 4],
    [40, 2],
    [24, 3],
    [80, 8],
  ] as const);
  return {
    columns,
    rows,
    autoStart: roll.below(2),
    renewalsMax: roll.pick([3, 3, 0, 1, 5]),
    clientAuthentication: roll.pick([
      ClientAuthentication.CLIENT_SECRET_POST,
      ClientAuthentication.DOCUMENTS,
    ]),
    clientId: CLIENT,
    clientSecret: SECRET,
    counterStartMs: roll.pick([0, 2 ** 32 - 1, 2 ** 32 - roll.below(100_000), roll.bits()]),
    isWatched: roll.chance(1 / 16),
    // Events, which are signed documents, and a wide display need more room (core/SPEC.md, Memory).
    memoryBytes: (columns === 80 || hasEvents ? 6144 : 4096) + 32,
  };
}

/** Lives the life of a seed and says how it went. */
export function runLife(seed: number, options: LifeOptions): LifeResult {
  const life = new Life(seed, options);
  let violation: LifeResult["violation"];
  try {
    life.live();
    life.slots.medium.check();
  } catch (error) {
    if (!(error instanceof Violation)) throw error;
    violation = { invariant: error.invariant, what: error.what };
    life.note(`VIOLATION ${error.message}`);
  } finally {
    life.slots.medium.dispose();
  }
  return {
    seed,
    violation,
    struck: life.plan.struck,
    powerOns: life.powerOns,
    steps: life.board.steps,
    virtualMs: life.time.nowMs,
    traits: life.traits,
  };
}
