// Servers that do not implement RFC 8628, with their translations.

import { HOST, type ServerProfile, STEP, TOKENS, type TranslatedClient } from "./profile.ts";
import { type Members, plainError, renamed, type Translation } from "./translation.ts";

// Twitch: `scopes` instead of `scope`, also in the poll, and `message` contains the error.

/** Meanings of the messages; compared in lower case. */
const TWITCH_ERRORS: Readonly<Record<string, string>> = {
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

const twitch = (client: TranslatedClient): Translation => ({
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
    return plainError(TWITCH_ERRORS[message.toLowerCase()] ?? "invalid_request", message);
  },
});

// Login with Amazon: `grant_type=device_code`, and the poll has the user code instead of the client identifier. The
// core stores one text per code, so its device code contains both.

/** Separates the two; a user code does not contain it. */
const AMAZON_SEPARATOR = ".";

const amazon = (): Translation => ({
  request(purpose, url, fields) {
    if (purpose === "code") return { url, fields: { response_type: "device_code", ...fields } };
    if (purpose !== "poll") return undefined;
    const both = fields.device_code ?? "";
    const at = both.indexOf(AMAZON_SEPARATOR);
    return {
      url,
      fields: {
        grant_type: "device_code",
        user_code: both.slice(0, at),
        device_code: both.slice(at + 1),
      },
    };
  },
  response(purpose, { status, members }) {
    const { user_code: user, device_code: device, error } = members;
    if (purpose === "code" && typeof user === "string" && typeof device === "string") {
      return {
        status,
        members: { ...members, device_code: `${user}${AMAZON_SEPARATOR}${device}` },
      };
    }
    // The pair is invalid or expired: only a new one helps.
    if (error === "invalid_code_pair") return plainError("expired_token");
    return undefined;
  },
});

// Salesforce: one address for codes and tokens; `response_type=device_code` requests a code, and `grant_type=device`
// with `code` polls. Its response has no expires_in.

/** The documentation: an unused code expires after ten minutes. */
const SALESFORCE_CODE_LIFETIME_S = 600;

const salesforce = (): Translation => ({
  request(purpose, url, fields) {
    if (purpose === "code") return { url, fields: { response_type: "device_code", ...fields } };
    if (purpose !== "poll") return undefined;
    return { url, fields: { ...renamed(fields, { device_code: "code" }), grant_type: "device" } };
  },
  response(purpose, { status, members }) {
    if (purpose !== "code" || members.device_code === undefined) return undefined;
    return { status, members: { expires_in: SALESFORCE_CODE_LIFETIME_S, ...members } };
  },
});

// Yandex: `grant_type=device_code` with `code`, and a revocation of the access token.

const yandex = (client: TranslatedClient): Translation => ({
  request(purpose, url, fields) {
    if (purpose === "code") return { url, fields: renamed(fields, { client_secret: undefined }) };
    if (purpose === "poll") {
      return {
        url,
        fields: { ...renamed(fields, { device_code: "code" }), grant_type: "device_code" },
      };
    }
    if (purpose !== "revocation") return undefined;
    const token = client.accessToken();
    if (token === "") return "nothing";
    const { token: _refresh, token_type_hint: _kind, ...others } = fields;
    return { url, fields: { ...others, access_token: token } };
  },
  response: () => undefined,
});

// Facebook: the client authenticates by `access_token`, the device code is called `code`, and errors are numbers in a
// nested object.

/** error_subcode of the documentation. */
const FACEBOOK_ERRORS: Readonly<Record<number, string>> = {
  1349174: "authorization_pending",
  1349172: "slow_down",
  1349152: "expired_token",
};

/** An invalid token (code 190), and an unknown app or client token (101). */
const FACEBOOK_CODES: Readonly<Record<number, string>> = {
  190: "invalid_grant",
  101: "invalid_client",
};

function facebook(client: TranslatedClient): Translation {
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
      const name = FACEBOOK_ERRORS[Number(detail)] ?? FACEBOOK_CODES[Number(number)];
      if (name === undefined && status >= 500) return undefined;
      return plainError(name ?? "invalid_request", message);
    },
  };
}

// Trakt: JSON instead of forms, and the response to a poll is its status alone.

/** By the status of a response to a poll. */
const TRAKT_STATUSES: Readonly<Record<number, string>> = {
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
const TRAKT_REFRESH = "https://api.trakt.tv/oauth/token";
/** The documentation's value for clients without a redirect page. */
const TRAKT_REDIRECT = "urn:ietf:wg:oauth:2.0:oob";

function trakt(client: TranslatedClient): Translation {
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
          return { url, json: true, fields: { token: fields.token ?? "", ...credentials } };
      }
    },
    response(purpose, { status }) {
      const error = purpose === "poll" ? TRAKT_STATUSES[status] : undefined;
      return error === undefined ? undefined : plainError(error);
    },
  };
}

// Zoom: RFC 8628 with three differences. The application determines the scopes, `reason` reports an invalid refresh
// token, and the revocation names the access token.

const zoom = (client: TranslatedClient): Translation => ({
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
});

export const TRANSLATED: readonly ServerProfile[] = [
  {
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
    translate: twitch,
  },
  {
    name: "amazon",
    title: "Login with Amazon",
    parameters: {},
    deviceAuthorization: "https://api.amazon.com/auth/o2/create/codepair",
    token: "https://api.amazon.com/auth/o2/token",
    revocation: "",
    userInfo: { address: "https://api.amazon.com/user/profile" },
    secret: "never",
    withSecret: "none",
    scope: "profile",
    ...TOKENS.signed,
    notes: [
      "Amazon states 2048 bytes as the maximum for each token.",
      "There is no revocation endpoint: signing out only clears the tokens on the device.",
    ],
    translate: amazon,
  },
  {
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
    translate: salesforce,
  },
  {
    name: "yandex",
    title: "Yandex",
    parameters: {},
    deviceAuthorization: "https://oauth.yandex.com/device/code",
    token: "https://oauth.yandex.com/token",
    revocation: "https://oauth.yandex.com/revoke_token",
    userInfo: { address: "https://login.yandex.ru/info", scheme: "OAuth" },
    secret: "required",
    withSecret: "client_secret_post",
    scope: "login:info",
    accessTokenBytes: 256,
    refreshTokenBytes: 256,
    memoryBytes: 5632,
    notes: [
      "Set device_id and device_name as device parameters, so that the user can recognize the device.",
      "This server's APIs require `Authorization: OAuth` in place of `Bearer`.",
    ],
    translate: yandex,
  },
  {
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
    translate: facebook,
  },
  {
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
    translate: trakt,
  },
  {
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
    ...TOKENS.signed,
    notes: [
      "Enable the use of the application on devices in its settings.",
      "Do not request scopes: the application has them.",
      "Signing out revokes the access token, which ends the refresh token too.",
    ],
    translate: zoom,
  },
];
