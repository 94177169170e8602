// `picogrant login` at servers that want more than RFC 8628: a code challenge with each code (RFC 7636), JSON in place of
// forms; said on the command line, or found out by a refusal.

import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, expect, it } from "vitest";
import simulatedWorld from "../../targets/service/fixture.json" with { type: "json" };
import { startSimulatedService } from "../../targets/service/simulated-service.ts";
import { isFullRun } from "../full-run.ts";
import { listening } from "../listening.ts";
import { bundledProgram } from "../program.ts";

const main = await bundledProgram("targets/command/main.ts");
const PUBLIC = "public-printer";
let ended: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ended.splice(0)) await end();
});

function picogrant(...words: string[]): Promise<{ code: number; stderr: string }> {
  return new Promise((resolve) => {
    execFile(process.execPath, [main, ...words], (error, _out, stderr) => {
      resolve({ code: error ? Number(error.code) : 0, stderr });
    });
  });
}

const CASES: [string, string[], object, number[]][] = [
  ["a challenge that is said", ["--pkce", "S256"], { pkce: "required" }, [200]],
  ["a challenge that is demanded", [], { pkce: "required" }, [400, 200]],
  ["JSON that is said", ["--bodies", "json"], {}, [200]],
  ["JSON that is found out", [], {}, [415, 200]],
];

it.each(isFullRun ? CASES : CASES.filter(([, words]) => words.length > 0))(
  "%s",
  async (what, words, demands, codes) => {
    const clients = simulatedWorld.clients.map((one) =>
      one.id === PUBLIC ? { ...one, ...demands } : one,
    );
    const service = await startSimulatedService({
      fixture: { ...simulatedWorld, clients },
      options: { bodies: what.startsWith("JSON") ? "json" : "form" },
    });
    const state = mkdtempSync(path.join(tmpdir(), "picogrant-"));
    ended = [() => service.close(), () => rmSync(state, { recursive: true, force: true })];
    const asked: number[] = [];
    service.observe((event) => {
      if (event.type === "exchange" && event.path === "/device/code") asked.push(event.status);
      if (event.type !== "attempt") return;
      for (const { userCode } of service.pending()) service.approve(userCode, "ada");
    });
    const at = ["--server", service.url, "--client-id", PUBLIC, "--scope", "openid"];
    expect(await picogrant("login", ...at, ...words, "--state", state)).toMatchObject({ code: 0 });
    expect(asked).toEqual(codes);
    // What was said is kept: later commands need not say it again.
    const kept = JSON.parse(readFileSync(path.join(state, "login.json"), "utf8")) as {
      settings: object;
    };
    if (words.length > 0) expect(kept.settings).toHaveProperty(words[0]!.slice(2), words[1]);
    expect(await picogrant("logout", "--state", state)).toMatchObject({ code: 0 });
  },
);

it("what is none of the choices is refused in one line", async () => {
  const at = ["login", "--server", "https://a.example", "--client-id", "c"];
  for (const [flag, word] of [
    ["--pkce", "plain"],
    ["--bodies", "xml"],
  ] as const) {
    const { code, stderr } = await picogrant(...at, flag, word);
    expect(code).toBe(2);
    expect(stderr.trimEnd()).not.toContain("\n");
    expect(stderr).toContain(flag);
  }
});

it("RFC 6749 §5.2: where the server takes secrets otherwise, the message names the option", async () => {
  // It lists both ways in its metadata, and takes the body alone.
  let origin = "";
  const server = createServer((request, response) => {
    const endpoint = (name: string): string => `${origin}/${name}`;
    const isMetadata = request.url?.startsWith("/.well-known/");
    const metadata = {
      issuer: origin,
      device_authorization_endpoint: endpoint("code"),
      token_endpoint: endpoint("token"),
      token_endpoint_auth_methods_supported: ["client_secret_basic", "client_secret_post"],
    };
    response.writeHead(isMetadata ? 200 : 401, { "content-type": "application/json" });
    response.end(JSON.stringify(isMetadata ? metadata : { error: "invalid_client" }));
  });
  origin = `http://127.0.0.1:${await listening(server)}`;
  const state = mkdtempSync(path.join(tmpdir(), "picogrant-"));
  const secret = path.join(state, "secret");
  writeFileSync(secret, "a-secret", { mode: 0o600 });
  ended = [() => rmSync(state, { recursive: true, force: true })];
  const { code, stderr } = await picogrant(
    ...["login", "--server", origin, "--client-id", "c", "--client-secret-file", secret],
    ...["--state", path.join(state, "tokens")],
  );
  expect(code).toBe(1);
  expect(stderr).toContain("invalid_client");
  expect(stderr).toContain("try --client-authentication client_secret_post");
  expect(stderr).not.toContain("a-secret");
});
