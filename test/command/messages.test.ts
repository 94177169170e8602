// Tests from which address `picogrant login` requests the user's name, and its messages while it waits.

import { existsSync, readFileSync, writeFileSync } from "node:fs";
import http from "node:http";
import https from "node:https";
import path from "node:path";
import { describe, expect, it, vi } from "vitest";
import { QrCode } from "../../platform/node/qr-code.ts";
import { withQr } from "../../platform/node/sign-in.ts";
import { SERVERS, serverOf } from "../../platform/servers/index.ts";
import { codeLines, waitingText } from "../../targets/command/login/login.ts";
import { requestIdentity, userInfoOf } from "../../targets/command/login/stored-session.ts";
import {
  asClock,
  hasUtf8,
  openOnEnter,
  paintFor,
  showCountdown,
} from "../../targets/command/terminal.ts";
import { makeTlsIdentities } from "../../targets/service/certificates.ts";
import { listening, temporaryFolder } from "../listening.ts";

const request = (server: string, serverParameters: Record<string, string> = {}) =>
  userInfoOf({ server, serverParameters, secret: "none", allowHttp: false }, {});

describe("the user's name is requested from the address in the server's profile", () => {
  it.each([
    ["yandex", { address: "https://login.yandex.ru/info", scheme: "OAuth" }],
    ["discord", { address: "https://discord.com/api/users/@me" }],
    ["trakt", undefined],
    ["", undefined],
  ])("%s", async (server, expected) => {
    expect(await request(server)).toEqual(expected);
  });

  it("a token is never sent to another host: a self-hosted installation gets the request itself", () => {
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

describe("the issuer's metadata contains the userinfo endpoint (OpenID Connect Core 1.0 section 5.3)", () => {
  const { ca, identities } = makeTlsIdentities();

  /** Requests the user's name at an https issuer. `carried`: the Authorization headers at `own`, an http server. */
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

function drawn(columns: number, terminal = "xterm"): string {
  vi.stubEnv("TERM", terminal);
  let written = "";
  const write = (text: string): boolean => {
    written += text;
    return true;
  };
  const stream = { isTTY: true, columns, write } as unknown as NodeJS.WriteStream;
  showCountdown(stream, 1795, waitingText)();
  // Remove the control sequences that clear the line.
  return written.replaceAll("\r\x1b[K", "");
}

it("address and code stay on the screen, below the whole QR code or without one", () => {
  const drawnAt = new Set<string>();
  for (const length of [5, 12, 60, 130]) {
    const verificationUri = `https://${"a".repeat(length)}.example/device`;
    const verificationUriComplete = `${verificationUri}?user_code=WDJB-MJHT`;
    const code = { userCode: "WDJB-MJHT", verificationUri, verificationUriComplete };
    const { qr, ...prompt } = withQr({ ...code, expiresInS: 900 }, QrCode);
    for (const columns of [30, 47, 80, 132])
      for (let rows = 8; rows < 60; rows++) {
        const terminal = { columns, rows, hasQr: true };
        const lines = codeLines({ ...prompt, qr }, terminal, paintFor({}, {}));
        const wrapped = lines.flatMap((line) => line.match(RegExp(`.{1,${columns}}`, "g")) ?? []);
        // The last row of the screen has the waiting message.
        const seen = wrapped.slice(1 - rows).join("");
        expect(seen).toContain(`Open   ${verificationUri}Enter  WDJB-MJHT`);
        const above = seen.split("Open")[0];
        expect(["", `${qr}`.replaceAll("\n", "")]).toContain(above);
        if (above !== "") drawnAt.add(`${length}: ${columns}x${rows}`);
      }
  }
  const OKTA = ["12: 80x23", "12: 80x24"].map((size) => drawnAt.has(size));
  expect(OKTA).toEqual([false, true]);
});

it.each([
  [{ LANG: "en_US.UTF-8" }, true],
  [{ LANG: "C.utf8" }, true],
  [{ LANG: "C" }, false],
  [{ LANG: "de_DE.ISO-8859-1" }, false],
  [{ LC_ALL: "C", LANG: "en_US.UTF-8" }, false],
  [{}, false],
])("blocks are drawn where %j indicates UTF-8: %s", (env, expected) => {
  expect(hasUtf8(env, "linux")).toBe(expected);
});

it("a terminal of any width shows the remaining time", () => {
  for (const columns of [80, 40, 24, 16, 10]) {
    const line = drawn(columns);
    expect(line).toMatch(/^29:5\d/);
    // A line that fills the last column would wrap, and could not be replaced.
    expect(line.length).toBeLessThan(columns);
  }
  expect(asClock(1795)).toBe("29:55");
  // A wide terminal also shows what the user can do.
  expect(drawn(80)).toMatch(/^29:5\d left to allow it, Ctrl-C gives up$/);
  expect(drawn(80, "dumb")).toBe("");
});

it.runIf(process.platform === "linux")("only the Enter key opens the browser", async () => {
  const folder = temporaryFolder();
  const opened = path.join(folder, "opened");
  writeFileSync(path.join(folder, "xdg-open"), `#!/bin/sh\necho "$1" >> ${opened}\n`, {
    mode: 0o755,
  });
  vi.stubEnv("PATH", folder);
  const stop = openOnEnter("https://login.example/device");
  for (const typed of ["n\n", " ", "\n"]) process.stdin.emit("data", Buffer.from(typed));
  stop();
  await vi.waitUntil(() => existsSync(opened) && readFileSync(opened, "utf8").endsWith("\n"));
  expect(readFileSync(opened, "utf8")).toBe("https://login.example/device\n");
  vi.unstubAllEnvs();
});
