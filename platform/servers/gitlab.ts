import { HOST, type ServerProfile } from "./profile.ts";

export const gitlab: ServerProfile = {
  name: "gitlab",
  title: "GitLab",
  documentation: "https://docs.gitlab.com/api/oauth2/",
  source: "documentation",
  parameters: {
    host: {
      description: "the host: gitlab.com, or an installation of your own (17.1 or later)",
      default: "gitlab.com",
      pattern: HOST,
    },
  },
  deviceAuthorization: "https://{host}/oauth/authorize_device",
  token: "https://{host}/oauth/token",
  revocation: "https://{host}/oauth/revoke",
  userInfo: { address: "https://{host}/api/v4/user" },
  secret: "optional",
  withSecret: "client_secret_post",
  scope: "read_user",
  accessTokenBytes: 255,
  refreshTokenBytes: 255,
  memoryBytes: 5632,
  notes: ["Register the application as not confidential for devices."],
};
