// The command line of the device program:
//   qjs --std -m dist/picogrant.qjs.js --config device.json
// Whatever is wrong with it or with the configuration is one line on standard error, exit code 2.

import { create } from "../../core/complete.ts";
import {
  ConfigError,
  coreConfigOf,
  type DeviceConfig,
  parseDeviceConfig,
} from "../../platform/configuration/device-config.ts";
import { MEMORY_BYTES_DEFAULT } from "../../platform/driver.ts";
import { displaySizeOf } from "../../platform/quickjs/displays.ts";
import { type Os, quickJs, type Std, scriptArguments } from "../../platform/quickjs/engine.ts";
import { FileError, readFile, refuseOthers, writeAll } from "../../platform/quickjs/files.ts";
import { type QuickJsPlatform, quickJsPlatform } from "../../platform/quickjs/index.ts";
import { bytesOf, textOf } from "../../platform/text.ts";
import { App } from "./app.ts";
import { eventWriter, readCommands } from "./streams.ts";

const CONFIG_BYTES_MAX = 65_536;
const USAGE = "usage: qjs --std -m picogrant.qjs.js --config FILE [--check]";
const WRONG_USE = 2;
/** sysexits' EX_SOFTWARE: a supervisor starts the device again. */
const INTERNAL_ERROR = 70;

class UsageError extends Error {}

interface Flags {
  config: string;
  check: boolean;
}

function readFlags(args: readonly string[]): Flags {
  const flags: Flags = { config: "", check: false };
  for (let at = 0; at < args.length; at++) {
    if (args[at] === "--check") flags.check = true;
    else if (args[at] === "--config" && args[at + 1]) flags.config = args[++at]!;
    else throw new UsageError(USAGE);
  }
  if (flags.config === "") throw new UsageError(USAGE);
  return flags;
}

function readConfig(os: Os, file: string): DeviceConfig {
  const bytes = readFile(os, file, CONFIG_BYTES_MAX);
  if (bytes === undefined) throw new FileError(`${file}: does not exist`);
  const text = textOf(bytes);
  if (text === undefined) throw new FileError(`${file}: is not UTF-8`);
  try {
    const config = parseDeviceConfig(text);
    refuseOpenConfig(os, file, config);
    return config;
  } catch (error) {
    if (error instanceof ConfigError) throw new FileError(`${file}: ${error.message}`);
    throw error;
  }
}

/** Whoever can change the file sends the device to a server of their own; whoever reads it has its secrets. */
function refuseOpenConfig(os: Os, file: string, config: DeviceConfig): void {
  const secret = config.clientSecret ?? config.storage?.deviceKey;
  const [status] = os.stat(file);
  refuseOthers(os, file, "all", `${file}:`);
  if (secret === undefined || status === null || (status.mode & 0o007) === 0) return;
  throw new FileError(`${file}: every user can read the secrets in it; run chmod 640 on it`);
}

function refuseTooLittleMemory(config: DeviceConfig): void {
  const bytes = config.limits?.memoryBytes ?? MEMORY_BYTES_DEFAULT;
  const settings = { ...coreConfigOf(config), ...displaySizeOf(config.display), seed: 1 };
  if (create(new Uint8Array(bytes), settings)) return;
  throw new UsageError(
    `limits.memoryBytes: ${bytes} are too few for this configuration; give more`,
  );
}

/** An exception in a callback would leave a device that runs and does nothing: better a restart. */
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

function run(std: Std, os: Os, config: DeviceConfig): void {
  const platform = quickJsPlatform(os, config);
  try {
    const app = appOf(std, os, config, platform);
    app.start();
  } catch (error) {
    platform.dispose();
    throw error;
  }
}

function appOf(std: Std, os: Os, config: DeviceConfig, platform: QuickJsPlatform): App {
  const emit = eventWriter(os, config.control?.events);
  const app = new App(config, platform, emit, (ms, ring) => {
    os.setTimeout(ring, ms);
  });
  const end = (): void => {
    app.stop();
    platform.dispose();
    std.exit(0);
  };
  os.signal(os.SIGTERM, end);
  os.signal(os.SIGINT, end);
  // A board's buttons: whoever watches the pins sends a signal.
  os.signal(os.SIGUSR1, () => app.command("sign-in"));
  os.signal(os.SIGUSR2, () => app.command("sign-out"));
  readCommands(os, config.control?.commands, (line) => {
    if (line === "quit") end();
    else app.command(line);
  });
  return app;
}

function main(): void {
  const { std, os } = quickJs();
  const given = scriptArguments();
  if (given.includes("--help")) {
    writeAll(os, 1, bytesOf(`${USAGE}\n`));
    std.exit(0);
  }
  try {
    const { config: file, check } = readFlags(given);
    const config = readConfig(os, file);
    if (config.storage === undefined) {
      throw new UsageError(`${file}: storage is missing; records are kept in files`);
    }
    // The schema does not ask for it: other hosts seal nothing.
    if (config.storage.deviceKey === undefined && config.storage.deviceKeyFile === undefined) {
      throw new UsageError(`${file}: storage.deviceKeyFile is missing; records are sealed with it`);
    }
    if (check) {
      refuseTooLittleMemory(config);
      complain(os, "the configuration is right");
    } else run(std, guarded(std, os), config);
  } catch (error) {
    const known = error instanceof Error && isMistake(error);
    complain(os, known ? error.message : `internal error: ${error}`);
    std.exit(known ? WRONG_USE : INTERNAL_ERROR);
  }
}

/** RangeError: memory that is too small for what the configuration asks for. */
function isMistake(error: Error): boolean {
  return [UsageError, FileError, ConfigError, RangeError].some((kind) => error instanceof kind);
}

main();
