// `picogrant check-server`: the test server for check.c, which tests a port in C (targets/host/ports/template).

import { createPublicKey, verify } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { readPort, UsageError } from "../desktop/command-line.ts";
import { describeListenError } from "../service/server.ts";
import { Exit } from "./exit-codes.ts";
import type { Part } from "./option-parser.ts";

/** check-connection.c has the same port. */
const PORT = 8099;

const HELP = `
With picogrant-firmware installed, in another terminal (targets/docs/firmware-in-c.md there has all of it):
  make -f node_modules/picogrant-firmware/targets/host/ports/template/Makefile PORT=my-port OUT=build check
  build/check

For another address than http://127.0.0.1:${PORT}/, add this to the make command: CHECK_FLAGS=-DCHECK_SERVER='"http://192.168.1.20:${PORT}/"'`;

export const checkServer: Part = {
  line: (line) =>
    line
      .option("-p, --port <number>", "port to listen on; 0: any", readPort, PORT)
      .option("-H, --host <address>", "address to listen on; 0.0.0.0 lets a board in", "127.0.0.1")
      .addHelpText("after", HELP),
  act: async (line) => {
    const flags = line.opts<{ port: number; host: string }>();
    const server = await startCheckServer(flags.host, flags.port).catch((error) => {
      throw new UsageError(describeListenError(error, flags));
    });
    console.log(`picogrant check-server: listening on ${server.url}`);
    await Promise.race(["SIGINT", "SIGTERM"].map((signal) => once(process, signal)));
    await server.close();
    return Exit.DONE;
  },
};

/** Length of the long response. check-connection.c has the same number. */
const PATTERN_BYTES = 5000;
const LATE_MS = 1500;

/** The byte at an index of the long response. check-connection.c has the same function. */
const patternAt = (place: number): number => 33 + ((place * 7 + (place >> 8)) % 90);

/** A checksum that depends on the bytes and on their order. */
function sumOf(bytes: Uint8Array): number {
  let sum = 0;
  for (const byte of bytes) sum = (Math.imul(sum, 31) + byte) >>> 0;
  return sum;
}

const RESPONSES: Readonly<
  Record<string, (response: ServerResponse, body: Buffer, server: Server, query: string) => void>
> = {
  "/pattern": (response) => {
    response.setHeader("content-length", PATTERN_BYTES);
    const bytes = Buffer.from(Array.from({ length: PATTERN_BYTES }, (_, at) => patternAt(at)));
    response.write(bytes.subarray(0, 1));
    setTimeout(() => response.end(bytes.subarray(1)), 50);
  },
  "/echo": (response, body) => response.end(`${body.length} ${sumOf(body)} `),
  "/reset": (response) => {
    response.write("this response goes no further");
    setTimeout(() => response.socket?.resetAndDestroy(), 50);
  },
  "/late": (response) => {
    setTimeout(() => response.end("late"), LATE_MS);
  },
  "/clock": (response) => {
    const wallS = Math.floor(Date.now() / 1000);
    response.end(`${Math.floor(performance.now())} ${wallS} `);
  },
  "/open": (response, _body, server) => {
    server.getConnections((_, open) => response.end(`${open} `));
  },
  "/signature": (response, _body, _server, query) => {
    response.end(isSignature(Buffer.from(query, "hex")) ? "valid" : "invalid");
  },
};

/** `bytes`: x and y of a key on P-256 (32 bytes each), and a signature. check-connection.c signs the same message. */
function isSignature(bytes: Buffer): boolean {
  const [x, y] = [0, 32].map((at) => bytes.toString("base64url", at, at + 32));
  try {
    const key = createPublicKey({ key: { kty: "EC", crv: "P-256", x, y }, format: "jwk" });
    const verifier = { key, dsaEncoding: "ieee-p1363" } as const;
    return verify("sha256", Buffer.from("picogrant check"), verifier, bytes.subarray(64));
  } catch {
    return false;
  }
}

/** Starts the server. The returned `url` ends with a slash. */
export async function startCheckServer(host = "127.0.0.1", port = 0) {
  const response = (request: IncomingMessage, response: ServerResponse): void => {
    const pieces: Buffer[] = [];
    request.on("data", (piece: Buffer) => pieces.push(piece));
    request.on("end", () => {
      response.setHeader("picogrant-check", "1");
      response.setHeader("connection", "close");
      const [path = "", query = ""] = `${request.url}`.split("?");
      const how = RESPONSES[path];
      if (how) how(response, Buffer.concat(pieces), server, query);
      else response.writeHead(404).end();
    });
  };
  const server = createServer(response);
  await once(server.listen(port, host), "listening");
  return {
    url: `http://${host}:${(server.address() as AddressInfo).port}/`,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
