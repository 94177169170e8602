// The server that a board gets its updates from: files over HTTPS, nothing else.

import { createServer as createPlainServer, type RequestListener, type Server } from "node:http";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import type { Identity } from "./certificates.ts";

export class UpdateServer {
  #server: Server | undefined;
  readonly #files = new Map<string, Uint8Array>();
  /** Paths that were asked for, in order. */
  readonly asked: string[] = [];
  /** Where requests for a part began (RFC 9110 section 14.2). */
  readonly resumed: number[] = [];
  knowsRanges = true;

  /** @param path e.g. `/picogrant-board/a.img` */
  publish(path: string, file: Uint8Array): void {
    this.#files.set(path, file);
  }

  /** Listens on a free port of this machine's own; plain HTTP without an identity. */
  open(identity?: Identity): Promise<number> {
    const answer: RequestListener = (request, response) => {
      const path = request.url ?? "";
      this.asked.push(path);
      const file = this.#files.get(path);
      const from = Number(/^bytes=(\d+)-$/.exec(request.headers.range ?? "")?.[1] ?? 0);
      if (from > 0) this.resumed.push(from);
      const isPart = file !== undefined && from > 0 && from < file.length && this.knowsRanges;
      const body = isPart ? file.subarray(from) : file;
      response.writeHead(isPart ? 206 : file ? 200 : 404, { "content-length": body?.length ?? 0 });
      response.end(body);
    };
    const server = identity ? createServer(identity, answer) : createPlainServer(answer);
    this.#server = server;
    return new Promise((resolve, reject) => {
      server.on("error", reject);
      server.listen(0, "127.0.0.1", () => resolve((server.address() as AddressInfo).port));
    });
  }

  close(): Promise<void> {
    const server = this.#server;
    this.#server = undefined;
    if (!server) return Promise.resolve();
    server.closeAllConnections();
    return new Promise((resolve) => {
      server.close(() => resolve());
    });
  }
}
