// Identifiers of security events and delivery methods (device doc §6; RISC, RFC 8935, RFC 8936).

const RISC = "https://schemas.openid.net/secevent/risc/event-type/";
const OAUTH = "https://schemas.openid.net/secevent/oauth/event-type/";

export const EVENT_TYPES = {
  // The three of device doc §6.
  sessionsRevoked: `${RISC}sessions-revoked`,
  tokenRevoked: `${OAUTH}token-revoked`,
  accountDisabled: `${RISC}account-disabled`,
  // What real services send besides.
  tokensRevoked: `${OAUTH}tokens-revoked`,
  accountEnabled: `${RISC}account-enabled`,
  credentialChangeRequired: `${RISC}account-credential-change-required`,
  verification: `${RISC}verification`,
} as const;

/** What a stream may ask for; verification comes unasked, when it is requested. */
export const SUPPORTED_EVENTS: readonly string[] = Object.values(EVENT_TYPES).filter(
  (type) => type !== EVENT_TYPES.verification,
);

export const PUSH_METHODS = [
  "https://schemas.openid.net/secevent/risc/delivery-method/push",
  "urn:ietf:rfc:8935",
];
export const POLL_METHODS = [
  "https://schemas.openid.net/secevent/risc/delivery-method/poll",
  "urn:ietf:rfc:8936",
];
