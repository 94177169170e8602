import { HOST, type ServerProfile } from "./profile.ts";

export const duende: ServerProfile = {
  name: "duende",
  title: "Duende IdentityServer",
  documentation:
    "https://docs.duendesoftware.com/identityserver/reference/endpoints/device-authorization/",
  source: "documentation",
  alsoRead: [
    "https://docs.duendesoftware.com/identityserver/reference/endpoints/revocation/",
    "https://docs.duendesoftware.com/identityserver/reference/endpoints/userinfo/",
  ],
  parameters: { host: { description: "the host of the installation", pattern: HOST } },
  deviceAuthorization: "https://{host}/connect/deviceauthorization",
  token: "https://{host}/connect/token",
  revocation: "https://{host}/connect/revocation",
  userInfo: { address: "https://{host}/connect/userinfo" },
  secret: "optional",
  withSecret: "client_secret_basic",
  scope: "openid offline_access",
  accessTokenBytes: 2048,
  refreshTokenBytes: 128,
  memoryBytes: 11_776,
  notes: ["offline_access is what brings a refresh token."],
};
