// What foreign bytes may lead to, said independently of the core: by the platform's own JSON and UTF-8.

/**
 * The value of strict JSON; undefined where the bytes are none. What is not UTF-8 within a string is
 * let pass, as the core does: it checks the values it uses for visible ASCII.
 */
export function strictJson(bytes: Uint8Array): { value: unknown } | undefined {
  try {
    const text = new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes);
    return { value: JSON.parse(text) };
  } catch {
    return undefined;
  }
}

/** The same of an answer: any of its first three bytes may be a byte order mark's (SPEC.md, The loop; RFC 8259 §8.1). */
export function answerJson(bytes: Uint8Array): { value: unknown } | undefined {
  const head = /^[\t\n\r \xbb-\xff]{1,3}/.exec(Buffer.from(bytes).toString("latin1"))?.[0] ?? "";
  return strictJson(bytes.filter((byte, at) => at >= head.length || byte < 0xbb));
}

/** Whether some member's number is written with an exponent: for seconds the core takes that for none. */
export function hasExponent(bytes: Uint8Array): boolean {
  return /:\s*-?\d+(\.\d+)?[eE]/.test(Buffer.from(bytes).toString("latin1"));
}

/** Deepest nesting of a value: 0 for a scalar. */
export function depthOf(value: unknown): number {
  if (typeof value !== "object" || value === null) return 0;
  let deepest = 0;
  for (const inner of Object.values(value)) deepest = Math.max(deepest, depthOf(inner));
  return deepest + 1;
}

type Members = Record<string, unknown>;

export function membersOf(json: { value: unknown } | undefined): Members | undefined {
  const value = json?.value;
  return typeof value === "object" && value !== null && !Array.isArray(value)
    ? (value as Members)
    : undefined;
}

const VISIBLE = /^[\x21-\x7e]+$/;
/** Far below the smallest region, so that "does not fit" is out of the question. */
const SHORT = 40;

function isShortToken(value: unknown): boolean {
  return typeof value === "string" && VISIBLE.test(value) && value.length <= SHORT;
}

function isAbsentOr(value: unknown, test: (value: unknown) => boolean): boolean {
  return value === undefined || test(value);
}

/** With a minus sign even 0 is none. */
function isLifetime(value: unknown): boolean {
  const isNegative = (value as number) < 0 || Object.is(value, -0);
  return Number.isInteger(value) && !isNegative && (value as number) < 1e8;
}

function namesError(members: Members): boolean {
  return [members.error, members.error_code].some((one) => one !== undefined && one !== null);
}

/** Tokens that nobody could find fault with (RFC 6749 §5.1): they must be accepted. */
export function areCleanTokens(members: Members): boolean {
  return (
    !namesError(members) &&
    isShortToken(members.access_token) &&
    isAbsentOr(members.refresh_token, isShortToken) &&
    isAbsentOr(members.token_type, (type) => /^bearer$/i.test(String(type))) &&
    isAbsentOr(members.scope, isShortToken) &&
    isAbsentOr(members.expires_in, isLifetime)
  );
}

/** RFC 8628 §3.2: a URI, and one that a person can open. */
function isAddress(uri: string): boolean {
  return /^https?:\/\/./i.test(uri);
}

/** A device authorization response of the same kind (RFC 8628 §3.2). */
export function isCleanCode(members: Members): boolean {
  const uri = members.verification_uri ?? members.verification_url;
  return (
    !namesError(members) &&
    (members.verification_uri === undefined) !== (members.verification_url === undefined) &&
    isShortToken(members.device_code) &&
    isShortToken(members.user_code) &&
    (members.user_code as string).length <= 15 &&
    isShortToken(uri) &&
    isAddress(uri as string) &&
    isLifetime(members.expires_in) &&
    isAbsentOr(members.interval, isLifetime) &&
    members.verification_uri_complete === undefined
  );
}
