// A device program running in qjs, seen from outside: its events, its display, its end.

import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import type { DeviceConfig } from "../../platform/configuration/device-config.ts";
import { within } from "./limits.ts";

interface DeviceEvent {
  event: string;
  state?: string;
  error?: string;
  status?: number;
  bytes?: number;
  /** What followed the line. */
  body?: string;
}

export interface Ended {
  code: number | null;
  errors: string;
}

/** Writes device.json for its owner only. */
export function writeConfig(folder: string, config: Partial<DeviceConfig>): string {
  const file = join(folder, "device.json");
  writeFileSync(file, JSON.stringify(config), { mode: 0o600 });
  return file;
}

export class RunningDevice {
  readonly events: DeviceEvent[] = [];
  readonly child: ChildProcessWithoutNullStreams;
  readonly #ended: Promise<Ended>;
  #output = "";
  #errors = "";
  #waiting: (() => void)[] = [];

  readonly #limitMs: number | undefined;

  /**
   * @param args what follows the name of `qjs`
   * @param env added to the environment
   * @param limitMs how long one wait may take
   */
  constructor(qjs: string, args: readonly string[], env: NodeJS.ProcessEnv = {}, limitMs?: number) {
    this.#limitMs = limitMs;
    this.child = spawn(qjs, args, { env: { ...process.env, ...env } });
    this.child.stdout.on("data", (chunk: Buffer) => this.#take(chunk.toString("latin1")));
    this.child.stderr.on("data", (chunk: Buffer) => {
      this.#errors += chunk.toString();
    });
    this.#ended = new Promise((resolve) => {
      this.child.on("close", (code) => {
        this.#wake();
        resolve({ code, errors: this.#errors });
      });
    });
    onTestFinished(() => {
      this.child.kill("SIGKILL");
    });
  }

  send(command: string): void {
    this.child.stdin.write(`${command}\n`);
  }

  /** The first event from `from` on that is right; rejects where the device ends before, or it is late. */
  event(what: string, isRight: (event: DeviceEvent) => boolean, from = 0): Promise<DeviceEvent> {
    return this.#limited(`waiting for ${what}`, this.#found(what, isRight, from));
  }

  async #found(
    what: string,
    isRight: (event: DeviceEvent) => boolean,
    from: number,
  ): Promise<DeviceEvent> {
    for (;;) {
      const found = this.events.slice(from).find(isRight);
      if (found !== undefined) return found;
      if (this.child.exitCode !== null || this.child.signalCode !== null) {
        throw new Error(`the device ended before ${what}: ${this.#errors}${this.#transcript()}`);
      }
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
  }

  async state(state: string, from = 0): Promise<void> {
    await this.event(`state ${state}`, (event) => event.state === state, from);
  }

  async signal(signal: NodeJS.Signals): Promise<Ended> {
    this.child.kill(signal);
    return this.#limited(`its end after ${signal}`, this.#ended);
  }

  end(): Promise<Ended> {
    return this.#limited("its end", this.#ended);
  }

  #limited<T>(step: string, outcome: Promise<T>): Promise<T> {
    const said = () => `${this.#errors}${this.#transcript()}`;
    return within(step, this.child, outcome, said, this.#limitMs);
  }

  #transcript(): string {
    return this.events.map((event) => JSON.stringify(event)).join("\n");
  }

  #take(text: string): void {
    this.#output += text;
    for (;;) {
      const end = this.#output.indexOf("\n");
      if (end < 0) break;
      const event = JSON.parse(this.#output.slice(0, end)) as DeviceEvent;
      const bytes = event.bytes ?? 0;
      // A body is followed by a line's end of its own.
      const next = end + 1 + (bytes > 0 ? bytes + 1 : 0);
      if (this.#output.length < next) break;
      if (bytes > 0) event.body = this.#output.slice(end + 1, end + 1 + bytes);
      this.#output = this.#output.slice(next);
      this.events.push(event);
    }
    this.#wake();
  }

  #wake(): void {
    const all = this.#waiting;
    this.#waiting = [];
    for (const resolve of all) resolve();
  }
}
