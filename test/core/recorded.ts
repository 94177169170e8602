// The recorded answers in dialects/: reading a file into status, headers and body. What an answer has to
// lead to is in dialects.test.ts.

import { readdirSync, readFileSync } from "node:fs";
import { retryAfterSeconds } from "../../platform/retry-after.ts";
import type { Answer } from "./bench.ts";

const folder = new URL("./dialects/", import.meta.url);

export interface Recorded extends Answer {
  /** `server/name`, without the ending. */
  name: string;
  reason: string;
  /** In the order and spelling of the file. */
  headers: [string, string][];
}

/** Names of all files, without their ending. */
export function recordedNames(): string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".http"))
    .map((name) => name.slice(0, -".http".length))
    .sort();
}

/** @throws Error where the file is no answer */
export function recorded(name: string): Recorded {
  const text = readFileSync(new URL(`${name}.http`, folder), "utf8");
  const end = text.indexOf("\n\n");
  const [first, ...lines] = text.slice(0, end).split("\n");
  const status = /^HTTP\/1\.1 (\d{3}) (.+)$/.exec(first!);
  if (end < 0 || !status) throw new Error(`${name}.http is no answer`);
  const headers = lines.map((line): [string, string] => {
    const colon = line.indexOf(": ");
    if (colon < 1) throw new Error(`${name}.http has no header in "${line}"`);
    return [line.slice(0, colon), line.slice(colon + 2)];
  });
  const retryAfter = headers.find(([header]) => header.toLowerCase() === "retry-after");
  return {
    name,
    status: Number(status[1]),
    reason: status[2]!,
    headers,
    body: text.slice(end + 2),
    retryAfterS: retryAfterSeconds(retryAfter?.[1], undefined, undefined),
  };
}
