import type { ServerProfile } from "./profile.ts";

export const google: ServerProfile = {
  name: "google",
  title: "Google",
  documentation: "https://developers.google.com/identity/protocols/oauth2/limited-input-device",
  source: "clients",
  parameters: {},
  deviceAuthorization: "https://oauth2.googleapis.com/device/code",
  token: "https://oauth2.googleapis.com/token",
  revocation: "https://oauth2.googleapis.com/revoke",
  userInfo: { address: "https://openidconnect.googleapis.com/v1/userinfo" },
  secret: "required",
  withSecret: "documents",
  scope: "openid email",
  accessTokenBytes: 2048,
  refreshTokenBytes: 512,
  memoryBytes: 11_776,
  notes: [
    "The client must be of the type for televisions and limited-input devices; it has a secret.",
    "Only a short list of scopes is allowed in the device flow.",
    "Google names 2048 bytes for access tokens and 512 for refresh tokens as what to make room for.",
  ],
};
