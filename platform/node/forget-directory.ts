// What `forget` does. Apart from it: a program that signs in loads none of this until it forgets.

import { SignInError } from "../session/sign-in-error.ts";
import { FileStorage } from "./file-storage.ts";
import { removeMetadata } from "./kept-metadata.ts";
import { SharedDirectory } from "./shared-directory.ts";
import { disclaimDirectory } from "./state-owner.ts";

/** @throws StateDirectoryError where the directory cannot be used; SignInError `not_erased` */
export async function forgetDirectory(directory: string): Promise<void> {
  const storage = new FileStorage(directory, { isShared: true, isSealed: true });
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
  disclaimDirectory(storage.directory);
}
