// Answers out of the ordinary, met by the host in C, and what it says of them to whoever looks after the device. Step-up
// (RFC 9470): an API that takes the token and wants another sign-in is no reason to refresh, and what it wants is told.

import { expect, it } from "vitest";
import { programOf } from "../../targets/workbench/host/build.ts";
import { HostProcess } from "./host-process.ts";
import { opened, type World } from "./host-world.ts";

const ACR = "urn:picogrant:acr:two-factor";
const API = "/video/v3/liveBroadcasts";

async function signedIn(world: World, host: HostProcess): Promise<void> {
  await host.state("PENDING");
  expect(world.service.approve(world.pendingCode, "ada")).toBe("granted");
  await host.state("SIGNED_IN");
}

it.each(["release", "sanitize", "duktape"] as const)(
  "RFC 9470, %s: no token is refreshed for it, and a new sign-in carries it",
  async (build) => {
    const world = await opened("http", { stepUp: { acr: ACR, maxAge: 300 } });
    let host = new HostProcess([programOf(build), "--config", world.configure()]);
    await signedIn(world, host);
    const asked = world.answers("/token").length;
    host.press("a");
    await host.until("the answer", () => host.messages.includes("api: status"));
    expect(host.messages).toContain("api: status 403");
    expect(host.messages).toMatch(
      /^api: it wants another sign-in: Bearer .*insufficient_user_authentication.*two-factor/m,
    );
    expect(world.answers(API)).toEqual([401]);
    expect(world.answers("/token")).toHaveLength(asked);
    host.press("o");
    await host.state("SIGNED_OUT");
    expect(await host.quit()).toBe(0);

    const deviceParameters = { acr_values: ACR, max_age: "300" };
    const config = world.configure({ deviceParameters });
    host = new HostProcess([programOf(build), "--config", config]);
    await signedIn(world, host);
    host.press("a");
    await host.until("the answer", () => host.messages.includes("api: status"));
    expect(host.messages).toContain("api: status 200");
    expect(host.messages).not.toContain("another sign-in");
    expect(await host.quit()).toBe(0);
  },
);

it("RFC 8628 §3.2: an answer that lacks a member is given up, and the member is named", async () => {
  const world = await opened("http", { provoke: { code: "id-token-alone" } });
  const host = new HostProcess([programOf("release"), "--config", world.configure()]);
  await host.state("FAILED");
  expect(host.messages).toContain("(USELESS_ANSWERS)");
  expect(host.messages).toContain("there is no device_code in the answer that can be used");
  expect(await host.quit()).toBe(0);
});

it("RFC 8628 §3.5: three codes that nobody knows are the maker's, and a key asks for another", async () => {
  const world = await opened("http", { provoke: { poll: "invalid_grant" } });
  const host = new HostProcess([programOf("release"), "--config", world.configure()]);
  await host.state("FAILED");
  expect(host.messages).toContain("(USELESS_ANSWERS)");
  expect(world.answers("/device/code")).toEqual([200, 200, 200]);
  world.service.setOptions({ provoke: {} });
  host.press("s");
  await host.until("another code", () => world.answers("/device/code").length === 4);
  expect(await host.quit()).toBe(0);
});
