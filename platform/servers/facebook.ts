// Facebook: the client authenticates by `access_token`, the device code is called `code`, and errors are numbers in a
// nested object.

import { type ServerProfile, STEP, type TranslatedClient } from "./profile.ts";
import { type Members, plainError, type Translation } from "./translation.ts";

/** error_subcode of the documentation. */
const ERRORS: Readonly<Record<number, string>> = {
  1349174: "authorization_pending",
  1349172: "slow_down",
  1349152: "expired_token",
};

/** An invalid token (code 190), and an unknown app or client token (101). */
const CODES: Readonly<Record<number, string>> = { 190: "invalid_grant", 101: "invalid_client" };

function translation(client: TranslatedClient): Translation {
  const appToken = `${client.clientId}|${client.clientSecret}`;
  return {
    request(purpose, url, fields) {
      if (purpose === "code") {
        const scope = client.scope.replaceAll(" ", ",");
        return { url, fields: { access_token: appToken, scope } };
      }
      if (purpose === "poll") {
        return { url, fields: { access_token: appToken, code: fields.device_code ?? "" } };
      }
      if (purpose !== "revocation") return undefined;
      // The API takes the method as a form field where a client can only POST.
      return { url, fields: { method: "delete", access_token: fields.token ?? "" } };
    },
    response(purpose, { status, members }) {
      const { code, error } = members;
      if (purpose === "code" && typeof code === "string") {
        return { status, members: { ...members, device_code: code } };
      }
      if (typeof error !== "object" || error === null) return undefined;
      const { code: number, error_subcode: detail, message } = error as Members;
      const name = ERRORS[Number(detail)] ?? CODES[Number(number)];
      if (name === undefined && status >= 500) return undefined;
      return plainError(name ?? "invalid_request", message);
    },
  };
}

export const facebook: ServerProfile = {
  name: "facebook",
  title: "Facebook",
  parameters: {
    version: {
      description: "the version of the Graph API, such as v26.0",
      default: "v26.0",
      pattern: STEP,
    },
  },
  deviceAuthorization: "https://graph.facebook.com/{version}/device/login",
  token: "https://graph.facebook.com/{version}/device/login_status",
  revocation: "https://graph.facebook.com/{version}/me/permissions",
  secret: "required",
  withSecret: "client_secret_post",
  scope: "public_profile",
  accessTokenBytes: 512,
  refreshTokenBytes: 0,
  memoryBytes: 5632,
  notes: [
    "clientId is the app's identifier, clientSecret its client token (not the app secret).",
    "There is no refresh token: after about 60 days the user signs in again.",
    "The server does not report that the user declined: the code expires.",
  ],
  translate: translation,
};
