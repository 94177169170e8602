// A CONNECT proxy (RFC 9110 §9.3.6) that connects every name to the same local port.

import { createServer } from "node:http";
import { connect, type Socket } from "node:net";
import { listen } from "../listening.ts";

export interface RunningProxy {
  readonly url: string;
  readonly requested: string[];
  close(): void;
}

/** @param refusal if set, the proxy refuses every request with this status */
export async function startProxy(port: number, refusal?: number): Promise<RunningProxy> {
  const requested: string[] = [];
  const open = new Set<Socket>();
  const server = createServer().on("connect", ({ url }, socket: Socket, head) => {
    requested.push(url!);
    open.add(socket);
    if (refusal !== undefined) {
      socket.end(`HTTP/1.1 ${refusal} Refused\r\nContent-Length: 0\r\n\r\n`);
      return;
    }
    const onward = connect(port, "127.0.0.1", () => {
      socket.write("HTTP/1.1 200 Connected\r\n\r\n");
      onward.write(head);
      socket.pipe(onward).pipe(socket);
    });
    for (const one of [socket, onward]) {
      one.on("error", () => one.destroy());
      one.on("close", () => [socket, onward].map((other) => other.destroy()));
    }
  });
  return {
    url: (await listen(server)).origin,
    requested,
    close: () => {
      server.close();
      for (const socket of open) socket.destroy();
    },
  };
}
