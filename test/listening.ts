// Helpers for tests: a server on a free port, and a temporary folder.

import { mkdtempSync } from "node:fs";
import { connect, type Server } from "node:net";
import path from "node:path";
import { inject, onTestFinished } from "vitest";

/** Starts a server on a free port. If it is an HTTP server, `close` also closes its connections. */
export async function listen(server: Server) {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as { port: number };
  const close = async (): Promise<void> => {
    if ("closeAllConnections" in server) (server.closeAllConnections as () => void)();
    await new Promise((done) => server.close(done));
  };
  return { port, origin: `http://127.0.0.1:${port}`, close };
}

/** Starts this server, and closes it after the test. @returns its port */
export async function listening(server: Server): Promise<number> {
  const { port, close } = await listen(server);
  onTestFinished(() => void close());
  return port;
}

/** Sends raw bytes, and reads until the connection ends in any way. */
export function responseTo(text: string, port: number): Promise<string> {
  return new Promise((resolve) => {
    let response = "";
    const socket = connect(port, "127.0.0.1", () => socket.write(text));
    socket.setEncoding("latin1").on("data", (data) => (response += data));
    // The event `close` follows an error, too.
    socket.on("error", () => {}).on("close", () => resolve(response));
  });
}

/** Creates a folder, which is deleted after the run (programs-folder.ts). */
export const temporaryFolder = (): string => mkdtempSync(path.join(inject("programsFolder"), "t-"));
