// A server that answers after a script, on real sockets, and counts the bytes that go over them.

import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import * as core from "../../../core/complete.ts";
import { ClientAuthentication } from "../../../core/index.ts";
import { Driver, noEndpoints } from "../../../platform/driver.ts";
import { MemoryStorage, RecordedDisplay, SeededEntropy } from "../../../platform/fake/index.ts";
import { NodeHttp } from "../../../platform/node/index.ts";
import { WorldClock } from "../../desktop/simulator/world/world-clock.ts";

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

// A picogrant device against a scripted server: the driver on Node's HTTP, a clock that runs fast, a
// storage in memory. Used where sockets must be real and time need not.

interface FastDevice {
  readonly driver: Driver;
  readonly storage: MemoryStorage;
  /** Stops it as a loss of power would; the storage can go to another one. */
  stop(): void;
}

/**
 * Makes a device and starts it.
 * @param base address of the server; endpoints are /device, /token and /revoke
 * @param factor clock seconds per real second
 */
export function startDevice(
  base: string,
  factor: number,
  storage = new MemoryStorage({}),
): FastDevice {
  const http = new NodeHttp({});
  const driver = new Driver({
    core,
    platform: {
      http,
      timers: new WorldClock({ speed: factor }).timers(),
      storage,
      display: new RecordedDisplay(20, 4),
      entropy: new SeededEntropy(1),
    },
    config: {
      clientId: "client",
      clientSecret: "secret",
      scope: "email",
      deviceParameters: "",
      autoStart: 1,
      renewalsMax: 3,
      clientAuthentication: ClientAuthentication.DOCUMENTS,
      tokenParameters: "",
      messages: "",
    },
    endpoints: {
      ...noEndpoints,
      deviceAuthorization: `${base}/device`,
      token: `${base}/token`,
      revocation: `${base}/revoke`,
    },
  });
  driver.start();
  return {
    driver,
    storage,
    stop: () => {
      driver.stop();
      http.dispose();
    },
  };
}

/** Waits in real time until `done` is true. @returns false where it was not within `limitMs` */
export async function until(done: () => boolean, limitMs: number): Promise<boolean> {
  const end = performance.now() + limitMs;
  while (!done()) {
    if (performance.now() > end) return false;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  return true;
}
