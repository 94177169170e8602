// The board in qemu, as a child process. The board's serial line is the standard input and output of that process. The
// board's network contains this machine and a name server.

import { type ChildProcessByStdio, spawn } from "node:child_process";
import {
  closeSync,
  existsSync,
  ftruncateSync,
  openSync,
  readFileSync,
  rmSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import type { Readable, Writable } from "node:stream";
import { firmwareOf, type Kind } from "./build.ts";
import { machine } from "./machines.ts";
import { addressIn, Network, type Place } from "./network.ts";

const SLOT_BYTES = 8192;
/** This machine's address on the board's network. */
export const SERVICE_ADDRESS = "10.0.2.2";
const NAME_SERVER_ADDRESS = "10.0.2.3";

/** The limit for each wait for the board. It is long, because this computer may be busy. */
export const TIMEOUT_MS = 600_000;
/** Lines of the board's output in an error message. */
const LAST_LINES = 40;

export interface BoardSettings {
  readonly kind: Kind;
  readonly folder: string;
  readonly page?: Buffer | undefined;
  /** Host names that resolve to this machine. */
  readonly names: readonly string[];
  /** Whether the machine mps2 has its clock chip. Default: true. The other machine has none. */
  readonly hasClock?: boolean | undefined;
  /** The build folder of a custom board's firmware. */
  readonly builtIn?: string | undefined;
  readonly onOutput?: ((text: string) => void) | undefined;
}

export interface BoardFigures {
  /** The engine's heap in bytes, and its allocations (`requests`). Undefined without an engine. */
  readonly heap: { peak: number; reached: number; requests: number } | undefined;
  readonly stack: { size: number; used: number };
  /** The sleep since the figures were last requested. */
  readonly sleep: { wakes: number; asleepMs: number; ofMs: number };
}

/** The flash with the settings pages: a file with two areas (map.h of the machine). Tests write it as the factory or an
 * updater would. */
class FlashFile {
  constructor(readonly path: string) {}

  #change(at: number, bytes: Uint8Array, flags: "r+" | "w"): void {
    const file = openSync(this.path, flags, 0o600);
    try {
      if (flags === "w") ftruncateSync(file, machine.flashFileBytes);
      writeSync(file, bytes, 0, bytes.length, at);
    } finally {
      closeSync(file);
    }
  }

  erase(): void {
    this.#change(0, Buffer.alloc(2 * machine.pageBytes, 0xff), "w");
  }

  /** Erases an area, and then writes a page or the start of one. */
  program(area: 0 | 1, page: Uint8Array): void {
    const whole = Buffer.alloc(machine.pageBytes, 0xff);
    whole.set(page);
    this.#change(area * machine.pageBytes, whole, "r+");
  }
}

export class Board {
  output = "";
  #child: ChildProcessByStdio<Writable, Readable, Readable> | undefined;
  #ended: Promise<number> = Promise.resolve(0);
  #complaints = "";
  readonly network: Network;
  readonly flash: FlashFile;
  #hasNetwork = false;
  #hasLeftFactory = false;

  readonly #settings: BoardSettings;

  constructor(settings: BoardSettings) {
    this.#settings = settings;
    const names = settings.names.map((name) => [name, SERVICE_ADDRESS]);
    this.network = new Network(Object.fromEntries(names), NAME_SERVER_ADDRESS);
    if (!machine.hasClock) this.network.time = Date.now;
    this.flash = new FlashFile(join(settings.folder, "flash.bin"));
  }

  get eeprom(): string {
    return join(this.#settings.folder, "eeprom.bin");
  }

  #cable(end: "board" | Place): string {
    return join(this.#settings.folder, `cable-${end}`);
  }

  get #monitor(): string {
    return join(this.#settings.folder, "monitor");
  }

  #leaveFactory(): void {
    const { page = Buffer.alloc(0) } = this.#settings;
    if (!existsSync(this.flash.path)) this.flash.erase();
    this.flash.program(0, page);
    if (!existsSync(this.eeprom))
      writeFileSync(this.eeprom, Buffer.alloc(machine.eepromBytes, 0xff));
  }

  get records(): Buffer {
    return readFileSync(this.eeprom).subarray(0, 2 * SLOT_BYTES);
  }

  #machineArguments(): string[] {
    const { kind, builtIn } = this.#settings;
    const firmware = ["-kernel", firmwareOf(kind, builtIn)];
    return [...firmware, ...(machine.name === "mps2" ? this.#mps2() : this.#lm3s6965evb())];
  }

  #mps2(): string[] {
    const { hasClock = true } = this.#settings;
    const flash = `memory-backend-file,id=flash,share=on,size=${machine.flashFileBytes}`;
    return [
      ...["-machine", "mps2-an385,memory-backend=flash"],
      ...["-object", `${flash},mem-path=${this.flash.path}`],
      ...["-net", "nic,model=lan9118,netdev=board"],
      ...["-drive", `if=none,id=eeprom,file=${this.eeprom},format=raw`],
      "-device",
      `at24c-eeprom,bus=i2c,address=0x50,rom-size=${machine.eepromBytes},drive=eeprom`,
      ...(hasClock ? ["-device", "ds1338,bus=i2c,address=0x68"] : []),
      ...["-device", "ssd0303,bus=i2c,address=0x3d"],
    ];
  }

  /** The emulator reads the flash from the file when the board is switched on. */
  #lm3s6965evb(): string[] {
    return [
      ...["-machine", "lm3s6965evb"],
      ...["-device", `loader,file=${this.flash.path},addr=0x3c000,force-raw=on`],
      ...["-net", "nic,model=stellaris,netdev=board"],
      ...["-drive", `if=sd,file=${this.eeprom},format=raw`],
    ];
  }

  #arguments(): string[] {
    const network = (place: Place, hub: number): string[] => [
      ...["-netdev", `stream,id=cable-${place},${this.#socket(place)}`],
      ...["-netdev", `hubport,id=cable-end-${place},hubid=${hub},netdev=cable-${place}`],
      ...["-netdev", `user,id=${place},net=${addressIn(place, "10.0.2.0/24")}`],
      ...["-netdev", `hubport,id=end-${place},hubid=${hub},netdev=${place}`],
    ];
    return [
      ...["-display", "none", "-no-user-config", "-nodefaults"],
      ...["-chardev", "stdio,id=line,signal=off", "-serial", "chardev:line"],
      ...["-qmp", `unix:${this.#monitor},server=on,wait=off`],
      // The board is at one end of the cable. At the other end are two networks of qemu, which reach this machine.
      ...["-netdev", `stream,id=board,${this.#socket("board")}`],
      ...network("home", 0),
      ...network("elsewhere", 1),
      ...this.#machineArguments(),
    ];
  }

  #socket(end: "board" | Place): string {
    return `server=off,addr.type=unix,addr.path=${this.#cable(end)}`;
  }

  async powerOn(): Promise<void> {
    if (!this.#hasLeftFactory) this.#leaveFactory();
    this.#hasLeftFactory = true;
    if (!this.#hasNetwork) {
      const ends = [this.#cable("board"), this.#cable("home"), this.#cable("elsewhere")] as const;
      await this.network.open(...ends);
    }
    this.#hasNetwork = true;
    rmSync(this.#monitor, { force: true });
    this.output = this.#complaints = "";
    // setpriv makes the kernel end the emulator when this process ends, even after a crash.
    const command = ["--pdeathsig", "KILL", "qemu-system-arm", ...this.#arguments()];
    const child = spawn("setpriv", command, { stdio: ["pipe", "pipe", "pipe"] });
    this.#child = child;
    child.stdin.on("error", () => undefined);
    child.stdout.on("data", (bytes: Buffer) => {
      const text = bytes.toString("latin1");
      this.output += text;
      this.#settings.onOutput?.(text);
    });
    child.stderr.on("data", (bytes: Buffer) => {
      this.#complaints += bytes.toString("latin1");
    });
    this.#ended = new Promise((resolve) => {
      child.on("error", (error) => {
        this.#complaints += error.message;
        resolve(-1);
      });
      child.on("close", (code) => resolve(code ?? -1));
    });
  }

  async powerOff(): Promise<void> {
    this.#child?.kill("SIGKILL");
    await this.#ended;
    this.#child = undefined;
  }

  async end(): Promise<void> {
    await this.powerOff();
    if (this.#hasNetwork) await this.network.close();
    this.#hasNetwork = false;
  }

  press(key: string): void {
    this.#child?.stdin.write(key);
  }

  async until(what: string, condition: () => boolean | Promise<boolean>): Promise<void> {
    const began = Date.now();
    while (!(await condition())) {
      const waitedMs = Date.now() - began;
      if (!this.#isOn || waitedMs > TIMEOUT_MS) throw this.#timeoutError(what, waitedMs);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }

  get #isOn(): boolean {
    const child = this.#child;
    if (!child || child.killed) return false;
    return child.exitCode === null && child.signalCode === null;
  }

  #timeoutError(what: string, waitedMs: number): Error {
    const lines = this.output.trimEnd().split("\n");
    const { exitCode, signalCode } = this.#child ?? {};
    const end = `ended with ${exitCode ?? signalCode ?? "the power switched off"}`;
    return new Error(
      [
        `waited ${(waitedMs / 1000).toFixed(1)} s for "${what}" in vain`,
        `the emulator ${this.#isOn ? "still runs" : end}; its error output: ${this.#complaints.trim() || "none"}`,
        `names that the board looked up: ${this.network.requested.join(", ") || "none"}`,
        `the board's last lines, of ${lines.length}:`,
        ...lines.slice(-LAST_LINES),
      ].join("\n"),
    );
  }

  /** Waits until the board has printed `text` `count` times since it was switched on. */
  printed(text: string, count = 1): Promise<void> {
    return this.until(text, () => this.output.split(text).length > count);
  }

  state(name: string, count = 1): Promise<void> {
    return this.printed(`state: ${name},`, count);
  }

  /** The lines of the last complete frame. */
  get frame(): string[] {
    const frames = [...this.output.matchAll(/\+-+\+\n((?:\|.*\|\n)+)\+-+\+\n/g)];
    const lines = frames.at(-1)?.[1]?.trimEnd().split("\n") ?? [];
    return lines.map((line) => line.slice(1, -1));
  }

  async measure(): Promise<BoardFigures> {
    const pattern =
      /(?:heap: size \d+, peak (\d+), reached (\d+), requests (\d+)\n)?stack: size (\d+), used (\d+)\nsleep: wakes (\d+), asleep (\d+) of (\d+) ms\n/g;
    const all = (): RegExpExecArray[] => [...this.output.matchAll(pattern)];
    const before = all().length;
    this.press("m");
    await this.until("the figures", () => all().length > before);
    const [, ...figures] = all().at(-1)!.map(Number) as [number, ...number[]];
    const [peak, reached, requests, size, used, wakes, asleepMs, ofMs] = figures;
    return {
      heap: requests! >= 0 ? { peak: peak!, reached: reached!, requests: requests! } : undefined,
      stack: { size: size!, used: used! },
      sleep: { wakes: wakes!, asleepMs: asleepMs!, ofMs: ofMs! },
    };
  }

  plug(isIn: boolean): Promise<void> {
    return this.#monitorDescription("set_link", { name: "board", up: isIn });
  }

  picture(filename: string, format: "png" | "ppm" = "png"): Promise<void> {
    return this.#monitorDescription("screendump", { filename, format });
  }

  /** Sends a command to qemu's monitor, after the initial command that the monitor requires. */
  #monitorDescription(execute: string, args: object): Promise<void> {
    return new Promise((resolve, reject) => {
      const line = connect(this.#monitor);
      let responses = "";
      line.on("error", reject).on("data", (bytes) => {
        responses += bytes;
        if (responses.includes('"error"')) reject(new Error(responses));
        if (responses.split('"return"').length > 2) line.end(resolve);
      });
      line.write('{ "execute": "qmp_capabilities" }');
      line.write(JSON.stringify({ execute, arguments: args }));
    });
  }
}
