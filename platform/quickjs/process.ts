// Runs a child process, and reads its output without blocking.

import { type Os, safeEnvironment } from "./engine.ts";
import { writeAll } from "./files.ts";

const SIGKILL = 9;
const CHUNK_BYTES = 4096;

export interface ChildEvents {
  /** Receives `bytes[0..length)` of standard error, valid until the call returns. Return true to end this stream. */
  head?(bytes: Uint8Array, length: number): boolean;
  /** Receives standard output in the same way, after standard error has ended or `head` has returned true. */
  output?(bytes: Uint8Array, length: number): void;
  /** Output and process have ended. @param code the exit code, -1 if a signal ended the process */
  exit(code: number): void;
}

/** A child process. After `kill`, it reports nothing. Other users of the system can read its arguments. */
export class Child {
  readonly #os: Os;
  readonly #pid: number;
  readonly #ends: readonly [head: number, output: number];
  readonly #events: ChildEvents;
  readonly #chunk = new Uint8Array(CHUNK_BYTES);
  #over = false;

  /** Starts a process with this standard input. @throws Error if the system has no process or pipe left */
  constructor(os: Os, args: readonly string[], input: Uint8Array, events: ChildEvents) {
    this.#os = os;
    this.#events = events;
    const open: number[] = [];
    try {
      const into = openPipe(os, open);
      const head = openPipe(os, open);
      const output = openPipe(os, open);
      const descriptors = { stdin: into[0], stdout: output[1], stderr: head[1] };
      this.#pid = os.exec(args, { block: false, ...descriptors, env: safeEnvironment() });
      if (this.#pid <= 0) throw new Error("no process left");
      this.#ends = [head[0], output[0]];
      // Close the child's ends of the pipes. The later steps cannot fail.
      for (const fd of [into[0], head[1], output[1]]) os.close(fd);
      writeAll(os, into[1], input);
      os.close(into[1]);
    } catch (error) {
      for (const fd of open) os.close(fd);
      throw error;
    }
    os.setReadHandler(this.#ends[0], () => this.#readHead());
  }

  kill(): void {
    if (this.#over) return;
    this.#os.kill(this.#pid, SIGKILL);
    this.#finish();
  }

  #readHead(): void {
    const [head, output] = this.#ends;
    const count = this.#read(head);
    if (count > 0 && !(this.#events.head?.(this.#chunk, count) ?? false)) return;
    if (this.#over) return;
    this.#os.setReadHandler(head, null);
    this.#os.setReadHandler(output, () => this.#readOutput());
  }

  #readOutput(): void {
    const count = this.#read(this.#ends[1]);
    if (count > 0) this.#events.output?.(this.#chunk, count);
    else this.#events.exit(this.#finish());
  }

  #read(fd: number): number {
    return this.#os.read(fd, this.#chunk.buffer, 0, this.#chunk.length);
  }

  /** Waits for the process, which has closed its output or was killed. Returns the exit code, -1 if unknown. */
  #finish(): number {
    this.#over = true;
    for (const fd of this.#ends) {
      this.#os.setReadHandler(fd, null);
      this.#os.close(fd);
    }
    const [pid, status] = this.#os.waitpid(this.#pid, 0);
    if (pid !== this.#pid) return -1;
    return (status & 0x7f) === 0 ? (status >> 8) & 0xff : -1;
  }
}

/** @param open receives the descriptors that must be closed after a failure */
function openPipe(os: Os, open: number[]): readonly [read: number, write: number] {
  const pipe = os.pipe();
  if (!pipe) throw new Error("no pipe left");
  open.push(...pipe);
  return pipe;
}
