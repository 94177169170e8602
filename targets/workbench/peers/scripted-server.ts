// A server that answers after a script, on real sockets, and counts the bytes that go over them. Shared
// by the comparison with other clients and by the budget of bytes on the wire.

import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";

/** One answer; `reset` breaks the connection instead, `cut` breaks it behind so many bytes. */
export interface Answer {
  status?: number;
  headers?: Record<string, string>;
  body?: string | object;
  reset?: boolean;
  cut?: number;
}

interface Seen {
  readonly path: string;
  readonly form: URLSearchParams;
  /** performance.now() at its arrival. */
  readonly at: number;
}

/** What a request to an endpoint is answered with. */
type Script = (request: Seen) => Answer;

export class ScriptedServer {
  readonly seen: Seen[] = [];
  readonly #sockets = new Set<Socket>();
  #closedBytes = 0;
  readonly #server = createServer((request, response) => void this.#take(request, response));

  readonly #script: Script;

  constructor(script: Script) {
    this.#script = script;
    this.#server.on("connection", (socket) => {
      this.#sockets.add(socket);
      socket.on("close", () => {
        this.#sockets.delete(socket);
        this.#closedBytes += socket.bytesRead + socket.bytesWritten;
      });
    });
  }

  /** @returns the address, without a slash at the end */
  async listen(): Promise<string> {
    await new Promise<void>((resolve) => this.#server.listen(0, "127.0.0.1", resolve));
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Bytes so far in both directions, HTTP headers included. */
  get wireBytes(): number {
    let sum = this.#closedBytes;
    for (const socket of this.#sockets) sum += socket.bytesRead + socket.bytesWritten;
    return sum;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise<void>((resolve) => this.#server.close(() => resolve()));
  }

  async #take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const seen = {
      path: (request.url ?? "/").split("?")[0]!,
      form: new URLSearchParams(Buffer.concat(chunks).toString("utf8")),
      at: performance.now(),
    };
    this.seen.push(seen);
    const answer = this.#script(seen);
    if (answer.reset) {
      request.socket.resetAndDestroy();
      return;
    }
    const isText = typeof answer.body === "string";
    const body = isText ? (answer.body as string) : JSON.stringify(answer.body ?? {});
    response.writeHead(answer.status ?? 200, {
      "Content-Type": isText ? "text/html" : "application/json",
      "Content-Length": Buffer.byteLength(body),
      ...answer.headers,
    });
    if (answer.cut === undefined) response.end(body);
    else response.write(body.slice(0, answer.cut), () => request.socket.resetAndDestroy());
  }
}
