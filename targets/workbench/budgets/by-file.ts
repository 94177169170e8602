// What the bytes of a bundle are spent on: those of each source file, after the bundle's map.

import { readdirSync } from "node:fs";
import { type MappingItem, SourceMapConsumer } from "source-map-js";
import type { Bundle } from "../../bundle/bundled-core.ts";

const coreFiles = new Set(
  readdirSync(new URL("../../../core/", import.meta.url), {
    recursive: true,
    encoding: "utf8",
  }).map((file) => file.replace(/^.*\//, "")),
);

/** Bytes of the first line of a bundle, which is all of it, by the name of the source they come from. */
export function bytesByFile({ code, map }: Bundle): Map<string, number> {
  const mappings: MappingItem[] = [];
  new SourceMapConsumer(JSON.parse(map)).eachMapping((mapping) => mappings.push(mapping));
  const line = mappings
    .filter(({ generatedLine }) => generatedLine === 1)
    .sort((a, b) => a.generatedColumn - b.generatedColumn);
  const bytes = new Map<string, number>();
  const count = (source: string | null, size: number): void => {
    const file = source?.replace(/^.*\//, "") ?? "";
    const name = coreFiles.has(file) ? file : "the joining of them";
    bytes.set(name, (bytes.get(name) ?? 0) + size);
  };
  count(null, line[0]?.generatedColumn ?? 0);
  for (const [index, { source, generatedColumn }] of line.entries()) {
    const end = line[index + 1]?.generatedColumn ?? code.indexOf("\n");
    count(source, end - generatedColumn);
  }
  return bytes;
}
