// The token in the address: the document's 4.5 has the query as the other place for it, which logs on the way may keep.
import { withTarget } from "../../../../platform/address.ts";
import type { HttpRequest } from "../../../../platform/contracts.ts";

const SCHEME = "Bearer ";

/** The request with its bearer token in the query; another one as it is. */
export function withTokenInQuery(request: HttpRequest): HttpRequest {
  const { authorization } = request;
  if (!authorization.startsWith(SCHEME)) return request;
  const token = encodeURIComponent(authorization.slice(SCHEME.length));
  const url = withTarget(request.url, `?access_token=${token}`);
  return { ...request, url, authorization: "" };
}
