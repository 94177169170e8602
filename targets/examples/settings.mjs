// The settings of three examples, from environment variables. The defaults fit the simulated service.

import { ClientAuthentication } from "picogrant/core";

const { env } = process;
export const server = env.SERVER ?? "http://127.0.0.1:8080";
export const clientId = env.CLIENT_ID ?? "living-room-tv";
export const clientSecret = env.CLIENT_SECRET ?? "tv-secret";
export const scope = env.SCOPE ?? "email";
export const state = env.STATE ?? "state";

export const endpoints = {
  deviceAuthorization: `${server}/device/code`,
  token: `${server}/token`,
  revocation: `${server}/revoke`,
};

/** The device's configuration. The driver adds values that its platform provides. */
export const config = {
  clientId,
  clientSecret,
  clientAuthentication: ClientAuthentication.CLIENT_SECRET_POST,
  scope,
  deviceParameters: "",
  tokenParameters: "",
  autoStart: 1,
  renewalsMax: 3,
  messages: "",
};
