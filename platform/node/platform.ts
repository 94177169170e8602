// The adapters on Node without a display. Programs that show the code themselves do not load a display.

import { randomFillSync } from "node:crypto";
import type { Bytes, Display, Entropy, Platform, Storage } from "../contracts.ts";
import type { NodeHttp } from "./http.ts";
import { nodeTimers } from "./timers.ts";

export interface NodeAdapters extends Platform {
  readonly http: NodeHttp;
  /** Closes connections, and releases the storage. */
  dispose(): void;
}

/** Returns the adapters with a storage, which `dispose` closes. */
export function nodePlatformOver<Own extends Storage & { close?(): void }>(
  http: NodeHttp,
  storage: Own,
  display: Display,
): NodeAdapters & { readonly storage: Own } {
  const timers = nodeTimers();
  return {
    http,
    timers,
    storage,
    display,
    entropy: new NodeEntropy(),
    dispose() {
      timers.cancel();
      http.dispose();
      storage.close?.();
    },
  };
}

/** The state directory cannot be used. The message is one line: the problem, the path, and what to do. */
export class StateDirectoryError extends Error {
  constructor(message: string) {
    super(message.replace(/\s+/g, " "));
    this.name = "StateDirectoryError";
  }
}

/** The operating system's random bytes. Node waits until the system's generator is ready, so they are always available. */
export class NodeEntropy implements Entropy {
  fill(into: Bytes, from: number, to: number): boolean {
    const bytes = randomFillSync(new Uint8Array(to - from));
    for (let i = from; i < to; i++) into[i] = bytes[i - from]!;
    // The bytes may become a key: wipe them.
    bytes.fill(0);
    return true;
  }
}
