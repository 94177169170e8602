// A picogrant device against a scripted server: the driver on Node's HTTP, a clock that runs fast, a
// storage in memory. Used where sockets must be real and time need not.

import * as core from "../../../core/complete.ts";
import { ClientAuthentication } from "../../../core/index.ts";
import { Driver, noEndpoints } from "../../../platform/driver.ts";
import { MemoryStorage, RecordedDisplay, SeededEntropy } from "../../../platform/fake/index.ts";
import { NodeHttp } from "../../../platform/node/index.ts";
import { WorldClock } from "../../desktop/simulator/world/world-clock.ts";

interface FastDevice {
  readonly driver: Driver;
  readonly storage: MemoryStorage;
  /** Stops it as a loss of power would; the storage can go to another one. */
  stop(): void;
}

/**
 * Makes a device and starts it.
 * @param base address of the server; endpoints are /device, /token and /revoke
 * @param factor clock seconds per real second
 */
export function startDevice(
  base: string,
  factor: number,
  storage = new MemoryStorage({}),
): FastDevice {
  const http = new NodeHttp({});
  const driver = new Driver({
    core,
    platform: {
      http,
      timers: new WorldClock({ speed: factor }).timers(),
      storage,
      display: new RecordedDisplay(20, 4),
      entropy: new SeededEntropy(1),
    },
    config: {
      clientId: "client",
      clientSecret: "secret",
      scope: "email",
      deviceParameters: "",
      autoStart: 1,
      renewalsMax: 3,
      clientAuthentication: ClientAuthentication.DOCUMENTS,
      tokenParameters: "",
      messages: "",
    },
    endpoints: {
      ...noEndpoints,
      deviceAuthorization: `${base}/device`,
      token: `${base}/token`,
      revocation: `${base}/revoke`,
    },
  });
  driver.start();
  return {
    driver,
    storage,
    stop: () => {
      driver.stop();
      http.dispose();
    },
  };
}

/** Waits in real time until `done` is true. @returns false where it was not within `limitMs` */
export async function until(done: () => boolean, limitMs: number): Promise<boolean> {
  const end = performance.now() + limitMs;
  while (!done()) {
    if (performance.now() > end) return false;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  return true;
}
