// The simulated service's codes and grants in the state folder, so that the next start finds the device
// really signed in. Written before an answer leaves: the device never holds a token the file does not.
import fs from "node:fs";
import path from "node:path";
import { readSnapshot, type Service, type ServiceSnapshot } from "../../../service/index.ts";
import { UsageError } from "../../command-line.ts";

export class ServiceStore {
  readonly file: string;

  constructor(directory: string) {
    this.file = path.join(directory, "service.json");
  }

  /** What an earlier run kept, or undefined. Throws UsageError where the file is something else. */
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
        `${this.file}: not a state of the simulated service; delete it to start anew, or choose another folder with --state`,
      );
    }
  }

  /**
   * Keeps every change of the service from now on.
   * @param failed told once with one line when the file cannot be written any more
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
      // Once for all that changes together, such as the sign-ins of many devices; an answer leaves later than that.
      queueMicrotask(save);
    });
  }

  /** Beside, made durable, renamed over: a kill at any moment leaves the old file or the new one. */
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
