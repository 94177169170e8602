// A log of requests and responses, masked. It stores the last 200 exchanges and counts all.
import type { HttpRequest, TransportFailure } from "../../../../platform/contracts.ts";
import { asciiOf } from "../../../../platform/text/text.ts";
import { clean, maskForm } from "../../../service/observers.ts";
import {
  describeRequest,
  describeResponse,
  type ExchangeDetail,
  type ResponseHead,
  summarizeResponse,
} from "./mask.ts";
import { wordsOf } from "./reasons.ts";
import type { Moment, Moments } from "./timeline.ts";

export type ExchangePurpose =
  | "request a code"
  | "poll"
  | "refresh"
  | "revoke"
  | "call the API"
  | "poll for events"
  | "discover the endpoints"
  | "a thief calls the API"
  | "other";

/** `atMs` and `order` are those of the request. */
export interface ExchangeEntry extends Moment {
  readonly id: number;
  ended: Moment | undefined;
  readonly purpose: ExchangePurpose;
  readonly method: string;
  readonly target: string;
  readonly request: string;
  /** 0 if there is no response. */
  status: number;
  response: string;
  /** The response in words (`wordsOf`), or the reason why there is no response. */
  output: string;
  receivedBytes: number;
  fault: string;
}

const STORED = 200;

export class ExchangeLog {
  readonly entries: ExchangeEntry[] = [];
  count = 0;
  readonly counts = new Map<ExchangePurpose, number>();
  readonly #details = new Map<number, ExchangeDetail>();

  readonly #moments: Moments;
  readonly #changed: () => void;

  constructor(moments: Moments, changed: () => void) {
    this.#moments = moments;
    this.#changed = changed;
  }

  begin(request: HttpRequest, purpose?: ExchangePurpose): ExchangeEntry {
    const body = asciiOf(request.body, request.bodyFrom, request.bodyTo);
    const entry: ExchangeEntry = {
      ...this.#moments.next(),
      id: ++this.count,
      ended: undefined,
      purpose: purpose ?? purposeOf(request, body),
      method: request.method,
      target: targetOf(request.url),
      request: body === "" ? "" : maskForm(body),
      status: 0,
      response: "",
      output: "",
      receivedBytes: 0,
      fault: "",
    };
    this.counts.set(entry.purpose, (this.counts.get(entry.purpose) ?? 0) + 1);
    this.entries.push(entry);
    const detail = { request: describeRequest(request, entry.target, body), response: "" };
    this.#details.set(entry.id, detail);
    if (this.entries.length > STORED) this.#details.delete(this.entries.shift()!.id);
    this.#changed();
    return entry;
  }

  responded(entry: ExchangeEntry, head: ResponseHead, body: Uint8Array): void {
    const text = new TextDecoder().decode(body);
    entry.status = head.status;
    entry.output = wordsOf(head.status, text);
    entry.receivedBytes = body.length;
    this.#complete(entry, describeResponse(head, text));
    this.#end(entry, summarizeResponse(text));
  }

  failed(entry: ExchangeEntry, failure: TransportFailure | "aborted"): void {
    this.#complete(entry, `no response: ${failure}`);
    entry.output = failure;
    this.#end(entry, failure);
  }

  /** Request and response in full, with secrets masked; undefined if the log no longer has them. */
  detailOf(id: number): ExchangeDetail | undefined {
    return this.#details.get(id);
  }

  #complete({ id }: ExchangeEntry, response: string): void {
    const detail = this.#details.get(id);
    if (detail) this.#details.set(id, { ...detail, response });
  }

  #end(entry: ExchangeEntry, response: string): void {
    entry.ended = this.#moments.next();
    entry.response = response;
    this.#changed();
  }
}

function targetOf(address: string): string {
  if (!URL.canParse(address)) return clean(address);
  const { pathname, search } = new URL(address);
  return search === "" ? pathname : `${pathname}?${maskForm(search.slice(1))}`;
}

function purposeOf(request: HttpRequest, body: string): ExchangePurpose {
  if (/\/events\/v1\/poll(?:$|\?)/.test(request.url)) return "poll for events";
  if (request.url.includes("/.well-known/")) return "discover the endpoints";
  if (body.includes("device_code=")) return "poll";
  if (body.includes("grant_type=refresh_token")) return "refresh";
  if (request.authorization !== "" || /[?&]access_token=/.test(request.url)) return "call the API";
  if (/(?:^|&)token=/.test(body) || /[?&]token=/.test(request.url)) return "revoke";
  return body.includes("client_id=") ? "request a code" : "other";
}
