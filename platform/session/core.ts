// The grant as a session uses it. Named exports, so that bundlers drop what programs do not use.

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
