// Twitch: `scopes` instead of `scope`, also in the poll, and `message` contains the error.

import type { ServerProfile, TranslatedClient } from "./profile.ts";
import { plainError, renamed, type Translation } from "./translation.ts";

/** Meanings of the messages; compared in lower case. */
const ERRORS: Readonly<Record<string, string>> = {
  authorization_pending: "authorization_pending",
  slow_down: "slow_down",
  access_denied: "access_denied",
  expired_token: "expired_token",
  // An expired code is unknown there: only a new one helps.
  "invalid device code": "expired_token",
  "invalid refresh token": "invalid_grant",
  "invalid client": "invalid_client",
  "invalid client secret": "invalid_client",
  "missing client id": "invalid_client",
  "missing client secret": "invalid_client",
  "invalid scope": "invalid_scope",
};

function translation(client: TranslatedClient): Translation {
  return {
    request(purpose, url, fields) {
      if (purpose === "code") return { url, fields: renamed(fields, { scope: "scopes" }) };
      if (purpose === "poll") return { url, fields: { ...fields, scopes: client.scope } };
      if (purpose !== "revocation") return undefined;
      const token = client.accessToken();
      return token === "" ? "nothing" : { url, fields: { client_id: client.clientId, token } };
    },
    response(_purpose, { status, members }) {
      const { message, scope } = members;
      if (Array.isArray(scope)) return { status, members: { ...members, scope: scope.join(" ") } };
      if (status < 400 || status > 499 || typeof message !== "string") return undefined;
      return plainError(ERRORS[message.toLowerCase()] ?? "invalid_request", message);
    },
  };
}

export const twitch: ServerProfile = {
  name: "twitch",
  title: "Twitch",
  parameters: {},
  issuer: "https://id.twitch.tv/oauth2",
  deviceAuthorization: "https://id.twitch.tv/oauth2/device",
  token: "https://id.twitch.tv/oauth2/token",
  revocation: "https://id.twitch.tv/oauth2/revoke",
  withSecret: "client_secret_post",
  scope: "user:read:follows",
  accessTokenBytes: 64,
  refreshTokenBytes: 64,
  memoryBytes: 4608,
  notes: [
    "The refresh token of a public client is valid for one use and for 30 days.",
    "Only access tokens can be revoked.",
  ],
  translate: translation,
};
