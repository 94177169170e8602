import { HOST, type ServerProfile } from "./profile.ts";

export const zitadel: ServerProfile = {
  name: "zitadel",
  title: "Zitadel",
  documentation: "https://zitadel.com/docs/guides/integrate/login/oidc/device-authorization",
  source: "documentation",
  alsoRead: ["https://zitadel.com/docs/apis/openidoauth/endpoints"],
  parameters: {
    domain: {
      description: "the domain of the instance, such as example.zitadel.cloud",
      pattern: HOST,
    },
  },
  deviceAuthorization: "https://{domain}/oauth/v2/device_authorization",
  token: "https://{domain}/oauth/v2/token",
  revocation: "https://{domain}/oauth/v2/revoke",
  userInfo: { address: "https://{domain}/oidc/v1/userinfo" },
  secret: "optional",
  withSecret: "client_secret_basic",
  scope: "openid offline_access",
  accessTokenBytes: 1536,
  refreshTokenBytes: 256,
  memoryBytes: 9728,
  notes: ["offline_access is what brings a refresh token."],
};
