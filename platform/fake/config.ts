// What a maker would have set, for devices that nobody makes: tests and simulations change what their
// subject is, and nothing more. No addresses and no memory; those are a driver's.

import type { Config } from "../../core/complete.ts";
import type { DriverConfig } from "../driver.ts";

/** For a driver, which asks the platform for display and seed. */
export const driverConfig: Readonly<DriverConfig> = {
  clientId: "tv",
  clientSecret: "s",
  scope: "video",
  deviceParameters: "",
  autoStart: 1,
  renewalsMax: 3,
  revokeInBody: 0,
  messages: "",
};

/** For the core alone. */
export const deviceConfig: Readonly<Config> = { ...driverConfig, columns: 20, rows: 4, seed: 1 };
