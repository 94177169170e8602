// Forgetting a session without a device and without a network: the tokens stay good at the server until they expire.

import { SignInError } from "../session/sign-in-error.ts";
import { FileStorage } from "./file-storage.ts";
import { removeMetadata } from "./kept-metadata.ts";
import { SharedDirectory } from "./shared-directory.ts";

/**
 * Erases what `signIn` keeps in a directory, and asks no server: it is not told, so `session.signOut()` is better where
 * it can be reached. Waits for another program that is at work with the same tokens.
 * @param state as in `signIn`
 * @throws StateDirectoryError where the directory cannot be used; SignInError `not_erased`
 */
export async function forget(state: string): Promise<void> {
  const storage = new FileStorage(state, { isShared: true });
  const shared = new SharedDirectory(storage);
  try {
    await new Promise<void>((entered) => shared.enter(entered, () => {}));
    await forgetIn(storage);
  } finally {
    shared.leave();
    storage.close();
  }
}

/** The same on a storage that is open. */
export async function forgetIn(storage: FileStorage): Promise<void> {
  for (const slot of [0, 1]) {
    const isErased = await new Promise<boolean>((done) => storage.erase(slot, done));
    if (isErased) continue;
    const message = `${storage.lastFailure}; delete ${storage.directory}`;
    throw new SignInError("not_erased", "user", message);
  }
  removeMetadata(storage.directory);
}
