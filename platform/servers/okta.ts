import { HOST, type ServerProfile, STEP } from "./profile.ts";

export const okta: ServerProfile = {
  name: "okta",
  title: "Okta",
  documentation: "https://developer.okta.com/docs/guides/device-authorization-grant/main/",
  source: "documentation",
  parameters: {
    domain: {
      description: "the domain of the organization, such as example.okta.com",
      pattern: HOST,
    },
    server: { description: "the authorization server", default: "default", pattern: STEP },
  },
  deviceAuthorization: "https://{domain}/oauth2/{server}/v1/device/authorize",
  token: "https://{domain}/oauth2/{server}/v1/token",
  revocation: "https://{domain}/oauth2/{server}/v1/revoke",
  secret: "optional",
  withSecret: "client_secret_basic",
  scope: "openid offline_access",
  accessTokenBytes: 2048,
  refreshTokenBytes: 128,
  memoryBytes: 11_776,
  notes: [
    "offline_access is what brings a refresh token.",
    "The organization's own server has no {server} in its addresses: give the addresses one by one there.",
  ],
};
