// The grant as a session drives it. By its names: a bundler then leaves out what programs have no use for.

import {
  accessTokenRefused,
  cancel,
  configError,
  create,
  outcome,
  release,
  responseBody,
  responseEnd,
  responseFailed,
  responseStart,
  setEndpoints,
  signIn,
  signOut,
  storageDone,
  tick,
  wakeIn,
} from "../../core/index.ts";
import type { Core } from "../driver.ts";

export const core: Core = {
  ...{ create, configError, release, tick, wakeIn, setEndpoints, storageDone },
  ...{ responseStart, responseBody, responseEnd, responseFailed, outcome },
  ...{ signIn, cancel, signOut, accessTokenRefused },
};
