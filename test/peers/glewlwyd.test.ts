// Any server: Glewlwyd, written in C, taken through the life of the others. Nobody can decline there.

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { METHODS } from "./foreign-server.ts";
import { GLEWLWYD_PARTS, startGlewlwyd } from "./glewlwyd-server.ts";
import { SharedTime } from "./peer-device.ts";
import { isMissing } from "./programs.ts";
import { HAPPENINGS, play } from "./scenarios.ts";

describe.skipIf(GLEWLWYD_PARTS.some(isMissing))("Glewlwyd's authorization server", () => {
  let server: Awaited<ReturnType<typeof startGlewlwyd>>;
  let time: SharedTime;
  beforeAll(async () => {
    server = await startGlewlwyd();
  });
  afterAll(() => server?.close());
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
    test.each(HAPPENINGS.filter((happening) => happening !== "denial"))(
      "RFC 8628, RFC 6749, RFC 7009: %s",
      async (happening) => {
        const played = play(server, method, happening, time);
        // RFC 7009 §2.1 has public clients revoke as well. Here they are answered 401: asked four times, and let be.
        const isRefused = method === "none" && happening === "sign-out";
        if (isRefused) await expect(played).rejects.toThrow("4 requests were needed");
        else await played;
      },
    );
  });
});
