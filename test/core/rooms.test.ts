// core/ is rooms, each standing on those above it (DESIGN.md, The rooms): imports run one way, and in no circle. What
// is the two documents' own can be left out.

import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import type { Config } from "../../core/device/config.ts";
import { type Bytes, Literal } from "../../core/device/memory.ts";
import * as grant from "../../core/index.ts";
import { createDevice } from "../../core/loop/create.ts";
import { REQUEST_LITERALS, RequestLiteral } from "../../core/requests/literals.ts";
import { discover } from "../../core/requests/metadata.ts";
import * as resource from "../../core/requests/protected-resource.ts";
import { Bench, code, json, tokens } from "./bench.ts";
import { call, LIST, outcome } from "./session.ts";
import type { Core } from "./subject.ts";

const core = fileURLToPath(new URL("../../core/", import.meta.url));
/** In the order in which they stand. */
const ROOMS = [
  ...["device", "text", "records", "grant", "display"],
  ...["requests", "documents", "loop"],
  // What the shipped tables are made of.
  "tables",
];

const files = readdirSync(core, { recursive: true, encoding: "utf8" }).filter((file) =>
  file.endsWith(".ts"),
);
/** What a file imports or passes on, but for types alone: these leave nothing in what runs. */
const importsOf = (file: string): string[] =>
  [
    ...readFileSync(join(core, file), "utf8").matchAll(
      /^(?:import|export)\s+(?!type\b)[^;]*?from\s+"(\.[^"]+)"/gms,
    ),
  ].map(([, path]) => join(dirname(file), path!));
const roomOf = (file: string): number => ROOMS.indexOf(dirname(file));

describe("DESIGN.md The rooms", () => {
  it.each(files.filter((file) => dirname(file) !== "."))(
    "%s stands on nothing below it",
    (file) => {
      expect(roomOf(file)).toBeGreaterThanOrEqual(0);
      const below = importsOf(file).filter((other) => !(roomOf(other) <= roomOf(file)));
      // `loop` makes the device out of all the rooms; only its own files know the documents' not even there.
      expect(below.filter((other) => roomOf(other) >= 0)).toEqual([]);
    },
  );

  it("no file stands on itself by way of others", () => {
    const open: string[] = [];
    const done = new Set<string>();
    const walk = (file: string): void => {
      expect(open, `a circle behind ${file}`).not.toContain(file);
      if (done.has(file)) return;
      open.push(file);
      for (const other of importsOf(file)) walk(other);
      open.pop();
      done.add(file);
    };
    for (const file of files) walk(file);
    expect(done.size).toBe(files.length);
  });

  it("nothing but documents/ and complete.ts knows what is the documents' own", () => {
    const knowing = files.filter((file) =>
      importsOf(file).some((other) => dirname(other) === "documents"),
    );
    expect(knowing.filter((file) => dirname(file) !== "documents")).toEqual(["complete.ts"]);
  });

  it("without it a device signs in and calls a protected resource all the same", () => {
    // An entry of its own, as complete.ts is one.
    const create = (memory: Bytes, config: Config): grant.Device | null =>
      createDevice(memory, config, REQUEST_LITERALS, RequestLiteral.NEXT - Literal.NEXT);
    const entry = { ...grant, ...resource, discover, create } as unknown as Core;
    const bench = new Bench([code(), tokens()], { core: entry });
    bench.until(2);
    bench.answers = [json(200, { nextPageToken: "next" })];
    expect(call(bench, LIST)).toBe(1);
    bench.pass(0);
    expect(outcome(bench)).toEqual({ error: 0, status: 200 });
    expect(bench.device.hasNextPage).toBe(1);
  });
});
