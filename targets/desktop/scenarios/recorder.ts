// Records what a person does into a scenario: each step, the time before it, and at the end the frame
// as an expectation, so that the recording can be replayed and compared.
import { writeFileSync } from "node:fs";
import type { Simulation } from "../simulator/simulation.ts";
import { UsageError } from "../usage-error.ts";

export class Recorder {
  readonly #lines: string[] = [];
  #lastMs = 0;

  constructor(
    private readonly simulation: Simulation,
    private readonly file: string,
  ) {
    const { columns, rows } = simulation.display;
    this.#lines.push("# Recorded with npm start -- --record.", `with display ${columns}x${rows}`);
    this.#lines.push(`with account ${simulation.settings.account}`, "");
    this.#lastMs = simulation.clock.nowMs();
    try {
      // Now, and not when all the work is done.
      writeFileSync(file, "");
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      throw new UsageError(`--record ${file}: cannot be written (${code}); choose another file`);
    }
  }

  /** Before the step is carried out. */
  step(line: string): void {
    this.#pause();
    this.#lines.push(line);
  }

  /** After a step that let time pass by itself. */
  skip(): void {
    this.#lastMs = this.simulation.clock.nowMs();
  }

  /** Writes the file, with the words of the last frame as expectation. */
  save(): void {
    this.#pause();
    // Countdowns and codes differ between a recording and its replay.
    const frame = this.simulation.display.lines.map((line) =>
      line.replace(/[B-Z]{4}-[B-Z]{4}|\d+:\d\d|:\d{4,5}/g, (found) => "?".repeat(found.length)),
    );
    this.#lines.push("expect frame", ...frame.map((line) => `  |${line}|`), "");
    writeFileSync(this.file, this.#lines.join("\n"));
  }

  #pause(): void {
    const nowMs = this.simulation.clock.nowMs();
    const passedMs = Math.round(nowMs - this.#lastMs);
    if (passedMs > 0) this.#lines.push(`advance ${passedMs}ms`);
    this.#lastMs = nowMs;
  }
}
