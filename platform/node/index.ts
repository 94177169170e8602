import type { Display } from "../contracts.ts";
import { TerminalDisplay, type TerminalDisplayOptions } from "../display/terminal-display.ts";
import type { NodeHttpOptions } from "./http-options.ts";
import { type NodePlatform, nodePlatformWith } from "./state-directory.ts";

export * from "../display/terminal-display.ts";
export { FileStorage, type FileStorageOptions, StateDirectoryError } from "./file-storage.ts";
export { NodeHttp } from "./http.ts";
export type { NodeHttpOptions } from "./http-options.ts";
export { NodeEntropy } from "./platform.ts";
export type { NodePlatform } from "./state-directory.ts";
export { nodeTimers, type RealTime, systemTime } from "./timers.ts";

/** The options of the platform on Node. */
export interface NodePlatformOptions {
  stateDirectory: string;
  /** Limits and certificates of the HTTP adapter. */
  http?: NodeHttpOptions;
  /** Your own display, or the options of a terminal display. */
  display?: Display | TerminalDisplayOptions;
}

/**
 * Returns all five adapters on Node, by default with a terminal display.
 * @throws StateDirectoryError with one line if the state directory cannot be used
 */
export function nodePlatform(options: NodePlatformOptions): NodePlatform {
  const { display: required } = options;
  const display =
    required !== undefined && "show" in required ? required : new TerminalDisplay(required);
  return nodePlatformWith(display, options);
}
