// Step-up authentication (RFC 9470): an API rejects a valid access token with 401, because the user's sign-in is too old or
// too weak. A refresh does not help. The user must sign in again, with the parameters that the API requires.

/**
 * The parameters that an API requires of a sign-in (RFC 9470 §4, OpenID Connect Core 1.0 §3.1.2.1). Pass them to
 * `signIn` as `deviceParameters`. `acr_values`: acceptable authentication contexts, separated by spaces, in order of
 * preference. `max_age`: the largest allowed number of seconds since the user authenticated. A parameter that the API
 * does not require is absent.
 */
export interface StepUp {
  readonly [name: string]: string;
}

/** The part of a response that `stepUpOf` reads. A `Response` of fetch has it. */
export interface ResponseHead {
  readonly status: number;
  /** Header fields: `get` takes a name in any case, and returns null if the field is absent. */
  readonly headers: { get(name: string): string | null };
}

/** The limit for the length of `acr_values`, which is the limit for a parameter in device.json. */
const ACR_VALUES_MAX = 256;

/**
 * Returns the sign-in that an API's response requires.
 * @returns undefined if the status is not 401 or the error is not `insufficient_user_authentication` (RFC 9470 §3). An
 * invalid or too long parameter is left out
 */
export function stepUpOf(response: ResponseHead): StepUp | undefined {
  return response.status === 401
    ? stepUpIn(response.headers.get("www-authenticate") ?? "")
    : undefined;
}

/** Does the same as `stepUpOf` for the value of the `WWW-Authenticate` header of a 401. */
export function stepUpIn(header: string): StepUp | undefined {
  const parameters = challengeWith("insufficient_user_authentication", header);
  if (parameters === undefined) return undefined;
  const acr = parameters.get("acr_values") ?? "";
  const age = parameters.get("max_age") ?? "";
  return {
    ...(acr.length <= ACR_VALUES_MAX && /^[!-~]+( [!-~]+)*$/.test(acr) && { acr_values: acr }),
    ...(/^\d{1,9}$/.test(age) && { max_age: age }),
  };
}

const TOKEN = "[\\w!#$%&'*+.^`|~-]+";
/** A parameter of a challenge, quoted or not, or the name of a scheme (RFC 9110 §11.6.1). Takes linear time. */
const PART = new RegExp(
  `(${TOKEN})(?:[ \\t]*=[ \\t]*(?:"((?:[^"\\\\]|\\\\.)*)"|(${TOKEN})(?=[ \\t]*(?:,|$))))?`,
  "g",
);

/** Returns the parameters of the challenge with this error code. `header` may contain several challenges. */
export function challengeWith(error: string, header: string): Map<string, string> | undefined {
  let parameters = new Map<string, string>();
  const challenges = [parameters];
  for (const { 0: part, 1: name, 2: quoted, 3: plain, index } of header.matchAll(PART)) {
    const value = quoted?.replace(/\\(.)/g, "$1") ?? plain;
    if (value !== undefined) parameters.set(name!.toLowerCase(), value);
    else if (/^[ \t,]?$/.test(header.charAt(index + part.length))) {
      parameters = new Map();
      challenges.push(parameters);
    }
  }
  return challenges.find((one) => one.get("error") === error);
}
