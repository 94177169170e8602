// Zoom: RFC 8628 with three differences. The application determines the scopes, `reason` reports an invalid refresh
// token, and the revocation names the access token.

import type { ServerProfile, TranslatedClient } from "./profile.ts";
import { plainError, renamed, type Translation } from "./translation.ts";

function translation(client: TranslatedClient): Translation {
  return {
    request(purpose, url, fields) {
      if (purpose === "code") return { url, fields: renamed(fields, { scope: undefined }) };
      if (purpose !== "revocation") return undefined;
      const token = client.accessToken();
      if (token === "") return "nothing";
      return { url, fields: { ...renamed(fields, { token_type_hint: undefined }), token } };
    },
    response(purpose, { status, members }) {
      const { reason } = members;
      const isDead = purpose === "refresh" && status < 500 && reason === "Invalid Token!";
      return isDead ? plainError("invalid_grant", reason) : undefined;
    },
  };
}

export const zoom: ServerProfile = {
  name: "zoom",
  title: "Zoom",
  parameters: {},
  deviceAuthorization: "https://zoom.us/oauth/devicecode",
  token: "https://zoom.us/oauth/token",
  revocation: "https://zoom.us/oauth/revoke",
  userInfo: { address: "https://api.zoom.us/v2/users/me" },
  secret: "required",
  withSecret: "client_secret_basic",
  scope: "user:read:user",
  accessTokenBytes: 2048,
  refreshTokenBytes: 2048,
  memoryBytes: 18_432,
  notes: [
    "Enable the use of the application on devices in its settings.",
    "Do not request scopes: the application has them.",
    "Signing out revokes the access token, which ends the refresh token too.",
  ],
  translate: translation,
};
