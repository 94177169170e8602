import { HOST, type ServerProfile } from "./profile.ts";

export const hydra: ServerProfile = {
  name: "hydra",
  title: "Ory Hydra",
  documentation: "https://www.ory.com/docs/oauth2-oidc/device-authorization",
  source: "clients",
  parameters: { host: { description: "the host of the public port", pattern: HOST } },
  deviceAuthorization: "https://{host}/oauth2/device/auth",
  token: "https://{host}/oauth2/token",
  revocation: "https://{host}/oauth2/revoke",
  secret: "optional",
  withSecret: "client_secret_basic",
  scope: "openid offline_access",
  accessTokenBytes: 128,
  refreshTokenBytes: 128,
  memoryBytes: 4608,
  notes: [
    "With the strategy for JWT access tokens they are as long as elsewhere: see the sizing table.",
  ],
};
