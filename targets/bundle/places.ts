// Where in the sources a piece of a bundle was.

import { SourceMap, type SourceMapPayload } from "node:module";

/** Tells of an offset in the code the place, such as `core/loop/tick.ts:64`, and the name there, where the map knows one. */
export type SourceOf = (offset: number) => { place: string; name: string | undefined };

export function sourcesOf(code: string, map: string): SourceOf {
  const places = new SourceMap(JSON.parse(map) as SourceMapPayload);
  return (offset) => {
    const before = code.slice(0, offset);
    const line = before.split("\n").length - 1;
    const entry = places.findEntry(line, offset - before.lastIndexOf("\n") - 1);
    if (!("originalSource" in entry)) return { place: `bundle:${line + 1}`, name: undefined };
    // What Node says of an entry lacks the name in its types.
    const { name } = entry as { name?: string };
    return { place: `${entry.originalSource}:${entry.originalLine + 1}`, name };
  };
}
