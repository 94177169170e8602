// Bodies of requests as JSON, for clients of servers that take nothing else: read here into the form that the endpoints
// understand.
import { oauthError } from "./errors.ts";
import {
  bare,
  mediaType,
  type ProtocolRequest,
  type ProtocolResponse,
  textOf,
  utf8,
} from "./wire.ts";

/** The request with a form in place of its JSON object; or 415, where it is a form and JSON is wanted. */
export function fromJson(request: ProtocolRequest): ProtocolRequest | ProtocolResponse {
  if (mediaType(request.headers["content-type"] ?? "") !== "application/json") {
    return bare(415, { "accept-post": "application/json" });
  }
  try {
    const members = Object.entries(JSON.parse(textOf(request.body)) as Record<string, unknown>);
    const texts = members.filter(
      (entry): entry is [string, string] => typeof entry[1] === "string",
    );
    if (texts.length < members.length) throw new Error("a member is no text");
    const headers = { ...request.headers, "content-type": "application/x-www-form-urlencoded" };
    return { ...request, headers, body: utf8(new URLSearchParams(texts).toString()) };
  } catch {
    return oauthError("invalid_request", "The body must be a JSON object of texts.");
  }
}
