import { Endpoint } from "../../core/index.ts";
import type { Problem } from "../configuration/schema-check.ts";
import type { Header } from "../contracts.ts";

/** Headers that the host adds, such as a client attestation or an API key. */
export interface HostHeaders {
  /** Headers of requests to the authorization server. */
  readonly grant?: readonly Header[];
  /** Headers of calls to resource servers. */
  readonly resource?: readonly Header[];
}

export const NO_HEADERS: readonly Header[] = [];

/** Returns the host's headers for a request. Requests for metadata and polls for events have none. */
export function headersFor(
  headers: HostHeaders | undefined,
  endpoint: Endpoint,
): readonly Header[] {
  if (endpoint <= Endpoint.REVOCATION) return headers?.grant ?? NO_HEADERS;
  return (endpoint >= Endpoint.RESOURCE ? headers?.resource : undefined) ?? NO_HEADERS;
}

const OWN_HEADER =
  /^(accept|accept-encoding|authorization|connection|content-(length|type)|dpop|expect|host|transfer-encoding|user-agent)$/i;

/** @throws TypeError with the first header that cannot be sent */
export function checkHeaders(headers: HostHeaders | undefined): void {
  const [wrong] = headersProblems(headers);
  if (wrong) throw new TypeError(`${wrong.path} ${wrong.message}`);
}

/**
 * Returns the problems of all headers. A name must be unique in one kind of request, ignoring case (RFC 9110 §5.1). Of
 * two headers with the same name, some adapters would send both and others only the last one.
 */
export function headersProblems(headers: HostHeaders = {}): Problem[] {
  return (["grant", "resource"] as const).flatMap((kind) => {
    const own = headers[kind] ?? NO_HEADERS;
    const names = own.map(([name]) => name.toLowerCase());
    return own.flatMap((header, index) => {
      const isTwice = names.indexOf(names[index]!) < index;
      const message = headerProblem(header) || (isTwice ? `${header[0]} is there twice` : "");
      return message ? [{ path: `headers.${kind}`, message }] : [];
    });
  });
}

/** Returns the problem of a header, "" if it has none. The text does not contain the value, which may be a secret. */
function headerProblem([name, value]: Header): string {
  if (!/^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/.test(name)) {
    return "a name must be a token of RFC 9110 section 5.6.2";
  }
  if (OWN_HEADER.test(name)) return `${name} is not the host's to set`;
  return /^[ -~]*$/.test(value) ? "" : `the value of ${name} must be printable ASCII`;
}
