// Proof Key for Code Exchange (RFC 7636) on the host in C, at the simulated service, which checks each verifier.

import { describe, expect, it } from "vitest";
import { programOf } from "../../targets/workbench/host/build.ts";
import { HostProcess, STRICT } from "./host-process.ts";
import { opened, type World } from "./host-world.ts";

/** The default of 4096 bytes has none for challenges in the complete core. */
const ROOM = { limits: { memoryBytes: 6144 } };

const serviceWith = (pkce: "required" | "optional"): Promise<World> => opened("http", {}, { pkce });

describe("RFC 7636 on the host in C", () => {
  it.each([
    ["set, as released", "release", { pkce: "S256" }, [200]],
    ["set, under the sanitizers", "sanitize", { pkce: "S256" }, [200]],
    ["set, on Duktape", "duktape", { pkce: "S256" }, [200]],
    ["not set: the refusal names it, and the device asks once more", "release", {}, [400, 200]],
  ] as const)(
    "a code is proved, over a loss of power as well: %s",
    async (_, build, said, codes) => {
      const service = await serviceWith("required");
      const command = [programOf(build), "--config", service.configure({ ...ROOM, ...said })];
      let host = new HostProcess(command, STRICT);
      await host.state("PENDING");
      expect(service.answers("/device/code")).toEqual(codes);
      await host.kill("SIGKILL");
      host = new HostProcess(command, STRICT);
      await host.state("PENDING");
      expect(service.service.approve(service.pendingCode, "ada")).toBe("granted");
      await host.state("SIGNED_IN");
      expect(service.answers("/device/code")).toEqual(codes);
      expect(await host.quit()).toBe(0);
    },
  );

  it("never unasked: a service that takes a proof and does not demand it gets none", async () => {
    const service = await serviceWith("optional");
    const host = new HostProcess([programOf("release"), "--config", service.configure()]);
    await host.state("PENDING");
    // A challenge that came would be held against a verifier: of this code there is none.
    expect(JSON.stringify(service.service.snapshot())).not.toContain("challenge");
    expect(service.service.approve(service.pendingCode, "ada")).toBe("granted");
    await host.state("SIGNED_IN");
    expect(await host.quit()).toBe(0);
  });

  it.each([["plain"], ["s256"], [""], [7], [true], [null]])(
    "pkce %j is refused in one line",
    async (pkce) => {
      const service = await serviceWith("optional");
      const host = new HostProcess([programOf("release"), "--config", service.configure({ pkce })]);
      expect(await host.exit()).toBe(2);
      expect(host.messages).toContain("pkce is not S256");
    },
  );
});
