// How a client authenticates, and the parameters that it adds to its requests. Separate from device.json, because a
// program that signs in does not load the schema.

import { ClientAuthentication } from "../../core/index.ts";
import { formEncode } from "../text/form.ts";

/** Names of the methods of client authentication, as in a client's metadata (RFC 7591 §2). */
export const clientAuthentications = {
  none: ClientAuthentication.NONE,
  client_secret_post: ClientAuthentication.CLIENT_SECRET_POST,
  client_secret_basic: ClientAuthentication.CLIENT_SECRET_BASIC,
  specification: ClientAuthentication.SPECIFICATION,
} as const;

/** Form-encoded, each parameter preceded by `&`. */
export function formParameters(parameters: Record<string, string> = {}): string {
  const form = formEncode(Object.entries(parameters));
  return form && `&${form}`;
}
