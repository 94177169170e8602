// Whose session a state directory keeps. Records of another client look like none at all (core/SPEC.md): without this a
// second program in the same directory would write its own over them.

import path from "node:path";
import type { Client, ServerChoice } from "../session/settings.ts";
import { objectIn, printable } from "../text/text.ts";
import type { FileStorage } from "./file-storage.ts";
import { readOwn, removeOwn, writeOwn } from "./files.ts";
import { StateDirectoryError } from "./state-directory-error.ts";

const FILE = "client.json";

/**
 * Claims the directory for a client. It stays the client's while there are records in it. A client that names its server
 * otherwise than before, as after an update of its program, is the same: what fits its records no more is signed in anew.
 * @returns gives it back, to be called before the files are closed
 * @throws StateDirectoryError where it keeps records of another client
 */
export function claimDirectory(
  files: FileStorage,
  client: Client,
  server: ServerChoice,
): () => void {
  const file = path.join(files.directory, FILE);
  const own = JSON.stringify({ client: client.clientId, server: nameOf(server) });
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

/** A medium that keeps nothing keeps no session either. */
function unlessBroken(run: () => void): void {
  try {
    run();
  } catch (error) {
    if (error instanceof StateDirectoryError) throw error;
  }
}

/** "" where there is none, or others could have written it. */
function foundIn(file: string): string {
  try {
    return `${readOwn(file) ?? ""}`;
  } catch {
    return "";
  }
}

/** What an older program has left has no such file: whose it is shows when it is read. */
function refuseOther({ clientId }: Client, directory: string, found: string): void {
  const { client, server } = objectIn(Buffer.from(found)) ?? {};
  if (typeof client !== "string" || typeof server !== "string" || client === clientId) return;
  throw new StateDirectoryError(
    `${directory}: keeps the session of another client, ${printable(client)} at ${printable(server)}; ` +
      "give each its own directory, or delete this one",
  );
}

/** The directory is nobody's. */
export function disclaimDirectory(directory: string): void {
  removeOwn(path.join(directory, FILE));
}

/** As the program names the server, for whoever is refused. */
function nameOf(choice: ServerChoice): string {
  if (typeof choice === "string") return choice;
  if ("token" in choice) return `${choice.token}`;
  const { name, ...words } = choice;
  return [
    name,
    ...Object.keys(words)
      .sort()
      .map((word) => `${word}=${words[word]}`),
  ].join(" ");
}
