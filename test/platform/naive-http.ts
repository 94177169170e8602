// An HTTP client on a bare socket, as somebody writes it in an afternoon on a board that has no library: with the
// mistake that it is made with, and without one as far as the rules of framing go. One connection an exchange.

import net from "node:net";
import tls from "node:tls";
import type { Http, HttpRequest, HttpSink } from "../../platform/contracts.ts";

export type NaiveMistake =
  | "trailers are part of the body"
  | "a chunk's size is the whole line"
  | "the body ends with the connection"
  | "the first Content-Length counts"
  | "a Content-Length counts beside chunks"
  | "a folded line ends the head"
  | "any version of TLS";

/** The body as far as it has come; `isWhole` where nothing more belongs to it. */
interface Parsed {
  status: number;
  body: string;
  isWhole: boolean;
}

export class NaiveHttp implements Http {
  readonly #ca: string;
  readonly #timeLimitMs: number;
  readonly #mistake: NaiveMistake | undefined;
  #over: () => void = () => {};

  constructor(ca: string, timeLimitMs: number, mistake?: NaiveMistake) {
    this.#ca = ca;
    this.#timeLimitMs = timeLimitMs;
    this.#mistake = mistake;
  }

  abort(): void {
    this.#over();
  }

  send(request: HttpRequest, sink: HttpSink): void {
    const url = new URL(request.url);
    const socket = this.#connect(url);
    let text = "";
    let isOver = false;
    const end = (report: () => void): void => {
      if (isOver) return;
      this.#over();
      report();
    };
    const limit = setTimeout(() => end(() => sink.failed("timeout")), this.#timeLimitMs);
    this.#over = () => {
      isOver = true;
      clearTimeout(limit);
      socket.destroy();
    };
    const look = (isClosed: boolean): void => {
      if (isOver) return;
      const parsed = this.#parse(text, isClosed);
      if (parsed === "broken") end(() => sink.failed("unreachable"));
      else if (parsed?.isWhole) {
        end(() => {
          sink.status(parsed.status, -1);
          const bytes = Buffer.from(parsed.body, "latin1");
          if (bytes.length > 0) sink.body(bytes, 0, bytes.length);
          sink.end();
        });
      } else if (isClosed) end(() => sink.failed("unreachable"));
    };
    socket.on("error", () => end(() => sink.failed("unreachable")));
    socket.on("data", (chunk: Buffer) => {
      text += chunk.toString("latin1");
      look(false);
    });
    socket.on("end", () => look(true));
    const body = Buffer.from(
      Array.from(
        { length: request.bodyTo - request.bodyFrom },
        (_, i) => request.body[request.bodyFrom + i]!,
      ),
    );
    socket.write(
      `${request.method} ${url.pathname} HTTP/1.1\r\nHost: ${url.host}\r\nConnection: close\r\n` +
        `Content-Length: ${body.length}\r\n\r\n`,
    );
    socket.write(body);
  }

  #connect(url: URL): net.Socket {
    const place = { host: url.hostname, port: Number(url.port) };
    if (url.protocol === "http:") return net.connect(place);
    const lax = { minVersion: "TLSv1", ciphers: "DEFAULT@SECLEVEL=0" } as const;
    const isLax = this.#mistake === "any version of TLS";
    return tls.connect({ ...place, ca: this.#ca, ...(isLax ? lax : { minVersion: "TLSv1.2" }) });
  }

  #parse(text: string, isClosed: boolean): Parsed | "broken" | undefined {
    const isFoldLost = this.#mistake === "a folded line ends the head" && /\r\n[ \t]/.test(text);
    const headEnd = isFoldLost ? text.search(/\r\n[ \t]/) : text.indexOf("\r\n\r\n");
    if (headEnd < 0) return undefined;
    const [first = "", ...lines] = text.slice(0, headEnd).split("\r\n");
    const status = Number(first.split(" ")[1]);
    const rest = text.slice(headEnd + 4);
    const values = (name: string): string[] =>
      lines
        .filter((line) => line.toLowerCase().startsWith(`${name}:`))
        .map((line) => line.slice(name.length + 1).trim());
    const lengths = values("content-length");
    const isChunked = values("transfer-encoding").length > 0;
    const given = (body: string, isWhole: boolean): Parsed => ({ status, body, isWhole });
    if (this.#mistake === "the body ends with the connection") return given(rest, isClosed);
    if (isChunked && this.#mistake !== "a Content-Length counts beside chunks") {
      return lengths.length > 0 ? "broken" : this.#chunks(rest, given);
    }
    if (this.#mistake === "the first Content-Length counts") {
      const length = Math.max(0, Number.parseInt(lengths[0] ?? "0", 10));
      return given(rest.slice(0, length), rest.length >= length);
    }
    if (lengths.length === 0) return given(rest, isClosed);
    const [length = ""] = new Set(lengths);
    if (!/^\d+$/.test(length) || new Set(lengths).size > 1) return "broken";
    return given(rest.slice(0, Number(length)), rest.length >= Number(length));
  }

  #chunks(text: string, given: (body: string, isWhole: boolean) => Parsed): Parsed | "broken" {
    let body = "";
    for (let at = 0; ; ) {
      const lineEnd = text.indexOf("\r\n", at);
      if (lineEnd < 0) return given(body, false);
      const line = text.slice(at, lineEnd);
      const size =
        this.#mistake === "a chunk's size is the whole line" ? line : line.split(";", 1)[0]!;
      if (!/^[0-9a-f]+$/i.test(size)) return "broken";
      const length = Number.parseInt(size, 16);
      at = lineEnd + 2;
      if (length === 0) {
        const trailers = text.slice(at);
        const isWhole = trailers.startsWith("\r\n") || trailers.endsWith("\r\n\r\n");
        const isTaken = this.#mistake === "trailers are part of the body";
        return given(isTaken ? body + trailers : body, isWhole);
      }
      if (text.length < at + length + 2) return given(body, false);
      if (text.slice(at + length, at + length + 2) !== "\r\n") return "broken";
      body += text.slice(at, at + length);
      at += length + 2;
    }
  }
}
