// The tests of `conform --device`. Each row has the section of its rule, the expected requests and the responses.
// "specification" means the device authorization specification (targets/docs/two-services.md). A row about HTTP names
// one of the duties of an HTTP adapter (`httpDuties` in http-bench.ts), which states the section.

import { gzipSync } from "node:zlib";
import {
  type HttpDutyName,
  type HttpTestServer,
  httpDuties,
} from "../../../platform/conformance/http-bench.ts";

export type Kind = "code" | "poll" | "refresh" | "revoke" | "api" | "other";

export interface HttpResponse {
  readonly bytes: string;
  /** What happens to the connection after these bytes. */
  readonly outcome: "keep" | "end" | "reset";
  readonly afterMs: number;
  readonly status: number;
  /** The JSON members that the judge takes into account. */
  readonly body: Readonly<Record<string, unknown>>;
  readonly retryAfterS: number;
}

/** An action on the device from outside. */
export type Hook = "call" | "sign-out" | "restart" | "power-cut";

/** An expected request and its response, or a hook. */
export interface Step {
  readonly on?: Kind;
  readonly hook?: Hook;
  readonly print: HttpResponse;
  readonly isRepeated?: boolean;
  readonly isOptional?: boolean;
  /** Parameters that the request must have. */
  readonly has?: readonly string[];
  /** Whether the device may send further requests, to which the server does not respond. Only for the last step of a row. */
  readonly isOpen?: boolean;
}

/** Optional abilities, each with an option `--no-...`. */
export const abilities = {
  pkce: "PKCE after a refusal that requires it",
  json: "JSON bodies after a 415",
  resume: "a code that survives a power loss",
  tls: "certificates",
  closure: "the end of TLS (close_notify) after a response without a length",
  refresh: "refreshing",
  revocation: "revoking",
} as const;

export interface Row {
  readonly name: string;
  readonly section: string;
  /** The expected requests with their responses, and the hooks. If the list is empty, the device must send no request. */
  readonly steps: readonly Step[];
  /** The kind of TLS server; absent: plain http, or "trusted" with the option --https. */
  readonly shows?: keyof NonNullable<HttpTestServer["tls"]>;
  readonly needs?: keyof typeof abilities;
  readonly hasNoRevocation?: boolean;
}

const output = (bytes: string, more: Partial<HttpResponse> = {}): HttpResponse => ({
  ...{ bytes, outcome: "keep", afterMs: 0, status: 200, body: {}, retryAfterS: 0 },
  ...more,
});

const JSON_TYPE = "Content-Type: application/json";

function text(status: number, content: string, ...lines: readonly string[]): HttpResponse {
  const head = [`HTTP/1.1 ${status} As said`, `Content-Length: ${content.length}`, ...lines];
  const seconds = /^Retry-After: (\d+)/.exec(lines[0] ?? "")?.[1];
  return output([...head, "", content].join("\r\n"), { status, retryAfterS: Number(seconds ?? 0) });
}

function json(
  status: number,
  body: HttpResponse["body"],
  ...lines: readonly string[]
): HttpResponse {
  return { ...text(status, JSON.stringify(body), ...lines, JSON_TYPE), body };
}

const CODE = {
  ...{ device_code: "device-code/1", user_code: "WDJB-MJHT", expires_in: 600, interval: 1 },
  ...{ verification_uri: "https://example.test/d", verification_url: "https://example.test/d" },
};
const SECOND = { ...CODE, device_code: "device-code/2", user_code: "BCDF-GHJK" };
const TOKENS = {
  ...{ access_token: "access-token-1", refresh_token: "refresh-token-1" },
  ...{ token_type: "Bearer", expires_in: 3600, scope: "openid" },
};
const ROTATED = { ...TOKENS, access_token: "access-token-2", refresh_token: "refresh-token-2" };
const { refresh_token: _, ...STORED } = ROTATED;

const codes = json(200, CODE);
const tokens = json(200, TOKENS);
const rotated = json(200, ROTATED);
const pending = json(400, { error: "authorization_pending" });
const slowDown = json(400, { error: "slow_down" });
const refusal = (error: string, status = 400): HttpResponse => json(status, { error });
/** The response to a HEAD request. A device without a clock takes the time from its Date. */
export const dated = (): HttpResponse => text(200, "", `Date: ${new Date().toUTCString()}`);
/** The response to an API call, unless a step has another one. */
export const freely = json(200, {});
const unauthorized = text(401, "", 'WWW-Authenticate: Bearer error="invalid_token"');
const NOW = "Sun, 06 Nov 1994 08:49:37 GMT";
const page = (status: number, ...lines: string[]): HttpResponse =>
  text(status, "<html>Busy</html>", ...lines, "Content-Type: text/html");

/** Returns the body of a response, to send it with another framing. */
const contentOf = ({ bytes }: HttpResponse): string => bytes.slice(bytes.indexOf("\r\n\r\n") + 4);
const framed = (response: HttpResponse, head: string, content: string): HttpResponse => ({
  ...response,
  bytes: `HTTP/1.1 ${response.status} As said\r\n${JSON_TYPE}\r\n${head}\r\n${content}`,
});
function chunked(response: HttpResponse, trailer = ""): HttpResponse {
  const content = contentOf(response);
  const chunks = [content.slice(0, 9), content.slice(9)].map(
    (chunk) => `${chunk.length.toString(16)};x="y"\r\n${chunk}\r\n`,
  );
  return framed(
    response,
    "Transfer-Encoding: chunked\r\n",
    `${chunks.join("")}0\r\n${trailer}\r\n`,
  );
}
const untilClose = (response: HttpResponse): HttpResponse => ({
  ...framed(response, "Connection: close\r\n", contentOf(response)),
  outcome: "end",
});
/** Returns a response with the same meaning and another notation of its JSON. */
const spelt = (response: HttpResponse, content: string): HttpResponse =>
  framed(response, `Content-Length: ${Buffer.byteLength(content, "latin1")}\r\n`, content);
/** A response with a content coding. The device may decode the body or discard the response. */
const coded = (response: HttpResponse): HttpResponse => {
  const content = gzipSync(contentOf(response)).toString("latin1");
  return framed(
    response,
    `Content-Encoding: gzip\r\nContent-Length: ${content.length}\r\n`,
    content,
  );
};
const late = (response: HttpResponse): HttpResponse => ({ ...response, afterMs: 2500 });
const doubled = (response: HttpResponse): HttpResponse => ({
  ...response,
  bytes: response.bytes + response.bytes,
});
const cut = ({ bytes }: HttpResponse): HttpResponse =>
  output(bytes.slice(0, -9), { outcome: "end" });
const reset = output("", { outcome: "reset" });
const raw = (bytes: string): HttpResponse => output(bytes, { outcome: "end" });
const ELSEWHERE = "{elsewhere}";
const redirect = (status: number): HttpResponse => text(status, "", `Location: ${ELSEWHERE}`);

const code = (print: HttpResponse = codes, ...has: string[]): Step => ({ on: "code", print, has });
const poll = (print: HttpResponse): Step => ({ on: "poll", print });
const refresh = (print: HttpResponse): Step => ({ on: "refresh", print });
const revoke = (print: HttpResponse = text(200, "")): Step => ({ on: "revoke", print });
const api = (print: HttpResponse = freely): Step => ({ on: "api", print });
const hook = (name: Hook): Step => ({ hook: name, print: freely });
const perhaps = (step: Step): Step => ({ ...step, isOptional: true });
const several = (step: Step): Step => ({ ...step, isRepeated: true });
const last = (step: Step): Step => ({ ...step, isOpen: true });

/** A sign-in with these responses to polls. */
const polled = (...responses: HttpResponse[]): Step[] => [code(), ...responses.map(poll)];
/** A rejected API call, after which the device must refresh. */
const refused = (...responses: HttpResponse[]): Step[] => [
  ...[hook("call"), api(unauthorized)],
  ...responses.map(refresh),
];
/** Optional: a device without a session may request another code. */
const again = last(perhaps(code(json(200, SECOND))));
/** Optional: further revocations, of the other token or as a retry. */
const others = perhaps(several(revoke()));
const signedIn = [...polled(tokens), hook("call"), api()];
/** A sign-in that fails: the device stops, or requests another code. */
const ended = (print: HttpResponse): Step[] => [...polled(pending, print), again];

/** The optional ability that a device needs to send the requests of a row. */
function neededFor(steps: readonly Step[]): Pick<Row, "needs"> {
  const isRequested = (kind: Kind) =>
    steps.some(({ on, isOptional }) => on === kind && !isOptional);
  if (isRequested("refresh")) return { needs: "refresh" };
  return isRequested("revoke") ? { needs: "revocation" } : {};
}

/** @param about a section of an RFC or of the specification, or a duty of an HTTP adapter */
const row = (name: string, about: string, steps: Step[], more: Partial<Row> = {}): Row => ({
  ...{ name, section: httpDuties[about as HttpDutyName]?.section ?? about, steps },
  ...(more.shows === undefined ? neededFor(steps) : { needs: "tls" }),
  ...more,
});
const rowsOf = (
  about: string,
  stepsFor: (one: HttpResponse) => Step[],
  all: Readonly<Record<string, HttpResponse>>,
): Row[] => Object.entries(all).map(([name, one]) => row(name, about, stepsFor(one)));
const rowsOfDuties = (
  stepsFor: (one: HttpResponse) => Step[],
  all: Readonly<Partial<Record<HttpDutyName, Readonly<Record<string, HttpResponse>>>>>,
): Row[] => Object.entries(all).flatMap(([duty, some]) => rowsOf(duty, stepsFor, some));

const CODE_TEXT = JSON.stringify(CODE);

export const rows: readonly Row[] = [
  row("pending", "RFC 8628 §3.5", polled(pending, pending, tokens)),
  row("pending-428", "specification §7", polled(refusal("authorization_pending", 428), tokens)),
  row("slow-down", "RFC 8628 §3.5", polled(slowDown, pending, tokens)),
  row("slow-down-403", "specification §7", polled(refusal("slow_down", 403), tokens)),
  // Other forms of the responses authorization_pending and slow_down.
  ...rowsOf("RFC 8628 §3.5", (one) => polled(one, tokens), {
    "pending-200": refusal("authorization_pending", 200),
    "pending-401": refusal("authorization_pending", 401),
    "pending-500": refusal("authorization_pending", 500),
    "pending-words": json(400, { error: "authorization_pending", error_description: "Not\nyet" }),
    "slow-down-429": refusal("slow_down", 429),
  }),
  row("no-interval", "RFC 8628 §3.2", [
    ...[code(json(200, { ...CODE, interval: undefined })), poll(pending), poll(tokens)],
  ]),
  row("code-expires", "RFC 8628 §3.5", [
    code(json(200, { ...CODE, expires_in: 3 })),
    several(poll(pending)),
    ...[again, perhaps(poll(tokens))],
  ]),
  // After each of these responses to a poll, the code is no longer valid.
  ...rowsOf("RFC 8628 §3.5", ended, {
    "denied-400": refusal("access_denied"),
    "expired-token": refusal("expired_token"),
  }),
  ...rowsOf("RFC 6749 §5.2", ended, {
    "invalid-client-400": refusal("invalid_client"),
    "unauthorized-client": refusal("unauthorized_client"),
    "invalid-scope": refusal("invalid_scope"),
    "invalid-request": refusal("invalid_request"),
  }),
  ...rowsOf("specification §7", ended, {
    denied: refusal("access_denied", 403),
    "admin-policy": refusal("admin_policy_enforced"),
    "invalid-client": refusal("invalid_client", 401),
    "invalid-grant": refusal("invalid_grant"),
    "grant-type": refusal("unsupported_grant_type"),
    "org-internal": refusal("org_internal", 403),
  }),
  row("code-quota", "specification §7", [
    ...[code(json(403, { error_code: "rate_limit_exceeded" })), ...polled(tokens)],
  ]),
  // Unusable responses, temporary errors and network faults must not end a code: the device continues to poll.
  ...rowsOf("RFC 8628 §3.5", (one) => polled(one, pending, tokens), {
    "poll-page-502": page(502),
    "poll-page-200": page(200),
    "poll-page-404": page(404),
    "poll-empty": text(200, ""),
    "poll-unavailable": refusal("temporarily_unavailable", 503),
  }),
  ...rowsOfDuties((one) => polled(one, pending, tokens), {
    framing: {
      "poll-cut": cut(pending),
      "poll-tokens-cut": cut(tokens),
      "poll-no-http": raw("SSH-2.0-OpenSSH_9.2\r\n"),
    },
    once: { "poll-reset": reset },
    time: { "poll-late": late(pending), "poll-silent": { ...pending, afterMs: 20_000 } },
    connection: { "poll-doubled": doubled(pending) },
    size: { "poll-long": text(200, "x".repeat(300_000)) },
    report: { "poll-status-600": page(600), "poll-status-999": page(999) },
  }),
  ...rowsOf("retryAfter", (one) => polled(one, tokens), {
    "retry-after-503": page(503, "Retry-After: 4"),
    "retry-after-date": {
      ...page(503, "Retry-After: Sun, 06 Nov 1994 08:49:41 GMT", `Date: ${NOW}`),
      retryAfterS: 4,
    },
    "retry-after-past": page(503, "Retry-After: Sun, 06 Nov 1994 08:49:00 GMT", `Date: ${NOW}`),
    "retry-after-429": page(429, "Retry-After: 4"),
  }),
  ...rowsOf("redirects", (one) => [code(), last(several(poll(one)))], {
    "poll-redirect-302": redirect(302),
    "poll-redirect-307": redirect(307),
  }),
  row("code-redirect-308", "redirects", [last(code(redirect(308)))]),
  ...rowsOf("RFC 8628 §3.1", (one) => [code(one), code(), poll(tokens)], {
    "code-cut": cut(codes),
    "code-reset": reset,
    "code-page-503": page(503),
  }),
  // Valid framings of the code response: the device must poll with the code.
  ...rowsOfDuties((one) => [code(one), poll(tokens)], {
    framing: {
      "frame-chunks": chunked(codes),
      "frame-trailer": chunked(codes, "Server-Timing: db;dur=3\r\n"),
      "frame-interim": { ...codes, bytes: `HTTP/1.1 103 Early\r\nX: y\r\n\r\n${codes.bytes}` },
    },
    size: {
      "frame-long-head": json(200, CODE, ...Array(8).fill(`Set-Cookie: a=${"b".repeat(3900)}`)),
    },
    closure: { "frame-close": untilClose(codes) },
  }),
  ...rowsOf("framing", (one) => [code(one), code(), poll(tokens)], {
    "frame-lengths-differ": raw(
      framed(codes, "Content-Length: 9\r\nContent-Length: 300\r\n", CODE_TEXT).bytes,
    ),
    "frame-chunks-cut": raw(chunked(codes).bytes.slice(0, -30)),
  }),
  row("frame-gzip", "coding", [code(coded(codes)), perhaps(code()), poll(tokens)]),
  ...rowsOf("RFC 8259", (one) => [code(one), poll(tokens)], {
    "json-unknown": json(200, { x: [{ a: { b: [null, true, -1.5e9] } }], ...CODE, y: "\u0000" }),
    "json-blanks": spelt(codes, JSON.stringify(CODE, null, "\t").replaceAll("\n", " \r\n")),
    "json-mark": spelt(codes, `\u00ef\u00bb\u00bf${CODE_TEXT}`),
    "json-escapes": spelt(codes, CODE_TEXT.replace("code/1", "\\u0063ode\\/\\u0031")),
  }),
  row("bearer-lower-case", "RFC 6749 §5.1", polled(json(200, { ...TOKENS, token_type: "bearer" }))),
  row("no-lifetime", "RFC 6749 §5.1", [
    ...[code(), poll(json(200, { ...TOKENS, expires_in: undefined })), hook("call"), api()],
  ]),
  row(
    "pkce-demanded",
    "RFC 7636 §4.4.1",
    [
      code(json(400, { error: "invalid_request", error_description: "code_challenge is missing" })),
      ...[code(codes, "code_challenge"), poll(pending), poll(tokens)],
    ],
    { needs: "pkce" },
  ),
  row("forms-refused", "request", [code(text(415, "")), ...polled(pending, tokens)], {
    needs: "json",
  }),
  row("call", "destination", signedIn),
  ...rowsOf("RFC 6749 §6", (one) => [...signedIn, ...refused(one)], {
    refresh: rotated,
    "refresh-chunks": chunked(rotated),
  }),
  row("rotation", "RFC 9700 §4.14.2", [
    ...[...signedIn, ...refused(rotated), api(), ...refused(tokens), api()],
  ]),
  row("no-rotation", "specification §2.2", [
    ...[...signedIn, ...refused(json(200, STORED)), api(), ...refused(json(200, STORED))],
  ]),
  row("refused-twice", "RFC 6750 §3.1", [...signedIn, ...refused(rotated), api(unauthorized)]),
  ...rowsOf("RFC 6749 §6", (one) => [...signedIn, ...refused(one, rotated)], {
    "refresh-cut": cut(rotated),
    "refresh-reset": reset,
    "refresh-late-503": late(page(503)),
    "refresh-retry-after": page(503, "Retry-After: 4"),
  }),
  ...rowsOf(
    "RFC 6749 §5.2",
    (one) => [...signedIn, hook("call"), api(unauthorized), several(refresh(one)), again],
    {
      "refresh-refused": refusal("invalid_grant"),
      "refresh-client-refused": refusal("invalid_client", 401),
    },
  ),
  // Restarts, losses of power, and sign-out.
  ...(["restart", "power-cut"] as const).flatMap((name) => [
    row(
      `${name}-pending`,
      "RFC 8628 §3.3",
      [...polled(pending), hook(name), poll(pending), poll(tokens)],
      { needs: "resume" },
    ),
    row(`${name}-session`, "RFC 6749 §6", [
      ...[...signedIn, hook(name), perhaps(refresh(rotated)), hook("call")],
      ...[perhaps(refresh(rotated)), api()],
    ]),
  ]),
  ...rowsOf(
    "RFC 7009 §2.2",
    (one) => [...signedIn, hook("sign-out"), revoke(one), others, hook("restart"), again],
    {
      "sign-out": text(200, ""),
      "sign-out-invalid": refusal("invalid_token"),
      "sign-out-client": refusal("invalid_client", 401),
      "sign-out-404": page(404),
      "sign-out-405": page(405),
      "sign-out-page": page(200),
    },
  ),
  row("sign-out-503", "RFC 7009 §2.2.1", [
    ...[...signedIn, hook("sign-out"), revoke(page(503)), revoke(), others],
  ]),
  row(
    "sign-out-no-endpoint",
    "RFC 8414 §2",
    [...signedIn, hook("sign-out"), hook("restart"), again],
    { hasNoRevocation: true },
  ),
  row("https", "trust", polled(pending, tokens), { shows: "trusted" }),
  row("https-close", "closure", [code(untilClose(codes)), poll(tokens)], { shows: "trusted" }),
  row(
    "https-close-cut",
    "closure",
    [code(output(untilClose(codes).bytes, { outcome: "reset" })), code(), poll(tokens)],
    { shows: "trusted", needs: "closure" },
  ),
  ...(["untrusted", "otherName", "expired"] as const).map((shows) =>
    row(`https-${shows.toLowerCase()}`, "trust", [], { shows }),
  ),
  row("https-old", "handshake", [], { shows: "outdated" }),
  row("https-client-certificate", "handshake", [], { shows: "demanding" }),
];

export const hooksOf = ({ steps }: Row): Hook[] => steps.flatMap(({ hook }) => hook ?? []);
