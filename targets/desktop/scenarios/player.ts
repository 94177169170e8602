// Plays a scenario line by line, up to the first expectation that fails.
import { shows } from "../simulator/device/display.ts";
import { slipLines } from "../simulator/device/paper.ts";
import type { ExchangePurpose } from "../simulator/log/exchanges.ts";
import { reasonOfDevice } from "../simulator/log/reasons.ts";
import { stateName } from "../simulator/log/timeline.ts";
import type { Simulation } from "../simulator/simulation.ts";
import { perform } from "../simulator/steps.ts";
import type { Line, Scenario } from "./scenario.ts";

/** The words of expectations such as `expect 3 polls`, and the purpose of the requests that they count. */
const PURPOSES: Readonly<Record<string, ExchangePurpose>> = {
  polls: "poll",
  codes: "request a code",
  refreshes: "refresh",
  revocations: "revoke",
  calls: "call the API",
  "event polls": "poll for events",
};

export interface Unmet {
  readonly line: Line;
  readonly expected: readonly string[];
  readonly actual: readonly string[];
}

export interface Outcome {
  readonly unmet: Unmet | undefined;
  readonly expectations: number;
}

export interface Watcher {
  before?(line: Line, simulation: Simulation): void;
  created?(simulation: Simulation): void;
}

/** Plays a scenario, and then ends the simulation. */
export async function playIn(
  simulation: Simulation,
  scenario: Scenario,
  watcher: Watcher = {},
): Promise<Outcome> {
  watcher.created?.(simulation);
  simulation.powerOn();
  let expectations = 0;
  let unmet: Unmet | undefined;
  for (const line of scenario.lines) {
    watcher.before?.(line, simulation);
    if (line.kind !== "step") expectations++;
    unmet = await playLine(simulation, line);
    if (unmet) break;
  }
  simulation.powerOff();
  simulation.clock.close();
  return { unmet, expectations };
}

export async function playLine(simulation: Simulation, line: Line): Promise<Unmet | undefined> {
  if (line.kind !== "step") return await check(simulation, line);
  await perform(simulation, line.text);
  return undefined;
}

async function check(simulation: Simulation, line: Line): Promise<Unmet | undefined> {
  const lines = (): readonly string[] => simulation.display.lines;
  const unmet = (expected: readonly string[], actual = lines()): Unmet => ({
    line,
    expected,
    actual,
  });
  switch (line.kind) {
    case "shows": {
      const shown = (): boolean => shows(lines(), line.expected);
      if (line.withinMs > 0) await simulation.clock.advance(line.withinMs, shown);
      return shown() ? undefined : unmet([line.expected]);
    }
    case "shows not":
      return shows(lines(), line.expected) ? unmet([`not: ${line.expected}`]) : undefined;
    case "frame":
      return isFrame(lines(), line.expected) ? undefined : unmet(line.expected);
    case "state": {
      const state = stateOf(simulation);
      return state === line.expected ? undefined : unmet([line.expected], [state]);
    }
    case "call": {
      const text = simulation.application.outcome?.text ?? "no request";
      return text.includes(line.expected) ? undefined : unmet([line.expected], [text]);
    }
    case "event": {
      const last = (): string => {
        const event = simulation.manufacturer.events.at(-1);
        return event ? `${event.types.join(" ")} ${event.how}: ${event.verdict}` : "no event";
      };
      if (line.withinMs > 0) {
        await simulation.clock.advance(line.withinMs, () => last() === line.expected);
      }
      return last() === line.expected ? undefined : unmet([line.expected], [last()]);
    }
    case "reason": {
      const reason =
        (simulation.driver && reasonOfDevice(simulation.driver)) ??
        simulation.application.outcome?.reason;
      const text = reason ? `${reason.name} from ${reason.from}: ${reason.fix}` : "no error";
      return text.includes(line.expected) ? undefined : unmet([line.expected], [text]);
    }
    case "slip": {
      const slip = simulation.paper.slips.at(-1);
      const text = slip ? [...slipLines(slip), slip.footing].join(" ") : "no slip";
      return text.includes(line.expected) ? undefined : unmet([line.expected], [text]);
    }
    case "count": {
      const count =
        line.what === "slips"
          ? simulation.paper.count
          : (simulation.exchanges.counts.get(PURPOSES[line.what]!) ?? 0);
      const met = count >= line.least && count <= line.most;
      return met ? undefined : unmet([line.text], [`${count} ${line.what}`]);
    }
    default:
      throw new Error(`"${line.text}" is not an expectation`);
  }
}

function stateOf({ driver }: Simulation): string {
  return driver ? stateName(driver.device.state) : "off";
}

/** Compares row by row. `?` matches any character, and blanks at the end are ignored. */
export function isFrame(lines: readonly string[], expected: readonly string[]): boolean {
  return (
    lines.length === expected.length &&
    lines.every((line, row) => {
      const required = expected[row]!.padEnd(line.length);
      return (
        required.length === line.length &&
        [...line].every((character, at) => required[at] === "?" || required[at] === character)
      );
    })
  );
}

export function sideBySide(unmet: Unmet): string {
  const { expected, actual } = unmet;
  const width = Math.max(8, ...expected.map((line) => line.length));
  const right = Math.max(6, ...actual.map((line) => line.length));
  const rows = Math.max(expected.length, actual.length);
  const edge = `  +${"-".repeat(width)}+  +${"-".repeat(right)}+`;
  const out = [`   ${"expected".padEnd(width)}    actual`, edge];
  for (let row = 0; row < rows; row++) {
    const left = (expected[row] ?? "").padEnd(width);
    out.push(`  |${left}|  |${(actual[row] ?? "").padEnd(right)}|`);
  }
  return [...out, edge].join("\n");
}
