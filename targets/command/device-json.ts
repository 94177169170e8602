// A device.json that is named on the command line: read, and completed with what its server says of itself. What is
// wrong with it is told by the file's name.

import { completeConfig } from "../../platform/configuration/complete-config.ts";
import {
  ConfigError,
  type DeviceConfig,
  parseDeviceConfig,
} from "../../platform/configuration/device-config.ts";
import type { Http, Timers } from "../../platform/contracts.ts";
import { discoverServer } from "../../platform/servers/discovery.ts";
import { readText, UsageError } from "../desktop/command-line.ts";
import { Failure } from "./option-parser.ts";

/** @throws UsageError with one line */
export function readDeviceJson(file: string): DeviceConfig {
  try {
    return parseDeviceConfig(readText(file, "configuration"));
  } catch (error) {
    throw named(file, error);
  }
}

/**
 * With the addresses of its profile, or those that its issuer's metadata name.
 * @throws UsageError where something of it is wrong, Failure where the issuer does not answer
 */
export async function completed(
  file: string,
  config: DeviceConfig,
  host: { http: Http; timers: Timers },
): Promise<DeviceConfig> {
  try {
    return await completeConfig(config, (issuer) =>
      discoverServer(host.http, issuer).catch((error: Error) => {
        throw new Failure(error.message);
      }),
    );
  } catch (error) {
    throw named(file, error);
  }
}

function named(file: string, error: unknown): unknown {
  return error instanceof ConfigError ? new UsageError(`${file}: ${error.message}`) : error;
}
