import type { Bytes, HttpRequest } from "../contracts.ts";
import { type Head, Listener } from "./filter.ts";

export interface BufferedResponse {
  readonly head: Head;
  readonly body: number[];
}

/** A filter that processes responses as a whole. */
export abstract class ResponseBuffer extends Listener {
  /** Whether the current exchange is buffered. Otherwise the response passes unchanged. */
  gathers = true;
  #head: Head = [0, -1];
  #body: number[] = [];

  abstract responded(response: BufferedResponse): void;

  override send(request: HttpRequest): void {
    this.#body = [];
    super.send(request);
  }

  override status(...head: Head): void {
    this.#head = head;
    if (!this.gathers) super.status(...head);
  }

  override body(bytes: Bytes, from: number, to: number): void {
    if (!this.gathers) {
      super.body(bytes, from, to);
      return;
    }
    for (let at = from; at < to; at++) this.#body.push(bytes[at]!);
    if (this.#body.length <= this.sizeLimitBytes) return;
    this.below.abort();
    this.failed("too-large", "");
  }

  override end(): void {
    if (this.gathers) this.responded({ head: this.#head, body: this.#body });
    else super.end();
  }

  pass(head: Head, body: Bytes): void {
    this.above.status(...head);
    if (body.length > 0) this.above.body(body, 0, body.length);
    this.above.end();
  }
}
