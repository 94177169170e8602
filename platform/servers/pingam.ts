import { HOST, type ServerProfile, STEP } from "./profile.ts";

export const pingam: ServerProfile = {
  name: "pingam",
  title: "PingAM (ForgeRock AM)",
  documentation:
    "https://docs.pingidentity.com/pingam/8.1/am-oauth2/rest-api-oauth2-device-code.html",
  source: "documentation",
  alsoRead: [
    "https://docs.pingidentity.com/pingam/8/am-oauth2/oauth2-device-flow.html",
    "https://docs.pingidentity.com/pingam/8.1/am-oauth2/oauth2-token-revoke-endpoint.html",
    "https://docs.pingidentity.com/pingam/8.1/am-oidc1/rest-api-oidc-userinfo-endpoint.html",
  ],
  parameters: {
    host: { description: "the host of the installation, with its port", pattern: HOST },
    path: { description: "where AM is below the host", default: "am", pattern: STEP },
    realm: { description: "the realm, below the top level realm", pattern: STEP },
  },
  deviceAuthorization: "https://{host}/{path}/oauth2/realms/root/realms/{realm}/device/code",
  token: "https://{host}/{path}/oauth2/realms/root/realms/{realm}/access_token",
  revocation: "https://{host}/{path}/oauth2/realms/root/realms/{realm}/token/revoke",
  userInfo: { address: "https://{host}/{path}/oauth2/realms/root/realms/{realm}/userinfo" },
  secret: "optional",
  withSecret: "client_secret_basic",
  scope: "openid",
  accessTokenBytes: 2048,
  refreshTokenBytes: 2048,
  memoryBytes: 18_432,
  notes: [
    "Also for PingOne Advanced Identity Cloud, whose host is that of the tenant.",
    "Tokens are short where they are kept at the server, and as long as here where the client holds them.",
    "For the top level realm itself give the addresses one by one.",
    "OpenAM is reported to want response_type=device_code: give it as a device parameter there.",
  ],
};
