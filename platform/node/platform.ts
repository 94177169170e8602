// The adapters on Node but for the display: a program that shows the code itself loads none.

import type { Display, Platform, Storage } from "../contracts.ts";
import { NodeEntropy } from "./entropy.ts";
import { NodeHttp, type NodeHttpOptions } from "./http.ts";
import { nodeTimers } from "./timers.ts";

export interface NodeAdapters extends Platform {
  /** The HTTP adapter. */
  readonly http: NodeHttp;
  /** Closes connections, and gives back what the storage holds. */
  dispose(): void;
}

/** The adapters over a storage of the program's own. */
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
