// The dialects: how well-known authorization servers differ from the device authorization specification. Each row names the
// source of its differences. Later rows take precedence.

export interface Manner {
  /** The name of the verification URI in the device authorization response. */
  readonly addressName: "verification_url" | "verification_uri";
  /** Whether the device authorization response has a message for the user. */
  readonly hasMessage: boolean;
  /** The HTTP status of errors, by their names in `OAUTH_ERRORS` (errors.ts). */
  readonly statuses: Readonly<Record<string, number>>;
  /** The values of the member `error`, by the same names. */
  readonly words: Readonly<Record<string, string>>;
  /** Entra's error numbers, by the same names. Undefined: errors do not have Entra's additional members. */
  readonly numbers: Readonly<Record<string, number>> | undefined;
  /** Whether the metadata omit "none", the authentication method of clients without a secret. */
  readonly isSecretPrompted: boolean;
  /** Whether a client may request the scope `offline_access`. */
  readonly hasOfflineScope: boolean;
  /** Whether a refresh token is issued only with the scope `offline_access`. */
  readonly isOfflineRequested: boolean;
  /** Whether polls can get `slow_down` and `expired_token` even after the user's decision. */
  readonly slowsDownAfterDecision: boolean;
  /** The defaults of the options that may differ between dialects. */
  readonly options: {
    readonly issuerPath?: string;
    readonly verificationUriComplete?: boolean;
    readonly slowDownGrowth?: number;
    readonly codeLifetime?: number;
    readonly accessTokenLifetime?: number;
    readonly codeChallengeMethods?: ("S256" | "plain")[];
    readonly revocation?: "specification" | "rfc7009" | "none";
    readonly refreshTokenRotation?: boolean;
    readonly rotationGrace?: number | null;
  };
}

interface Row extends Partial<Manner> {
  /** The source of the difference: a standard, or the vendor's documentation or code. */
  readonly source: string;
}

const RFC8628: readonly Row[] = [
  { source: "RFC 8628 section 3.2", addressName: "verification_uri" },
  { source: "RFC 8628 section 3.3.1", options: { verificationUriComplete: true } },
  { source: "RFC 8628 section 3.5", options: { slowDownGrowth: 5 } },
  {
    source: "RFC 6749 section 5.2",
    statuses: { authorization_pending: 400, slow_down: 400, access_denied: 400, org_internal: 400 },
  },
  { source: "OpenID Connect Core section 11", hasOfflineScope: true },
  { source: "RFC 7009 section 2.2", options: { revocation: "rfc7009" } },
];

const AUTH0 = "https://auth0.com/docs";
const ENTRA = "https://learn.microsoft.com/entra/identity-platform";
const AUTH0_ANDROID =
  "https://github.com/auth0/Auth0.Android/blob/main/auth0/src/main/java/com/auth0/android/authentication/AuthenticationException.kt";
const KEYCLOAK = "https://github.com/keycloak/keycloak/blob/main";
const KEYCLOAK_POLLS = `${KEYCLOAK}/services/src/main/java/org/keycloak/protocol/oidc/grants/device/DeviceGrantType.java`;
const KEYCLOAK_CODES = `${KEYCLOAK}/server-spi/src/main/java/org/keycloak/models/OAuth2DeviceConfig.java`;
const KEYCLOAK_REALMS = `${KEYCLOAK}/model/storage-private/src/main/java/org/keycloak/storage/datastore/DefaultExportImportManager.java`;

const ROWS = {
  specification: [],
  rfc8628: RFC8628,
  google: [
    {
      source: "https://accounts.google.com/.well-known/openid-configuration",
      isSecretPrompted: true,
      options: { codeChallengeMethods: ["plain", "S256"] },
    },
  ],
  auth0: [
    ...RFC8628,
    {
      source: `${AUTH0}/quickstart/native/device/interactive`,
      statuses: {
        authorization_pending: 403,
        slow_down: 429,
        access_denied: 403,
        expired_token: 403,
      },
      options: { codeLifetime: 900 },
    },
    { source: AUTH0_ANDROID, statuses: { invalid_grant: 403, bad_device_code: 403 } },
    {
      source: `${AUTH0}/secure/tokens/refresh-tokens/get-refresh-tokens`,
      isOfflineRequested: true,
    },
    {
      source: `${AUTH0}/secure/tokens/id-tokens/id-token-structure`,
      options: { issuerPath: "/" },
    },
  ],
  entra: [
    ...RFC8628,
    {
      source: `${ENTRA}/v2-oauth2-device-code`,
      hasMessage: true,
      isOfflineRequested: true,
      words: { access_denied: "authorization_declined", bad_device_code: "bad_verification_code" },
      options: { verificationUriComplete: false, codeLifetime: 900 },
    },
    {
      source: `${ENTRA}/reference-error-codes`,
      numbers: {
        authorization_pending: 70016,
        bad_device_code: 70018,
        expired_token: 70019,
        invalid_grant: 70000,
      },
    },
    {
      source: `${ENTRA}/refresh-tokens`,
      options: { refreshTokenRotation: true, rotationGrace: null },
    },
    {
      source: `${ENTRA}/v2-protocols-oidc`,
      options: { issuerPath: "/picogrant/v2.0", revocation: "none" },
    },
  ],
  keycloak: [
    ...RFC8628,
    { source: KEYCLOAK_POLLS, slowsDownAfterDecision: true, options: { slowDownGrowth: 0 } },
    { source: KEYCLOAK_CODES, options: { codeLifetime: 600 } },
    { source: KEYCLOAK_REALMS, options: { accessTokenLifetime: 300 } },
    {
      source: "https://www.keycloak.org/docs/latest/server_admin/#_timeouts",
      options: { refreshTokenRotation: true, rotationGrace: null },
    },
    {
      source: "https://www.keycloak.org/securing-apps/oidc-layers",
      options: { issuerPath: "/realms/picogrant" },
    },
  ],
} satisfies Record<string, readonly Row[]>;

export type Dialect = keyof typeof ROWS;
export const DIALECTS = Object.keys(ROWS) as Dialect[];

/** The dialect `specification`. `options` contains every option that a row can change. */
const SPECIFICATION: Manner = {
  addressName: "verification_url",
  hasMessage: false,
  statuses: {},
  words: {},
  numbers: undefined,
  isSecretPrompted: false,
  hasOfflineScope: false,
  isOfflineRequested: false,
  slowsDownAfterDecision: false,
  options: {
    issuerPath: "",
    verificationUriComplete: false,
    slowDownGrowth: 0,
    codeLifetime: 1800,
    accessTokenLifetime: 3600,
    codeChallengeMethods: ["S256"],
    revocation: "specification",
    refreshTokenRotation: false,
    rotationGrace: 60,
  },
};

function mannerOf(rows: readonly Row[]): Manner {
  let manner = SPECIFICATION;
  for (const { source: _, ...row } of rows)
    manner = {
      ...manner,
      ...row,
      statuses: { ...manner.statuses, ...row.statuses },
      words: { ...manner.words, ...row.words },
      options: { ...manner.options, ...row.options },
    };
  return manner;
}

export const MANNERS = Object.fromEntries(
  DIALECTS.map((dialect) => [dialect, mannerOf(ROWS[dialect])]),
) as Record<Dialect, Manner>;
