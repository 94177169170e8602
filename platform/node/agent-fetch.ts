// Makes one request of `fetch` with Node's client.

import http from "node:http";
import { Readable } from "node:stream";
import { setImmediate } from "node:timers";
import { EXCHANGE_LIMITS, finalStatus } from "../exchange/limits.ts";
import { DECODERS, decoded, openRequest } from "./connection.ts";
import type { TlsSettings } from "./http.ts";

/** The same streams, as Node's own types have them. */
type NodeStream = Parameters<typeof Readable.fromWeb>[0];

const CODINGS = [...DECODERS.keys()].join(", ");

export async function send(
  settings: TlsSettings,
  ...[input, init]: Parameters<typeof fetch>
): Promise<Response> {
  const request = new Request(input, init);
  // Data that waits on a kept connection is read first: it is not the response to this request.
  await new Promise((done) => setImmediate(done));
  const { url, method, signal } = request;
  const headers: http.OutgoingHttpHeaders = Object.fromEntries(request.headers);
  const isStream = init?.body instanceof ReadableStream;
  const bytes = request.body && !isStream ? Buffer.from(await request.arrayBuffer()) : undefined;
  const length = bytes?.length ?? (request.body || /^(GET|HEAD)$/.test(method) ? undefined : 0);
  if (length !== undefined) headers["content-length"] = length;
  headers["accept-encoding"] ??= CODINGS;
  return new Promise((resolve, reject) => {
    const fail = (cause: Error): void =>
      reject(signal.aborted ? signal.reason : new TypeError("fetch failed", { cause }));
    const giveUp = (): unknown => client.destroy(new Error("no connection in time"));
    const { client, connectLimit } = openRequest(
      new URL(url),
      { method, headers, signal },
      settings,
      http.globalAgent,
      giveUp,
    );
    client.on("close", () => clearTimeout(connectLimit));
    client.setTimeout(EXCHANGE_LIMITS.silenceLimitMs, () =>
      client.destroy(new Error("no response in time")),
    );
    client.on("response", (response) => {
      // Values that Response or Headers reject must not end the program.
      try {
        resolve(Object.defineProperty(responseOf(response, method), "url", { value: url }));
      } catch (error) {
        response.destroy();
        fail(error as Error);
      }
    });
    client.on("upgrade", (_, socket) => {
      socket.destroy();
      fail(new Error("HTTP 101"));
    });
    client.on("error", fail);
    if (bytes === undefined && request.body) {
      Readable.fromWeb(request.body as NodeStream)
        .on("error", fail)
        .pipe(client);
    } else client.end(bytes);
  });
}

function responseOf(response: http.IncomingMessage, method: string): Response {
  const { rawHeaders } = response;
  const status = finalStatus(response.statusCode);
  // RFC 9112 §4: anything else has no place in a reason phrase, and Response refuses it.
  const statusText = /^[\t -~\x80-\xff]*$/.exec(`${response.statusMessage}`)?.[0] ?? "";
  const headers = new Headers();
  for (let at = 0; at < rawHeaders.length; at += 2)
    headers.append(rawHeaders[at]!, rawHeaders[at + 1]!);
  // Fetch standard: these have no body.
  const isEmpty = method === "HEAD" || [204, 205, 304].includes(status);
  if (isEmpty) response.resume();
  const body = isEmpty ? null : (Readable.toWeb(decodedWhole(response)) as ReadableStream);
  return new Response(body, { status, statusText, headers });
}

/** A pipe alone reports neither that the response was cut off, nor that its reader has stopped. */
function decodedWhole(response: http.IncomingMessage): Readable {
  const body = decoded(response);
  response.on("error", (error) => body.destroy(error));
  body.on("close", () => response.destroy());
  return body;
}
