// Any server: Authlib's, which much of what is written in Python stands on, taken through the life of the others.

import { afterAll, afterEach, beforeAll, beforeEach, describe, test, vi } from "vitest";
import { AUTHLIB_PARTS, startAuthlib } from "./authlib-server.ts";
import { METHODS } from "./foreign-server.ts";
import { SharedTime } from "./peer-device.ts";
import { isMissing } from "./programs.ts";
import { HAPPENINGS, play } from "./scenarios.ts";

describe.skipIf(AUTHLIB_PARTS.some(isMissing))("Authlib's authorization server", () => {
  let server: Awaited<ReturnType<typeof startAuthlib>>;
  let time: SharedTime;
  beforeAll(async () => {
    server = await startAuthlib();
  });
  afterAll(() => server.close());
  beforeEach(() => {
    // Only the date: sockets need the real timers.
    vi.useFakeTimers({ toFake: ["Date"] });
    time = new SharedTime((ms) => {
      vi.setSystemTime(ms);
      server.setTime(ms);
    });
    time.tell();
  });
  afterEach(() => vi.useRealTimers());

  describe.each(METHODS)("%s", (method) => {
    test.each(HAPPENINGS)("RFC 8628, RFC 6749, RFC 7009: %s", async (happening) => {
      await play(server, method, happening, time);
    });
  });
});
