// HTTP on Node's own client, one connection for each exchange.

import http from "node:http";
import https from "node:https";
import { retryAfterSeconds } from "picogrant/driver";

export function makeHttp({ timeLimitMs, sizeLimitBytes, ca = undefined }) {
  /** Ends the exchange under way and makes it deaf; harmless where there is none. */
  let stop = () => {};

  function start(request, sink) {
    let over = false;
    let received = 0;
    let client;
    const limit = setTimeout(() => fail("timeout"), timeLimitMs);
    stop = () => {
      over = true;
      clearTimeout(limit);
      client?.destroy();
    };
    const fail = (why) => {
      if (over) return;
      stop();
      sink.failed(why);
    };
    try {
      client = open(request, ca);
    } catch {
      // An address or a header that cannot be sent.
      return fail("unreachable");
    }
    // Node never sends a request a second time.
    client.on("error", ({ code }) =>
      fail(code === "HPE_HEADER_OVERFLOW" ? "too-large" : "unreachable"),
    );
    client.on("close", () => fail("unreachable"));
    client.on("response", (answer) => {
      if (over) return;
      const { "retry-after": retryAfter, date, "www-authenticate": authenticate } = answer.headers;
      const waitS = retryAfterSeconds(retryAfter, date, Date.now());
      sink.status(answer.statusCode, waitS, authenticate);
      answer.on("error", () => fail("unreachable"));
      answer.on("data", (piece) => {
        if (over) return;
        received += piece.length;
        if (received > sizeLimitBytes) fail("too-large");
        else sink.body(piece, 0, piece.length);
      });
      answer.on("end", () => {
        if (over) return;
        // A body that was cut off ends, too, but is not complete.
        if (!answer.complete) return fail("unreachable");
        stop();
        sink.end();
      });
    });
    client.end(Buffer.from(request.body.slice(request.bodyFrom, request.bodyTo)));
  }

  return { send: start, abort: () => stop() };
}

/** Begins a request; neither http nor https follows redirects. */
function open(request, ca) {
  const url = new URL(request.url);
  const headers = { Accept: "application/json" };
  const length = request.bodyTo - request.bodyFrom;
  if (request.contentType !== "") headers["Content-Type"] = request.contentType;
  if (request.authorization !== "") headers.Authorization = request.authorization;
  if (length > 0 || request.method === "POST") headers["Content-Length"] = length;
  for (const [name, value] of request.headers ?? []) headers[name] = value;
  const options = { method: request.method, headers, agent: false };
  return url.protocol === "https:"
    ? https.request(url, { ...options, rejectUnauthorized: true, minVersion: "TLSv1.2", ca })
    : http.request(url, options);
}
