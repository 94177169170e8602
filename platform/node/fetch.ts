// `fetch` for a session on Node: the global one, or where the program brings certificates or an agent of its own,
// which the global one does not take, the same over Node's client.

import http from "node:http";
import https from "node:https";
import { Readable } from "node:stream";
import { decoded, type NodeHttpOptions, tlsSettings } from "./http.ts";
import { KeptConnections } from "./kept-connections.ts";

/** The same streams, as Node's own types have them. */
type NodeStream = Parameters<typeof Readable.fromWeb>[0];

/** @throws TypeError where the agent does not check certificates */
export function nodeFetch(options: NodeHttpOptions = {}): typeof fetch {
  const settings = tlsSettings(options);
  if (options.ca === undefined && options.agent === undefined) return checkedFetch;
  const kept = new KeptConnections();
  return async (input, init) => {
    const request = new Request(input, init);
    // What waits on a kept connection is read first: it is not the answer to what is asked now.
    if (!kept.isEmpty) await new Promise((done) => setImmediate(done));
    return send(request, init?.body, settings, kept);
  };
}

/** What Node's own switch turns off for the whole program must not be off for tokens. */
const checkedFetch: typeof fetch = (input, init) => {
  const isPlain = `${input}`.startsWith("http:");
  if (!isPlain && process.env.NODE_TLS_REJECT_UNAUTHORIZED === "0") {
    const why = "NODE_TLS_REJECT_UNAUTHORIZED=0 switches the checks of certificates off";
    return Promise.reject(
      new TypeError(`fetch: ${why}: leave it out, and give a CA of one's own as http.ca`),
    );
  }
  return fetch(input, init);
};

async function send(
  request: Request,
  body: RequestInit["body"],
  settings: https.RequestOptions,
  kept: KeptConnections,
): Promise<Response> {
  const { url, method, signal } = request;
  const headers: http.OutgoingHttpHeaders = Object.fromEntries(request.headers);
  const isStream = body instanceof ReadableStream;
  const bytes = request.body && !isStream ? Buffer.from(await request.arrayBuffer()) : undefined;
  const length = bytes?.length ?? (request.body || isReading(method) ? undefined : 0);
  if (length !== undefined) headers["content-length"] = length;
  headers["accept-encoding"] ??= "gzip, deflate, br";
  return new Promise((resolve, reject) => {
    const fail = (cause: Error): void =>
      reject(signal.aborted ? signal.reason : new TypeError("fetch failed", { cause }));
    const options = { method, headers, signal };
    const client = url.startsWith("https:")
      ? https.request(url, { ...options, ...settings })
      : http.request(url, options);
    kept.follow(client);
    client.on("response", (answer) => resolve(responseOf(answer, method)));
    client.on("error", fail);
    if (bytes === undefined && request.body) {
      Readable.fromWeb(request.body as NodeStream)
        .on("error", fail)
        .pipe(client);
    } else client.end(bytes);
  });
}

function isReading(method: string): boolean {
  return method === "GET" || method === "HEAD";
}

function responseOf(answer: http.IncomingMessage, method: string): Response {
  const { statusCode: status = 0, statusMessage: statusText = "", rawHeaders } = answer;
  const headers = new Headers();
  for (let at = 0; at < rawHeaders.length; at += 2)
    headers.append(rawHeaders[at]!, rawHeaders[at + 1]!);
  // Fetch standard: these have no body.
  const isEmpty = method === "HEAD" || [204, 205, 304].includes(status);
  if (isEmpty) answer.resume();
  const body = isEmpty ? null : (Readable.toWeb(decoded(answer)) as ReadableStream);
  return new Response(body, { status, statusText, headers });
}
