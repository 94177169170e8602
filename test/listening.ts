// What tests use of the machine: a server on a free port, and a temporary folder.

import { mkdtempSync } from "node:fs";
import type { Server } from "node:net";
import path from "node:path";
import { inject, onTestFinished } from "vitest";

/** Starts a server, which is closed after the test. @returns its port */
export async function listening(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    if ("closeAllConnections" in server) (server.closeAllConnections as () => void)();
    server.close();
  });
  return (server.address() as { port: number }).port;
}

/** Creates a folder, which is deleted after the run (programs-folder.ts). */
export const temporaryFolder = (): string => mkdtempSync(path.join(inject("programsFolder"), "t-"));
