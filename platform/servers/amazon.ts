// Login with Amazon: `grant_type=device_code`, and the poll has the user code instead of the client identifier. The
// core stores one text per code, so its device code contains both.

import type { ServerProfile, TranslatedClient } from "./profile.ts";
import { plainError, type Translation } from "./translation.ts";

/** Separates the two; a user code does not contain it. */
const BETWEEN = ".";

function translation(_client: TranslatedClient): Translation {
  return {
    request(purpose, url, fields) {
      if (purpose === "code") return { url, fields: { response_type: "device_code", ...fields } };
      if (purpose !== "poll") return undefined;
      const both = fields.device_code ?? "";
      const at = both.indexOf(BETWEEN);
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
        return { status, members: { ...members, device_code: `${user}${BETWEEN}${device}` } };
      }
      // The pair is invalid or expired: only a new one helps.
      if (error === "invalid_code_pair") return plainError("expired_token");
      return undefined;
    },
  };
}

export const amazon: ServerProfile = {
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
  accessTokenBytes: 2048,
  refreshTokenBytes: 2048,
  memoryBytes: 18_432,
  notes: [
    "Amazon states 2048 bytes as the maximum for each token.",
    "There is no revocation endpoint: signing out only clears the tokens on the device.",
  ],
  translate: translation,
};
