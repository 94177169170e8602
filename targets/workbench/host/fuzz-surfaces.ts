// What the C host reads from outside: for each surface a fuzzer (fuzzers.ts), and a fault that it must find.

import type { Fault } from "./plant.ts";

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
  /** The fuzzer must find it: one that cannot fail is worse than none. */
  readonly fault: Fault;
}

export const surfaces: readonly Surface[] = [
  {
    name: "answer",
    files: ["http-answer"],
    longest: 600,
    round: 150_000,
    fault: {
      file: "http-answer",
      text: "taken > answer->body_max - answer->body_bytes",
      fault: "taken > answer->body_max",
    },
  },
  {
    name: "exchange",
    files: ["http", "http-answer", "address", "last-look"],
    longest: 800,
    round: 350_000,
    fault: {
      file: "http",
      text: "if (!pg_last_look(request,",
      fault: "if (request->target_size > 3 || !pg_last_look(request,",
    },
  },
  {
    name: "config",
    files: ["config", "json", "address"],
    longest: 1500,
    round: 800_000,
    fault: {
      file: "config",
      text: "value < member->low || value > member->high",
      fault: "value > member->high",
    },
  },
  {
    name: "record",
    files: ["storage"],
    longest: 120,
    round: 900_000,
    fault: {
      file: "storage",
      text: "if (length > size) return -1;",
      fault: "if (length > size + 1) return -1;",
    },
  },
  {
    name: "page",
    files: ["page", "address"],
    longest: 600,
    round: 150_000,
    fault: {
      file: "page",
      text: "reader.is_bad || reader.left > 0",
      fault: "reader.is_bad",
    },
  },
];
