// Whom `picogrant login` asks for the name of the person who has signed in.

import { execFile } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import http from "node:http";
import https from "node:https";
import { tmpdir } from "node:os";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { SERVERS, serverOf } from "../../platform/servers/index.ts";
import { SignInError, type SignInErrorCode } from "../../platform/session/sign-in-error.ts";
import { makeTlsIdentities } from "../../targets/command/certificates.ts";
import { askWho, userInfoOf } from "../../targets/command/login/kept-session.ts";
import { waitingText } from "../../targets/command/login/login.ts";
import { WrongAddress } from "../../targets/command/login/open.ts";
import { asClock, CountdownLine } from "../../targets/command/terminal.ts";
import { isFullRun } from "../full-run.ts";
import { listening } from "../listening.ts";
import { PATIENCE_MS } from "../patience.ts";
import { bundledProgram } from "../program.ts";
import { scripted } from "../world/real-world.ts";

const ask = (server: string, serverParameters: Record<string, string> = {}) =>
  userInfoOf({ server, serverParameters, secret: "none", allowHttp: false }, {});

describe("who has signed in is asked where the server's profile says", () => {
  it.each([
    ["yandex", { address: "https://login.yandex.ru/info", scheme: "OAuth" }],
    ["discord", { address: "https://discord.com/api/users/@me" }],
    ["trakt", undefined],
    ["", undefined],
  ])("%s", async (server, expected) => {
    expect(await ask(server)).toEqual(expected);
  });

  it("never with another host's token: an installation of one's own is asked itself", async () => {
    expect((await ask("github"))?.address).toBe("https://api.github.com/user");
    expect((await ask("github", { host: "octo.ghe.com" }))?.address).toBe(
      "https://api.octo.ghe.com/user",
    );
    // GitHub Enterprise Server has its API below its own host; api.HOST may be another machine.
    expect((await ask("github", { host: "git.example.com:8443" }))?.address).toBe(
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

describe("an issuer's metadata name whom to ask (OpenID Connect Core 1.0 section 5.3)", () => {
  const { ca, identities } = makeTlsIdentities();

  /** Asks an https issuer that names `userInfo`; gives the answer and what came to the device's own port in clear. */
  async function askIssuer(userInfo: (ports: { own: number; issuer: number }) => string) {
    const carried: (string | undefined)[] = [];
    const own = http.createServer(({ headers }, answer) => {
      carried.push(headers.authorization);
      answer.end('{"name":"the device itself"}');
    });
    const ports = { own: await listening(own), issuer: 0 };
    const issuer = https.createServer(identities.trusted, ({ url }, answer) => {
      const name = `https://localhost:${ports.issuer}`;
      const metadata = { issuer: name, userinfo_endpoint: userInfo(ports) };
      answer.end(JSON.stringify(url === "/who" ? { name: "Ada" } : metadata));
    });
    ports.issuer = await listening(issuer);
    const server = `https://localhost:${ports.issuer}`;
    const login = { server, serverParameters: {}, secret: "none", allowHttp: false } as const;
    return { who: await askWho(login, "token", { ca }), carried };
  }

  it("a server elsewhere does not send the token to the device's own ports, in clear", async () => {
    for (const host of ["127.0.0.1", "localhost"]) {
      const asked = await askIssuer(({ own }) => `http://${host}:${own}/who`);
      expect(asked).toEqual({ who: "", carried: [] });
    }
  });

  it("and is asked where it says, over TLS", async () => {
    const asked = await askIssuer(({ issuer }) => `https://localhost:${issuer}/who`);
    expect(asked).toEqual({ who: "Ada", carried: [] });
  });
});

// `picogrant login` at an address where no authorization server is: it ends with an error that says so, and does not try
// for ever. What is tried again by itself (RFC 8628 §3.5) is not that.

/** What `picogrant login` makes of a server that answers every request for a code like this. */
async function loginAt(body: string) {
  const state = mkdtempSync(path.join(tmpdir(), "picogrant-"));
  const { origin } = await scripted(({ path }) => {
    const device_authorization_endpoint = `${origin}/code`;
    const metadata = { issuer: origin, device_authorization_endpoint };
    const isMetadata = path.startsWith("/.well-known/");
    return { body: isMetadata ? { ...metadata, token_endpoint: `${origin}/token` } : body };
  });
  const words = ["login", "--server", origin, "--client-id", "c"];
  const args = [await bundledProgram("targets/command/main.ts"), ...words];
  try {
    return await new Promise<{ code: number; stderr: string }>((resolve) => {
      const limits = ["--timeout", "60", "--state", state];
      execFile(process.execPath, [...args, ...limits], (error, _, stderr) => {
        resolve({ code: error ? Number(error.code) : 0, stderr });
      });
    });
  } finally {
    rmSync(state, { recursive: true, force: true });
  }
}

it.runIf(isFullRun)(
  "a page where a code is asked for: ends within seconds, and says which address it is",
  async () => {
    const { code, stderr } = await loginAt("<!doctype html><title>Welcome</title>");
    expect(code).toBe(1);
    const last = stderr.trim().split("\n").at(-1);
    expect(last).toMatch(/\/code answers with .*, again and again: check the server's address/);
  },
  PATIENCE_MS,
);

describe("what counts", () => {
  const trouble = (
    code: SignInErrorCode,
    status: number,
    error = "",
    failure = "",
    lacks = "",
  ): SignInError =>
    new SignInError(code, "nobody", "", {
      lacks,
      answer: { url: "https://x.test/code", status, error, errorDescription: "", failure },
    });
  const page = trouble("malformed_response", 200);
  const notFound = trouble("unavailable", 404);
  const lacking = trouble("malformed_response", 200, "", "", "verification_uri");
  const busy = trouble("unavailable", 503);
  const silence = trouble("unreachable", 0, "", "not reachable");
  const named = trouble("unknown_error", 404, "not_yet");
  const full = new SignInError("not_saved", "user", "");

  it.each<[string, SignInError[], boolean]>([
    ["four pages", [page, page, page, page], true],
    ["three", [page, page, page], false],
    ["pages and 404s", [page, notFound, notFound, page], true],
    ["a server that is busy in between", [page, page, page, busy, page], false],
    ["a network that is away in between", [page, page, silence, page, page], true],
    ["trouble of another kind in between", [page, page, full, page, page], true],
    ["404 with a name, which the core knows what to do with", Array(9).fill(named), false],
    [
      "answers that lack a member, which the core gives up and names",
      Array(9).fill(lacking),
      false,
    ],
    ["a server that is busy for long", Array(20).fill(busy), false],
  ])("%s", (_, troubles, isWrong) => {
    const ends: string[] = [];
    const address = new WrongAddress(({ code }) => ends.push(code));
    for (const one of troubles) address.look(one);
    expect(ends).toEqual(isWrong ? ["useless_answers"] : []);
  });
});

// What `picogrant login` writes into a terminal while it waits.

function drawn(columns: number): string {
  let written = "";
  const write = (text: string): boolean => {
    written += text;
    return true;
  };
  const stream = { isTTY: true, columns, write } as unknown as NodeJS.WriteStream;
  new CountdownLine(stream, 1795, waitingText).stop();
  // Without the control sequences that take the old line away.
  return written.replaceAll("\r\x1b[K", "");
}

it("the time that is left is seen in a terminal of any width", () => {
  for (const columns of [80, 40, 24, 16, 10]) {
    const line = drawn(columns);
    expect(line).toMatch(/^29:5\d/);
    // A line that fills the last column would be broken there, and stay.
    expect(line.length).toBeLessThan(columns);
  }
  expect(asClock(1795)).toBe("29:55");
});

it("where there is room it says what to do", () => {
  expect(drawn(80)).toMatch(/^29:5\d left to allow it, Ctrl-C gives up$/);
});
