// A device on a stock qjs: qjs --std -m dist/picogrant.qjs.js --config device.json. Its input is commands as lines, and
// its output is events as lines of JSON. Invalid arguments, configuration or files, and too little memory, are reported
// in one line on standard error, with exit code 2.

import * as core from "../../core/complete.ts";
import {
  ConfigError,
  coreConfigOf,
  type DeviceConfig,
  deviceServer,
  parseDeviceConfig,
} from "../../platform/configuration/device-config.ts";
import { missingCapacityOf, missingMemberOf } from "../../platform/driver/responses.ts";
import { Driver, MEMORY_BYTES_DEFAULT } from "../../platform/driver.ts";
import { displaySizeOf } from "../../platform/quickjs/displays.ts";
import { type Os, quickJs, type Std, scriptArguments } from "../../platform/quickjs/engine.ts";
import {
  FileError,
  isOfKind,
  readFile,
  reasonOf,
  refuseOthers,
  writeAll,
} from "../../platform/quickjs/files.ts";
import { type QuickJsPlatform, quickJsPlatform } from "../../platform/quickjs/index.ts";
import { bytesOf, textOf } from "../../platform/text/text.ts";

const { Endpoint, CallState, ErrorCode, State } = core;

const CONFIG_BYTES_MAX = 65_536;
/** Maximum length of a command in characters. A longer line is dropped. */
const LINE_MAX = 4096;
const USAGE = "usage: qjs --std -m picogrant.qjs.js --config FILE [--check]";
const WRONG_USE = 2;
/** EX_SOFTWARE of sysexits.h. A supervisor should restart the program after this exit code. */
const INTERNAL_ERROR = 70;

class UsageError extends Error {}

/** Writes an event as a line. The bytes follow the line unchanged, and a line feed follows the bytes. */
type Emit = (event: Record<string, string | number>, bytes?: readonly number[]) => void;

class App {
  readonly #driver: Driver;
  readonly #emit: Emit;
  #isCalling = false;
  #response: number[] = [];
  #shown = "";

  constructor(config: DeviceConfig, platform: QuickJsPlatform, emit: Emit) {
    this.#emit = emit;
    this.#driver = new Driver({
      core,
      platform,
      ...deviceServer(config),
      onChange: () => this.#changed(),
      onApiBody: (bytes, from, to) => {
        for (let at = from; at < to; at++) this.#response.push(bytes[at]!);
      },
    });
  }

  start(): void {
    this.#driver.start();
  }

  stop(): void {
    this.#driver.stop();
  }

  /** Carries out a command of the user or of another program. An unknown command causes the event `refused`. */
  command(line: string): void {
    const [verb = "", ...rest] = line.trim().split(" ");
    if (verb === "sign-in") this.#driver.signIn();
    else if (verb === "cancel") this.#driver.cancel();
    else if (verb === "sign-out") this.#driver.signOut();
    else if (verb === "status") this.#driver.setStatus(rest.join(" ").replace(/[^ -~]/g, "?"));
    else if (verb === "get") this.#call(rest[0] ?? "", rest.slice(1).join(" "));
    else if (verb !== "") this.#refuse("unknown command");
  }

  /** Calls an API. @param place the index in endpoints.resources @param target the path after that address */
  #call(place: string, target: string): void {
    if (!/^\d{1,2}$/.test(place) || !/^[!-~]*$/.test(target)) {
      this.#refuse("get N TARGET: N is the API's place in endpoints.resources, from 0");
      return;
    }
    const { device } = this.#driver;
    if (this.#isCalling || core.beginCall(device) === 0) {
      this.#refuse("not signed in, or a call is under way");
      return;
    }
    core.addPath(device, bytesOf(target), 0, target.length);
    this.#response = [];
    if (core.sendCall(device, Endpoint.RESOURCE + Number(place), 1, null, 0, 0) === 0) {
      this.#refuse("the target is too long");
      return;
    }
    this.#isCalling = true;
    this.#driver.run();
  }

  #changed(): void {
    this.#report();
    const { callState, callError, callStatus } = this.#driver.device;
    if (!this.#isCalling || callState !== CallState.DONE) return;
    this.#isCalling = false;
    const { stepUp } = this.#driver;
    const event = {
      event: "response",
      // If `stepUp` is set, the API has responded with 401 and requires another sign-in (RFC 9470).
      status: stepUp === undefined ? callStatus : 401,
      ...stepUp,
      error: nameOf(ErrorCode, callError),
      bytes: this.#response.length,
    };
    this.#emit(event, this.#response);
  }

  #report(): void {
    const { device } = this.#driver;
    const capacity = missingCapacityOf(device);
    const lack = missingMemberOf(device);
    const now = {
      event: "state",
      state: nameOf(State, device.state),
      error: nameOf(ErrorCode, device.error),
      ...(capacity !== "" && { capacity }),
      ...(lack !== "" && { lack }),
    };
    const text = JSON.stringify(now);
    if (text === this.#shown) return;
    this.#shown = text;
    this.#emit(now);
  }

  #refuse(reason: string): void {
    this.#emit({ event: "refused", reason });
  }
}

/** The name of a value, such as `signed-in` for `State.SIGNED_IN`. */
function nameOf(names: Record<number, string>, value: number): string {
  return (names[value] ?? String(value)).toLowerCase().replaceAll("_", "-");
}

function readConfig(os: Os, file: string): DeviceConfig {
  const bytes = readFile(os, file, CONFIG_BYTES_MAX);
  if (bytes === undefined) throw new FileError(`${file}: does not exist`);
  const text = textOf(bytes);
  if (text === undefined) throw new FileError(`${file}: is not UTF-8`);
  try {
    const config = parseDeviceConfig(text);
    refuseOpenConfig(os, file, config);
    refuseIncomplete(file, config);
    return config;
  } catch (error) {
    if (error instanceof ConfigError) throw new FileError(`${file}: ${error.message}`);
    throw error;
  }
}

/** Rejects a configuration that other users can change, and one with a secret that every user can read. */
function refuseOpenConfig(os: Os, file: string, config: DeviceConfig): void {
  const secret = config.clientSecret ?? config.storage?.deviceKey;
  const what = secret === undefined ? "configuration" : "configuration with a secret";
  refuseOthers(os, file, what, `${file}:`);
}

/** Rejects `dpop`, and a file without the members that this host needs although the schema does not require them. */
function refuseIncomplete(file: string, config: DeviceConfig): void {
  const { endpoints } = deviceServer(config);
  const { storage, dpop = "off" } = config;
  if (dpop !== "off") throw new UsageError(`${file}: dpop needs a host with a key`);
  if (!endpoints.deviceAuthorization || !endpoints.token) {
    const remedy = `npx picogrant configure ${file} writes those of its issuer into it`;
    throw new UsageError(`${file}: endpoints are missing; ${remedy}`);
  }
  if (storage === undefined) {
    throw new UsageError(`${file}: storage is missing; records are kept in files`);
  }
  if (storage.deviceKey === undefined && storage.deviceKeyFile === undefined) {
    throw new UsageError(`${file}: storage.deviceKeyFile is missing; records are sealed with it`);
  }
}

function refuseTooLittleMemory(config: DeviceConfig): void {
  const server = deviceServer(config);
  const { memoryBytes: bytes = MEMORY_BYTES_DEFAULT } = server;
  const settings = { ...coreConfigOf(server), ...displaySizeOf(config.display), seed: 1 };
  if (core.create(new Uint8Array(bytes), settings)) return;
  throw new UsageError(
    `limits.memoryBytes: ${bytes} are too few for this configuration; give more`,
  );
}

/**
 * Reads commands from "stdin" or a named pipe. Default: from standard input if it is a terminal.
 * @throws FileError if the pipe cannot be opened or is not a pipe
 */
function readCommands(os: Os, source: string | undefined, line: (text: string) => void): void {
  if (source === undefined && !os.isatty(0)) return;
  // Open the pipe also for writing. A pipe without a writer would report its end again and again.
  const fd =
    source === undefined || source === "stdin" ? 0 : openAs(os, "commands", source, os.O_RDWR);
  const chunk = new Uint8Array(1024);
  let text = "";
  os.setReadHandler(fd, () => {
    const count = os.read(fd, chunk.buffer, 0, chunk.length);
    if (count <= 0) os.setReadHandler(fd, null);
    for (let at = 0; at < count; at++) {
      if (chunk[at] === 10) {
        line(text.length > LINE_MAX ? "" : text);
        text = "";
      } else if (text.length <= LINE_MAX) text += String.fromCharCode(chunk[at]!);
    }
  });
}

/**
 * Writes events to "stdout", "stderr", a file or a device. Default: no events.
 * @throws FileError if the path cannot be opened, or if it is a pipe, which could block the device
 */
function eventWriter(os: Os, target: string | undefined): Emit {
  if (target === undefined) return () => {};
  const flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND;
  const standard = ["", "stdout", "stderr"].indexOf(target);
  const fd = standard > 0 ? standard : openAs(os, "events", target, flags);
  return (event, bytes = []) => {
    writeAll(os, fd, bytesOf(`${JSON.stringify(event)}\n`));
    if (bytes.length > 0) writeAll(os, fd, Uint8Array.from([...bytes, 10]));
  };
}

function openAs(os: Os, what: "commands" | "events", path: string, flags: number): number {
  const isPipe = isOfKind(os, path, "S_IFIFO");
  if (what === "commands" && !isPipe) {
    throw new FileError(`control.commands ${path} is no named pipe; make it with mkfifo -m 600`);
  }
  if (what === "events" && isPipe) {
    throw new FileError(`control.events ${path} is a pipe; give a file or a device`);
  }
  const fd = os.open(path, flags, 0o600);
  if (fd < 0) throw new FileError(`control.${what} ${path} cannot be opened (${reasonOf(fd)})`);
  return fd;
}

function run(std: Std, os: Os, config: DeviceConfig): void {
  const platform = quickJsPlatform(os, config);
  try {
    const app = new App(config, platform, eventWriter(os, config.control?.events));
    const end = (): void => {
      app.stop();
      platform.dispose();
      std.exit(0);
    };
    os.signal(os.SIGTERM, end);
    os.signal(os.SIGINT, end);
    // For the buttons of a board: another program watches the pins and sends these signals.
    os.signal(os.SIGUSR1, () => app.command("sign-in"));
    os.signal(os.SIGUSR2, () => app.command("sign-out"));
    readCommands(os, config.control?.commands, (line) => {
      if (line === "quit") end();
      else app.command(line);
    });
    app.start();
  } catch (error) {
    platform.dispose();
    throw error;
  }
}

/** Returns an `os` whose callbacks end the program after an exception. Otherwise, no timer would wake the device. */
function guarded(std: Std, os: Os): Os {
  const guard = (call: () => void) => (): void => {
    try {
      call();
    } catch (error) {
      complain(os, `internal error: ${error}`);
      std.exit(INTERNAL_ERROR);
    }
  };
  const own: Partial<Os> = {
    setTimeout: (handler, delayMs) => os.setTimeout(guard(handler), delayMs),
    setReadHandler: (fd, handler) => os.setReadHandler(fd, handler && guard(handler)),
    signal: (signal, handler) => os.signal(signal, handler ? guard(handler) : handler),
  };
  return Object.assign(Object.create(os) as Os, own);
}

function complain(os: Os, line: string): void {
  writeAll(os, 2, bytesOf(`picogrant: ${line.replace(/\s*\n\s*/g, " ")}\n`));
}

function main(): void {
  const { std, os } = quickJs();
  const given = scriptArguments();
  if (given.includes("--help")) {
    writeAll(os, 1, bytesOf(`${USAGE}\n`));
    std.exit(0);
  }
  try {
    const [option, file, ...more] = given.filter((word) => word !== "--check");
    if (option !== "--config" || !file || more.length > 0) throw new UsageError(USAGE);
    const config = readConfig(os, file);
    if (given.includes("--check")) {
      refuseTooLittleMemory(config);
      complain(os, "the configuration is right");
    } else run(std, guarded(std, os), config);
  } catch (error) {
    // A RangeError means that the memory is too small for the configuration.
    const kinds = [UsageError, FileError, ConfigError, RangeError];
    const isMistake = kinds.some((kind) => error instanceof kind);
    complain(os, isMistake ? (error as Error).message : `internal error: ${error}`);
    std.exit(isMistake ? WRONG_USE : INTERNAL_ERROR);
  }
}

main();
