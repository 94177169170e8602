// The functions of a state directory: its client, sharing it with other programs, the issuer's stored metadata, and its
// adapters. This file is separate from the other adapters, so that programs with their own storage load no code for files.

import { createHmac, timingSafeEqual } from "node:crypto";
import path from "node:path";
import type { Settings } from "../configuration/settings.ts";
import type { Display, Storage } from "../contracts.ts";
import { checkEndpoints, noEndpoints } from "../driver/endpoints.ts";
import { isSameIssuer } from "../servers/address.ts";
import type { DiscoveredServer } from "../servers/discovery.ts";
import type { StoredMetadata } from "../session/resolve-server.ts";
import {
  type Between,
  between,
  type SharedState,
  type SharedUser,
} from "../session/shared-state.ts";
import { SignInError } from "../session/sign-in-error.ts";
import { objectIn, printable } from "../text/text.ts";
import { FileStorage } from "./file-storage.ts";
import { readOwn, reasonOf, removeOwn, writeOwn } from "./files.ts";
import { NodeHttp } from "./http.ts";
import type { NodeHttpOptions } from "./http-options.ts";
import { type NodeAdapters, nodePlatformOver, StateDirectoryError } from "./platform.ts";
import { StateLock } from "./state-lock.ts";

// Names the client of the stored session. The core treats records of another client as absent (core/SPEC.md), so without
// this file, a program of another client would overwrite them.

const OWNER = "client.json";

/**
 * Claims the directory for a client while it contains records. The same client may name its server differently.
 * @returns a function that releases the directory; call it before the files are closed
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

/** Ignores errors of the medium: if nothing can be stored, no session can be stored either. */
function unlessBroken(run: () => void): void {
  try {
    run();
  } catch (error) {
    if (error instanceof StateDirectoryError) throw error;
  }
}

/** Returns the content of a file; "" if it does not exist, or if others could have written it. */
function foundIn(file: string): string {
  try {
    return `${readOwn(file) ?? ""}`;
  } catch {
    return "";
  }
}

/**
 * Throws if the file names another client. Older versions did not write this file. In their directories, only the records
 * show the client.
 */
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

/** Returns the server as the program's options name it, for the error message. */
function nameOf({ issuer, endpoints, profile }: Settings["server"]): string {
  if (profile === undefined) return issuer ?? `${endpoints?.token}`;
  const { name, ...words } = profile;
  const names = Object.keys(words).sort();
  return [name, ...names.map((word) => `${word}=${words[word]}`)].join(" ");
}

// The class below coordinates several processes that use the directory at the same time.

/** Waits are reported only after this time, because a refresh of another process usually takes less. */
const BUSY_MS = 3000;

export class SharedDirectory implements SharedState {
  readonly #open: () => Storage;
  isWaiting = false;
  readonly #files: FileStorage;
  readonly #lock: StateLock;
  /** The state of the records when this process last read or wrote them. */
  #known = "";
  /** Whether the records were current when this process took the lock. Only valid while it holds the lock. */
  #wasCurrent = false;
  #timer: NodeJS.Timeout | undefined;
  /** The reason why the lock cannot be taken, "" if it can. */
  #problem = "";

  /** @param open returns the storage for a device that reads the records again: the files, or sealed storage over them */
  constructor(files: FileStorage, open: () => Storage = () => files) {
    this.#files = files;
    this.#open = open;
    this.#lock = new StateLock(files.directory);
  }

  between(user: SharedUser): Between {
    this.#known = this.#files.stamp;
    this.#wasCurrent = true;
    return between(this.#open(), this, user);
  }

  get isCurrent(): boolean {
    return this.#lock.isHeld ? this.#wasCurrent : this.#files.stamp === this.#known;
  }

  enter(then: () => void, onBusy: (trouble: SignInError) => void): void {
    clearTimeout(this.#timer);
    const sinceMs = performance.now();
    let isReported = false;
    const attempt = (): void => {
      const holder = this.#tryTake();
      this.isWaiting = holder !== 0;
      if (holder === 0) {
        then();
        return;
      }
      if (!isReported && performance.now() - sinceMs > BUSY_MS) {
        isReported = true;
        const what = `process ${holder} is signing in with the same state, or asks the server`;
        onBusy(new SignInError("state_busy", "user", `${what}; waiting for it`));
      }
      // Two processes that start at the same time retry after different times.
      this.#timer = setTimeout(attempt, 10 + Math.random() * 90);
    };
    attempt();
  }

  leave(): void {
    clearTimeout(this.#timer);
    this.isWaiting = false;
    if (this.#lock.isHeld && this.#wasCurrent) this.#known = this.#files.stamp;
    this.#lock.release();
  }

  unwritable(bytes: number): string {
    if (this.#problem === "" && bytes > 0) this.#try(() => this.#lock.reserve(bytes));
    return this.#problem;
  }

  /** @returns the process that holds the lock; 0 if none does, or if no process can create a lock file in the directory */
  #tryTake(): number {
    this.#problem = "";
    const isHeld = this.#lock.isHeld;
    const holder = this.#try(() => this.#lock.tryTake()) ?? 0;
    if (holder === 0 && !isHeld) this.#wasCurrent = this.#files.stamp === this.#known;
    return holder;
  }

  #try<T>(run: () => T): T | undefined {
    try {
      return run();
    } catch (error) {
      this.#problem = `${this.#files.directory} cannot be written: ${reasonOf(error)}`;
      return undefined;
    }
  }
}

// Stores an issuer's metadata beside the tokens. A start with a session then needs no network, and a start without one
// requests the code at once. The metadata are not secret, but an attacker who changed them would receive the tokens. With a
// device key, they are authenticated like the records. Without a key, only the directory's permissions protect both files.

const METADATA = "metadata.json";
const LABEL = "picogrant metadata 1\n";
const VERSION = 2;

/** The client, and how to reach the issuer. */
export interface StoredMetadataOptions {
  /** The device key of the sealed storage, if there is one. */
  readonly deviceKey?: Uint8Array | undefined;
  readonly allowHttp?: boolean | undefined;
  readonly http?: NodeHttpOptions | undefined;
}

/** @param directory an existing state directory */
export function storedMetadata(
  directory: string,
  { deviceKey, allowHttp = false, http = {} }: StoredMetadataOptions,
): StoredMetadata {
  const file = path.join(directory, METADATA);
  const stored: StoredMetadata = {
    read: (issuer) => {
      try {
        const content = readOwn(file, { isSealed: deviceKey !== undefined });
        return serverIn(`${content ?? ""}`, issuer, deviceKey, allowHttp);
      } catch {
        // The file was altered, or others could have written it: request the metadata.
        return undefined;
      }
    },
    write: (server) => {
      const text = JSON.stringify({ version: VERSION, ...server });
      try {
        writeOwn(file, `${text}\n${codeOf(text, deviceKey)}\n`);
      } catch {
        // Ignored: the next start requests the metadata again.
      }
    },
    rediscover: async (issuer, given) => {
      // A second adapter, because the driver's adapter handles one exchange at a time.
      const adapter = new NodeHttp(http);
      try {
        const { discoverServer } = await import("../servers/discovery.ts");
        const found = await discoverServer(adapter, issuer, allowHttp, given);
        stored.write(found);
        return found.endpoints;
      } finally {
        adapter.dispose();
      }
    },
  };
  return stored;
}

export function removeMetadata(directory: string): void {
  removeOwn(path.join(directory, METADATA));
}

function codeOf(text: string, deviceKey: Uint8Array | undefined): string {
  if (deviceKey === undefined) return "";
  return createHmac("sha256", deviceKey).update(LABEL).update(text).digest("hex");
}

/**
 * Parses and checks stored metadata.
 * @returns undefined if they are invalid
 * @throws Error if an address must not receive tokens
 */
function serverIn(
  content: string,
  issuer: string,
  deviceKey: Uint8Array | undefined,
  allowHttp: boolean,
): DiscoveredServer | undefined {
  const [text = "", code] = content.split("\n");
  // The file is truncated. A complete one has a second line, which may be empty.
  if (code === undefined) return undefined;
  const expected = Buffer.from(codeOf(text, deviceKey));
  const found = Buffer.from(code);
  if (found.length !== expected.length || !timingSafeEqual(found, expected)) return undefined;
  const stored = JSON.parse(text) as DiscoveredServer & { readonly version: number };
  if (stored.version !== VERSION || !isSameIssuer(stored.issuer, issuer)) return undefined;
  const { clientAuthenticationMethods } = stored;
  const { deviceAuthorization, token, revocation } = stored.endpoints;
  const endpoints = { ...noEndpoints, deviceAuthorization, token, revocation };
  const texts = [deviceAuthorization, token, revocation, ...clientAuthenticationMethods];
  if (texts.some((value) => typeof value !== "string") || token === "") return undefined;
  checkEndpoints(endpoints, allowHttp);
  const { bindsTokens } = stored;
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
  options: {
    readonly stateDirectory: string;
    readonly http?: NodeHttpOptions | undefined;
    readonly isShared?: boolean;
    readonly isSealed?: boolean;
  },
): NodePlatform {
  const { stateDirectory, http } = options;
  // Checks the settings before the directory is touched.
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
