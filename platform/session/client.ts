// What is wrong with a client, before anybody is asked.

import { type Client, SESSION_BYTES } from "./settings.ts";
import { wrongOption } from "./sign-in-error.ts";

/** What picogrant puts into requests itself: there must be one of each (RFC 6749 §3.1 and §3.2). */
const OWN_PARAMETERS = [
  "client_id",
  "client_secret",
  "code_challenge",
  "code_challenge_method",
  "code_verifier",
  "device_code",
  "grant_type",
  "refresh_token",
  "scope",
];

/** @throws SignInError `wrong_option` */
export function checkClient(client: Client): void {
  const { clientId, clientSecret = "", memoryBytes = SESSION_BYTES } = client;
  // RFC 6749 appendix A.1 and A.2.
  if (typeof clientId !== "string" || !/^[ -~]{1,256}$/.test(clientId)) {
    throw wrongOption("clientId must be 1..256 printable ASCII characters");
  }
  if (typeof clientSecret !== "string" || !/^[ -~]*$/.test(clientSecret)) {
    throw wrongOption("clientSecret must be printable ASCII characters");
  }
  if (!Number.isInteger(memoryBytes) || memoryBytes < 4096 || memoryBytes > MEMORY_BYTES_MAX) {
    throw wrongOption(`memoryBytes must be a whole number from 4096 to ${MEMORY_BYTES_MAX}`);
  }
  if (client.bodies !== undefined && client.bodies !== "form" && client.bodies !== "json") {
    throw wrongOption("bodies must be form or json");
  }
  if (client.pkce !== undefined && client.pkce !== "S256") throw wrongOption("pkce must be S256");
  for (const name of ["deviceParameters", "tokenParameters"] as const) {
    const own = Object.keys(client[name] ?? {}).find((key) => OWN_PARAMETERS.includes(key));
    if (own !== undefined) throw wrongOption(`${name}.${own} is not to be set there`);
  }
}

/** More is of use to no token of the longest answer, and its records would fit no storage. */
const MEMORY_BYTES_MAX = 458_752;
