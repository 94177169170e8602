// Parses recordings.http, which has a section for each server. A section lists the differences from the examples of RFC
// 8628 and RFC 6749 below. test/README.md explains its lines.

import { readFileSync } from "node:fs";
import { retryAfterSeconds } from "../../platform/exchange/limits.ts";

/** The lines of each server's section, which begins with the name in brackets. */
const sections = new Map(
  readFileSync(new URL("recordings.http", import.meta.url), "utf8")
    .split(/^\[(?=[\w-]+\]$)/m)
    .slice(1)
    .map((section) => section.split("\n"))
    .map(([name, ...lines]) => [name!.slice(0, -1), lines] as const),
);

/** The kinds of exchanges. The line "never" of a section lists the kinds that its server never sends. */
const EXCHANGES = [
  "code",
  "pending",
  "slow_down",
  "denied",
  "expired",
  "tokens",
  "refresh",
  "ended",
  "revocation",
  "access_revocation",
] as const;
export type ExchangeName = (typeof EXCHANGES)[number];

type Members = Record<string, unknown>;

const TOKENS: Members = {
  access_token: "2YotnFZFEjr1zCsicMWpAA",
  token_type: "Bearer",
  expires_in: 3600,
  refresh_token: "tGzv3JOkF0XG5Qx2TlKWIA",
};
/** The examples of RFC 8628 §3.2 and RFC 6749 §5.1, and errors of RFC 8628 §3.5 and RFC 6749 §5.2. */
const EXAMPLES: Readonly<
  Record<Exclude<ExchangeName, "refresh" | "revocation" | "access_revocation">, Members>
> = {
  code: {
    device_code: "GmRhmhcxhwAzkoEqiMEg_DnyEysNkuNhszIySk9eS",
    user_code: "WDJB-MJHT",
    verification_uri: "https://example.com/device",
    expires_in: 1800,
    interval: 5,
  },
  pending: { error: "authorization_pending" },
  slow_down: { error: "slow_down" },
  denied: { error: "access_denied" },
  expired: { error: "expired_token" },
  tokens: TOKENS,
  ended: { error: "invalid_grant" },
};

const DEVICE_CODE_GRANT = "urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Adevice_code";
/** A device's requests by RFC 8628 §3.1 and §3.4, RFC 6749 §6 and RFC 7009 §2.1. */
const REQUESTS = {
  code: "scope={scope}&{client}",
  poll: `{client}&grant_type=${DEVICE_CODE_GRANT}&device_code={device_code}`,
  refresh: "{client}&grant_type=refresh_token&refresh_token={refresh_token}",
  revocation: "{client}&token={refresh_token}",
} as const;
export type Purpose = keyof typeof REQUESTS;

export interface HttpResponse {
  readonly status: number;
  readonly body: string;
  /** The value of Retry-After; -1 if the response has none. */
  readonly retryAfterSeconds: number;
}

export interface Exchange extends HttpResponse {
  readonly url: string;
  readonly contentType: string;
  readonly authorization: string;
  /** The body of the request. `{scope}` stands for the encoded scope. */
  readonly request: string;
}

export interface Source {
  /** The day on which the source was read, such as 2026-11-22. */
  readonly day: string;
  readonly page: string;
  /** The verified lines of the profile, such as "code" and "token". */
  readonly lines: readonly string[];
}

export interface Recording {
  readonly server: string;
  readonly words: Record<string, string>;
  readonly scope: string;
  readonly userInfo: string;
  readonly sources: readonly Source[];
  readonly exchanges: ReadonlyMap<ExchangeName, Exchange>;
  /** Additional responses by exchange and name, such as "poll incorrect_device_code". */
  readonly others: ReadonlyMap<string, HttpResponse>;
}

export function recordedServers(): string[] {
  return [...sections.keys()].sort();
}

/** Recordings with a profile and a conversation. Others only contain responses. */
export function recordedProfiles(): string[] {
  return recordedServers().filter((server) => recording(server).exchanges.get("code")?.url);
}

/** @param own replaces the server's section @throws Error if there is no such server, or if its lines are malformed */
export function recording(server: string, own = sections.get(server)): Recording {
  const lines = readLines(server, own);
  const settings = new Map(
    lines.filter(({ isResponse }) => !isResponse).map((l) => [l.key, l.value]),
  );
  const responses = new Map(lines.filter(({ isResponse }) => isResponse).map((l) => [l.key, l]));
  const responseOf = (key: string, status: number, body: string): HttpResponse => {
    const [, wait] = /^Retry-After: (.*)$/.exec(settings.get(`header ${key}`) ?? "") ?? [];
    return { status, body, retryAfterSeconds: retryAfterSeconds(wait, undefined, undefined) };
  };
  const never = settings.get("never")?.split(", ") ?? [];
  const unknown = never.filter((name) => !EXCHANGES.some((one) => one === name));
  if (unknown.length > 0) throw new Error(`[${server}]: unknown name after never: ${unknown}`);
  // Without a refresh token there is only one token to revoke. If the token is in the query, one revocation ends both.
  const isOne = settings.get("> revocation") === "" || never.includes("refresh");
  if (isOne || never.includes("revocation")) never.push("access_revocation");
  const names = EXCHANGES.filter((name) => !never.includes(name));
  const members = membersOf(names, responses);
  const exchange = (name: ExchangeName): [ExchangeName, Exchange] => {
    const given = responses.get(name);
    const isPoll = purposeOf(name) === "poll" && name !== "tokens";
    const usual = isPoll ? Number(settings.get("errors") ?? 400) : name === "ended" ? 400 : 200;
    const body =
      given?.value === "(empty)" || purposeOf(name) === "revocation" ? "" : members[name];
    const text = typeof body === "object" ? JSON.stringify(body, null, 2) : (body ?? "");
    const response = responseOf(name, given?.status ?? usual, text);
    return [name, { ...requestOf(name, settings, members), ...response }];
  };
  const others = [...responses.values()].filter(({ key }) => key.includes(" "));
  return {
    server,
    words: JSON.parse(settings.get("words") ?? "{}") as Record<string, string>,
    scope: settings.get("scope") ?? "",
    userInfo: settings.get("at userinfo") ?? "",
    sources: lines.filter(({ key }) => key === "source").map(({ value }) => sourceOf(value)),
    exchanges: new Map(names.map(exchange)),
    others: new Map(
      others.map(({ key, status = 200, value }) => [
        key,
        responseOf(key, status, value === "(empty)" ? "" : value),
      ]),
    ),
  };
}

interface Line {
  readonly key: string;
  readonly status: number | undefined;
  readonly value: string;
  readonly isResponse: boolean;
}

const SETTING = /^(words|source|scope|at \w+|> \w+|errors|never|client|authorization|header .+?)$/;
const RESPONSE = /^(?:(?:code|poll) [\w-]+|\w+)$/;

function readLines(server: string, all: readonly string[] | undefined): Line[] {
  if (all === undefined) throw new Error(`recordings.http has no [${server}]`);
  const lines = all.filter((line) => line !== "" && !line.startsWith("#"));
  return lines.map((line) => {
    const groups = /^(?<key>[^:]+?)(?: (?<status>\d{3}))?: ?(?<value>.*)$/.exec(line)?.groups;
    const { key = "", status, value = "" } = groups ?? {};
    const isResponse = RESPONSE.test(key) && !SETTING.test(key);
    const isKnown = key.includes(" ") || EXCHANGES.some((name) => name === key);
    if (!SETTING.test(key) && !(isResponse && isKnown)) {
      throw new Error(`[${server}]: unknown line "${line.slice(0, 60)}"`);
    }
    return { key, status: status === undefined ? undefined : Number(status), value, isResponse };
  });
}

/** The members of each response: those of the example, changed by the section. null removes a member. */
function membersOf(
  names: readonly ExchangeName[],
  responses: ReadonlyMap<string, Line>,
): Partial<Record<ExchangeName, Members>> {
  const all: Partial<Record<ExchangeName, Members>> = {};
  for (const name of names) {
    if (name === "revocation" || name === "access_revocation") continue;
    const value = responses.get(name)?.value ?? "{}";
    const example = name === "refresh" ? renewed(all.tokens ?? TOKENS) : EXAMPLES[name];
    const differing = value === "(empty)" ? {} : (JSON.parse(value) as Members);
    const whole = Object.entries({ ...example, ...differing });
    all[name] = Object.fromEntries(whole.filter(([, member]) => member !== null));
  }
  return all;
}

function renewed(tokens: Members): Members {
  const refresh = tokens.refresh_token === undefined ? {} : { refresh_token: "renewed-refresh" };
  return { ...tokens, access_token: "renewed-access", ...refresh };
}

function purposeOf(name: ExchangeName): Purpose {
  if (name === "code" || name === "refresh" || name === "revocation") return name;
  if (name === "access_revocation") return "revocation";
  return name === "ended" ? "refresh" : "poll";
}

function requestOf(
  name: ExchangeName,
  settings: ReadonlyMap<string, string>,
  { code = {}, tokens = {} }: Partial<Record<ExchangeName, Members>>,
): Pick<Exchange, "url" | "contentType" | "authorization" | "request"> {
  const purpose = purposeOf(name);
  const output = settings.get(`> ${purpose}`) ?? REQUESTS[purpose];
  const isOfAccess = name === "access_revocation";
  const template = isOfAccess ? output.replace("{refresh_token}", "{access_token}") : output;
  const isJson = template.startsWith("{") && template.includes('"');
  const words: Members = { device_code: code.code, ...code, ...tokens };
  const fill = (text: string): string =>
    text.replace(/\{(device_code|user_code|refresh_token|access_token)\}/g, (_, word: string) =>
      isJson ? String(words[word]) : encodeURIComponent(String(words[word])).replaceAll("%20", "+"),
    );
  const client = settings.get("client") ?? "client_id=picogrant-test";
  const at = purpose === "poll" || purpose === "refresh" ? "token" : purpose;
  return {
    url: fill(settings.get(`at ${purpose}`) ?? settings.get(`at ${at}`) ?? ""),
    contentType: isJson ? "application/json" : "application/x-www-form-urlencoded",
    authorization: settings.get("authorization") ?? "",
    request: fill(template.replaceAll("{client}", client)),
  };
}

function sourceOf(value: string): Source {
  const [day = "", page = "", ...lines] = value.split(/,? /);
  if (!/^\d{4}-\d\d-\d\d$/.test(day) || !page.startsWith("https://") || lines.length === 0) {
    throw new Error(`a source needs a day, a page and the lines that were read there: ${value}`);
  }
  return { day, page, lines };
}
