// Step-up (RFC 9470): an API that takes an access token for good, and still answers 401, since the sign-in behind it is
// too old or too weak. Refreshing does not change that; a new sign-in that asks for what the API wants does.

/**
 * What an API wants of a sign-in, by the names that a request for a code has for it (RFC 9470 §4, OpenID Connect Core
 * 1.0 §3.1.2.1): to be given to `signIn` as `deviceParameters`. `acr_values`: authentication contexts that would do,
 * separated by spaces, the preferred one first. `max_age`: seconds that may have passed since the person proved who
 * they are. Each is there where the API asks for it.
 */
export interface StepUp {
  readonly [name: string]: string;
}

/** What is read of an answer: a `Response` has it. */
export interface ResponseHead {
  /** The HTTP status, 200..599. */
  readonly status: number;
  /** Its fields: `get` takes a name in any case, and gives null where there is none. */
  readonly headers: { get(name: string): string | null };
}

/** Longer than any list of contexts that a request for a code could carry. */
const ACR_VALUES_MAX = 256;

/**
 * What the answer of an API wants of a sign-in.
 * @returns undefined where it wants none: another status than 401, or another error than
 *   `insufficient_user_authentication` (RFC 9470 §3); a member that no request could carry is left out
 */
export function stepUpOf(response: ResponseHead): StepUp | undefined {
  return response.status === 401
    ? stepUpIn(response.headers.get("www-authenticate") ?? "")
    : undefined;
}

/** The same of the `WWW-Authenticate` of an answer of 401. */
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
/** A parameter of a challenge, quoted or not, or the name of a scheme (RFC 9110 §11.6.1). */
const PART = new RegExp(
  `(${TOKEN})[ \\t]*=[ \\t]*(?:"((?:[^"\\\\]|\\\\.)*)"|(${TOKEN})(?=[ \\t]*(?:,|$)))|(${TOKEN})(?=[ \\t,]|$)`,
  "g",
);

/** The parameters of the challenge with this error; several may share a header. */
export function challengeWith(error: string, header: string): Map<string, string> | undefined {
  let parameters = new Map<string, string>();
  const challenges = [parameters];
  for (const [, name, quoted, plain, scheme] of header.matchAll(PART)) {
    if (scheme !== undefined) {
      parameters = new Map();
      challenges.push(parameters);
    } else {
      const value = quoted === undefined ? plain! : quoted.replace(/\\(.)/g, "$1");
      parameters.set(name!.toLowerCase(), value);
    }
  }
  return challenges.find((one) => one.get("error") === error);
}
