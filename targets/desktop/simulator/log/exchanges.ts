// The log of requests and answers as they go by, masked. It remembers the last ones and counts all.
import type { HttpRequest, TransportFailure } from "../../../../platform/contracts.ts";
import { asciiOf } from "../../../../platform/text/text.ts";
import { clean, maskForm } from "../../../service/observers.ts";
import {
  type AnswerHead,
  describeAnswer,
  describeRequest,
  describeResponse,
  type ExchangeDetail,
} from "./mask.ts";
import { wordsOf } from "./reasons.ts";
import type { Moment, Moments } from "./timeline.ts";

/** What an exchange is for, in words for the screen. */
export type ExchangePurpose =
  | "ask for a code"
  | "poll"
  | "refresh"
  | "revoke"
  | "call the API"
  | "poll for events"
  | "ask for the addresses"
  | "other";

/** Its own moment is that of the request. */
export interface ExchangeEntry extends Moment {
  readonly id: number;
  ended: Moment | undefined;
  readonly purpose: ExchangePurpose;
  readonly method: string;
  /** Path with its query, masked. */
  readonly target: string;
  /** Body, masked. */
  readonly request: string;
  /** 0 until it has come, and where none came. */
  status: number;
  /** Body of the answer, masked; or why there is none. */
  answer: string;
  /** The answer in a few words, "" until it has come: OK, its error's name, or why there is none. */
  said: string;
  /** Bytes of the answer's body. */
  receivedBytes: number;
  /** The fault that had a hand in it, "" for none. */
  fault: string;
}

const KEPT = 200;

export class ExchangeLog {
  readonly entries: ExchangeEntry[] = [];
  count = 0;
  /** How many there ever were of each purpose. */
  readonly counts = new Map<ExchangePurpose, number>();
  readonly #details = new Map<number, ExchangeDetail>();

  readonly #moments: Moments;
  readonly #changed: () => void;

  constructor(moments: Moments, changed: () => void) {
    this.#moments = moments;
    this.#changed = changed;
  }

  begin(request: HttpRequest): ExchangeEntry {
    const body = asciiOf(request.body, request.bodyFrom, request.bodyTo);
    const entry: ExchangeEntry = {
      ...this.#moments.next(),
      id: ++this.count,
      ended: undefined,
      purpose: purposeOf(request, body),
      method: request.method,
      target: targetOf(request.url),
      request: body === "" ? "" : maskForm(body),
      status: 0,
      answer: "",
      said: "",
      receivedBytes: 0,
      fault: "",
    };
    this.counts.set(entry.purpose, (this.counts.get(entry.purpose) ?? 0) + 1);
    this.entries.push(entry);
    const detail = { request: describeRequest(request, entry.target, body), answer: "" };
    this.#details.set(entry.id, detail);
    if (this.entries.length > KEPT) this.#details.delete(this.entries.shift()!.id);
    this.#changed();
    return entry;
  }

  answered(entry: ExchangeEntry, head: AnswerHead, body: Uint8Array): void {
    const text = new TextDecoder().decode(body);
    entry.status = head.status;
    entry.said = wordsOf(head.status, text);
    entry.receivedBytes = body.length;
    this.#complete(entry, describeResponse(head, text));
    this.#end(entry, describeAnswer(text));
  }

  failed(entry: ExchangeEntry, failure: TransportFailure | "given up"): void {
    this.#complete(entry, `no answer: ${failure}`);
    entry.said = failure;
    this.#end(entry, failure);
  }

  /** Request and answer in full, masked; undefined for one that is no longer remembered. */
  detailOf(id: number): ExchangeDetail | undefined {
    return this.#details.get(id);
  }

  #complete({ id }: ExchangeEntry, answer: string): void {
    const detail = this.#details.get(id);
    if (detail) this.#details.set(id, { ...detail, answer });
  }

  #end(entry: ExchangeEntry, answer: string): void {
    entry.ended = this.#moments.next();
    entry.answer = answer;
    this.#changed();
  }
}

/** Path and query, masked. An address that is none is shown as it was set. */
function targetOf(address: string): string {
  if (!URL.canParse(address)) return clean(address);
  const { pathname, search } = new URL(address);
  return search === "" ? pathname : `${pathname}?${maskForm(search.slice(1))}`;
}

function purposeOf(request: HttpRequest, body: string): ExchangePurpose {
  if (/\/events\/v1\/poll(?:$|\?)/.test(request.url)) return "poll for events";
  if (request.url.includes("/.well-known/")) return "ask for the addresses";
  if (body.includes("device_code=")) return "poll";
  if (body.includes("grant_type=refresh_token")) return "refresh";
  if (request.authorization !== "" || /[?&]access_token=/.test(request.url)) return "call the API";
  if (/(?:^|&)token=/.test(body) || /[?&]token=/.test(request.url)) return "revoke";
  return body.includes("client_id=") ? "ask for a code" : "other";
}
