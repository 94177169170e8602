// A device on your adapters. Fill in your server's addresses and your client's settings, then run `node device.mjs`. The
// page "Configuration" lists all settings, and "Sizing" the memory for long tokens.

import * as core from "picogrant/core";
import { Driver, noEndpoints } from "picogrant/driver";
import { makeDisplay, makeEntropy, makeHttp, makeStorage, makeTimers } from "./adapters.mjs";

const server = process.env.SERVER ?? "https://auth.example.com";

const driver = new Driver({
  core,
  platform: {
    http: makeHttp({ timeLimitMs: 30_000, sizeLimitBytes: 65_536 }),
    timers: makeTimers(),
    storage: makeStorage(),
    display: makeDisplay(),
    entropy: makeEntropy(),
  },
  endpoints: {
    ...noEndpoints,
    deviceAuthorization: `${server}/device/code`,
    token: `${server}/token`,
    revocation: `${server}/revoke`,
  },
  config: {
    clientId: process.env.CLIENT_ID ?? "your client identifier",
    clientSecret: process.env.CLIENT_SECRET ?? "",
    clientAuthentication: core.ClientAuthentication.CLIENT_SECRET_POST,
    scope: process.env.SCOPE ?? "email",
    deviceParameters: "",
    tokenParameters: "",
    autoStart: 1,
    renewalsMax: 3,
    messages: "",
  },
  memoryBytes: 4096,
});
driver.start();
