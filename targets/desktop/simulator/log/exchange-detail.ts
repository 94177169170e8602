// One exchange in full, for whoever opens it: every header and field with its value, as long as none of it is
// secret. Security event tokens (RFC 8417) are decoded: what they say is no secret, their signature no use.
import type { HttpRequest } from "../../../../platform/contracts.ts";
import { type Explained, explain } from "./explanations.ts";
import { clean, describeForm, isSecret, maskedForm, maskedJson, maskedText } from "./mask.ts";

export interface ExchangeDetail {
  readonly request: string;
  /** Its headers and fields. */
  readonly asked: readonly Explained[];
  /** The request as a command line; what is secret stands there as a variable of the shell. */
  readonly curl: string;
  readonly answer: string;
  /** Its headers and members. */
  readonly said: readonly Explained[];
  /** What else is worth a look. */
  readonly notes: readonly { readonly title: string; readonly text: string }[];
}

/** The request as it went out, its body given as text. */
export function describeRequest(request: HttpRequest, target: string, body: string): string {
  const lines = [`${request.method} ${target}`];
  if (URL.canParse(request.url)) lines.push(`Host: ${new URL(request.url).host}`);
  // Every adapter sends it (platform/contracts.ts).
  lines.push("Accept: application/json");
  if (request.authorization !== "") {
    lines.push(`Authorization: ${request.authorization.split(" ", 1)[0]} ***`);
  }
  if (request.contentType !== "") {
    lines.push(`Content-Type: ${request.contentType}`, `Content-Length: ${body.length}`);
  }
  if (body !== "") lines.push("", describeBody(request.contentType, body));
  return lines.join("\n");
}

/** Headers and fields of a request, in their order. */
export function explainRequest(request: HttpRequest, body: string): Explained[] {
  const query = URL.canParse(request.url) ? [...new URL(request.url).searchParams.keys()] : [];
  const headers = [
    "Host",
    "Accept",
    ...(request.authorization === "" ? [] : ["Authorization"]),
    ...(request.contentType === "" ? [] : ["Content-Type", "Content-Length"]),
  ];
  return explain([...query, ...headers, ...namesIn(request.contentType, body)]);
}

/** Headers of an answer, in their order, as they came. */
type Headers = readonly (readonly [name: string, value: string])[];

/** Headers and members of an answer. */
export function explainAnswer(headers: Headers, body: string): Explained[] {
  const names = headers.map(([name]) => headerName(name));
  return explain([...names, ...namesIn("application/json", body)]);
}

/** As RFCs write it: HTTP/2, and many a server, has small letters alone. */
function headerName(name: string): string {
  const words = clean(name.toLowerCase()).replace(/(?:^|-)[a-z]/g, (start) => start.toUpperCase());
  return words.replace(/^Www-/, "WWW-").replace(/^Etag$/, "ETag");
}

function namesIn(type: string, body: string): string[] {
  if (type.startsWith("application/x-www-form-urlencoded")) {
    return [...new URLSearchParams(body).keys()];
  }
  try {
    const value: unknown = JSON.parse(body);
    return typeof value === "object" && value !== null && !Array.isArray(value)
      ? Object.keys(value).map(clean)
      : [];
  } catch {
    return [];
  }
}

/** A request as a command for a shell. Nothing secret is in it: variables stand for that. */
export function curlOf(request: HttpRequest, target: string, body: string): string {
  const origin = URL.canParse(request.url) ? new URL(request.url).origin : "";
  const parts = [`curl -X ${request.method} ${quoted(origin + target)}`];
  if (request.authorization.startsWith("Basic ")) parts.push('--user "$CLIENT_ID:$CLIENT_SECRET"');
  else if (request.authorization !== "") {
    parts.push('-H "Authorization: Bearer $ACCESS_TOKEN"');
  }
  if (request.contentType.startsWith("application/x-www-form-urlencoded")) {
    for (const [name, value] of new URLSearchParams(body)) {
      const isShown = describeForm(`${name}=x`) === `${name}=x`;
      parts.push(
        isShown && !isSecret(name)
          ? `--data-urlencode ${quoted(`${name}=${clean(value)}`)}`
          : `--data-urlencode "${clean(name)}=$${clean(name).toUpperCase()}"`,
      );
    }
  } else if (body !== "") {
    parts.push(`-H ${quoted(`Content-Type: ${request.contentType}`)}`);
    parts.push(`--data ${quoted(maskedJson(body) ?? "")}`);
  }
  return parts.join(" \\\n  ");
}

/** In single quotes, as a shell takes them. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

/** The answer as it came in. */
export function describeResponse(status: number, headers: Headers, body: string): string {
  const lines = headers.map(([name, value]) => {
    const shown = /cookie|authorization/i.test(name) ? "***" : clean(value);
    return `\n${headerName(name)}: ${shown}`;
  });
  return `HTTP status ${status}${lines.join("")}\n\n${describeBody("application/json", body)}`;
}

function describeBody(type: string, body: string): string {
  if (body === "") return "(empty)";
  if (type.startsWith("application/x-www-form-urlencoded")) return maskedForm(body);
  return maskedJson(body) ?? maskedText(body);
}

/** The security event tokens in an answer to a poll (RFC 8936), decoded. */
export function eventsIn(body: string): ExchangeDetail["notes"] {
  if (!body.includes('"sets"')) return [];
  try {
    const { sets = {} } = JSON.parse(body) as { sets?: Record<string, string> };
    return Object.entries(sets).map(([jti, token]) => ({
      title: `Security event ${clean(jti)}, decoded`,
      text: token.split(".").slice(0, 2).map(decodePart).join("\n"),
    }));
  } catch {
    return [];
  }
}

function decodePart(part: string): string {
  const bytes = Uint8Array.from(atob(part.replaceAll("-", "+").replaceAll("_", "/")), (letter) =>
    letter.charCodeAt(0),
  );
  return JSON.stringify(JSON.parse(new TextDecoder().decode(bytes)), null, 2);
}
