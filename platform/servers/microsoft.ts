import { type ServerProfile, STEP } from "./profile.ts";

export const microsoft: ServerProfile = {
  name: "microsoft",
  title: "Microsoft Entra (v2.0)",
  documentation: "https://learn.microsoft.com/entra/identity-platform/v2-oauth2-device-code",
  source: "documentation",
  parameters: {
    tenant: {
      description: "the directory: its identifier or domain, or common, organizations, consumers",
      default: "common",
      pattern: STEP,
    },
  },
  deviceAuthorization: "https://login.microsoftonline.com/{tenant}/oauth2/v2.0/devicecode",
  token: "https://login.microsoftonline.com/{tenant}/oauth2/v2.0/token",
  revocation: "",
  secret: "optional",
  withSecret: "client_secret_post",
  scope: "openid offline_access",
  accessTokenBytes: 3072,
  refreshTokenBytes: 2048,
  memoryBytes: 18_432,
  notes: [
    "offline_access is what brings a refresh token.",
    "The application must allow public client flows.",
    "There is no revocation endpoint: signing out forgets the tokens.",
  ],
};
