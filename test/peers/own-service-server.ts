// The project's own service behind a real socket, as a server among the others.

import { createService, nodeEnvironment, serve } from "../../targets/service/index.ts";
import { FIXTURE, VIDEO_READONLY } from "../service/harness.ts";
import type { ForeignServer } from "./foreign-server.ts";

const CODE_LIFE_S = 120;
const ACCESS_LIFE_S = 900;

export async function startOwnService(): Promise<ForeignServer> {
  const service = createService({
    ...nodeEnvironment(),
    // Read at each call: the scenarios move the date.
    now: () => Date.now(),
    fixture: FIXTURE,
    options: {
      refreshTokenRotation: true,
      codeLifetime: CODE_LIFE_S,
      accessTokenLifetime: ACCESS_LIFE_S,
    },
  });
  const server = await serve(service);
  const decided = async (outcome: string): Promise<void> => {
    if (outcome !== "granted" && outcome !== "access_denied")
      throw new Error(`the service: ${outcome}`);
  };
  const television = { id: "living-room-tv", secret: "tv-secret" };
  return {
    name: "the service of this project",
    issuer: server.url,
    clients: {
      none: { id: "public-printer", secret: "" },
      client_secret_post: television,
      client_secret_basic: television,
    },
    scope: VIDEO_READONLY,
    codeLifeS: CODE_LIFE_S,
    accessLifeS: ACCESS_LIFE_S,
    approve: (_, userCode) => decided(service.approve(userCode, "ada")),
    deny: (_, userCode) => decided(service.deny(userCode)),
    close: () => server.close(),
  };
}
