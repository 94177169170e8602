// Records what a person does into a scenario: each step, the time before it, and at the end the frame
// as an expectation, so that the recording can be replayed and compared.
import { writeFileSync } from "node:fs";
import type { ServiceEvent } from "../../service/observers.ts";
import { readOptions } from "../../service/options.ts";
import { accountDeedOf } from "../simulator/log/person.ts";
import type { Simulation } from "../simulator/simulation.ts";
import { UsageError } from "../usage-error.ts";
import { PURPOSES, stateOf } from "./player.ts";

export class Recorder {
  readonly #lines: string[] = [];
  readonly #stop: () => void;
  #lastMs = 0;

  /** @throws UsageError where the file is there already, or the device has been used before */
  constructor(
    private readonly simulation: Simulation,
    private readonly file: string,
  ) {
    const { display, settings, storage, kind, service, config } = simulation;
    if (storage.views().some(({ bytes }) => bytes > 0)) {
      throw new UsageError(
        `--record ${file}: this device has a past, which a replay would not have; choose a new folder with --state`,
      );
    }
    this.#lines.push("# Recorded with npm start -- --record.", `with device ${kind.name}`);
    this.#lines.push(`with display ${display.columns}x${display.rows}`);
    if (simulation.settings.language) {
      this.#lines.push(`with language ${simulation.settings.language}`);
    }
    this.#lines.push(`with client ${config.clientId}`, `with account ${settings.account}`);
    this.#lines.push(...optionLines(simulation), "");
    this.#lastMs = simulation.clock.nowMs();
    try {
      // Now, and not when all the work is done. What is there already is not overwritten.
      writeFileSync(file, "", { flag: "wx" });
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      const why = code === "EEXIST" ? "is there already" : `cannot be written (${code})`;
      throw new UsageError(`--record ${file}: ${why}; choose another file`);
    }
    this.#stop = service?.observe((event) => this.#observe(event)) ?? (() => {});
  }

  /**
   * Whatever a person decides is recorded where it takes effect: it comes by key, from the service's own pages,
   * or from --approve, and is the same step.
   */
  #observe(event: ServiceEvent): void {
    const { simulation } = this;
    if (event.type === "attempt" && simulation.watchesDecisions) {
      if (event.clientId !== simulation.config.clientId) return;
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

  /** Before the step is carried out. */
  step(line: string): void {
    // These are observed where they take effect.
    if (!/^(allow|deny)\b/.test(line)) this.#add(line);
  }

  /** Writes the file: how it ended, when nothing was under way, is what a replay has to end with. */
  save(): Promise<void> {
    return this.simulation.clock.inTurn(async () => this.#write());
  }

  #write(): void {
    this.#stop();
    this.#pause();
    // Countdowns and codes differ between a recording and its replay.
    const frame = this.simulation.display.lines.map((line) =>
      line.replace(/[B-Z]{4}-[B-Z]{4}|\d+:\d\d|:\d{4,5}/g, (found) => "?".repeat(found.length)),
    );
    this.#lines.push("expect frame", ...frame.map((line) => `  |${line}|`));
    this.#lines.push(
      `expect state ${stateOf(this.simulation)}`,
      ...countLines(this.simulation),
      "",
    );
    writeFileSync(this.file, this.#lines.join("\n"));
  }

  #add(line: string): void {
    this.#pause();
    this.#lines.push(line);
  }

  #pause(): void {
    const nowMs = this.simulation.clock.nowMs();
    const passedMs = nowMs - this.#lastMs;
    if (passedMs > 0) this.#lines.push(`advance ${passedMs}ms`);
    this.#lastMs = nowMs;
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
