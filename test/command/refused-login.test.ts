// SPEC.md, Errors: a refusal that the maker can mend costs no session, and a person has a way out of it at any time:
// here by the commands, each in its own process, against a server that refuses every refresh.

import { execFile } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { isWhole } from "../whole.ts";

const main = path.resolve("targets/command/main.ts");
let server: Server;
let state: string;
/** What each request was, in the order in which they came. */
let seen: string[];
/** What a refresh is answered with; the access token is over at once. */
let refresh: [status: number, body: object];

beforeEach(async () => {
  seen = [];
  refresh = [400, { error: "quota-7" }];
  state = mkdtempSync(path.join(tmpdir(), "picogrant-"));
  server = createServer((request, response) => {
    let body = "";
    request.on("data", (piece: Buffer) => {
      body += piece.toString();
    });
    request.on("end", () => {
      const [status, members] = answerTo(request.url ?? "", new URLSearchParams(body));
      response.writeHead(status, { "content-type": "application/json" });
      response.end(JSON.stringify(members));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
});

afterEach(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  rmSync(state, { recursive: true, force: true });
});

const origin = (): string => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

function answerTo(url: string, form: URLSearchParams): [number, object] {
  if (url.startsWith("/.well-known/")) {
    const { issuer } = { issuer: origin() };
    return [
      200,
      {
        issuer,
        device_authorization_endpoint: `${issuer}/code`,
        token_endpoint: `${issuer}/token`,
        revocation_endpoint: `${issuer}/revoke`,
      },
    ];
  }
  seen.push(form.get("grant_type") === "refresh_token" ? "/refresh" : url);
  if (url === "/code") {
    const verification_uri = `${origin()}/device`;
    return [
      200,
      { device_code: "d", user_code: "ABCD", verification_uri, interval: 1, expires_in: 300 },
    ];
  }
  if (url === "/revoke") return [200, {}];
  if (form.get("grant_type") === "refresh_token") return refresh;
  return [200, { access_token: "a", token_type: "Bearer", refresh_token: "r", expires_in: 1 }];
}

interface Ended {
  code: number;
  stdout: string;
  stderr: string;
}

function picogrant(...words: string[]): Promise<Ended> {
  return new Promise((resolve) => {
    const args = ["--import", "tsx", main, ...words, "--state", state];
    execFile(process.execPath, args, (error, stdout, stderr) => {
      resolve({ code: error ? Number(error.code) : 0, stdout, stderr });
    });
  });
}

const login = (...words: string[]): Promise<Ended> =>
  picogrant("login", "--server", origin(), "--client-id", "c", ...words);

const REFUSALS: [number, object][] = [
  [400, { error: "quota-7" }],
  [401, { error: "invalid_client" }],
];

it.each(isWhole ? REFUSALS : REFUSALS.slice(0, 1))(
  "where a refresh is answered %i %j the login is kept, and said to be refused; every way out works",
  async (...answer) => {
    refresh = answer;
    expect((await login()).code).toBe(0);
    const refused = await login();
    expect(refused.code).toBe(1);
    expect(refused.stderr).toContain("login --again");
    expect(refused.stderr).toContain((answer[1] as { error: string }).error);
    seen.length = 0;
    // Signs out, and in anew.
    expect((await login("--again")).code).toBe(0);
    expect(seen.filter((what) => what !== "/refresh")).toEqual(["/revoke", "/code", "/token"]);
    seen.length = 0;
    const out = await picogrant("logout");
    expect(out).toMatchObject({ code: 0 });
    expect(seen).toContain("/revoke");
    expect((await picogrant("logout")).code).not.toBe(0);
    // And without the server.
    expect((await login()).code).toBe(0);
    seen.length = 0;
    expect((await picogrant("logout", "--local")).code).toBe(0);
    expect(seen).toEqual([]);
    expect((await login()).code).toBe(0);
    expect(seen).toContain("/code");
  },
);
