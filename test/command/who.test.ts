// Whom `picogrant login` asks for the name of the person who has signed in.

import { describe, expect, it } from "vitest";
import { SERVERS, serverOf } from "../../platform/servers/index.ts";
import { userInfoOf } from "../../targets/command/login/who.ts";

const ask = (server: string, serverParameters: Record<string, string> = {}) =>
  userInfoOf({ server, serverParameters, secret: "none", allowHttp: false }, {});

describe("who has signed in is asked where the server's profile says", () => {
  it("with the scheme that the server wants", async () => {
    expect(await ask("yandex")).toEqual({
      address: "https://login.yandex.ru/info",
      scheme: "OAuth",
    });
    expect(await ask("discord")).toEqual({ address: "https://discord.com/api/users/@me" });
  });

  it("with the customer's words in the address", async () => {
    const keycloak = await ask("keycloak", { host: "sso.example.com", realm: "home" });
    expect(keycloak?.address).toBe(
      "https://sso.example.com/realms/home/protocol/openid-connect/userinfo",
    );
    expect((await ask("gitlab"))?.address).toBe("https://gitlab.com/api/v4/user");
  });

  it("never with another host's token: an installation of one's own is asked itself", async () => {
    expect((await ask("github"))?.address).toBe("https://api.github.com/user");
    expect((await ask("github", { host: "octo.ghe.com" }))?.address).toBe(
      "https://api.octo.ghe.com/user",
    );
    for (const { name, parameters } of SERVERS.filter((profile) => profile.userInfo)) {
      const host = ["host", "domain"].find((word) => Object.hasOwn(parameters, word));
      if (host === undefined) continue;
      const words = Object.fromEntries(
        Object.keys(parameters).map((word) => [word, "own.example"]),
      );
      const { userInfo } = serverOf(name, words, true);
      expect([name, new URL(userInfo!.address).hostname.endsWith("own.example")]).toEqual([
        name,
        true,
      ]);
    }
  });

  it("nobody where that is not known", async () => {
    expect(await ask("trakt")).toBeUndefined();
    expect(await ask("")).toBeUndefined();
  });
});
