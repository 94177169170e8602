import type { ServerProfile } from "./profile.ts";

export const discord: ServerProfile = {
  name: "discord",
  title: "Discord",
  documentation:
    "https://docs.discord.com/developers/discord-social-sdk/development-guides/account-linking-on-consoles",
  source: "documentation",
  parameters: {},
  deviceAuthorization: "https://discord.com/api/oauth2/device/authorize",
  token: "https://discord.com/api/oauth2/token",
  revocation: "https://discord.com/api/oauth2/token/revoke",
  secret: "optional",
  withSecret: "client_secret_basic",
  scope: "identify",
  accessTokenBytes: 64,
  refreshTokenBytes: 64,
  memoryBytes: 4608,
  notes: ["Public clients must be allowed in the settings of the application."],
};
