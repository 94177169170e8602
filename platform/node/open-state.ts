// Opens what a sign-in needs on this computer: the adapters, the storage for the tokens, and the device's key. A sign-in
// loads this module together with the check of the options.

import type { ServerSettings } from "../configuration/settings.ts";
import type { Display, Storage } from "../contracts.ts";
import type { Keys } from "../exchange/keys.ts";
import type { StoredMetadata } from "../session/resolve-server.ts";
import type { SharedState } from "../session/shared-state.ts";
import { TokenCache } from "../session/token-cache.ts";
import type { WithTokenCache } from "../storage/token-cache-storage.ts";
import type { NodeSettings } from "./options.ts";
import { type NodeAdapters, nodePlatformOver } from "./platform.ts";
import {
  claimDirectory,
  type NodePlatform,
  nodePlatformWith,
  SharedDirectory,
  storedMetadata,
} from "./state-directory.ts";

export { parseOptions } from "./options.ts";
export { discardDirectory } from "./state-directory.ts";

export interface OpenState extends NodeAdapters {
  readonly stored: TokenCache;
  /** This member and the next two exist only for a state directory. */
  readonly shared?: SharedState;
  readonly metadata?: StoredMetadata;
  readonly files?: { readonly directory: string; readonly hasRecords: boolean };
  /** Opens the key if the server's settings need one. @throws SignInError `signer_failed`, `wrong_option` */
  keys(server: ServerSettings): Promise<Keys | undefined>;
}

/** Without a display, its columns only limit the length of a user code. */
const noDisplay: Display = { columns: 80, rows: 2, show: () => {} };

/** @throws StateDirectoryError if the directory cannot be used, or belongs to another client */
export async function openState(settings: NodeSettings): Promise<OpenState> {
  const { state, storage, http, deviceKey, signer, clientId } = settings;
  const { SealedStorage } =
    deviceKey === undefined ? {} : await import("../storage/sealed-storage.ts");
  // A seal remembers what it has read, so each device needs a new one.
  const seal = (inner: Storage): Storage =>
    SealedStorage ? new SealedStorage({ storage: inner, entropy, deviceKey: deviceKey! }) : inner;
  let directory: NodePlatform | undefined;
  let adapters: NodeAdapters & { readonly storage: Storage & WithTokenCache };
  let disclaim = (): void => {};
  if (storage === undefined) {
    const isSealed = deviceKey !== undefined;
    directory = nodePlatformWith(noDisplay, {
      ...{ stateDirectory: state!, isShared: true, isSealed, http },
    });
    adapters = directory;
    try {
      disclaim = claimDirectory(directory.storage, settings);
    } catch (error) {
      directory.dispose();
      throw error;
    }
  } else {
    const { ValueSlots } = await import("../storage/value-storage.ts");
    const slots = new ValueSlots(storage);
    adapters = { ...nodePlatformOver(slots, noDisplay, http), storage: slots };
  }
  const { entropy } = adapters;
  const open = (): Storage => seal(adapters.storage);
  const files = directory?.storage;
  return {
    ...adapters,
    storage: open(),
    // A program's own storage may wear out or be slow, so the access token is not stored there.
    stored: new TokenCache(() => seal(adapters.storage.tokenCache), files ? "used" : "none"),
    ...(files && {
      files,
      shared: new SharedDirectory(files, open),
      metadata: storedMetadata(files.directory, settings),
    }),
    async keys({ dpop, audience }) {
      if (dpop === undefined && audience === undefined) return undefined;
      const { openKeys } = await import("./keys.ts");
      const own = { signer, clientId, entropy, directory: files?.directory };
      return await openKeys({ ...own, dpop, audience });
    },
    dispose() {
      disclaim();
      adapters.dispose();
    },
  };
}
