// The options of the service. If the specifications state no default, the default is that of similar real services.
import * as z from "zod";
import { nameMeant } from "../../platform/configuration/schema-check.ts";
import { CHALLENGE_METHODS } from "./client-authentication.ts";
import { DIALECTS, type Dialect, MANNERS } from "./dialects.ts";
import { AUTHENTICATION_CONTEXTS } from "./openid.ts";
import { PROVOKED_REQUESTS, PROVOKED_RESPONSES } from "./provoked-responses.ts";

const seconds = z.int().min(1).max(2_147_483_647);
const quota = z.strictObject({ requests: z.int().min(0), windowSeconds: seconds });

export type Quota = z.infer<typeof quota>;

const httpUrl = z
  .url({ protocol: /^https?$/, error: "is an http or https address" })
  .regex(/^\w+:\/\/[^/?#@]+(\/[^?#]*)?$/, "is an http or https address without user, ? and #")
  .transform((url) => url.replace(/\/+$/, ""));

// A base URL has no path, because the addresses of links and forms in the pages begin with "/".
const rootUrl = httpUrl.refine(
  (url) => new URL(url).pathname === "/",
  "is an address without a path",
);

/** A user code has at most 15 characters (device spec §8), and at least 6 letters against guessing (RFC 8628 §5.1). */
const userCodeFormat = z
  .string()
  .regex(/^X[X-]*X$/, "consists of X (a letter) and -")
  .max(15)
  .refine((format) => format.replaceAll("-", "").length >= 6, "needs at least 6 letters");

export const optionsSchema = z.strictObject({
  /** The specification or vendor's server that the service imitates (dialects.ts). It determines some defaults. */
  dialect: z.enum(DIALECTS).default("specification"),
  /** The base of the issuer and of every address. null: `serve` sets the address on which it listens. */
  baseUrl: rootUrl.nullable().default(null),
  /** The path of the issuer after `baseUrl`, which determines the address of the metadata (RFC 8414 §3.1). */
  issuerPath: z
    .string()
    .regex(
      /^(\/[\w.~-]+)*\/?$/,
      "is a path such as /realms/home, with or without a slash at the end",
    )
    .default(""),
  /** The path in verification_url. The page itself is at /device. A short path fits small displays. */
  verificationPath: z
    .string()
    .regex(/^\/[\w-]{1,30}$/, "is a path such as /device or /d")
    .default("/device"),
  /** The first part of most scope identifiers: {scope_base} in the specifications. */
  scopeBase: httpUrl.default("https://auth.picogrant.test"),

  /** Minimum wait between polls in seconds. 0: no wait, and the response contains 0, which some clients reject. */
  interval: z.int().min(0).max(2_147_483_647).default(5),
  /** Lifetime of device_code and user_code in seconds. */
  codeLifetime: seconds.default(1800),
  /** How long polls of an expired code get expired_token, in seconds. Later, the code is unknown. */
  expiredCodeMemory: z.int().min(0).default(3600),
  /** Seconds added to an attempt's interval by each slow_down: 0 as in the device spec, 5 as in RFC 8628. */
  slowDownGrowth: z.int().min(0).default(0),
  /** How early a poll may arrive without a slow_down, in milliseconds, because real timers are not exact. */
  pollToleranceMs: z.int().min(0).default(0),
  /** The limit of device code requests for each client; null: none. A client of the fixture may have its own limit. */
  deviceCodeQuota: quota.nullable().default({ requests: 600, windowSeconds: 60 }),
  /** Format of the user code: each X is a letter. */
  userCodeFormat: userCodeFormat.default("XXXX-XXXX"),
  /** "awkward" puts / # & % + and a backquote into device codes and tokens, as some servers do. */
  tokenCharacters: z.enum(["plain", "awkward"]).default("plain"),
  /** Whether to send verification_uri_complete (RFC 8628), which displays show as a QR code. */
  verificationUriComplete: z.boolean().default(false),
  /** Maximum number of stored codes. At the limit, a new code replaces the oldest one, whatever its state. */
  attemptsMax: z.int().min(1).default(250_000),
  /** Whether a second claim of a code revokes the tokens of the first claim (RFC 6749 §4.1.2). */
  replayedCodeRevokes: z.boolean().default(false),

  /** Lifetime of access tokens in seconds. */
  accessTokenLifetime: seconds.default(3600),
  /** Maximum number of valid refresh tokens of a user for a client. Above it, the oldest ends (device spec §8). */
  refreshTokensPerClientAndUser: z.int().min(1).default(100),
  /** Maximum number of valid refresh tokens of a user for all clients. */
  refreshTokensPerUser: z.int().min(1).default(1000),
  /** Whether each refresh returns a new refresh token (RFC 9700 §4.14). */
  refreshTokenRotation: z.boolean().default(false),
  /** How long the previous refresh token stays valid after a rotation, in seconds. null: the last 16 stay valid. */
  rotationGrace: z.int().min(0).nullable().default(60),

  /**
   * "specification": an unknown token gets 400, and revoking either token ends the grant. "rfc7009": an unknown token
   * gets 200, the client must authenticate, and the grant ends too. "rfc7009-each-alone": as "rfc7009", but only the
   * sent token ends. "none": the service has no revocation endpoint.
   */
  revocation: z
    .enum(["specification", "rfc7009", "rfc7009-each-alone", "none"])
    .default("specification"),
  /** The supported methods of RFC 7636. The metadata list them. */
  codeChallengeMethods: z.array(z.enum(CHALLENGE_METHODS)).min(1).default(["S256"]),
  /** Whether DPoP (RFC 9449) is off, accepted, or required in each token request and API call. */
  dpop: z.enum(["off", "allowed", "required"]).default("off"),
  /** Whether proofs need a nonce of the service (RFC 9449 §8 and §9). */
  dpopNonces: z.boolean().default(false),
  /** How far the `iat` of a proof may differ from the service's clock, and how often the nonce changes, in seconds. */
  dpopWindow: seconds.default(60),
  /** The body type of requests to the OAuth endpoints. "json": a form gets 415. "form": JSON gets 400. */
  bodies: z.enum(["form", "json"]).default("form"),
  /** Lifetime of ID tokens in seconds. */
  idTokenLifetime: seconds.default(3600),
  /** How long a replaced signing key stays in the key set, in seconds. */
  retiredKeySeconds: z.int().min(0).default(86_400),
  /** The authentication that the resource APIs require (RFC 9470): a context, a maximum age in seconds, or both. */
  stepUp: z
    .strictObject({ acr: z.enum(AUTHENTICATION_CONTEXTS).optional(), maxAge: seconds.optional() })
    .nullable()
    .default(null),
  /** Responses that replace the service's own, by kind of request (provoked-responses.ts). */
  provoke: z
    .partialRecord(z.enum(PROVOKED_REQUESTS), z.enum(Object.keys(PROVOKED_RESPONSES)))
    .default({}),

  /** Maximum number of queued events for each receiver. */
  waitingEventsMax: z.int().min(1).default(1000),
  /** How token-revoked events identify the token: by a hash, or by its first 16 characters. */
  tokenIdentifier: z.enum(["hash", "prefix"]).default("hash"),
  /** Maximum number of base plans and offers of a subscription together. */
  offersPerSubscription: z.int().min(1).default(250),
  /** Whether a page of the service's own origin, such as a simulator's panel, may frame the service's pages. */
  framedBySelf: z.boolean().default(false),
});

export type ServiceOptions = z.output<typeof optionsSchema>;
export type ServiceOptionsInput = z.input<typeof optionsSchema>;

/** The option defaults of a dialect. Empty for an unknown dialect, which the schema reports. */
export function optionsOf(dialect: Dialect | undefined): ServiceOptionsInput {
  return MANNERS[dialect ?? "specification"]?.options ?? {};
}

/** Throws an Error with one line that names the invalid option. */
export function readOptions(input: ServiceOptionsInput = {}): ServiceOptions {
  const result = optionsSchema.safeParse({ ...optionsOf(input.dialect), ...input });
  if (!result.success) throw new Error(`option ${describeIssue(result.error, optionsSchema)}`);
  return result.data;
}

/** The first problem of a zod error as "path: message". */
export function describeIssue(error: z.ZodError, schema: z.ZodType): string {
  const issue = error.issues[0]!;
  const path = issue.path.reduce<string>(
    (text, part) =>
      typeof part === "number"
        ? `${text}[${part}]`
        : text
          ? `${text}.${String(part)}`
          : String(part),
    "",
  );
  const known = Object.keys(shapeAt(schema, issue.path));
  const wrong = issue.code === "unrecognized_keys" ? issue.keys[0]! : "";
  const meant = nameMeant(wrong, known);
  const message = `${issue.message}${meant === undefined ? "" : `; did you mean "${meant}"?`}`;
  return path ? `${path}: ${message}` : message;
}

/** The members of the object at a path of a schema. */
function shapeAt(schema: z.ZodType, [first, ...rest]: readonly PropertyKey[]): z.ZodRawShape {
  let inner: unknown = schema;
  while (
    inner instanceof z.ZodDefault ||
    inner instanceof z.ZodOptional ||
    inner instanceof z.ZodNullable
  ) {
    inner = inner.unwrap();
  }
  if (inner instanceof z.ZodArray) return shapeAt(inner.element as z.ZodType, rest);
  if (!(inner instanceof z.ZodObject)) return {};
  const next = first === undefined ? undefined : inner.shape[first as string];
  return first === undefined ? inner.shape : next ? shapeAt(next, rest) : {};
}
