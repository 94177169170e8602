// What a test takes from its machine: a server that listens on a free port, and a folder of its own.

import { mkdtempSync } from "node:fs";
import type { Server } from "node:net";
import path from "node:path";
import { inject, onTestFinished } from "vitest";

/** Starts a server, and closes it after the test. @returns the port */
export async function listening(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    if ("closeAllConnections" in server) (server.closeAllConnections as () => void)();
    server.close();
  });
  return (server.address() as { port: number }).port;
}

/** Makes a new folder. It is deleted after the run (programs-folder.ts). */
export const temporaryFolder = (): string => mkdtempSync(path.join(inject("programsFolder"), "t-"));
