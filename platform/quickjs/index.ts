import type { DeviceConfig } from "../configuration/device-config.ts";
import type { Platform } from "../contracts.ts";
import { EXCHANGE_LIMITS } from "../exchange/limits.ts";
import { SealedStorage } from "../storage/sealed-storage.ts";
import { CurlHttp, curlIsThere } from "./curl-http.ts";
import { displayOf } from "./displays.ts";
import { type Os, quickJsEntropy, quickJsTimers } from "./engine.ts";
import { QuickJsFileStorage } from "./file-storage.ts";
import { FileError, readFile, refuseOthers } from "./files.ts";

const KEY_BYTES_MAX = 1024;
const KEY_BYTES_MIN = 16;

export interface QuickJsPlatform extends Platform {
  /** Ends the current exchange and releases the state directory. */
  dispose(): void;
}

/**
 * @param config must contain `storage`
 * @throws FileError with one line if the configuration does not match this machine
 */
export function quickJsPlatform(os: Os, config: DeviceConfig): QuickJsPlatform {
  const { limits, http: own, storage: place } = config;
  if (place === undefined) throw new FileError("storage is missing");
  const curl = own?.curl ?? "curl";
  if (!curlIsThere(os, curl)) {
    throw new FileError(`http.curl ${curl} cannot be run; install curl or give its path`);
  }
  if (own?.certificates && os.stat(own.certificates)[0] === null) {
    throw new FileError(`http.certificates ${own.certificates} does not exist`);
  }
  const deviceKey = deviceKeyOf(os, place);
  const display = displayOf(os, config.display);
  const entropy = quickJsEntropy(os);
  const http = new CurlHttp(os, {
    curl,
    userAgent: own?.userAgent ?? "picogrant",
    certificates: own?.certificates ?? "",
    sizeLimitBytes: limits?.responseBytes ?? EXCHANGE_LIMITS.sizeLimitBytes,
    timeLimitMs: 1000 * (limits?.exchangeSeconds ?? EXCHANGE_LIMITS.timeLimitMs / 1000),
    connectLimitMs: 1000 * (limits?.connectSeconds ?? EXCHANGE_LIMITS.connectLimitMs / 1000),
  });
  // Open the storage last, because it takes a lock and no later step can fail.
  const files = new QuickJsFileStorage(os, place.directory);
  const storage = new SealedStorage({ storage: files, entropy, deviceKey });
  deviceKey.fill(0);
  return {
    http,
    timers: quickJsTimers(os),
    storage,
    display,
    entropy,
    dispose() {
      http.abort();
      storage.dispose();
      files.close();
    },
  };
}

function deviceKeyOf(os: Os, place: NonNullable<DeviceConfig["storage"]>): Uint8Array {
  if (place.deviceKey !== undefined) return fromHex(place.deviceKey);
  if (place.deviceKeyFile === undefined) throw new FileError("storage.deviceKeyFile is missing");
  const file = place.deviceKeyFile;
  refuseOthers(os, file, "key", `storage.deviceKeyFile ${file}`);
  const key = readFile(os, file, KEY_BYTES_MAX);
  if (key === undefined) throw new FileError(`storage.deviceKeyFile ${file} does not exist`);
  if (key.length < KEY_BYTES_MIN || key.every((byte) => byte === key[0])) {
    throw new FileError(
      `storage.deviceKeyFile ${file} needs ${KEY_BYTES_MIN} random bytes or more`,
    );
  }
  return key;
}

const fromHex = (text: string): Uint8Array =>
  Uint8Array.from(text.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));
