// Every option of the service with its default, unit and reason. Values that the specifications leave open have the
// defaults of similar real services.
import * as z from "zod";
import { nameMeant } from "../../platform/text/name-suggestion.ts";
import { CHALLENGE_METHODS } from "./client-authentication.ts";
import { DIALECTS, type Dialect, MANNERS } from "./dialects.ts";
import { AUTHENTICATION_CONTEXTS } from "./openid.ts";
import { PROVOKED_REQUESTS, PROVOKED_RESPONSES } from "./provoked-responses.ts";

const seconds = z.int().min(1).max(2_147_483_647);
const quota = z.strictObject({ requests: z.int().min(0), windowSeconds: seconds });

export type Quota = z.infer<typeof quota>;

const httpUrl = z
  .url({ protocol: /^https?$/ })
  .regex(/^[^?#]*$/, "is an address without ? and #")
  .transform((url) => url.replace(/\/+$/, ""));

// The pages' links start at the root: under a path, the form with the code would be sent to the wrong address.
const rootUrl = httpUrl.refine(
  (url) => new URL(url).pathname === "/",
  "is an address without a path",
);

/** At most 15 characters (device spec §8), and enough to resist guessing (RFC 8628 §5.1). */
const userCodeFormat = z
  .string()
  .regex(/^X[X-]*X$/, "consists of X (a letter) and -")
  .max(15)
  .refine((format) => format.replaceAll("-", "").length >= 6, "needs at least 6 letters");

export const optionsSchema = z.strictObject({
  /** The vendor whose responses it imitates (dialects.ts); some options have another default in each. */
  dialect: z.enum(DIALECTS).default("specification"),
  /** Issuer and base of every address; null: `serve` fills in its own address. */
  baseUrl: rootUrl.nullable().default(null),
  /**
   * The issuer's path after `baseUrl`: a path, a slash at its end, or only a slash; it determines the metadata's
   * address (RFC 8414 §3.1).
   */
  issuerPath: z
    .string()
    .regex(
      /^(\/[\w.~-]+)*\/?$/,
      "is a path such as /realms/home, with or without a slash at the end",
    )
    .default(""),
  /** Path in verification_url; the page itself stays at /device. A short one fits small displays. */
  verificationPath: z
    .string()
    .regex(/^\/[\w-]{1,30}$/, "is a path such as /device or /d")
    .default("/device"),
  /** {scope_base} of the specifications. */
  scopeBase: httpUrl.default("https://auth.picogrant.test"),

  /** Minimum wait between polls, seconds. 0: none, and the response contains 0, which some clients refuse. */
  interval: z.int().min(0).max(2_147_483_647).default(5),
  /** Lifetime of device_code and user_code, seconds. */
  codeLifetime: seconds.default(1800),
  /** How long polls of an expired code get expired_token, seconds; then the code is unknown. */
  expiredCodeMemory: z.int().min(0).default(3600),
  /** Seconds added to an attempt's interval by each slow_down: 0 as in the specification, 5 as in RFC 8628. */
  slowDownGrowth: z.int().min(0).default(0),
  /** How early a poll may come without a slow_down: real timers are not exact. */
  pollToleranceMs: z.int().min(0).default(0),
  /** Device code requests per client; a client of the fixture may have its own. */
  deviceCodeQuota: quota.nullable().default({ requests: 600, windowSeconds: 60 }),
  /** Format of the user code: each X is a letter. */
  userCodeFormat: userCodeFormat.default("XXXX-XXXX"),
  /** "awkward" puts / # & % + and a backquote into device codes and tokens, as some servers do. */
  tokenCharacters: z.enum(["plain", "awkward"]).default("plain"),
  /** Also send RFC 8628's verification_uri_complete, which displays show as a QR code. */
  verificationUriComplete: z.boolean().default(false),
  /** Maximum number of stored codes; beyond it the oldest is deleted, whatever its state. */
  attemptsMax: z.int().min(1).default(250_000),
  /** Whether a second claim of a code revokes what the first one received (RFC 6749 §4.1.2). */
  replayedCodeRevokes: z.boolean().default(false),

  /** Lifetime of access tokens, seconds. */
  accessTokenLifetime: seconds.default(3600),
  /** Valid refresh tokens per client and user; the oldest is revoked without notice (device spec §8). */
  refreshTokensPerClientAndUser: z.int().min(1).default(100),
  /** Valid refresh tokens per user across all clients. */
  refreshTokensPerUser: z.int().min(1).default(1000),
  /** Whether each refresh returns a new refresh token (RFC 9700 §4.14). */
  refreshTokenRotation: z.boolean().default(false),
  /**
   * How long the previous refresh token stays valid after a rotation, seconds; null: all earlier ones, without limit.
   */
  rotationGrace: z.int().min(0).nullable().default(60),

  /**
   * The behaviour of revocation: as specified (an unknown token is 400, either token ends the grant), as in RFC 7009
   * (an unknown one is 200, the client has to authenticate), the same with each token alone, or no revocation.
   */
  revocation: z
    .enum(["specification", "rfc7009", "rfc7009-each-alone", "none"])
    .default("specification"),
  /** The supported methods of RFC 7636; the metadata list them. */
  codeChallengeMethods: z.array(z.enum(CHALLENGE_METHODS)).min(1).default(["S256"]),
  /** DPoP (RFC 9449): without support, accepted, or required in each request for tokens and at each API. */
  dpop: z.enum(["off", "allowed", "required"]).default("off"),
  /** Whether proofs need a nonce of the service (RFC 9449 §8 and §9). */
  dpopNonces: z.boolean().default(false),
  /** How far the iat of a proof may be from the service's clock, and how often the nonce changes, seconds. */
  dpopWindow: seconds.default(60),
  /** The accepted body types of the device authorization, token and revocation endpoints: the other one gets 415. */
  bodies: z.enum(["form", "json"]).default("form"),
  /** Lifetime of ID tokens, seconds. */
  idTokenLifetime: seconds.default(3600),
  /** How long a replaced signing key stays in the key set, seconds. */
  retiredKeySeconds: z.int().min(0).default(86_400),
  /** What the resource APIs require of an authentication (RFC 9470): a context, a maximum age in seconds, or both. */
  stepUp: z
    .strictObject({ acr: z.enum(AUTHENTICATION_CONTEXTS).optional(), maxAge: seconds.optional() })
    .nullable()
    .default(null),
  /** Responses that replace the service's own, by the purpose of the request (provoked-responses.ts). */
  provoke: z
    .partialRecord(z.enum(PROVOKED_REQUESTS), z.enum(Object.keys(PROVOKED_RESPONSES)))
    .default({}),

  /** Maximum number of queued events per receiver. */
  waitingEventsMax: z.int().min(1).default(1000),
  /** How token-revoked events name a token. */
  tokenIdentifier: z.enum(["hash", "prefix"]).default("hash"),
  /** Maximum number of offers per subscription (base plans and offers together). */
  offersPerSubscription: z.int().min(1).default(250),
  /** Whether pages of the service's own origin may frame the consent pages (a simulator's panel). */
  framedBySelf: z.boolean().default(false),
});

export type ServiceOptions = z.output<typeof optionsSchema>;
export type ServiceOptionsInput = z.input<typeof optionsSchema>;

/** The options of a dialect; none for an unknown dialect, which the schema reports. */
export function optionsOf(dialect: Dialect | undefined): ServiceOptionsInput {
  return MANNERS[dialect ?? "specification"]?.options ?? {};
}

/** Options with defaults filled in. Throws an Error of one line that names the wrong option. */
export function readOptions(input: ServiceOptionsInput = {}): ServiceOptions {
  const result = optionsSchema.safeParse({ ...optionsOf(input.dialect), ...input });
  if (!result.success) throw new Error(`option ${describeIssue(result.error, optionsSchema)}`);
  return result.data;
}

/** The first problem of a zod error as "path: message"; `schema` is the expected one. */
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
