// The simulated service's world and settings as files of the user's own: --fixture, --options.
import fs from "node:fs";
import path from "node:path";
import { type FixtureInput, readFixture } from "../../../service/fixture.ts";
import { readSnapshot, type Service, type ServiceSnapshot } from "../../../service/index.ts";
import { readOptions, type ServiceOptionsInput } from "../../../service/options.ts";
import { readText, UsageError } from "../../command-line.ts";

/** @throws UsageError with one line that says where the file is wrong */
function readJson(what: "fixture" | "options", file: string, check: (value: never) => void) {
  const text = readText(file, what);
  let problem = "is not JSON: ";
  try {
    const value = JSON.parse(text) as unknown;
    problem = "";
    if (typeof value !== "object" || value === null || Array.isArray(value)) {
      throw new Error("holds no JSON object");
    }
    check(value as never);
    return value;
  } catch (error) {
    // One line, whatever part of the text it shows.
    throw new UsageError(`--${what} ${file}: ${problem}${(error as Error).message}`);
  }
}

export function readFixtureFile(file: string): FixtureInput {
  return readJson("fixture", file, readFixture) as FixtureInput;
}

export function readOptionsFile(file: string): ServiceOptionsInput {
  return readJson("options", file, readOptions);
}

// The simulated service's codes and grants in the state folder, so that the next start finds the device
// really signed in. Written before an answer leaves: the device never holds a token the file does not.

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
