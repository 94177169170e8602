// Records what a person does into a scenario: each step, the time before it, and at the end the frame
// as an expectation, so that the recording can be replayed and compared. Files are recorder.ts's business.
import type { ServiceEvent } from "../../service/observers.ts";
import { readOptions } from "../../service/options.ts";
import { accountDeedOf } from "../simulator/log/person.ts";
import type { Simulation } from "../simulator/simulation.ts";
import { PURPOSES, stateOf } from "./player.ts";

/** Whoever records that much will not read it. */
const LINES_MAX = 5000;

/** Why a session of this world could not be replayed; "" where it can. */
export function whyNotRecorded({ storage, service }: Simulation): string {
  if (service === undefined) return "a real server cannot be replayed";
  const hasPast = storage.views().some(({ bytes }) => bytes > 0);
  return hasPast
    ? "this device has a past, which a replay would not have; choose a new folder with --state"
    : "";
}

export class Recording {
  /** Why there will be no recording any more; "" while there is one. */
  over = "";
  /** Whether somebody has asked for it, and nothing may end it. */
  readonly isAskedFor: boolean = false;
  readonly simulation: Simulation;
  readonly #lines: string[] = [];
  readonly #stop: () => void;
  #lastMs = 0;
  #lastHappened = 0;

  /** @param origin where it is recorded, for its first line */
  constructor(simulation: Simulation, origin: string) {
    this.simulation = simulation;
    const { display, settings, kind, service, config } = simulation;
    this.#lines.push(`# Recorded with ${origin}.`, `with device ${kind.name}`);
    this.#lines.push(`with display ${display.columns}x${display.rows}`);
    if (settings.language) this.#lines.push(`with language ${settings.language}`);
    this.#lines.push(`with client ${config.clientId}`, `with account ${settings.account}`);
    if (settings.seed !== undefined) this.#lines.push(`with seed ${settings.seed}`);
    this.#lines.push(...optionLines(simulation), "");
    this.#keepMoment();
    this.#stop = service?.observe((event) => this.#observe(event)) ?? (() => {});
  }

  /**
   * Whatever a person decides is recorded where it takes effect: it comes by key, from the service's own pages,
   * or from --approve, and is the same step.
   */
  #observe(event: ServiceEvent): void {
    const { simulation } = this;
    if (event.type === "attempt") {
      if (event.clientId !== simulation.config.clientId || this.#isAboutOther()) return;
      const isRuled = event.state === "refused" && event.refusal !== "access_denied";
      if (event.state === "granted" || isRuled) {
        this.#add(["allow", event.accountId, ...choicesOf(event)].join(" "));
      } else if (event.state === "refused") this.#add("deny");
    }
    if (event.type === "exchange") {
      const did = accountDeedOf(event);
      if (did) this.#add(`account ${did.deed} ${did.account}`);
    }
  }

  /** Whether what was decided about is a code that the device has given up: its present one is undecided. */
  #isAboutOther(): boolean {
    const { service, userCode } = this.simulation;
    return service?.pending().some((attempt) => attempt.userCode === userCode) ?? false;
  }

  /** Before the step is carried out. */
  step(line: string): void {
    // These are observed where they take effect.
    if (!/^(allow|deny)\b/.test(line)) this.#add(line);
  }

  /** Nothing more is recorded, and what was is given up. */
  #end(why: string): void {
    this.#stop();
    this.over = why;
    this.#lines.length = 0;
  }

  /** What has been done so far, and how it is when nothing is under way: what a replay has to end with. */
  text(): Promise<string> {
    return this.simulation.clock.inTurn(async () => this.#now());
  }

  #now(): string {
    if (this.over !== "") return "";
    const { simulation } = this;
    // Countdowns and codes differ between a recording and its replay.
    const frame = simulation.display.lines.map((line) =>
      line.replace(/[B-Z]{4}-[B-Z]{4}|\d+:\d\d|:\d{4,5}/g, (found) => "?".repeat(found.length)),
    );
    return [
      ...this.#lines,
      ...this.#pause(),
      "expect frame",
      ...frame.map((line) => `  |${line}|`),
      `expect state ${stateOf(simulation)}`,
      ...countLines(simulation),
      "",
    ].join("\n");
  }

  #add(line: string): void {
    if (this.over !== "") return;
    this.#lines.push(...this.#pause(), line);
    this.#keepMoment();
    if (this.#lines.length > LINES_MAX && !this.isAskedFor) {
      this.#end(`more than ${LINES_MAX} steps are not recorded`);
    }
  }

  #keepMoment(): void {
    const { clock } = this.simulation;
    this.#lastMs = clock.nowMs();
    this.#lastHappened = clock.happened;
  }

  /** The time since the last step: none, where what was due at that moment has happened since. */
  #pause(): string[] {
    const { clock } = this.simulation;
    const passedMs = clock.nowMs() - this.#lastMs;
    const hasPassed = passedMs > 0 || clock.happened > this.#lastHappened;
    return hasPassed ? [`advance ${passedMs}ms`] : [];
  }
}

/** How many requests of each kind there were. */
function countLines({ exchanges }: Simulation): string[] {
  return Object.entries(PURPOSES).map(
    ([what, purpose]) => `expect ${exchanges.counts.get(purpose) ?? 0} ${what}`,
  );
}

/** The service's options that are not as they are by themselves; a replay brings the others. */
function optionLines({ service }: Simulation): string[] {
  if (service === undefined) return [];
  const usual = readOptions({}) as Record<string, unknown>;
  return Object.entries({ ...service.options, baseUrl: service.baseUrl })
    .filter(([name, value]) => JSON.stringify(value) !== JSON.stringify(usual[name]))
    .filter(([name]) => name !== "framedBySelf" && name !== "pollToleranceMs")
    .map(([name, value]) => `with option ${name} ${JSON.stringify(value)}`);
}

/** What the person chose on the page: fewer scopes than were asked for, access that ends by itself. */
function choicesOf({ scopes, accessSeconds }: ServiceEvent & { type: "attempt" }): string[] {
  return [
    ...(scopes ? [`scopes=${scopes.join(",")}`] : []),
    ...(accessSeconds ? [`seconds=${accessSeconds}`] : []),
  ];
}
