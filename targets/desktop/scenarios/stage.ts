// One scenario on a page: read, begun in a world of its own, gone through line by line. In the playground it is in the
// page; behind the panel it is in the simulator.
import type { Simulation } from "../simulator/simulation.ts";
import { playLine, sideBySide } from "./player.ts";
import { readScenario, type Scenario, type Settings } from "./scenario.ts";

/** A scenario that has been read and begun, or why it could not be. */
export interface Begun {
  readonly problem: string;
  readonly lines: readonly string[];
  readonly expectations: number;
}

export class Stage {
  #scenario: Scenario | undefined;
  #simulation: Simulation | undefined;
  #next = 0;
  readonly #create: (settings: Settings) => Simulation;

  /** @param create makes the world of a scenario and switches its device on */
  constructor(create: (settings: Settings) => Simulation) {
    this.#create = create;
  }

  begin(text: string): Begun {
    try {
      this.#scenario = readScenario("scenario", text);
    } catch (error) {
      return { problem: (error as Error).message, lines: [], expectations: 0 };
    }
    const { lines, settings } = this.#scenario;
    try {
      this.#simulation = this.#create(settings);
    } catch (error) {
      // Such as an option that the service does not know.
      return { problem: (error as Error).message, lines: [], expectations: 0 };
    }
    this.#next = 0;
    const expectations = lines.filter(({ kind }) => kind !== "step").length;
    return { problem: "", lines: lines.map((line) => line.text), expectations };
  }

  /** Carries the next line out. @returns what was not as expected, or could not be done; "" for neither */
  async step(): Promise<string> {
    const line = this.#scenario?.lines[this.#next];
    if (line === undefined) return "";
    this.#next++;
    try {
      const unmet = await playLine(this.#simulation!, line);
      return unmet ? `not as expected\n${sideBySide(unmet)}` : "";
    } catch (error) {
      return (error as Error).message;
    }
  }
}
