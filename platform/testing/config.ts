// Default settings for tests and simulations, which change what they are about. No addresses and no memory; those are a
// driver's.

import { ClientAuthentication, type Config } from "../../core/complete.ts";
import type { DriverConfig } from "../driver.ts";

/** For a driver, which asks the platform for display and seed. */
export const driverConfig: Readonly<DriverConfig & { server: string }> = {
  clientId: "tv",
  clientSecret: "s",
  clientAuthentication: ClientAuthentication.SPECIFICATION,
  server: "https://auth.example",
  scope: "video",
  deviceParameters: "",
  tokenParameters: "",
  autoStart: 1,
  renewalsMax: 3,
  messages: "",
};

/** For the core alone. */
export const deviceConfig: Readonly<Config> = { ...driverConfig, columns: 20, rows: 4, seed: 1 };
