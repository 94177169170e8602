// Stores the simulated service's codes and grants in the state folder, so that a restarted device is still signed in. The
// file is written before the service sends a response, so the file contains every token of the device.
import fs from "node:fs";
import path from "node:path";
import { readSnapshot, type Service, type ServiceSnapshot } from "../../../service/index.ts";
import { UsageError } from "../../command-line.ts";

export class ServiceStore {
  readonly file: string;

  constructor(directory: string) {
    this.file = path.join(directory, "service.json");
  }

  /** Returns the stored state; undefined if there is none. Throws UsageError if the file is invalid. */
  load(): ServiceSnapshot | undefined {
    let text: string;
    try {
      text = fs.readFileSync(this.file, "utf8");
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === "ENOENT") return undefined;
      throw new UsageError(`${this.file}: cannot be read (${code}); check it or choose --state`);
    }
    try {
      return readSnapshot(JSON.parse(text));
    } catch {
      throw new UsageError(
        `${this.file}: not a state of the simulated service; delete it to start over, or choose another folder with --state`,
      );
    }
  }

  /**
   * Stores every change of the service from now on.
   * @param failed receives one line, once, when the file can no longer be written
   */
  attach(service: Service, failed: (line: string) => void): void {
    let dirty = false;
    let broken = false;
    const save = (): void => {
      dirty = false;
      try {
        this.#write(JSON.stringify(service.snapshot()));
      } catch (error) {
        if (!broken) failed(`${this.file}: cannot be written: ${(error as Error).message}`);
        broken = true;
      }
    };
    service.observe(({ type }) => {
      if (dirty || (type !== "attempt" && type !== "grant")) return;
      dirty = true;
      // Writes once for all changes of a turn of the event loop, before the responses are sent.
      queueMicrotask(save);
    });
  }

  /** Writes a temporary file, flushes and renames it. After a crash, the old or the new file is complete. */
  #write(text: string): void {
    const draft = `${this.file}.draft`;
    const handle = fs.openSync(draft, "w", 0o600);
    try {
      fs.writeFileSync(handle, text);
      fs.fsyncSync(handle);
    } finally {
      fs.closeSync(handle);
    }
    fs.renameSync(draft, this.file);
  }
}
