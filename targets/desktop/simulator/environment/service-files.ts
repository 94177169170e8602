// Stores the codes and grants of the simulated service in the state folder, so that the device is still signed in when
// the simulator starts again.
import fs from "node:fs";
import path from "node:path";
import { readSnapshot, type Service, type ServiceSnapshot } from "../../../service/index.ts";
import { UsageError } from "../../command-line.ts";

export class ServiceStore {
  readonly file: string;

  constructor(directory: string) {
    this.file = path.join(directory, "service.json");
  }

  /** Undefined if there is no file. @throws UsageError if the file is invalid */
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

  /** Stores every change from now on. `failed` receives one line at the first failed write. */
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
      // Write once for several changes, and before the service sends a response with a new token.
      queueMicrotask(save);
    });
  }

  /** After a crash, the old or the new file is complete. */
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
