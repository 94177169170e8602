import { HOST, type ServerProfile } from "./profile.ts";

export const auth0: ServerProfile = {
  name: "auth0",
  title: "Auth0",
  documentation:
    "https://auth0.com/docs/get-started/authentication-and-authorization-flow/device-authorization-flow",
  source: "documentation",
  alsoRead: [
    "https://github.com/auth0/docs/blob/master/articles/flows/guides/device-auth/call-api-device-auth.md",
    "https://github.com/auth0/docs/blob/master/articles/tokens/guides/revoke-refresh-tokens.md",
  ],
  parameters: {
    domain: {
      description: "the domain of the tenant, such as example.eu.auth0.com",
      pattern: HOST,
    },
  },
  deviceAuthorization: "https://{domain}/oauth/device/code",
  token: "https://{domain}/oauth/token",
  revocation: "https://{domain}/oauth/revoke",
  userInfo: { address: "https://{domain}/userinfo" },
  secret: "optional",
  withSecret: "client_secret_post",
  scope: "openid offline_access",
  accessTokenBytes: 2048,
  refreshTokenBytes: 128,
  memoryBytes: 11_776,
  notes: [
    "Give audience as a device parameter to get a token for an API of your own.",
    "The application is of the native kind; offline_access and the API's setting bring a refresh token.",
  ],
};
