// Answers that are read as a whole: a server's own language that is translated, a document that is asked for.

import type { Bytes, Http, HttpRequest, TransportFailure } from "../contracts.ts";
import { type Above, type Below, connect, type Head, Listener } from "./filter.ts";
import { LastLook } from "./last-look.ts";
import { AdapterOutlet } from "./outlet.ts";

/** More than any answer of the grant, and any metadata; what is longer is neither. */
const ANSWER_BYTES_MAX = 65_536;

/** A whole answer. */
export interface WholeAnswer {
  readonly head: Head;
  readonly body: readonly number[];
}

/** Gathers an answer, which goes on when it is whole. */
export abstract class Whole extends Listener {
  /** Of the exchange under way: what is not gathered passes as it is. */
  gathers = true;
  #head: Head = [0, -1];
  #body: number[] = [];

  /** What the answer comes to. */
  abstract answered(answer: WholeAnswer): void;

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
    if (this.#body.length <= ANSWER_BYTES_MAX) return;
    this.below.abort();
    this.failed("too-large", "");
  }

  override end(): void {
    if (!this.gathers) {
      super.end();
      return;
    }
    this.answered({ head: this.#head, body: this.#body });
  }
}

/** What came of asking for a document. */
export type Asked =
  | { readonly status: number; readonly body: readonly number[]; readonly failure: "" }
  | { readonly status: 0; readonly failure: TransportFailure; readonly why: string };

/**
 * Asks for a document by GET, behind the last look.
 * @param http has no exchange under way
 * @param authorization of the request, "" for none
 * @throws what the adapter throws, or rejects with
 */
export function askFor(
  http: Http,
  url: string,
  allowHttp: boolean,
  authorization = "",
): Promise<Asked> {
  return new Promise((resolve, reject) => {
    const look = new LastLook((address) => ({ address, allowHttp, secrets: [] }));
    look.address = url;
    const outlet = new AdapterOutlet(http, { isPoll: () => false, fault: reject });
    const top: Below = connect([new Question(resolve), look], nobody, outlet);
    const body = { contentType: "", body: [], bodyFrom: 0, bodyTo: 0 };
    top.send({ method: "GET", url, authorization, ...body });
  });
}

class Question extends Whole {
  readonly #resolve: (asked: Asked) => void;

  constructor(resolve: (asked: Asked) => void) {
    super();
    this.#resolve = resolve;
  }

  answered({ head: [status], body }: WholeAnswer): void {
    this.#resolve({ status, body, failure: "" });
  }

  override failed(failure: TransportFailure, why: string): void {
    this.#resolve({ status: 0, failure, why });
  }
}

/** A question answers itself. */
const nobody: Above = { status() {}, body() {}, end() {}, failed() {} };
