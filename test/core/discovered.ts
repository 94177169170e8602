// A device that asks for the metadata of an issuer, and what that answers: for tests of what else goes on meanwhile.

import type { Bench } from "./bench.ts";
import { bytesOf } from "./session.ts";

export const ISSUER = "https://a.example";
export const METADATA = {
  device_authorization_endpoint: "https://accounts.b.example/device",
  token_endpoint: "https://accounts.b.example/token",
  issuer: ISSUER,
};
export const discover = (bench: Bench): number => {
  const issuer = bytesOf(ISSUER);
  return bench.core.discover(bench.device, issuer, 0, issuer.length);
};
