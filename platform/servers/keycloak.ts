import { HOST, type ServerProfile, STEP } from "./profile.ts";

export const keycloak: ServerProfile = {
  name: "keycloak",
  title: "Keycloak",
  documentation: "https://www.keycloak.org/securing-apps/oidc-layers",
  source: "documentation",
  parameters: {
    host: { description: "the host of the installation", pattern: HOST },
    realm: { description: "the realm", pattern: STEP },
  },
  deviceAuthorization: "https://{host}/realms/{realm}/protocol/openid-connect/auth/device",
  token: "https://{host}/realms/{realm}/protocol/openid-connect/token",
  revocation: "https://{host}/realms/{realm}/protocol/openid-connect/revoke",
  userInfo: { address: "https://{host}/realms/{realm}/protocol/openid-connect/userinfo" },
  secret: "optional",
  withSecret: "client_secret_basic",
  scope: "openid",
  accessTokenBytes: 2560,
  refreshTokenBytes: 1024,
  memoryBytes: 13_824,
  notes: [
    "Switch on the device authorization grant in the client's settings.",
    "Tokens grow with the roles of the user.",
  ],
};
