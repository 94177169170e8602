// An HTTP adapter on Node's client that can be made wrong in the ways in which real adapters are wrong on the
// wire: one switch per mistake. With no switch on it passes the suite.

import http from "node:http";
import https from "node:https";
import type net from "node:net";
import type { Http, HttpRequest, HttpSink, TransportFailure } from "../../platform/contracts.ts";
import { retryAfterSeconds } from "../../platform/retry-after.ts";

/** The mistakes it can make. */
export type Mistake =
  | "no Accept"
  | "body without Content-Type"
  | "body chunked"
  | "empty POST without length"
  | "Content-Type on GET"
  | "Authorization always"
  | "no further headers"
  | "no Authorization"
  | "interim answer taken for the answer"
  | "Retry-After by the device's clock"
  | "Retry-After without bound"
  | "throws for bad addresses"
  | "strips line breaks from headers"
  | "a broken body taken for a whole one"
  | "time limit from the head on"
  | "a head of any length"
  | "unasked bytes taken for the next answer"
  | "sends again after a reset"
  | "one sink for all exchanges"
  | "one connection for ever"
  | "no certificate check"
  | "no host name check"
  | "no trusted authorities";

const failures: Readonly<Record<string, TransportFailure>> = {
  ETIMEDOUT: "timeout",
  HPE_HEADER_OVERFLOW: "too-large",
};

export class SloppyHttp implements Http {
  readonly #mistake: Mistake | undefined;
  readonly #agent: http.Agent;
  readonly #tlsAgent: https.Agent;
  #client: http.ClientRequest | undefined;
  #firstSocket: net.Socket | undefined;
  #sink: HttpSink | undefined;
  readonly #timeLimitMs: number;
  #unasked = "";

  constructor(ca: string, timeLimitMs: number, mistake?: Mistake) {
    this.#mistake = mistake;
    this.#timeLimitMs = timeLimitMs;
    this.#agent = new http.Agent({ keepAlive: true });
    this.#tlsAgent = new https.Agent({
      rejectUnauthorized: mistake !== "no certificate check",
      ...(mistake === "no trusted authorities" ? {} : { ca }),
      ...(mistake === "no host name check" ? { checkServerIdentity: () => undefined } : {}),
    });
  }

  send(request: HttpRequest, sink: HttpSink): void {
    this.#sink = sink;
    if (this.#unasked !== "") {
      const body = Buffer.from(this.#unasked.slice(this.#unasked.lastIndexOf("\n") + 1));
      this.#unasked = "";
      sink.status(200, -1);
      sink.body(body, 0, body.length);
      sink.end();
      return;
    }
    if (this.#has("throws for bad addresses")) new URL(request.url);
    try {
      this.#start(request, sink);
    } catch {
      sink.failed("unreachable");
    }
  }

  abort(): void {
    this.#sink = undefined;
    if (!this.#has("one sink for all exchanges")) this.#client?.destroy();
  }

  dispose(): void {
    this.#agent.destroy();
    this.#tlsAgent.destroy();
  }

  #start(request: HttpRequest, sink: HttpSink): void {
    const client = this.#open(request);
    this.#client = client;
    const heard = (): HttpSink | undefined => {
      if (this.#has("one sink for all exchanges")) return this.#sink;
      return this.#sink === sink ? sink : undefined;
    };
    const end = (): void => {
      clearTimeout(limit);
      const ear = heard();
      this.#sink = undefined;
      ear?.end();
    };
    const fail = (error: NodeJS.ErrnoException, isBegun = false): void => {
      if (isBegun && this.#has("a broken body taken for a whole one")) {
        end();
        return;
      }
      clearTimeout(limit);
      const ear = heard();
      this.#sink = undefined;
      client.destroy();
      ear?.failed(failures[error.code ?? ""] ?? "unreachable");
    };
    const startLimit = (): NodeJS.Timeout =>
      setTimeout(() => fail({ ...new Error(), code: "ETIMEDOUT" }), this.#timeLimitMs).unref();
    let limit = this.#has("time limit from the head on") ? undefined : startLimit();
    let isBegun = false;
    if (this.#has("interim answer taken for the answer")) {
      client.on("information", ({ statusCode }) => {
        const ear = heard();
        this.#sink = undefined;
        client.destroy();
        ear?.status(statusCode, -1);
        ear?.end();
      });
    }
    client.on("error", (error) => {
      if (this.#has("sends again after a reset") && this.#sink === sink) {
        clearTimeout(limit);
        this.send(request, sink);
      } else fail(error, isBegun);
    });
    client.on("response", (response) => {
      isBegun = true;
      limit ??= startLimit();
      response.on("error", (error) => fail(error, true));
      heard()?.status(response.statusCode ?? 0, this.#retryAfter(response));
      response.on("data", (chunk: Buffer) => heard()?.body(chunk, 0, chunk.length));
      response.on("end", end);
    });
    const body = bodyOf(request);
    if (body.length > 0) client.write(body);
    client.end();
  }

  #open(request: HttpRequest): http.ClientRequest {
    const { url } = request;
    if (this.#has("one connection for ever") && this.#firstSocket?.destroyed)
      throw new Error("gone");
    const headers = this.#headers(request);
    const maxHeaderSize = this.#has("a head of any length") ? 1_000_000 : 16_384;
    const options = { method: request.method, headers, maxHeaderSize };
    const client = url.startsWith("https:")
      ? https.request(url, { ...options, agent: this.#tlsAgent })
      : http.request(url, { ...options, agent: this.#agent });
    client.on("socket", (socket) => {
      this.#firstSocket ??= socket;
      if (this.#has("unasked bytes taken for the next answer")) this.#listen(socket);
    });
    return client;
  }

  /** Whatever comes behind a first answer. */
  #listen(socket: net.Socket): void {
    let text = "";
    socket.on("data", (chunk: Buffer) => {
      text += chunk.toString("latin1");
      const second = text.indexOf("HTTP/1.1", 1);
      if (second > 0) this.#unasked = text.slice(second);
    });
  }

  #headers(request: HttpRequest): http.OutgoingHttpHeaders {
    const length = request.bodyTo - request.bodyFrom;
    const headers: http.OutgoingHttpHeaders = {};
    if (!this.#has("no Accept")) headers.Accept = "application/json";
    if (request.contentType !== "" && !this.#has("body without Content-Type")) {
      headers["Content-Type"] = this.#clean(request.contentType);
    }
    if (this.#has("Content-Type on GET")) headers["Content-Type"] ??= "application/octet-stream";
    const authorization = this.#clean(request.authorization);
    if (authorization !== "" || this.#has("Authorization always")) {
      headers.Authorization = authorization;
    }
    if (this.#has("no Authorization")) delete headers.Authorization;
    if (!this.#has("no further headers")) {
      for (const [name, value] of request.headers ?? []) headers[name] = this.#clean(value);
    }
    const chunked = this.#has("body chunked") && length > 0;
    const bare = this.#has("empty POST without length") && length === 0;
    if (chunked || bare) headers["Transfer-Encoding"] = "chunked";
    else if (request.method === "POST") headers["Content-Length"] = length;
    return headers;
  }

  #retryAfter(response: http.IncomingMessage): number {
    const { "retry-after": value, date } = response.headers;
    if (this.#has("Retry-After by the device's clock")) {
      return retryAfterSeconds(value, undefined, Date.now());
    }
    if (this.#has("Retry-After without bound")) return Number(value ?? -1);
    return retryAfterSeconds(value, date, Date.now());
  }

  #clean(value: string): string {
    return this.#has("strips line breaks from headers") ? value.replace(/[\r\n]/g, "") : value;
  }

  #has(mistake: Mistake): boolean {
    return this.#mistake === mistake;
  }
}

function bodyOf({ body, bodyFrom, bodyTo }: HttpRequest): Buffer {
  return Buffer.from(Array.from({ length: bodyTo - bodyFrom }, (_, i) => body[bodyFrom + i]!));
}
