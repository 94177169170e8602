// Trakt: JSON instead of forms, and the response to a poll is its status alone.

import type { ServerProfile, TranslatedClient } from "./profile.ts";
import { plainError, type Translation } from "./translation.ts";

/** By the status of a response to a poll. */
const STATUSES: Readonly<Record<number, string>> = {
  400: "authorization_pending",
  403: "invalid_client",
  // Unknown, used or expired: only a new code helps.
  404: "expired_token",
  409: "expired_token",
  410: "expired_token",
  418: "access_denied",
  429: "slow_down",
};

/** Refreshes go to another address than polls. */
const REFRESH = "https://api.trakt.tv/oauth/token";
/** The documentation's value for clients without a redirect page. */
const REDIRECT = "urn:ietf:wg:oauth:2.0:oob";

function translation(client: TranslatedClient): Translation {
  const credentials = { client_id: client.clientId, client_secret: client.clientSecret };
  return {
    request(purpose, url, fields) {
      switch (purpose) {
        case "code":
          return { url, json: true, fields: { client_id: client.clientId } };
        case "poll":
          return { url, json: true, fields: { code: fields.device_code ?? "", ...credentials } };
        case "refresh":
          return {
            url: REFRESH,
            json: true,
            fields: {
              refresh_token: fields.refresh_token ?? "",
              ...credentials,
              redirect_uri: REDIRECT,
              grant_type: "refresh_token",
            },
          };
        default:
          return { url, json: true, fields: { token: fields.token ?? "", ...credentials } };
      }
    },
    response(purpose, { status }) {
      const error = purpose === "poll" ? STATUSES[status] : undefined;
      return error === undefined ? undefined : plainError(error);
    },
  };
}

export const trakt: ServerProfile = {
  name: "trakt",
  title: "Trakt",
  parameters: {},
  deviceAuthorization: "https://api.trakt.tv/oauth/device/code",
  token: "https://api.trakt.tv/oauth/device/token",
  revocation: "https://api.trakt.tv/oauth/revoke",
  secret: "required",
  withSecret: "client_secret_post",
  scope: "public",
  accessTokenBytes: 512,
  refreshTokenBytes: 128,
  memoryBytes: 5632,
  notes: [
    "Do not request scopes: the application has them.",
    "Its API requires the headers trakt-api-key and trakt-api-version: set them as headers for resource servers.",
  ],
  translate: translation,
};
