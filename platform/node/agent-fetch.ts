// One request as `fetch` makes it, over Node's client: with certificates or an agent of the program's own.

import http from "node:http";
import https from "node:https";
import { Readable } from "node:stream";
import { decoded, follow, type TlsSettings } from "./http.ts";

/** The same streams, as Node's own types have them. */
type NodeStream = Parameters<typeof Readable.fromWeb>[0];

export async function send(
  request: Request,
  body: RequestInit["body"],
  settings: TlsSettings,
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
    const isSecure = url.startsWith("https:");
    const agent = isSecure ? settings.agent : http.globalAgent;
    const client = isSecure
      ? https.request(url, { ...options, ...settings })
      : http.request(url, { ...options, agent });
    follow(client, agent);
    client.on("response", (answer) => {
      // What Fetch's Response does not take, such as a status of 999, must not end the program.
      try {
        resolve(responseOf(answer, method));
      } catch (error) {
        answer.destroy();
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

function isReading(method: string): boolean {
  return method === "GET" || method === "HEAD";
}

function responseOf(answer: http.IncomingMessage, method: string): Response {
  const { statusCode: status = 0, rawHeaders } = answer;
  const statusMessage = answer.statusMessage!;
  // RFC 9112 §4: anything else has no place in a reason phrase, and Response refuses it.
  const statusText = /^[\t -~\x80-\xff]*$/.test(statusMessage) ? statusMessage : "";
  const headers = new Headers();
  for (let at = 0; at < rawHeaders.length; at += 2)
    headers.append(rawHeaders[at]!, rawHeaders[at + 1]!);
  // Fetch standard: these have no body.
  const isEmpty = method === "HEAD" || [204, 205, 304].includes(status);
  if (isEmpty) answer.resume();
  const body = isEmpty ? null : (Readable.toWeb(decodedWhole(answer)) as ReadableStream);
  return new Response(body, { status, statusText, headers });
}

/** A pipe alone hands on neither that the answer was cut, nor that nobody reads it any more. */
function decodedWhole(answer: http.IncomingMessage): Readable {
  const body = decoded(answer);
  answer.on("error", (error) => body.destroy(error));
  body.on("close", () => answer.destroy());
  return body;
}
