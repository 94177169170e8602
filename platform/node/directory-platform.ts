// The adapters on Node over a directory of files. Apart from the others: a program with a storage of its own loads no files.

import type { Display, Storage } from "../contracts.ts";
import { FileStorage } from "./file-storage.ts";
import type { NodeHttpOptions } from "./http.ts";
import { type NodeAdapters, nodePlatformOver } from "./platform.ts";

/** What a driver on Node runs on, with its records in a directory. */
export interface NodePlatform extends NodeAdapters {
  /** The two files. */
  readonly storage: FileStorage;
}

/** @throws StateDirectoryError with one line for the user where the state directory cannot be used */
export function nodePlatformWith(
  display: Display,
  options: {
    readonly stateDirectory: string;
    readonly http?: NodeHttpOptions | undefined;
    readonly isShared?: boolean;
    readonly isSealed?: boolean;
  },
): NodePlatform {
  const { stateDirectory, http } = options;
  // Whatever of it is refused is so before the directory is touched.
  const platform = nodePlatformOver(noStorage, display, http);
  const storage = new FileStorage(stateDirectory, options);
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
