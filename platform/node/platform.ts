// The adapters on Node but for the display: a program that shows the code itself loads none.

import type { Display, Platform, Storage } from "../contracts.ts";
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
  const { stateDirectory, isShared = false, http } = options;
  // Whatever of it is refused is so before the directory is touched.
  const { storage: _, ...platform } = nodePlatformOver(noStorage, display, http);
  const storage = new FileStorage(stateDirectory, { isShared });
  return {
    ...platform,
    storage,
    dispose() {
      platform.dispose();
      storage.close();
    },
  };
}

const noStorage = { capacity: 0 } as Storage;

/** The adapters over a storage of the program's own. */
export function nodePlatformOver(
  storage: Storage,
  display: Display,
  httpOptions: NodeHttpOptions | undefined,
): Omit<NodePlatform, "storage"> & { readonly storage: Storage } {
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
