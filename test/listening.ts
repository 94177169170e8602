// Starts a test's server on a free port of this machine; closes it after the test.

import type { Server } from "node:net";
import { onTestFinished } from "vitest";

/** @returns the port */
export async function listening(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    if ("closeAllConnections" in server) (server.closeAllConnections as () => void)();
    server.close();
  });
  return (server.address() as { port: number }).port;
}
