// One exchange in full, for whoever opens it: every header and field with its value, as long as none of it is
// secret. Security event tokens (RFC 8417) are decoded: what they say is no secret, their signature no use.
import type { HttpRequest } from "../../../../platform/contracts.ts";
import { clean, maskedForm, maskedJson } from "./mask.ts";

export interface ExchangeDetail {
  readonly request: string;
  readonly answer: string;
  /** What else is worth a look. */
  readonly notes: readonly { readonly title: string; readonly text: string }[];
}

/** The request as it went out, its body given as text. */
export function describeRequest(request: HttpRequest, target: string, body: string): string {
  const lines = [`${request.method} ${target}`];
  if (URL.canParse(request.url)) lines.push(`Host: ${new URL(request.url).host}`);
  if (request.authorization !== "") {
    lines.push(`Authorization: ${request.authorization.split(" ", 1)[0]} ***`);
  }
  if (request.contentType !== "") lines.push(`Content-Type: ${request.contentType}`);
  if (body !== "") lines.push("", describeBody(request.contentType, body));
  return lines.join("\n");
}

/** The answer as it came in. */
export function describeResponse(status: number, body: string): string {
  return `HTTP status ${status}\n\n${describeBody("application/json", body)}`;
}

function describeBody(type: string, body: string): string {
  if (body === "") return "(empty)";
  if (type.startsWith("application/x-www-form-urlencoded")) return maskedForm(body);
  return maskedJson(body) ?? clean(body);
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
