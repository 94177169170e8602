// The recorded conversations in recordings/: one file for each profile, in it exchanges by name, each the
// request that the server understands and its answer, as they travel.

import { readdirSync, readFileSync } from "node:fs";

const folder = new URL("./recordings/", import.meta.url);

/** What an exchange is about; a server that never says a thing has none of that name. */
export const EXCHANGES = [
  "code",
  "pending",
  "slow_down",
  "denied",
  "expired",
  "tokens",
  "refresh",
  "ended",
  "revocation",
] as const;
export type ExchangeName = (typeof EXCHANGES)[number];

export interface Exchange {
  readonly name: ExchangeName;
  readonly url: string;
  readonly contentType: string;
  readonly authorization: string;
  readonly body: string;
  readonly status: number;
  readonly answer: string;
}

export interface Recording {
  readonly server: string;
  /** What the customer fills into the profile. */
  readonly words: Record<string, string>;
  readonly exchanges: ReadonlyMap<ExchangeName, Exchange>;
}

export function recordedServers(): string[] {
  return readdirSync(folder)
    .map((name) => name.replace(/\.http$/, ""))
    .sort();
}

/** @throws Error where a file has not the form that it must have */
export function recording(server: string): Recording {
  const text = readFileSync(new URL(`${server}.http`, folder), "utf8");
  const [head = "", ...parts] = text.split(/^### /m);
  const words = /^# words: (.*)$/m.exec(head)?.[1];
  if (words === undefined) throw new Error(`${server}.http has no line "# words:"`);
  const exchanges = parts.map((part) => readExchange(server, part));
  return {
    server,
    words: JSON.parse(words) as Record<string, string>,
    exchanges: new Map(exchanges.map((exchange) => [exchange.name, exchange])),
  };
}

const FORM =
  /^(?<name>\w+)\nPOST (?<url>\S+)\n(?<headers>(?:[\w-]+: .*\n)*)\n(?<body>.*)\n\nHTTP\/1\.1 (?<status>\d{3}) .+\n(?:[\w-]+: .*\n)*(?:\n(?<answer>[\s\S]*))?$/;

function readExchange(server: string, part: string): Exchange {
  const groups = FORM.exec(part)?.groups;
  const name = EXCHANGES.find((known) => known === groups?.name);
  if (groups === undefined || name === undefined) {
    throw new Error(`${server}.http: no exchange in "${part.slice(0, 60)}"`);
  }
  const header = (wanted: string): string =>
    new RegExp(`^${wanted}: (.*)$`, "m").exec(groups.headers ?? "")?.[1] ?? "";
  return {
    name,
    url: groups.url!,
    contentType: header("Content-Type"),
    authorization: header("Authorization"),
    body: groups.body!,
    status: Number(groups.status),
    answer: (groups.answer ?? "").trim(),
  };
}
