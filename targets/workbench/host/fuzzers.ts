// What the C host reads from outside, and how each is built for libFuzzer: one file of test/host/fuzz, and the
// files of the host that it is about.

import { mkdirSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { run } from "../engines/install.ts";
import { numbersHeader } from "./generate.ts";
import { type Plant, sourceWith } from "./plant.ts";

const root = fileURLToPath(new URL("../../../", import.meta.url));
const sources = `${root}targets/host`;
const folder = `${root}dist/fuzz-c`;

/** Something that is read from outside. */
export interface Surface {
  /** Of the file in test/host/fuzz and of the folder in test/host/corpus. */
  readonly name: string;
  /** Files of targets/host/portable. */
  readonly files: readonly string[];
  /** Bytes of an input at the most. */
  readonly longest: number;
  /** Faults that the fuzzer must find, one behind each thing that its harness says must hold. */
  readonly plants: readonly Plant[];
}

export const surfaces: readonly Surface[] = [
  {
    name: "answer",
    files: ["http-answer", "http-date"],
    longest: 600,
    plants: [
      {
        file: "http-answer",
        text: "text_size < PG_ANSWER_LINE",
        fault: "text_size <= PG_ANSWER_LINE",
      },
      { file: "http-answer", text: "status > 599 ? 500 : status", fault: "status" },
    ],
  },
  {
    name: "exchange",
    files: ["http", "http-answer", "http-date", "address", "last-look"],
    longest: 800,
    plants: [
      {
        file: "http",
        text: "if (bytes[i] < 33 || bytes[i] > 126) return 0;",
        fault: "if (bytes[i] < 10 || bytes[i] > 126) return 0;",
      },
      { file: "address", text: "peer->is_secure ? 443 : 80", fault: "peer->is_secure ? 444 : 80" },
      {
        file: "http",
        text: "if (http.phase != IDLE && pg_http_wake_in() == 0) fail();",
        fault: "",
      },
      {
        file: "http",
        text: "  pg_http_abort();\n  http.sink->end();",
        fault: "  http.sink->end();\n  pg_http_abort();",
      },
      { file: "http", text: 'put_text("\\r\\nAccept', fault: 'put_text("\\nAccept' },
    ],
  },
  {
    name: "config",
    files: ["config", "json", "address"],
    longest: 1500,
    plants: [
      {
        file: "json",
        text: "while (json->at < json->size) {",
        fault: "while (json->at <= json->size) {",
      },
      {
        file: "config",
        text: "if (text[i] < 32 || text[i] > 126) return 0;",
        fault: "if (text[i] < 32 || text[i] > 126) continue;",
      },
      {
        file: "config",
        text: "value < member->low || value > member->high",
        fault: "value > member->high",
      },
      {
        file: "config",
        text: "(address.peer.is_secure || pg_address_is_own(&address))",
        fault: "1",
      },
    ],
  },
  {
    name: "record",
    files: ["storage", "units"],
    longest: 120,
    plants: [
      {
        file: "storage",
        text: "return size <= pg_storage_room(medium) ? size : 0;",
        fault: "return size <= medium->slot_bytes ? size : 0;",
      },
      { file: "storage", text: "if (length > size) return -1;", fault: "" },
      {
        file: "storage",
        text: "|| size > pg_storage_room(medium)) return 0;",
        fault: ") return 0;",
      },
      {
        file: "storage",
        text: "return medium->erase(medium->context, slot) == PG_MEDIUM_DONE &&\n         pg_medium_program",
        fault: "return pg_medium_program",
      },
    ],
  },
  {
    name: "image",
    files: ["image"],
    longest: 400,
    plants: [
      {
        file: "image",
        text: "lengths->config == body - lengths->payload",
        fault: "lengths->config <= body",
      },
      { file: "image", text: "length > limit", fault: "length > limit + 1" },
      {
        file: "image",
        text: "u32(bytes + AT_COUNTER) < least) result",
        fault: "u32(bytes + AT_COUNTER) + 1 < least) result",
      },
    ],
  },
  {
    name: "boot",
    files: ["boot", "image"],
    longest: 160,
    plants: [
      {
        file: "boot",
        text: "other(kept == NO_SLOT ? boot->good : kept)",
        fault: "other(boot->good)",
      },
      {
        file: "boot",
        text: "boot->floor.counter = boot->image.counter;",
        fault: "boot->floor.counter = 0;",
      },
    ],
  },
  {
    name: "boot-flash",
    files: ["boot", "image", "boot-flash", "units"],
    longest: 121,
    plants: [
      {
        file: "boot-flash",
        text: "medium->erase(medium->context, slot) == PG_MEDIUM_DONE &&",
        fault: "",
      },
      {
        file: "units",
        text: "size_t odd = size % unit_of(medium->program_unit);",
        fault: "size_t odd = 0;",
      },
      {
        file: "boot",
        text: "int copy = other(boot->copy < 0 ? 1 : boot->copy);",
        fault: "int copy = boot->copy < 0 ? 0 : boot->copy;",
      },
      {
        file: "boot",
        text: "if (boot->image.counter > boot->floor.counter) boot->floor.counter = boot->image.counter;",
        fault: "",
      },
      {
        file: "boot",
        text: "other(kept == NO_SLOT ? boot->good : kept)",
        fault: "other(boot->trial)",
      },
      {
        file: "boot",
        text: "if (least > boot->floor.counter) boot->floor.counter = least;",
        fault: "(void)least;",
      },
      {
        file: "boot",
        text: "boot->good = (uint8_t)boot->running;",
        fault: "boot->good = (uint8_t)other(boot->running);",
      },
    ],
  },
];

/**
 * Builds a surface's fuzzer.
 * @param plant a fault to plant in it
 * @returns the program
 */
export function buildFuzzer({ name, files }: Surface, plant?: Plant): string {
  const out = plant ? `${folder}/${name}/planted` : `${folder}/${name}`;
  mkdirSync(out, { recursive: true });
  writeFileSync(`${folder}/picogrant-numbers.h`, numbersHeader());
  const flags = [
    ...["-std=gnu11", "-O1", "-g", "-fno-omit-frame-pointer", "-Wall", "-Wextra", "-Werror"],
    ...["-fsanitize=fuzzer,address,undefined", "-fno-sanitize-recover=all"],
    // Kernels that spread programs over more addresses put one in four where the sanitizer has its own memory.
    ...["-fno-pie", "-no-pie"],
    ...["-DPG_ASSERTIONS", `-I${sources}/portable`, `-I${folder}`],
  ];
  const own = files.map((file) => sourceWith(file, plant, out));
  const harness = `${root}test/host/fuzz/${name}.c`;
  run("clang", [...flags, "-o", `${out}/fuzz`, harness, ...own]);
  return `${out}/fuzz`;
}
