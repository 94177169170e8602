// The sealed storage of a life: the real one, with the life's own entropy and device key.

import type { Storage } from "../../platform/contracts.ts";
import { SealedStorage } from "../../platform/sealed-storage.ts";
import { entropyOf } from "./board.ts";
import type { Roll } from "./dice.ts";

const DEVICE_KEY = Uint8Array.from({ length: 32 }, (_, i) => i * 7 + 1);

/** Sealed storage around `inner`, as after a power-on: it knows of nothing that was written before. */
export function sealed(inner: Storage, roll: Roll): Storage {
  return new SealedStorage({ storage: inner, entropy: entropyOf(roll), deviceKey: DEVICE_KEY });
}
