// The desktop device: all five adapters on Node.

import type { Display, Platform } from "../contracts.ts";
import { NodeEntropy } from "./entropy.ts";
import { FileStorage } from "./file-storage.ts";
import { NodeHttp, type NodeHttpOptions } from "./http.ts";
import { TerminalDisplay, type TerminalDisplayOptions } from "./terminal-display.ts";
import { nodeTimers } from "./timers.ts";

export { NodeEntropy } from "./entropy.ts";
export { FileStorage, type FileStorageOptions, StateDirectoryError } from "./file-storage.ts";
export { NodeHttp, type NodeHttpOptions } from "./http.ts";
export {
  TerminalDisplay,
  type TerminalDisplayOptions,
  type TerminalOutput,
} from "./terminal-display.ts";
export { nodeTimers, type RealTime, systemTime } from "./timers.ts";

/** What the platform on Node is made with. */
export interface NodePlatformOptions {
  /** Where the records are kept. */
  stateDirectory: string;
  /** Limits and certificates of the HTTP adapter. */
  http?: NodeHttpOptions;
  /** A display of one's own, or how to draw one in the terminal. */
  display?: Display | TerminalDisplayOptions;
}

export interface NodePlatform extends Platform {
  /** The HTTP adapter. */
  readonly http: NodeHttp;
  /** The two files. */
  readonly storage: FileStorage;
  /** Closes connections and gives the state directory back. */
  dispose(): void;
}

/** @throws StateDirectoryError with one line for the user where the state directory cannot be used */
export function nodePlatform(options: NodePlatformOptions): NodePlatform {
  const { display: wanted } = options;
  const display = wanted !== undefined && "show" in wanted ? wanted : new TerminalDisplay(wanted);
  // Last of what may throw: it takes a lock.
  const storage = new FileStorage(options.stateDirectory);
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
