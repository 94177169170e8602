import type { ServerProfile } from "./profile.ts";

export const spotify: ServerProfile = {
  name: "spotify",
  title: "Spotify",
  documentation: "https://developer.spotify.com/documentation/commercial-hardware",
  source: "clients",
  parameters: {},
  deviceAuthorization: "https://accounts.spotify.com/oauth2/device/authorize",
  token: "https://accounts.spotify.com/api/token",
  revocation: "",
  userInfo: { address: "https://api.spotify.com/v1/me" },
  secret: "optional",
  withSecret: "client_secret_basic",
  scope: "streaming",
  accessTokenBytes: 512,
  refreshTokenBytes: 256,
  memoryBytes: 5632,
  notes: [
    "The grant is open to partners for commercial hardware only.",
    "There is no revocation endpoint: signing out forgets the tokens.",
  ],
};
