// Each assertion of the C host (targets/host/portable/assertion.h) has a planted fault that a fuzzer or a test program
// must detect. The released host contains no assertions.

import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { run } from "../../targets/workbench/engines/install.ts";
import {
  type Fault,
  generatedC,
  hostFolder,
  sourceWith,
} from "../../targets/workbench/host/build.ts";
import { buildFuzzer, corpusOf, surfaces } from "../../targets/workbench/host/fuzzers.ts";
import { numbersHeader } from "../../targets/workbench/host/generate.ts";
import { Random } from "../model/random.ts";
import { linesOf, playPair } from "./piped.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));
const portable = `${root}targets/host/portable`;

/** `rule` is the text of the assertion. `by` is the fuzzer, or the program of test/host/c, that must find the fault. */
type PlantedFault = Fault & { readonly rule: string; readonly by: string };

const FAULTS: readonly PlantedFault[] = [
  {
    rule: "ranges of the core are in its memory",
    by: "piped",
    file: "driver",
    text: "get(driver, PG_BODY), get(driver, PG_BODY_LENGTH))",
    fault: "driver->parts.settings->memory_bytes, get(driver, PG_BODY_LENGTH) + 1)",
  },
  {
    rule: "one request at a time",
    by: "piped",
    file: "driver",
    text: "      pg_http_abort(driver->parts.http);\n",
    fault: "",
  },
  {
    rule: "the response belongs to the request in flight",
    by: "piped",
    file: "driver",
    text: "driver->request_id = get(driver, PG_REQUEST_ID);",
    fault: "driver->request_id = get(driver, PG_REQUEST_ID) + 1;",
  },
  {
    rule: "the value fits into the buffer",
    by: "piped",
    file: "driver",
    text: "PG_HAPPENED_RESPONSE, driver->status, error",
    fault: "PG_HAPPENED_RESPONSE, -driver->status, error",
  },
  {
    rule: "a wait is at most an hour",
    by: "network-watch",
    file: "network-watch",
    text: "if (watch->level < PG_NETWORK_LEVEL_MAX) watch->level++;",
    fault: "watch->level++;",
  },
  {
    rule: "the parts of a request fit",
    by: "exchange",
    file: "http",
    text: "http->part_count < PG_HTTP_PARTS,",
    fault: "http->part_count < PG_HTTP_PARTS / 2,",
  },
  {
    rule: "a length fits into its digits",
    by: "exchange",
    file: "http",
    text: "  if (!request->is_get) {\n",
    fault:
      '  http->part_count -= 2;\n  put_length(http, (size_t)1 << 40);\n  http_put_text(http, "\\r\\n");\n  if (0) {\n',
  },
  {
    rule: "the response follows the whole request",
    by: "exchange",
    file: "http",
    text: "    if (taken <= 0) return 0;\n",
    fault: "    if (taken < 0) return 0;\n    if (taken == 0) break;\n",
  },
  {
    rule: "an exchange has ended before its end is reported",
    by: "exchange",
    file: "http",
    text: "  } else {\n    pg_http_close(http);\n",
    fault: "  } else {\n    pg_connection_end(connection_of(http));\n",
  },
  {
    rule: "at most the part is sent",
    by: "exchange",
    file: "http",
    text: "    http->part_at += (size_t)taken;\n",
    fault: "    http->part_at += (size_t)taken + 1;\n",
  },
  {
    rule: "a status is in the range of HTTP",
    by: "response",
    file: "http-response",
    text: "status > 599 ? 500 : status",
    fault: "status",
  },
  {
    rule: "a line's text fits into its buffer",
    by: "response",
    file: "http-response",
    text: "  if (response->text_size < PG_HTTP_RESPONSE_LINE) response->text[response->text_size++] = c;\n",
    fault:
      "  response->text[response->text_size++ % PG_HTTP_RESPONSE_LINE] = c;\n  if (0) return;\n",
  },
  {
    rule: "a piece of a body is not empty",
    by: "response",
    file: "http-response",
    text: "response->left > 0 ? CHUNK_DATA : TRAILER_BEGIN",
    fault: "CHUNK_DATA",
  },
  {
    rule: "the body is not longer than the bytes taken",
    by: "response",
    file: "http-response",
    text: "if (taken > response->body_max - response->body_bytes) {",
    fault: "if (taken > response->body_max) {",
  },
  {
    rule: "a read is within its slot, and starts at a unit",
    by: "geometry",
    file: "storage",
    text: "result = pg_medium_read(medium, slot, pg_storage_header(medium), into, length);",
    fault: "result = pg_medium_read(medium, slot, pg_storage_header(medium) + 1, into, length);",
  },
  {
    rule: "programmed bytes are within their slot, and start at a unit",
    by: "geometry",
    file: "storage",
    text: "|| size > pg_storage_capacity(medium)) return 0;",
    fault: ") return 0;",
  },
];

const sources = (): [file: string, text: string][] =>
  readdirSync(portable)
    .filter((name) => name.endsWith(".c"))
    .map((name) => [name, readFileSync(`${portable}/${name}`, "utf8")]);

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "picogrant-assertions-"));
  writeFileSync(join(folder, "picogrant-numbers.h"), numbersHeader());
});
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

/** Runs a fuzzer on its corpus, or a program with several seeds. @returns the output */
async function outputOf({ by, ...plant }: PlantedFault): Promise<string> {
  const surface = surfaces.find(({ name }) => name === by);
  if (surface) {
    const program = await buildFuzzer(surface, plant);
    const limits = [
      `-max_len=${surface.longest}`,
      "-max_total_time=60",
      "-seed=1",
      `-artifact_prefix=${folder}/`,
    ];
    const found = mkdtempSync(join(folder, "corpus-"));
    return spawnSync(program, [...limits, found, corpusOf(by)], { encoding: "utf8" }).stderr;
  }
  const program = join(folder, by);
  const planted = sourceWith(plant.file, plant, join(folder, "planted"));
  const harness = `${root}test/host/c/${by}.c`;
  const flags = ["-std=gnu11", "-O1", "-DPG_ASSERTIONS", `-I${portable}`, `-I${folder}`];
  if (by !== "piped") {
    run("gcc", [...flags, "-o", program, harness, planted]);
    return Array.from({ length: 20 }, (_, seed) => {
      return spawnSync(program, [String(seed)], { encoding: "utf8" }).stderr;
    }).join("");
  }
  const rest = ["host", "driver", "http", "http-response", "wall-clock", "address", "leak-guard"];
  rest.push("storage", "history", "reason", "picogrant");
  const objects = rest.filter((file) => file !== plant.file);
  run("gcc", [
    ...[...flags, "-fsanitize=address,undefined", `-I${generatedC}`],
    ...["-o", program, harness, planted],
    ...objects.map((file) => `${hostFolder}sanitize/${file}.o`),
  ]);
  const random = new Random(1);
  return Array.from({ length: 5 }, () => {
    return spawnSync(program, { input: linesOf(playPair(random, false)), encoding: "utf8" }).stderr;
  }).join("");
}

function objectOf(name: string, text: string, ...flags: readonly string[]): Buffer {
  const source = join(folder, "objects", name);
  mkdirSync(join(folder, "objects"), { recursive: true });
  writeFileSync(source, text);
  const includes = [`-I${portable}`, `-I${generatedC}`];
  run("gcc", ["-std=gnu11", "-Os", ...flags, ...includes, "-c", "-o", `${source}.o`, source]);
  return readFileSync(`${source}.o`);
}

const ASSERTION = /^ *PG_MUST\([^;]*?"([^"]+)"\);\n/gm;

describe("assertions of the host in C", () => {
  it.each(FAULTS)("$rule: a fault planted in $file is found", async (fault) => {
    expect(await outputOf(fault)).toContain(`the host is at fault: ${fault.rule}\n`);
  });

  it("every assertion has a fault in this table", () => {
    const rules = sources().flatMap(([, text]) =>
      Array.from(text.matchAll(ASSERTION), ([, rule]) => rule),
    );
    expect(rules.sort()).toEqual(FAULTS.map(({ rule }) => rule).sort());
  });

  it("the released host compiles to the same bytes with and without assertions", () => {
    for (const [name, text] of sources()) {
      const without = text.replace(ASSERTION, "");
      expect(without).not.toContain("PG_MUST");
      const shipped = objectOf(name, text);
      expect(shipped.equals(objectOf(name, without)), name).toBe(true);
      if (without === text) continue;
      expect(objectOf(name, text, "-DPG_ASSERTIONS").length, name).toBeGreaterThan(shipped.length);
    }
  });
});
