import { HOST, type ServerProfile } from "./profile.ts";

export const oidcProvider: ServerProfile = {
  name: "oidc-provider",
  title: "oidc-provider",
  documentation: "https://github.com/panva/node-oidc-provider/blob/main/docs/README.md",
  source: "running",
  parameters: { host: { description: "the host of the installation", pattern: HOST } },
  deviceAuthorization: "https://{host}/device/auth",
  token: "https://{host}/token",
  revocation: "https://{host}/token/revocation",
  secret: "optional",
  withSecret: "client_secret_basic",
  scope: "openid offline_access",
  accessTokenBytes: 128,
  refreshTokenBytes: 128,
  memoryBytes: 4608,
  notes: [
    "The addresses are the defaults; an installation may have moved them: then use its issuer.",
  ],
};
