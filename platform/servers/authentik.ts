import { HOST, type ServerProfile } from "./profile.ts";

export const authentik: ServerProfile = {
  name: "authentik",
  title: "Authentik",
  documentation: "https://docs.goauthentik.io/add-secure-apps/providers/oauth2/device_code/",
  source: "documentation",
  alsoRead: ["https://docs.goauthentik.io/add-secure-apps/providers/oauth2/"],
  parameters: { host: { description: "the host of the installation", pattern: HOST } },
  deviceAuthorization: "https://{host}/application/o/device/",
  token: "https://{host}/application/o/token/",
  revocation: "https://{host}/application/o/revoke/",
  userInfo: { address: "https://{host}/application/o/userinfo/" },
  secret: "optional",
  withSecret: "client_secret_post",
  scope: "openid offline_access",
  accessTokenBytes: 2048,
  refreshTokenBytes: 256,
  memoryBytes: 11_776,
  notes: ["A device code flow must be set in the brand."],
};
