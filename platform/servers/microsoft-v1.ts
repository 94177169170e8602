// Azure AD v1.0: `grant_type=device_code` with `code`, a resource instead of scopes, and numbers as texts.

import { type ServerProfile, STEP, type TranslatedClient } from "./profile.ts";
import { type Members, plainError, renamed, type Translation } from "./translation.ts";

function translation(_client: TranslatedClient): Translation {
  return {
    request(purpose, url, fields) {
      if (purpose === "code") return { url, fields: renamed(fields, { scope: undefined }) };
      if (purpose !== "poll") return undefined;
      return {
        url,
        fields: { ...renamed(fields, { device_code: "code" }), grant_type: "device_code" },
      };
    },
    answer(_purpose, { status, members, isObject }) {
      if (!isObject) return undefined;
      if (members.error === "code_expired") return plainError("expired_token");
      const plain: Members = { ...members };
      for (const name of ["expires_in", "interval"]) {
        if (typeof members[name] === "string") plain[name] = Number(members[name]);
      }
      return { status, members: plain };
    },
  };
}

export const microsoftV1: ServerProfile = {
  name: "microsoft-v1",
  title: "Microsoft Azure AD (v1.0)",
  parameters: {
    tenant: {
      description: "the directory: its identifier or domain, or common",
      default: "common",
      pattern: STEP,
    },
    resource: {
      description: "the identifier of the API that the token is for",
      default: "https://graph.windows.net",
      pattern: /^[!-~]{1,256}$/,
    },
  },
  deviceAuthorization: "https://login.microsoftonline.com/{tenant}/oauth2/devicecode",
  token: "https://login.microsoftonline.com/{tenant}/oauth2/token",
  revocation: "",
  secret: "never",
  withSecret: "none",
  scope: "openid",
  deviceParameters: { resource: "{resource}" },
  tokenParameters: { resource: "{resource}" },
  accessTokenBytes: 3072,
  refreshTokenBytes: 2048,
  memoryBytes: 18_432,
  notes: [
    "Retired by Microsoft for new applications; use microsoft where you can.",
    "There is no revocation endpoint: signing out forgets the tokens.",
  ],
  translate: translation,
};
