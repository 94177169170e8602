// The adapters on Node without the display, which programs that show the code themselves do not load.

import { randomFillSync } from "node:crypto";
import type { Bytes, Display, Entropy, Platform, Storage } from "../contracts.ts";
import { NodeHttp } from "./http.ts";
import type { NodeHttpOptions } from "./http-options.ts";
import { nodeTimers } from "./timers.ts";

export interface NodeAdapters extends Platform {
  /** The HTTP adapter. */
  readonly http: NodeHttp;
  /** Closes connections, and releases the storage. */
  dispose(): void;
}

/** The adapters with a storage of the program's own. */
export function nodePlatformOver(
  storage: Storage,
  display: Display,
  httpOptions: NodeHttpOptions | undefined,
): NodeAdapters {
  const http = new NodeHttp(httpOptions);
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
    },
  };
}

/** The state directory cannot be used. Its message is one line: what, where, what to do. */
export class StateDirectoryError extends Error {
  constructor(message: string) {
    super(message.replace(/\s+/g, " "));
    this.name = "StateDirectoryError";
  }
}

/** Entropy of the operating system. Always available: Node waits for the system's generator at start-up. */
export class NodeEntropy implements Entropy {
  fill(into: Bytes, from: number, to: number): boolean {
    const bytes = randomFillSync(new Uint8Array(to - from));
    for (let i = from; i < to; i++) into[i] = bytes[i - from]!;
    // They may become a key: wipe them.
    bytes.fill(0);
    return true;
  }
}
