// What the C host reads from outside: for each surface a fuzzer (fuzzers.ts), and the faults that it must find.

import { MEMORY, type Plant } from "./plant.ts";

/** Something that is read from outside. */
export interface Surface {
  /** Of the file in test/host/fuzz and of the folder in test/host/corpus. */
  readonly name: string;
  /** Files of targets/host/portable. */
  readonly files: readonly string[];
  /** Bytes of an input at the most. */
  readonly longest: number;
  /** Inputs of a round: some five seconds of an idle core. */
  readonly round: number;
  /** Faults that the fuzzer must find, one behind each thing that its harness says must hold. */
  readonly plants: readonly Plant[];
}

export const surfaces: readonly Surface[] = [
  {
    name: "answer",
    files: ["http-answer", "http-date"],
    longest: 600,
    round: 150_000,
    plants: [
      {
        bound: MEMORY,
        file: "http-answer",
        text: "text_size < PG_ANSWER_LINE",
        fault: "text_size <= PG_ANSWER_LINE",
      },
      {
        bound: "a status is of HTTP",
        file: "http-answer",
        text: "status > 599 ? 500 : status",
        fault: "status",
      },
      {
        bound: "the body comes behind one status",
        file: "http-answer",
        text: "  answer->sink->status(answer->context, status,",
        fault: "  if (!answer->is_chunked) answer->sink->status(answer->context, status,",
      },
      {
        bound: "a challenge comes ahead of the status",
        file: "http-answer",
        text: "answer->retry_size, from_s));\n",
        fault: "answer->retry_size, from_s));\n  answer->sink->challenge(answer->context, 0);\n",
      },
      {
        bound: "the body has the room that it was given",
        file: "http-answer",
        text: "taken > answer->body_max - answer->body_bytes",
        fault: "taken > answer->body_max",
      },
      {
        bound: "an end is the end",
        file: "http-answer",
        text: "else if (answer->step != COMPLETE) refuse(answer);",
        fault: "else if (answer->step != COMPLETE && answer->step != STATUS_LINE) refuse(answer);",
      },
      {
        bound: "pieces change nothing",
        file: "http-answer",
        text: "  size_t at = 0;\n  while (at < size && answer->step",
        fault: "  size_t at = 0;\n  answer->is_cr = 0;\n  while (at < size && answer->step",
      },
    ],
  },
  {
    name: "exchange",
    files: ["http", "json-body", "http-answer", "http-date", "address", "last-look"],
    longest: 800,
    round: 350_000,
    plants: [
      {
        bound: "one connection at a time",
        file: "http",
        text: "  if (!pg_connection_start(",
        fault:
          "  (void)pg_connection_start(connection_of(http), &address.peer, http->settings->trust);\n  if (!pg_connection_start(",
      },
      {
        bound: "the server is the configured one",
        file: "http",
        text: "  if (!pg_connection_start(",
        fault: "  address.peer.port++;\n  if (!pg_connection_start(",
      },
      {
        bound: "a connection is used while it is open",
        file: "http",
        text: "    case PG_CONNECTION_FAILED:\n      fail(http);",
        fault:
          "    case PG_CONNECTION_FAILED:\n      fail(http);\n      (void)pg_connection_work(connection_of(http));",
      },
      {
        bound: "something is sent",
        file: "http",
        text: "if (size == 0 || http->part_count == PG_HTTP_PARTS) return;",
        fault: "if (http->part_count == PG_HTTP_PARTS) return;",
      },
      {
        bound: "what goes out is one request",
        file: "http",
        text: 'put_text(http, "\\r\\nAccept',
        fault: 'put_text(http, "\\nAccept',
      },
      {
        bound: "only what can be seen goes out",
        file: "http",
        text: "if (bytes[i] < 33 || bytes[i] > 126) return 0;",
        fault: "if (bytes[i] < 10 || bytes[i] > 126) return 0;",
      },
      {
        bound: "what is right goes out",
        file: "http",
        text: "if (!pg_last_look(request,",
        fault: "if (request->target_size > 3 || !pg_last_look(request,",
      },
      {
        bound: "a status is of HTTP",
        file: "http-answer",
        text: "status > 599 ? 500 : status",
        fault: "status",
      },
      {
        bound: "status, body and end come in their order",
        file: "http",
        text: "  http->sink->status(http->context, status, retry_after_s);",
        fault: "  (void)status;\n  (void)retry_after_s;",
      },
      {
        bound: "a piece of the body has bytes",
        file: "http",
        text: "  http->sink->body(http->context, bytes, size);",
        fault: "  http->sink->body(http->context, bytes, size / 2);",
      },
      {
        bound: "the connection is over before the end is told",
        file: "http",
        text: '  pg_http_abort(http);\n  PG_MUST(http->phase == IDLE, "an exchange is over before its end is told");\n  http->sink->end(http->context);',
        fault: "  http->sink->end(http->context);\n  pg_http_abort(http);",
      },
      {
        bound: "every exchange ends in its time",
        file: "http",
        text: "if (http->phase != IDLE && pg_http_wake_in(http) == 0) fail(http);",
        fault: "",
      },
    ],
  },
  {
    name: "config",
    files: ["config", "json", "address"],
    longest: 1500,
    round: 800_000,
    plants: [
      {
        bound: MEMORY,
        file: "json",
        text: "while (json->at < json->size) {",
        fault: "while (json->at <= json->size) {",
      },
      {
        bound: "texts are as long as they may be",
        file: "config",
        text: "size > (size_t)member->high",
        fault: "size > (size_t)member->high + 8",
      },
      {
        bound: "texts can be printed",
        file: "config",
        text: "if (text[i] < 32 || text[i] > 126) return 0;",
        fault: "if (text[i] < 32 || text[i] > 126) continue;",
      },
      {
        bound: "numbers are in their range",
        file: "config",
        text: "value < member->low || value > member->high",
        fault: "value > member->high",
      },
      {
        bound: "what is needed is there",
        file: "config",
        text: "if (!*field && member->low)",
        fault: "if (!*field && member->low > 1)",
      },
      {
        bound: "addresses are safe ones",
        file: "config",
        text: "(address.peer.is_secure || pg_address_is_own(&address))",
        fault: "1",
      },
      {
        bound: "what is wrong has words",
        file: "config",
        text: '"%.80s %s", path, what);',
        fault: '"%.0s%.0s", path, what);',
      },
    ],
  },
  {
    name: "record",
    files: ["storage", "units"],
    longest: 120,
    round: 900_000,
    plants: [
      {
        bound: "a medium is used within its slots",
        file: "storage",
        text: "return size <= pg_storage_room(medium) ? size : 0;",
        fault: "return size <= medium->slot_bytes ? size : 0;",
      },
      {
        bound: "what is read has room",
        file: "storage",
        text: "if (length > size) return -1;",
        fault: "if (length > size + 1) return -1;",
      },
      { bound: MEMORY, file: "storage", text: "if (length > size) return -1;", fault: "" },
      {
        bound: "only what is erased is programmed",
        file: "storage",
        text: "return medium->erase(medium->context, slot) == PG_MEDIUM_DONE &&\n         pg_medium_program",
        fault: "return pg_medium_program",
      },
      {
        bound: "only an erased slot is empty",
        file: "storage",
        text: "blank = piece[i] == 0xff;",
        fault: "blank = 1;",
      },
      {
        bound: "what fits is written, and nothing else",
        file: "storage",
        text: "size == 0 || size > pg_storage_room(medium)",
        fault: "size > pg_storage_room(medium)",
      },
      {
        bound: "what is written is read",
        file: "storage",
        text: "pg_storage_header(medium), bytes, size) == PG_MEDIUM_DONE",
        fault: "pg_storage_header(medium), bytes, size - (size > 20)) == PG_MEDIUM_DONE",
      },
      {
        bound: "what is erased is gone",
        file: "storage",
        text: "  return is_usable(medium, slot) && medium->erase(medium->context, slot) == PG_MEDIUM_DONE;",
        fault: "  return is_usable(medium, slot);",
      },
    ],
  },
  {
    name: "page",
    files: ["page", "address"],
    longest: 600,
    round: 150_000,
    plants: [
      {
        bound: MEMORY,
        file: "page",
        text: "memchr(reader->at, 0, reader->left)",
        fault: "memchr(reader->at, 0, reader->left + 64)",
      },
      {
        bound: "numbers are in their range",
        file: "page",
        text: "number > ranges[i].high",
        fault: "number > ranges[i].high + 1",
      },
      {
        bound: "addresses are safe ones",
        file: "page",
        text: " && address.peer.is_secure",
        fault: "",
      },
      {
        bound: "what is needed is there",
        file: "page",
        text: "!*settings->client_id || ",
        fault: "",
      },
      {
        bound: "parts lie in their certificate",
        file: "page",
        text: "size > whole.size - at",
        fault: "size > whole.size",
      },
      {
        bound: "a page ends where it says",
        file: "page",
        text: "reader.is_bad || reader.left > 0",
        fault: "reader.is_bad",
      },
      {
        bound: "the later good page counts",
        file: "page",
        text: "page->made_s <= made_s",
        fault: "page->made_s >= made_s",
      },
    ],
  },
];
