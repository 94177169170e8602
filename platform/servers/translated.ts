// The translations for servers that do not implement RFC 8628.

import type { ServerProfile, TranslatedClient } from "./profile.ts";
import { type Members, plainError, renamed, type Translation } from "./translation.ts";

// Twitch: requests have `scopes` instead of `scope`, also polls. In responses, `message` contains the error.

/** The error codes for Twitch's messages, which are in lower case here. */
const TWITCH_ERRORS: Readonly<Record<string, string>> = {
  authorization_pending: "authorization_pending",
  slow_down: "slow_down",
  access_denied: "access_denied",
  expired_token: "expired_token",
  // Twitch does not recognize an expired code. The user needs a new code.
  "invalid device code": "expired_token",
  "invalid refresh token": "invalid_grant",
  "invalid client": "invalid_client",
  "invalid client secret": "invalid_client",
  "missing client id": "invalid_client",
  "missing client secret": "invalid_client",
  "invalid scope": "invalid_scope",
};

const twitch = (client: TranslatedClient): Translation => ({
  request(purpose, fields) {
    if (purpose === "code") return { fields: renamed(fields, { scope: "scopes" }) };
    if (purpose === "poll") return { fields: { ...fields, scopes: client.scope } };
    if (purpose !== "revocation") return undefined;
    const token = client.accessToken();
    return token === "" ? "nothing" : { fields: { client_id: client.clientId, token } };
  },
  response(_purpose, members, status) {
    const { message, scope } = members;
    if (Array.isArray(scope)) return { members: { ...members, scope: scope.join(" ") } };
    if (status < 400 || status > 499 || typeof message !== "string") return undefined;
    return plainError(TWITCH_ERRORS[message.toLowerCase()] ?? "invalid_request", message);
  },
});

// Login with Amazon: a poll has `grant_type=device_code`, and the user code instead of the client identifier. Of the
// two codes, the core sends only the device code in polls, so the translation gives the core both as one device code.

/** The character between the two codes. A user code does not contain it. */
const AMAZON_SEPARATOR = ".";

const amazon = (): Translation => ({
  request(purpose, fields) {
    if (purpose === "code") return { fields: { response_type: "device_code", ...fields } };
    if (purpose !== "poll") return undefined;
    const both = fields.device_code ?? "";
    const at = both.indexOf(AMAZON_SEPARATOR);
    const codes = { user_code: both.slice(0, at), device_code: both.slice(at + 1) };
    return { fields: { grant_type: "device_code", ...codes } };
  },
  response(purpose, members) {
    const { user_code: user, device_code: device, error } = members;
    if (purpose === "code" && typeof user === "string" && typeof device === "string") {
      return { members: { ...members, device_code: `${user}${AMAZON_SEPARATOR}${device}` } };
    }
    // The pair of codes is invalid or expired. The user needs a new code.
    return error === "invalid_code_pair" ? plainError("expired_token") : undefined;
  },
});

// Salesforce: one address for codes and tokens. A request for a code has `response_type=device_code`. A poll has
// `grant_type=device` and `code`. The response with a code has no expires_in.

const SALESFORCE_CODE_LIFETIME_S = 600;

const salesforce = (): Translation => ({
  request(purpose, fields) {
    if (purpose === "code") return { fields: { response_type: "device_code", ...fields } };
    if (purpose !== "poll") return undefined;
    return { fields: { ...renamed(fields, { device_code: "code" }), grant_type: "device" } };
  },
  response(purpose, members) {
    if (purpose !== "code" || members.device_code === undefined) return undefined;
    return { members: { expires_in: SALESFORCE_CODE_LIFETIME_S, ...members } };
  },
});

// Yandex: a code request has no secret, a poll has `grant_type=device_code` and `code`, a revocation the access token.

const yandex = (client: TranslatedClient): Translation => ({
  request(purpose, fields) {
    if (purpose === "code") return { fields: renamed(fields, { client_secret: undefined }) };
    if (purpose === "poll")
      return { fields: { ...renamed(fields, { device_code: "code" }), grant_type: "device_code" } };
    if (purpose !== "revocation") return undefined;
    const token = client.accessToken();
    if (token === "") return "nothing";
    const { token: _refresh, token_type_hint: _kind, ...others } = fields;
    return { fields: { ...others, access_token: token } };
  },
});

// Facebook: `access_token` authenticates the client, the device code is called `code`, and errors are nested numbers.

/** The error codes for values of error_subcode, according to Facebook's documentation. */
const FACEBOOK_ERRORS: Readonly<Record<number, string>> = {
  1349174: "authorization_pending",
  1349172: "slow_down",
  1349152: "expired_token",
};
/** The error codes for Facebook's numbers of an invalid token (190) and of an unknown app or client token (101). */
const FACEBOOK_CODES: Readonly<Record<number, string>> = {
  190: "invalid_grant",
  101: "invalid_client",
};

function facebook(client: TranslatedClient): Translation {
  const appToken = `${client.clientId}|${client.clientSecret}`;
  return {
    request(purpose, fields) {
      if (purpose === "code")
        return { fields: { access_token: appToken, scope: client.scope.replaceAll(" ", ",") } };
      if (purpose === "poll")
        return { fields: { access_token: appToken, code: fields.device_code ?? "" } };
      if (purpose !== "revocation") return undefined;
      // The API accepts the HTTP method as a form field, for clients that can only POST.
      return { fields: { method: "delete", access_token: fields.token ?? "" } };
    },
    response(purpose, members, status) {
      const { code, error } = members;
      if (purpose === "code" && typeof code === "string")
        return { members: { ...members, device_code: code } };
      if (typeof error !== "object" || error === null) return undefined;
      const { code: number, error_subcode: detail, message } = error as Members;
      const name = FACEBOOK_ERRORS[Number(detail)] ?? FACEBOOK_CODES[Number(number)];
      if (name === undefined && status >= 500) return undefined;
      return plainError(name ?? "invalid_request", message);
    },
  };
}

// Trakt: requests are JSON instead of forms, and the status alone names the error of a poll.

/** The error codes for the status of a response to a poll. */
const TRAKT_STATUSES: Readonly<Record<number, string>> = {
  400: "authorization_pending",
  403: "invalid_client",
  // The code is unknown, used or expired. The user needs a new code.
  404: "expired_token",
  409: "expired_token",
  410: "expired_token",
  418: "access_denied",
  429: "slow_down",
};

const TRAKT_REFRESH = "https://api.trakt.tv/oauth/token";
/** The documentation's value for clients without a redirect page. */
const TRAKT_REDIRECT = "urn:ietf:wg:oauth:2.0:oob";

function trakt(client: TranslatedClient): Translation {
  const credentials = { client_id: client.clientId, client_secret: client.clientSecret };
  return {
    request(purpose, fields) {
      switch (purpose) {
        case "code":
          return { json: true, fields: { client_id: client.clientId } };
        case "poll":
          return { json: true, fields: { code: fields.device_code ?? "", ...credentials } };
        case "refresh":
          return {
            url: TRAKT_REFRESH,
            json: true,
            fields: {
              refresh_token: fields.refresh_token ?? "",
              ...credentials,
              redirect_uri: TRAKT_REDIRECT,
              grant_type: "refresh_token",
            },
          };
        default:
          return { json: true, fields: { token: fields.token ?? "", ...credentials } };
      }
    },
    response(purpose, _members, status) {
      const error = purpose === "poll" ? TRAKT_STATUSES[status] : undefined;
      return error === undefined ? undefined : plainError(error);
    },
  };
}

// Zoom: RFC 8628 with three differences. The application determines the scopes, `reason` reports an invalid refresh
// token, and the revocation names the access token.

const zoom = (client: TranslatedClient): Translation => ({
  request(purpose, fields) {
    if (purpose === "code") return { fields: renamed(fields, { scope: undefined }) };
    if (purpose !== "revocation") return undefined;
    const token = client.accessToken();
    if (token === "") return "nothing";
    return { fields: { ...renamed(fields, { token_type_hint: undefined }), token } };
  },
  response(purpose, members, status) {
    const { reason } = members;
    const isDead = purpose === "refresh" && status < 500 && reason === "Invalid Token!";
    return isDead ? plainError("invalid_grant", reason) : undefined;
  },
});

/** The translations by the profile names of servers.json. */
export const TRANSLATIONS: Readonly<Record<string, ServerProfile["translate"]>> = {
  ...{ twitch, amazon, salesforce, yandex, facebook, trakt, zoom },
};
