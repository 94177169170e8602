// Connections that are kept for the next request. What comes on one that nobody has asked anything would be taken for
// the answer to the next request (RFC 9112 §9.3: answers come in the order of requests): it is closed instead.

import type { ClientRequest } from "node:http";
import type { Socket } from "node:net";

export class KeptConnections {
  readonly #idle = new Set<Socket>();
  /** A connection serves many requests, and is forgotten once. */
  readonly #known = new WeakSet<Socket>();

  /** Whether none waits for a request. */
  get isEmpty(): boolean {
    return this.#idle.size === 0;
  }

  /** Watches the connection that a request has got, from the end of its answer until the next request takes it. */
  follow(client: ClientRequest): void {
    client.on("socket", (socket) => {
      this.#idle.delete(socket);
      socket.off("data", closeAtOnce);
    });
    client.on("response", (answer) => {
      const { socket } = answer;
      answer.on("end", () => {
        if (socket.destroyed) return;
        this.#idle.add(socket);
        socket.on("data", closeAtOnce);
        if (this.#known.has(socket)) return;
        this.#known.add(socket);
        socket.once("close", () => this.#idle.delete(socket));
      });
    });
  }
}

function closeAtOnce(this: Socket): void {
  this.destroy();
}
