// Opens the state of a sign-in on this computer: the adapters, the storage for the tokens, and the device's key. In a state
// directory, it also claims the directory for the client, and stores the issuer's metadata.

import { createHmac, timingSafeEqual } from "node:crypto";
import path from "node:path";
import type { ServerSettings, Settings } from "../configuration/settings.ts";
import type { Display, Storage } from "../contracts.ts";
import { checkEndpoints, noEndpoints } from "../driver/endpoints.ts";
import { nothing } from "../exchange/callbacks.ts";
import type { Keys } from "../exchange/keys.ts";
import { isSameIssuer } from "../servers/address.ts";
import type { DiscoveredServer } from "../servers/discovery.ts";
import type { StoredMetadata } from "../session/resolve-server.ts";
import type { SharedRecords } from "../session/shared-records.ts";
import { SignInError } from "../session/sign-in-error.ts";
import { TokenCache } from "../session/token-cache.ts";
import { objectIn, printable } from "../text/text.ts";
import { FileStorage, type FileStorageOptions } from "./file-storage.ts";
import { readOwn, removeOwn, writeOwn } from "./files.ts";
import { NodeHttp } from "./http.ts";
import type { NodeHttpOptions } from "./http-options.ts";
import type { NodeSettings } from "./options.ts";
import { type NodeAdapters, nodePlatformOver, StateDirectoryError } from "./platform.ts";
import { SharedDirectory } from "./state-lock.ts";

export { parseOptions } from "./options.ts";

export interface OpenState extends NodeAdapters {
  readonly stored: TokenCache;
  readonly fetch: typeof fetch;
  /** This member and the next two exist only for a state directory. */
  readonly shared?: SharedRecords;
  readonly metadata?: StoredMetadata;
  readonly files?: { readonly directory: string; readonly hasRecords: boolean };
  /** Opens the key if the server's settings need one. @throws as `openKeys` */
  keys(server: ServerSettings): Promise<Keys | undefined>;
}

/** The driver requires a display. Here, its columns only limit the length of a user code. */
const noDisplay: Display = { columns: 80, rows: 2, show: () => {} };

/** @throws StateDirectoryError if the directory cannot be used, or belongs to another client */
export async function openState(settings: NodeSettings): Promise<OpenState> {
  const { state, storage: own, deviceKey, signer, clientId } = settings;
  const { SealedStorage } =
    deviceKey === undefined ? {} : await import("../storage/sealed-storage.ts");
  const { ValueSlots } = own === undefined ? {} : await import("../storage/value-storage.ts");
  const http = new NodeHttp(settings.http);
  const { fetch = http.fetch } = settings;
  const isSealed = deviceKey !== undefined;
  const files = ValueSlots ? undefined : new FileStorage(state!, { isShared: true, isSealed });
  const adapters = nodePlatformOver(http, files ?? new ValueSlots!(own!), noDisplay);
  let disclaim = nothing;
  try {
    if (files) disclaim = claimDirectory(files, settings);
  } catch (error) {
    adapters.dispose();
    throw error;
  }
  const { storage, entropy } = adapters;
  // A sealed storage rejects records that another program has written after it read the slot: each driver has its own.
  const seal = (inner: Storage): Storage =>
    SealedStorage ? new SealedStorage({ storage: inner, entropy, deviceKey: deviceKey! }) : inner;
  const open = (): Storage => seal(storage);
  return {
    ...adapters,
    storage: open(),
    // A program's own storage may wear out or be slow, so its token cache has no access token.
    stored: new TokenCache(() => seal(storage.tokenCache), files ? "used" : "none"),
    fetch,
    ...(files && {
      files,
      shared: new SharedDirectory(files, open),
      metadata: storedMetadata(files.directory, settings),
    }),
    async keys({ dpop, audience }) {
      if (dpop === undefined && audience === undefined) return undefined;
      const { openKeys } = await import("./keys.ts");
      return await openKeys({
        ...{ signer, clientId, entropy, dpop, audience },
        directory: files?.directory,
      });
    },
    dispose() {
      disclaim();
      adapters.dispose();
    },
  };
}

// The file client.json names the client of the stored session. The core treats records of another client as absent
// (core/SPEC.md), so without this file, a program with another client would overwrite them.

const OWNER = "client.json";

/**
 * Claims the directory for a client identifier (with any server name), while the directory contains records.
 * @returns a function that releases the directory if it contains no records; call it before the files are closed
 * @throws StateDirectoryError if the directory contains records of another client
 */
export function claimDirectory(files: FileStorage, client: Settings): () => void {
  const file = path.join(files.directory, OWNER);
  const own = JSON.stringify({ client: client.clientId, server: nameOf(client.server) });
  unlessBroken(() => {
    const found = foundIn(file);
    if (found === own) return;
    if (files.hasRecords) refuseOther(client, files.directory, found);
    writeOwn(file, own);
  });
  return () =>
    unlessBroken(() => {
      if (!files.hasRecords) disclaimDirectory(files.directory);
    });
}

/** Ignores the system's errors, because without files there is no stored session to protect. */
function unlessBroken(run: () => void): void {
  try {
    run();
  } catch (error) {
    if (error instanceof StateDirectoryError) throw error;
  }
}

/** Returns "" if the file does not exist or cannot be read, or if others could have written it. */
function foundIn(file: string): string {
  try {
    return `${readOwn(file) ?? ""}`;
  } catch {
    return "";
  }
}

/** Throws if the file names another client. Older versions did not write this file. */
function refuseOther({ clientId }: Settings, directory: string, found: string): void {
  const { client, server } = objectIn(Buffer.from(found)) ?? {};
  if (typeof client !== "string" || typeof server !== "string" || client === clientId) return;
  throw new StateDirectoryError(
    `${directory}: keeps the session of another client, ${printable(client)} at ${printable(server)}; ` +
      "give each its own directory, or delete this one",
  );
}

export function disclaimDirectory(directory: string): void {
  removeOwn(path.join(directory, OWNER));
}

function nameOf({ issuer, endpoints, profile }: Settings["server"]): string {
  if (profile === undefined) return issuer ?? `${endpoints?.token}`;
  const { name, ...words } = profile;
  const names = Object.keys(words).sort();
  return [name, ...names.map((word) => `${word}=${words[word]}`)].join(" ");
}

// Stores an issuer's metadata beside the tokens, so that a later start need not request them. The metadata are not secret,
// but an attacker who changed them would receive the tokens. With a device key, they are authenticated like the records.
// Without a key, only the directory's permissions protect metadata and records.

const METADATA = "metadata.json";
const LABEL = "picogrant metadata 1\n";
const VERSION = 3;

/** @param directory an existing state directory */
export function storedMetadata(
  directory: string,
  { deviceKey, allowHttp = false, http }: Pick<NodeSettings, "deviceKey" | "allowHttp" | "http">,
): StoredMetadata {
  const file = path.join(directory, METADATA);
  return {
    read: (issuer) => {
      try {
        const content = readOwn(file, { isSealed: deviceKey !== undefined });
        return serverIn(`${content ?? ""}`, issuer, deviceKey, allowHttp);
      } catch {
        // The file cannot be read, was altered, or could have been written by others: request the metadata.
        return undefined;
      }
    },
    write: (server) => {
      const text = JSON.stringify({ version: VERSION, ...server });
      // After a failure, the next start requests the metadata again.
      unlessBroken(() => writeOwn(file, `${text}\n${codeOf(text, deviceKey)}\n`));
    },
    openHttp: () => new NodeHttp(http),
  };
}

export function removeMetadata(directory: string): void {
  removeOwn(path.join(directory, METADATA));
}

function codeOf(text: string, deviceKey: Uint8Array | undefined): string {
  if (deviceKey === undefined) return "";
  return createHmac("sha256", deviceKey).update(LABEL).update(text).digest("hex");
}

/** @returns undefined if the stored metadata are invalid @throws Error if an address must not receive tokens */
function serverIn(
  content: string,
  issuer: string,
  deviceKey: Uint8Array | undefined,
  allowHttp: boolean,
): DiscoveredServer | undefined {
  const [text = "", code] = content.split("\n");
  if (code === undefined) return undefined;
  const expected = Buffer.from(codeOf(text, deviceKey));
  const found = Buffer.from(code);
  if (found.length !== expected.length || !timingSafeEqual(found, expected)) return undefined;
  const stored = JSON.parse(text) as DiscoveredServer & { readonly version: number };
  if (stored.version !== VERSION || !isSameIssuer(stored.issuer, issuer)) return undefined;
  const { clientAuthenticationMethods, bindsTokens } = stored;
  const { deviceAuthorization, token, revocation } = stored.endpoints;
  const endpoints = { ...noEndpoints, deviceAuthorization, token, revocation };
  const texts = [deviceAuthorization, token, revocation, ...clientAuthenticationMethods];
  if (texts.some((value) => typeof value !== "string") || token === "") return undefined;
  checkEndpoints(endpoints, allowHttp);
  return { issuer: stored.issuer, endpoints, clientAuthenticationMethods, bindsTokens };
}

/** @throws StateDirectoryError if the directory cannot be used; SignInError `not_erased` */
export async function discardDirectory(directory: string): Promise<void> {
  const storage = new FileStorage(directory, { isShared: true, isSealed: true });
  const shared = new SharedDirectory(storage);
  try {
    await new Promise<void>((entered) => shared.enter(entered, () => {}));
    await discardIn(storage);
  } finally {
    shared.leave();
    storage.close();
  }
}

export async function discardIn(storage: FileStorage): Promise<void> {
  const places = [[storage, 0] as const, [storage, 1] as const, [storage.tokenCache, 0] as const];
  for (const [place, slot] of places) {
    const isErased = await new Promise<boolean>((done) => void place.erase(slot, done));
    if (isErased) continue;
    const message = `${storage.lastFailure}; delete ${storage.directory}`;
    throw new SignInError("not_erased", "user", message);
  }
  removeMetadata(storage.directory);
  disclaimDirectory(storage.directory);
}

/** The platform on Node with a directory for its records. */
export interface NodePlatform extends NodeAdapters {
  readonly storage: FileStorage;
}

/** @throws StateDirectoryError with one line if the state directory cannot be used */
export function nodePlatformWith(
  display: Display,
  options: FileStorageOptions & { stateDirectory: string; http?: NodeHttpOptions | undefined },
): NodePlatform {
  const http = new NodeHttp(options.http);
  return nodePlatformOver(http, new FileStorage(options.stateDirectory, options), display);
}
