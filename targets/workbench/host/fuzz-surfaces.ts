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
    name: "image",
    files: ["image"],
    longest: 400,
    round: 1_200_000,
    plants: [
      {
        bound: MEMORY,
        file: "image",
        text: "size < HEADER + SIGNATURE) return",
        fault: "size < 8) return",
      },
      {
        bound: "a verdict is one of FORMAT.md",
        file: "image",
        text: "same ? PG_IMAGE_OK : PG_IMAGE_WRONG_BORDER",
        fault: "same ? PG_IMAGE_OK : (enum pg_image_result)(PG_IMAGE_ROLLBACK + 1)",
      },
      {
        bound: "an image ends within what is there",
        file: "image",
        text: "return length < capacity ? length : capacity;",
        fault: "return length;",
      },
      {
        bound: "its parts fill an image",
        file: "image",
        text: "lengths->config == body - lengths->payload",
        fault: "lengths->config <= body",
      },
      {
        bound: "no longer image passes",
        file: "image",
        text: "length > limit",
        fault: "length > limit + 1",
      },
      {
        bound: "no older image passes",
        file: "image",
        text: "u32(bytes + AT_COUNTER) < least) result",
        fault: "u32(bytes + AT_COUNTER) + 1 < least) result",
      },
      {
        bound: "the oldest key that counts is good",
        file: "image",
        text: "if (index < pg_image_key_order(",
        fault: "if (index <= pg_image_key_order(",
      },
      {
        bound: "no foreign key is good",
        file: "image",
        text: "if (index >= rules->key_count || !is_key_of_id(rules, index, bytes + AT_KEY_ID)) {",
        fault: "if (!is_key_of_id(rules, index, bytes + AT_KEY_ID)) {",
      },
    ],
  },
  {
    name: "boot",
    files: ["boot", "image"],
    longest: 160,
    round: 25_000,
    plants: [
      {
        bound: "a slot has the room that it has",
        file: "boot",
        text: "write_slot(boot->store->context, slot, bytes, size))",
        fault: "write_slot(boot->store->context, slot, bytes, size + 1))",
      },
      {
        bound: "nothing is not installed",
        file: "boot",
        text: "  if (result != PG_IMAGE_OK) return result;\n  int kept",
        fault: "  if (result != PG_IMAGE_OK) return PG_IMAGE_IN_USE;\n  int kept",
      },
      {
        bound: "the last valid image is not overwritten",
        file: "boot",
        text: "  if (boot->good < SLOTS && check_slot(boot, boot->good, &image) == PG_IMAGE_OK) return boot->good;",
        fault: "  (void)image;\n  if (boot->good < SLOTS) return boot->good;",
      },
      {
        bound: "what is installed is tried",
        file: "boot",
        text: "  boot->tries = PG_BOOT_TRIES;",
        fault: "  boot->tries = 1;",
      },
      {
        bound: "a valid image is started",
        file: "boot",
        text: "second = run(boot, other(slot));",
        fault: "second = run(boot, slot);",
      },
      {
        bound: "the counter never falls",
        file: "boot",
        text: "boot->floor.counter = boot->image.counter;",
        fault: "boot->floor.counter = 0;",
      },
      {
        bound: "what ran and is confirmed is good",
        file: "boot",
        text: "boot->good = (uint8_t)boot->running;",
        fault: "boot->good = (uint8_t)other(boot->running);",
      },
      {
        bound: "only what ran is good",
        file: "boot",
        text: "memcmp(header + HEADER_AT_HASH, boot->image.hash, PG_SHA512_BYTES) != 0",
        fault: "header[0] == 0",
      },
    ],
  },
  {
    name: "boot-flash",
    files: ["boot", "image", "boot-flash", "units"],
    longest: 121,
    round: 20_000,
    plants: [
      {
        bound: "a unit is programmed once between erasures",
        file: "boot-flash",
        text: "medium->erase(medium->context, slot) == PG_MEDIUM_DONE &&",
        fault: "",
      },
      {
        bound: "flash is used in its units",
        file: "units",
        text: "size_t odd = size % unit_of(medium->program_unit);",
        fault: "size_t odd = 0;",
      },
      {
        bound: "flash is used within its slots",
        file: "boot-flash",
        text: "size_t capacity = flash->slots->slot_bytes;",
        fault: "size_t capacity = flash->slots->slot_bytes + 64;",
      },
      {
        bound: "none older than the newest that was confirmed",
        file: "boot",
        text: "int copy = other(boot->copy < 0 ? 1 : boot->copy);",
        fault: "int copy = boot->copy < 0 ? 0 : boot->copy;",
      },
      {
        bound: "none older than the newest that was confirmed",
        file: "boot",
        text: "if (boot->image.counter > boot->floor.counter) boot->floor.counter = boot->image.counter;",
        fault: "",
      },
      {
        bound: "none older than the newest that was confirmed",
        file: "boot",
        text: "if (least > boot->floor.counter) boot->floor.counter = least;",
        fault: "(void)least;",
      },
      {
        bound: "a device that started once starts",
        file: "boot",
        text: "other(kept == NO_SLOT ? boot->good : kept)",
        fault: "other(boot->trial)",
      },
      {
        bound: "what was confirmed starts again",
        file: "boot",
        text: "boot->good = (uint8_t)boot->running;",
        fault: "boot->good = (uint8_t)other(boot->running);",
      },
      {
        bound: "the chip's counter is raised, where it is",
        file: "boot",
        text: "|| chip_counter(boot) >= boot->image.counter;",
        fault: "|| chip_counter(boot) > boot->image.counter;",
      },
      {
        bound: "what starts is what was verified",
        file: "boot",
        text: "  if (result == PG_IMAGE_OK) *image = boot->image;",
        fault:
          "  if (result == PG_IMAGE_OK) {\n    *image = boot->image;\n    image->counter++;\n  }",
      },
    ],
  },
];
