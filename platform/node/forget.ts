// Forgetting a session without a device and without a network: the tokens stay good at the server until they expire.

import { SignInError } from "../session/sign-in-error.ts";
import { FileStorage } from "./file-storage.ts";
import { removeMetadata } from "./kept-metadata.ts";

/**
 * Erases what `signIn` keeps in a directory, and asks no server: it is not told, so `session.signOut()` is better where
 * it can be reached.
 * @param state as in `signIn`
 * @throws StateDirectoryError where the directory cannot be used; SignInError `not_erased`
 */
export async function forget(state: string): Promise<void> {
  const storage = new FileStorage(state);
  try {
    await forgetIn(storage);
  } finally {
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
