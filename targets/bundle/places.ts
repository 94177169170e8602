// Maps positions in a bundle to the sources.

import { SourceMap, type SourceMapPayload } from "node:module";

/** Finds the place of an offset in the code, such as `core/loop/tick.ts:64`, and the name there, if any. */
export type SourceOf = (offset: number) => { place: string; name: string | undefined };

export function sourcesOf(code: string, map: string): SourceOf {
  const places = new SourceMap(JSON.parse(map) as SourceMapPayload);
  return (offset) => {
    const before = code.slice(0, offset);
    const line = before.split("\n").length - 1;
    const entry = places.findEntry(line, offset - before.lastIndexOf("\n") - 1);
    if (!("originalSource" in entry)) return { place: `bundle:${line + 1}`, name: undefined };
    // Node's types lack this property.
    const { name } = entry as { name?: string };
    return { place: `${entry.originalSource}:${entry.originalLine + 1}`, name };
  };
}
