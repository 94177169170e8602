// Which server `picogrant login` requests the user's name from.

import http from "node:http";
import https from "node:https";
import { describe, expect, it, vi } from "vitest";
import { SERVERS, serverOf } from "../../platform/servers/index.ts";
import { makeTlsIdentities } from "../../targets/command/certificates.ts";
import { waitingText } from "../../targets/command/login/login.ts";
import { requestIdentity, userInfoOf } from "../../targets/command/login/stored-session.ts";
import { asClock, CountdownLine } from "../../targets/command/terminal.ts";
import { listening } from "../listening.ts";

const request = (server: string, serverParameters: Record<string, string> = {}) =>
  userInfoOf({ server, serverParameters, secret: "none", allowHttp: false }, {});

describe("the name of the user is requested from the address in the server's profile", () => {
  it.each([
    ["yandex", { address: "https://login.yandex.ru/info", scheme: "OAuth" }],
    ["discord", { address: "https://discord.com/api/users/@me" }],
    ["trakt", undefined],
    ["", undefined],
  ])("%s", async (server, expected) => {
    expect(await request(server)).toEqual(expected);
  });

  it("another host's token is never sent there: a self-hosted installation is requested itself", async () => {
    expect((await request("github"))?.address).toBe("https://api.github.com/user");
    expect((await request("github", { host: "octo.ghe.com" }))?.address).toBe(
      "https://api.octo.ghe.com/user",
    );
    // GitHub Enterprise Server has its API below its own host; api.HOST may be another machine.
    expect((await request("github", { host: "git.example.com:8443" }))?.address).toBe(
      "https://git.example.com:8443/api/v3/user",
    );
    for (const { name, parameters } of SERVERS.filter((profile) => profile.userInfo)) {
      const host = ["host", "domain"].find((word) => Object.hasOwn(parameters, word));
      if (host === undefined) continue;
      const words = Object.fromEntries(
        Object.keys(parameters).map((word) => [word, "own.example"]),
      );
      const { userInfo } = serverOf(name, words, true);
      expect([name, new URL(userInfo!.address).hostname]).toEqual([name, "own.example"]);
    }
  });
});

describe("an issuer's metadata name the userinfo endpoint (OpenID Connect Core 1.0 section 5.3)", () => {
  const { ca, identities } = makeTlsIdentities();

  /**
   * Uses an https issuer that names `userInfo`; returns the response, and what arrived unencrypted at the device's own
   * port.
   */
  async function requestIssuer(userInfo: (ports: { own: number; issuer: number }) => string) {
    const carried: (string | undefined)[] = [];
    const own = http.createServer(({ headers }, response) => {
      carried.push(headers.authorization);
      response.end('{"name":"the device itself"}');
    });
    const ports = { own: await listening(own), issuer: 0 };
    const issuer = https.createServer(identities.trusted, ({ url }, response) => {
      const name = `https://localhost:${ports.issuer}`;
      const metadata = { issuer: name, userinfo_endpoint: userInfo(ports) };
      response.end(JSON.stringify(url === "/who" ? { name: "Ada" } : metadata));
    });
    ports.issuer = await listening(issuer);
    const server = `https://localhost:${ports.issuer}`;
    const login = { server, serverParameters: {}, secret: "none", allowHttp: false } as const;
    return { who: await requestIdentity(login, "token", { ca }), carried };
  }

  it("a server elsewhere does not send the token to the device's own ports unencrypted", async () => {
    for (const host of ["127.0.0.1", "localhost"]) {
      const requested = await requestIssuer(({ own }) => `http://${host}:${own}/who`);
      expect(requested).toEqual({ who: "", carried: [] });
    }
  });

  it("a userinfo endpoint over TLS is used", async () => {
    const requested = await requestIssuer(({ issuer }) => `https://localhost:${issuer}/who`);
    expect(requested).toEqual({ who: "Ada", carried: [] });
  });
});

// The terminal output of `picogrant login` while it waits.

function drawn(columns: number, terminal = "xterm"): string {
  vi.stubEnv("TERM", terminal);
  let written = "";
  const write = (text: string): boolean => {
    written += text;
    return true;
  };
  const stream = { isTTY: true, columns, write } as unknown as NodeJS.WriteStream;
  new CountdownLine(stream, 1795, waitingText).stop();
  // Without the control sequences that clear the line.
  return written.replaceAll("\r\x1b[K", "");
}

it("the remaining time is visible in a terminal of any width", () => {
  for (const columns of [80, 40, 24, 16, 10]) {
    const line = drawn(columns);
    expect(line).toMatch(/^29:5\d/);
    // A line that fills the last column would wrap, and stay.
    expect(line.length).toBeLessThan(columns);
  }
  expect(asClock(1795)).toBe("29:55");
  // A wide terminal also shows what to do.
  expect(drawn(80)).toMatch(/^29:5\d left to allow it, Ctrl-C gives up$/);
  expect(drawn(80, "dumb")).toBe("");
});
