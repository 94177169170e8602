// A server that takes connections and what is sent, and never says a word.

import { createServer, type Socket } from "node:net";

export interface SilentServer {
  /** How many have come. */
  readonly connections: () => number;
  close(): Promise<void>;
}

export async function silentServer(port: number): Promise<SilentServer> {
  const sockets: Socket[] = [];
  const server = createServer((socket) => {
    sockets.push(socket);
    socket.on("error", () => undefined).resume();
  });
  await new Promise<void>((resolve, reject) => {
    server.on("error", reject).listen(port, "127.0.0.1", resolve);
  });
  return {
    connections: () => sockets.length,
    close: () =>
      new Promise((resolve) => {
        for (const socket of sockets) socket.destroy();
        server.close(() => resolve());
      }),
  };
}
