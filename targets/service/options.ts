// Every knob of the service with its default, unit and reason. Values the documents name as
// "not shown" have the defaults of real services of that family.
import * as z from "zod";
import { nameMeant } from "../../platform/text/name-suggestion.ts";
import { CHALLENGE_METHODS } from "./client-authentication.ts";
import { DIALECTS, type Dialect, MANNERS } from "./dialects.ts";
import { AUTHENTICATION_CONTEXTS } from "./openid.ts";
import { PROVOKED_ANSWERS, PROVOKED_REQUESTS } from "./provoked.ts";

const seconds = z.int().min(1).max(2_147_483_647);
const quota = z.strictObject({ requests: z.int().min(0), windowSeconds: seconds });

export type Quota = z.infer<typeof quota>;

const httpUrl = z
  .url({ protocol: /^https?$/ })
  .regex(/^[^?#]*$/, "is an address without ? and #")
  .transform((url) => url.replace(/\/+$/, ""));

// The pages' links begin at the root: under a path, the form with the code would be sent past it.
const rootUrl = httpUrl.refine(
  (url) => new URL(url).pathname === "/",
  "is an address without a path",
);

/** At most 15 characters (device doc §8), and not so few that guessing pays (RFC 8628 §5.1). */
const userCodeFormat = z
  .string()
  .regex(/^X[X-]*X$/, "is made of X (a letter) and -")
  .max(15)
  .refine((format) => format.replaceAll("-", "").length >= 6, "needs at least 6 letters");

export const optionsSchema = z.strictObject({
  /** As which make of server it answers (dialects.ts); some options have another default in each. */
  dialect: z.enum(DIALECTS).default("documents"),
  /** Issuer and base of every address; null: `serve` fills in the address it listens on. */
  baseUrl: rootUrl.nullable().default(null),
  /** What the issuer has behind `baseUrl`: a path, a slash at its end or alone; metadata are found by it (RFC 8414 §3.1). */
  issuerPath: z
    .string()
    .regex(
      /^(\/[\w.~-]+)*\/?$/,
      "is a path such as /realms/home, with or without a slash at the end",
    )
    .default(""),
  /** Path that verification_url names; the page itself stays at /device. A short one fits small displays. */
  verificationPath: z
    .string()
    .regex(/^\/[\w-]{1,30}$/, "is a path such as /device or /d")
    .default("/device"),
  /** {scope_base} of the documents. */
  scopeBase: httpUrl.default("https://auth.picogrant.test"),

  /** Minimum wait between polls, seconds; 0: none, and the answer says 0, which some clients refuse. */
  interval: z.int().min(0).max(2_147_483_647).default(5),
  /** Lifetime of device_code and user_code, seconds. */
  codeLifetime: seconds.default(1800),
  /** How long an expired code is still answered with expired_token, seconds; then it is unknown. */
  expiredCodeMemory: z.int().min(0).default(3600),
  /** Seconds added to an attempt's interval by each slow_down: 0 as in the document, 5 as in RFC 8628. */
  slowDownGrowth: z.int().min(0).default(0),
  /** How early a poll may come without a slow_down: timers of real hosts are not exact. */
  pollToleranceMs: z.int().min(0).default(0),
  /** Device code requests per client; a client of the fixture may have its own. */
  deviceCodeQuota: quota.nullable().default({ requests: 600, windowSeconds: 60 }),
  /** Shape of the user code: each X a letter. */
  userCodeFormat: userCodeFormat.default("XXXX-XXXX"),
  /** "awkward" puts / # & % + and a backquote into device codes and tokens, as some servers do. */
  tokenCharacters: z.enum(["plain", "awkward"]).default("plain"),
  /** Also send RFC 8628's address with the code in it, which displays show as a QR code. */
  verificationUriComplete: z.boolean().default(false),
  /** Most codes that are remembered; beyond it the oldest is forgotten, whatever has become of it. */
  attemptsMax: z.int().min(1).default(250_000),
  /** Whether a second claim of a code revokes what the first one received (RFC 6749 §4.1.2). */
  replayedCodeRevokes: z.boolean().default(false),

  /** Lifetime of access tokens, seconds. */
  accessTokenLifetime: seconds.default(3600),
  /** Live refresh tokens per client and user; the oldest dies silently (device doc §8). */
  refreshTokensPerClientAndUser: z.int().min(1).default(100),
  /** Live refresh tokens per user across all clients. */
  refreshTokensPerUser: z.int().min(1).default(1000),
  /** Whether each refresh hands out a new refresh token (RFC 9700 §4.14). */
  refreshTokenRotation: z.boolean().default(false),
  /** How long the immediate predecessor still works after a rotation, seconds; null: every earlier one, for good. */
  rotationGrace: z.int().min(0).nullable().default(60),

  /** What revoking does: as the documents say (an unknown token is 400, either token ends the grant), as RFC 7009
   * says (an unknown one is 200, the client has to say who it is), the same with each token alone, or that nothing can be revoked. */
  revocation: z.enum(["documents", "rfc7009", "rfc7009-each-alone", "none"]).default("documents"),
  /** The methods of RFC 7636 that are taken; the metadata say so. */
  codeChallengeMethods: z.array(z.enum(CHALLENGE_METHODS)).min(1).default(["S256"]),
  /** What bodies the device authorization, token and revocation endpoints take: another is 415. */
  bodies: z.enum(["form", "json"]).default("form"),
  /** Lifetime of ID tokens, seconds. */
  idTokenLifetime: seconds.default(3600),
  /** How long a signing key that was replaced stays in the key set, seconds. */
  retiredKeySeconds: z.int().min(0).default(86_400),
  /** What the resource APIs demand of a sign-in (RFC 9470): a context, an age in seconds, or both. */
  stepUp: z
    .strictObject({ acr: z.enum(AUTHENTICATION_CONTEXTS).optional(), maxAge: seconds.optional() })
    .nullable()
    .default(null),
  /** Answers in place of the service's own, by what a request is for (provoked.ts). */
  provoke: z
    .partialRecord(z.enum(PROVOKED_REQUESTS), z.enum(Object.keys(PROVOKED_ANSWERS)))
    .default({}),

  /** Most events kept for one receiver until it fetches them. */
  waitingEventsMax: z.int().min(1).default(1000),
  /** How token-revoked events name a token. */
  tokenIdentifier: z.enum(["hash", "prefix"]).default("hash"),
  /** Most offers of one subscription (dialects: base plans and offers together). */
  offersPerSubscription: z.int().min(1).default(250),
  /** Whether pages of the service's own origin may frame the consent pages (a simulator's panel). */
  framedBySelf: z.boolean().default(false),
});

export type ServiceOptions = z.output<typeof optionsSchema>;
export type ServiceOptionsInput = z.input<typeof optionsSchema>;

/** The options of a dialect; none where there is no such dialect, which the schema tells. */
export function optionsOf(dialect: Dialect | undefined): ServiceOptionsInput {
  return MANNERS[dialect ?? "documents"]?.options ?? {};
}

/** Options with defaults filled in; throws an Error of one line that names the wrong option. */
export function readOptions(input: ServiceOptionsInput = {}): ServiceOptions {
  const result = optionsSchema.safeParse({ ...optionsOf(input.dialect), ...input });
  if (!result.success) throw new Error(`option ${describeIssue(result.error, optionsSchema)}`);
  return result.data;
}

/** The first problem of a zod error as "path: message"; `schema` is what was asked for. */
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
