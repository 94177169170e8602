// The memory for tokens, as tables: of usual lengths, and of the servers that have a profile.

import type { ServerProfile } from "../../../platform/servers/index.ts";
import { memoryFor, type Tokens } from "./memory-for.ts";

/** Lengths in bytes that one meets: opaque tokens, and signed ones with few and with many claims. */
const USUAL: readonly (readonly [what: string, accessBytes: number, refreshBytes: number])[] = [
  ["short opaque tokens", 64, 64],
  ["opaque tokens", 255, 255],
  ["long opaque tokens", 512, 512],
  ["a signed access token, an opaque refresh token", 1000, 128],
  ["the same with more claims", 2048, 512],
  ["both signed", 1500, 1200],
  ["both signed, many claims", 2600, 1700],
  ["the longest that some servers name", 4096, 2048],
];

export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(" | ")} |`;
  return [line(head), line(head.map(() => "---")), ...rows.map(line)].join("\n");
}

function need(build: "complete" | "grant alone", tokens: Tokens): string {
  const bytes = memoryFor(build, tokens);
  return bytes === undefined ? "more than 65535" : String(bytes);
}

function needs(tokens: Tokens): string[] {
  const { accessBytes, refreshBytes } = tokens;
  const lengths = [String(accessBytes), refreshBytes === 0 ? "none" : String(refreshBytes)];
  return [...lengths, need("complete", tokens), need("grant alone", tokens)];
}

export function sizingTable(): string {
  return table(
    ["tokens", "access", "refresh", "complete build", "grant alone"],
    USUAL.map(([what, accessBytes, refreshBytes]) => [
      what,
      ...needs({ accessBytes, refreshBytes }),
    ]),
  );
}

export function sizingTableOfServers(profiles: readonly ServerProfile[]): string {
  return table(
    ["server", "access", "refresh", "complete build", "grant alone", "profile gives"],
    profiles.map(({ name, accessTokenBytes, refreshTokenBytes, memoryBytes }) => [
      `\`${name}\``,
      ...needs({ accessBytes: accessTokenBytes, refreshBytes: refreshTokenBytes }),
      String(memoryBytes),
    ]),
  );
}
