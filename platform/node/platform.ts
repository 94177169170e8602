// The adapters on Node but for the display: a program that shows the code itself loads none.

import type { Display, Platform } from "../contracts.ts";
import { NodeEntropy } from "./entropy.ts";
import { FileStorage } from "./file-storage.ts";
import { NodeHttp, type NodeHttpOptions } from "./http.ts";
import { nodeTimers } from "./timers.ts";

export interface NodePlatform extends Platform {
  /** The HTTP adapter. */
  readonly http: NodeHttp;
  /** The two files. */
  readonly storage: FileStorage;
  /** Closes connections and gives the state directory back. */
  dispose(): void;
}

/** @throws StateDirectoryError with one line for the user where the state directory cannot be used */
export function nodePlatformWith(
  display: Display,
  options: {
    readonly stateDirectory: string;
    readonly http?: NodeHttpOptions;
    readonly isShared?: boolean;
  },
): NodePlatform {
  // Last of what may throw: it takes a lock.
  const { stateDirectory, isShared = false } = options;
  const storage = new FileStorage(stateDirectory, { isShared });
  const http = new NodeHttp(options.http);
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
      storage.close();
    },
  };
}
