// Yandex: `grant_type=device_code` with `code`, and a revocation of the access token.

import type { ServerProfile, TranslatedClient } from "./profile.ts";
import { renamed, type Translation } from "./translation.ts";

function translation(client: TranslatedClient): Translation {
  return {
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
      return {
        url,
        fields: {
          ...renamed(fields, { token: undefined, token_type_hint: undefined }),
          access_token: token,
        },
      };
    },
    response: () => undefined,
  };
}

export const yandex: ServerProfile = {
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
  translate: translation,
};
