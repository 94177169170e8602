// Runs the C host as a child process, with its keys, display and messages.

import { type ChildProcessByStdio, spawn } from "node:child_process";
import type { Readable, Writable } from "node:stream";
import { reasons } from "../../platform/display/reasons.ts";
import { TIMEOUT_MS } from "../timeouts.ts";

export interface Figures {
  used: number | undefined;
  peak: number | undefined;
  limit: number | undefined;
  requests: number | undefined;
  engine: number | undefined;
  /** The size of the core and its device, in bytes. */
  core: number | undefined;
  residentPeakKiB: number;
}

/** With these settings, a finding of a sanitizer ends the program. */
export const STRICT = {
  ASAN_OPTIONS: "abort_on_error=0:exitcode=98",
  UBSAN_OPTIONS: "halt_on_error=1",
};

export class HostProcess {
  display = "";
  messages = "";
  readonly #child: ChildProcessByStdio<Writable, Readable, Readable>;
  readonly #exited: Promise<number>;

  /** @param command the host's program, optionally with a wrapper (valgrind, qemu) before it */
  constructor(command: readonly string[], env: Record<string, string> = {}) {
    // The environment of this machine, such as a proxy, must not reach the host.
    this.#child = spawn(command[0]!, command.slice(1), {
      stdio: ["pipe", "pipe", "pipe"],
      env: { PATH: process.env.PATH, ...env },
    });
    this.#child.stdin.on("error", () => undefined);
    this.#child.stdout.on("data", (bytes: Buffer) => {
      this.display += bytes.toString("latin1");
    });
    this.#child.stderr.on("data", (bytes: Buffer) => {
      this.messages += bytes.toString("latin1");
    });
    this.#exited = new Promise((resolve, reject) => {
      this.#child.on("error", reject);
      this.#child.on("close", (code) => resolve(code ?? -1));
    });
  }

  get pid(): number {
    return this.#child.pid!;
  }

  press(key: string): void {
    this.#child.stdin.write(`${key}\n`);
  }

  kill(signal: "SIGKILL" | "SIGTERM"): Promise<number> {
    this.#child.kill(signal);
    return this.#exited;
  }

  /** Presses the key that quits. Resolves to the exit code. */
  quit(): Promise<number> {
    this.press("q");
    return this.#exited;
  }

  exit(): Promise<number> {
    return this.#exited;
  }

  async until(what: string, condition: () => boolean): Promise<void> {
    const end = Date.now() + TIMEOUT_MS;
    while (!condition()) {
      if (Date.now() > end || this.#child.exitCode !== null) {
        throw new Error(
          `waited in vain for ${what}:\n${this.messages}\n${this.display.slice(-600)}`,
        );
      }
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }

  state(name: string, count = 1): Promise<void> {
    return this.printed(`state: ${name},`, count);
  }

  printed(text: string, count = 1): Promise<void> {
    return this.until(text, () => this.messages.split(text).length > count);
  }

  /** Waits until the display shows the reason `name` (platform/display/reasons.ts). */
  showsReason(name: string): Promise<void> {
    const { text } = reasons.find((reason) => reason.name === name)!;
    const [matter, fixing] = text.split("|") as [string, string];
    const isShown = (): boolean => {
      const words = this.frame.join(" ").split(/ +/).join(" ");
      return words.trim() === `${matter} ${fixing}`;
    };
    return this.until(`${matter}, ${fixing}`, isShown);
  }

  get frame(): string[] {
    const frames = this.display.split(/\+-+\+\n/).filter((part) => part.startsWith("|"));
    return (frames.at(-1) ?? "")
      .trimEnd()
      .split("\n")
      .map((line) => line.slice(1, -1));
  }

  async measure(): Promise<Figures> {
    const before = this.messages.split("resident:").length;
    this.press("m");
    // The same piece of output may contain further messages.
    await this.until("figures", () => {
      const parts = this.messages.split("resident:");
      return parts.length > before && parts.at(-1)!.includes("\n");
    });
    return this.figures;
  }

  get figures(): Figures {
    const heap = [
      ...this.messages.matchAll(
        /used (\d+), peak (\d+), limit (\d+) bytes; \d+ blocks, (\d+) req\w+; [a-z ]+ (\d+), [a-z ]+ (\d+)/g,
      ),
    ].at(-1);
    const resident = [...this.messages.matchAll(/resident: now \d+ KiB, peak (\d+)/g)].at(-1);
    const number = (text: string | undefined): number | undefined =>
      text ? Number(text) : undefined;
    return {
      used: number(heap?.[1]),
      peak: number(heap?.[2]),
      limit: number(heap?.[3]),
      requests: number(heap?.[4]),
      engine: number(heap?.[5]),
      core: number(heap?.[6]),
      residentPeakKiB: Number(resident?.[1]),
    };
  }
}
