import type { ServerProfile } from "./profile.ts";

export const discord: ServerProfile = {
  name: "discord",
  title: "Discord",
  documentation:
    "https://docs.discord.com/developers/discord-social-sdk/development-guides/account-linking-on-consoles",
  source: "documentation",
  alsoRead: ["https://docs.discord.com/developers/topics/oauth2"],
  parameters: {},
  // The page has this address in its whole example, and another one in its first step.
  deviceAuthorization: "https://discord.com/api/oauth2/device/authorize",
  token: "https://discord.com/api/oauth2/token",
  revocation: "https://discord.com/api/oauth2/token/revoke",
  userInfo: { address: "https://discord.com/api/users/@me" },
  secret: "optional",
  withSecret: "client_secret_basic",
  scope: "identify",
  accessTokenBytes: 64,
  refreshTokenBytes: 64,
  memoryBytes: 4608,
  notes: ["Public clients must be allowed in the settings of the application."],
};
