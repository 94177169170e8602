// Salesforce: one address for codes and tokens; `response_type=device_code` requests a code, and `grant_type=device`
// with `code` polls. Its response has no expires_in.

import { HOST, type ServerProfile, type TranslatedClient } from "./profile.ts";
import { renamed, type Translation } from "./translation.ts";

/** The documentation: an unused code expires after ten minutes. */
const CODE_LIFETIME_SECONDS = 600;

function translation(_client: TranslatedClient): Translation {
  return {
    request(purpose, url, fields) {
      if (purpose === "code") return { url, fields: { response_type: "device_code", ...fields } };
      if (purpose !== "poll") return undefined;
      return { url, fields: { ...renamed(fields, { device_code: "code" }), grant_type: "device" } };
    },
    response(purpose, { status, members }) {
      if (purpose !== "code" || members.device_code === undefined) return undefined;
      return { status, members: { expires_in: CODE_LIFETIME_SECONDS, ...members } };
    },
  };
}

export const salesforce: ServerProfile = {
  name: "salesforce",
  title: "Salesforce",
  parameters: {
    host: {
      description: "the host: login.salesforce.com, test.salesforce.com, or a domain of your own",
      default: "login.salesforce.com",
      pattern: HOST,
    },
  },
  issuer: "https://{host}",
  deviceAuthorization: "https://{host}/services/oauth2/token",
  token: "https://{host}/services/oauth2/token",
  revocation: "https://{host}/services/oauth2/revoke",
  withSecret: "client_secret_post",
  scope: "api refresh_token",
  accessTokenBytes: 2048,
  refreshTokenBytes: 256,
  memoryBytes: 11_776,
  notes: [
    "Enable the device flow in the settings of the application.",
    "Responses have no expires_in: the access token is refreshed when an API responds with 401.",
  ],
  translate: translation,
};
