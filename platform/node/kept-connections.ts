// Connections that are kept for the next request. What comes on one that nobody has asked anything would be taken for
// the answer to the next request (RFC 9112 §9.3: answers come in the order of requests): it is closed instead.

import type { Agent, ClientRequest } from "node:http";
import type { Socket } from "node:net";

/** Whose each connection is: another request of the program may be given it, too. */
const agents = new WeakMap<Socket, Agent>();

export class KeptConnections {
  /** No listener of ours tells when one is closed: many sessions may share a connection, and each would leave one. */
  readonly #idle = new Set<Socket>();

  /** Whether none waits for a request. */
  get isEmpty(): boolean {
    this.#forgetClosed();
    return this.#idle.size === 0;
  }

  /**
   * Watches the connection that a request has got, from the end of its answer until the next request takes it.
   * @param agent whose the connection is
   */
  follow(client: ClientRequest, agent: Agent): void {
    client.on("socket", (socket) => {
      this.#idle.delete(socket);
      socket.off("data", closeIfUnasked);
      agents.set(socket, agent);
    });
    client.on("response", (answer) => {
      const { socket } = answer;
      answer.on("end", () => {
        this.#forgetClosed();
        this.#idle.add(socket);
        socket.on("data", closeIfUnasked);
      });
    });
  }

  #forgetClosed(): void {
    for (const socket of this.#idle) if (socket.destroyed) this.#idle.delete(socket);
  }
}

function closeIfUnasked(this: Socket): void {
  // Agents of other makes need not tell.
  const { freeSockets = {} } = agents.get(this)!;
  if (Object.values(freeSockets).flat().includes(this)) this.destroy();
}
