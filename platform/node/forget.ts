// Forgetting a session without a device and without a network: the tokens stay good at the server until they expire.

/**
 * Erases what `signIn` keeps in a directory, and asks no server: it is not told, so `session.signOut()` is better where
 * it can be reached. Waits for another program that is at work with the same tokens.
 * @param state as in `signIn`
 * @throws StateDirectoryError where the directory cannot be used; SignInError `not_erased`
 */
export async function forget(state: string): Promise<void> {
  const { forgetDirectory } = await import("./forget-directory.ts");
  await forgetDirectory(state);
}
