// A child process whose output is read as it comes, without blocking. What it is for is not known here.

import type { Os } from "./engine.ts";
import { writeAll } from "./files.ts";

const SIGKILL = 9;
const CHUNK_BYTES = 4096;

export interface ChildEvents {
  /** `bytes[0..length)`, only good until return. */
  output?(bytes: Uint8Array, length: number): void;
  /** The output has ended and the process too: its exit code, -1 where a signal ended it. */
  exit(code: number): void;
}

/** Neither event comes after `kill`. The arguments are public: every user of the system can read them. */
export class Child {
  private readonly os: Os;
  private readonly pid: number;
  private readonly out: number;
  private readonly events: ChildEvents;
  private readonly chunk = new Uint8Array(CHUNK_BYTES);
  private over = false;

  /**
   * Starts a process.
   * @param inputs what it reads: standard input, and with a second one file descriptor 2 (its standard
   *   error is not of use to us and the system passes on no other)
   * @throws Error where the system has no process or pipe left
   */
  constructor(os: Os, args: readonly string[], inputs: readonly Uint8Array[], events: ChildEvents) {
    this.os = os;
    this.events = events;
    const pipes = [os.pipe(), os.pipe(), inputs.length > 1 ? os.pipe() : null];
    const [out, input, second] = pipes;
    if (!out || !input || (inputs.length > 1 && !second)) throw new Error("no pipe left");
    const silent = second ? second[0] : os.open("/dev/null", os.O_RDWR);
    this.pid = os.exec(args, { block: false, stdin: input[0], stdout: out[1], stderr: silent });
    this.out = out[0];
    for (const fd of [input[0], out[1], silent]) os.close(fd);
    // SIGPIPE is ignored by whoever made this: a child that ends early is no reason to end with it.
    writeAll(os, input[1], inputs[0] ?? new Uint8Array(0));
    os.close(input[1]);
    if (second) {
      writeAll(os, second[1], inputs[1]!);
      os.close(second[1]);
    }
    os.setReadHandler(this.out, () => this.read());
  }

  kill(): void {
    if (this.over) return;
    this.os.kill(this.pid, SIGKILL);
    this.finish();
  }

  private read(): void {
    const count = this.os.read(this.out, this.chunk.buffer, 0, this.chunk.length);
    if (count > 0) {
      this.events.output?.(this.chunk, count);
      return;
    }
    const status = this.finish();
    this.events.exit((status & 0x7f) === 0 ? (status >> 8) & 0xff : -1);
  }

  /** Its output has ended or it was killed: it is gone in a moment, so waiting for it is short. */
  private finish(): number {
    this.over = true;
    this.os.setReadHandler(this.out, null);
    this.os.close(this.out);
    return this.os.waitpid(this.pid, 0)[1];
  }
}
