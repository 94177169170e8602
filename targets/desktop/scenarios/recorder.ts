// Records a session into a file (--record).
import { writeFileSync } from "node:fs";
import { UsageError } from "../command-line.ts";
import type { Simulation } from "../simulator/simulation.ts";
import { Recording, whyNotRecorded } from "./recording.ts";

export class Recorder extends Recording {
  override readonly isAskedFor = true;
  readonly #file: string;

  /** @throws UsageError where the file is there already, or the device has been used before */
  constructor(simulation: Simulation, file: string) {
    const why = whyNotRecorded(simulation);
    if (why !== "") throw new UsageError(`--record ${file}: ${why}`);
    super(simulation, "npm start -- --record");
    this.#file = file;
    try {
      // Now, and not when all the work is done. What is there already is not overwritten.
      writeFileSync(file, "", { flag: "wx" });
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      const reason = code === "EEXIST" ? "is there already" : `cannot be written (${code})`;
      throw new UsageError(`--record ${file}: ${reason}; choose another file`);
    }
  }

  /** Writes the file. */
  async save(): Promise<void> {
    writeFileSync(this.#file, await this.text());
  }
}
