import { HOST, type ServerProfile } from "./profile.ts";

export const github: ServerProfile = {
  name: "github",
  title: "GitHub",
  documentation:
    "https://docs.github.com/apps/oauth-apps/building-oauth-apps/authorizing-oauth-apps#device-flow",
  source: "documentation",
  parameters: {
    host: {
      description: "the host: github.com, or a GitHub Enterprise Server",
      default: "github.com",
      pattern: HOST,
    },
  },
  deviceAuthorization: "https://{host}/login/device/code",
  token: "https://{host}/login/oauth/access_token",
  revocation: "",
  userInfo: { address: "https://api.{host}/user" },
  secret: "optional",
  withSecret: "client_secret_post",
  scope: "read:user",
  accessTokenBytes: 255,
  refreshTokenBytes: 255,
  memoryBytes: 5632,
  notes: [
    "The device flow is switched on in the settings of the application.",
    "An OAuth App's token has no end and no refresh token; a GitHub App's may have both.",
    "A grant is revoked by the API of the application, not by RFC 7009: signing out forgets the tokens.",
  ],
};
