// `picogrant login` at servers that want more than RFC 8628: a code challenge with each code (RFC 7636), JSON in place of
// forms; said on the command line, or found out by a refusal.

import { type ChildProcess, execFile } from "node:child_process";
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { FakeAnswer } from "../../platform/fake/index.ts";
import simulatedWorld from "../../targets/service/fixture.json" with { type: "json" };
import { startSimulatedService } from "../../targets/service/simulated-service.ts";
import { isFullRun } from "../full-run.ts";
import { PATIENCE_MS } from "../patience.ts";
import { bundledProgram } from "../program.ts";
import { type Asked, scripted } from "../world/real-world.ts";
import { code, error, json, tokens } from "../world/world.ts";

const main = await bundledProgram("targets/command/main.ts");
const PUBLIC = "public-printer";
let ended: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ended.splice(0)) await end();
});

function ask(...words: string[]): Promise<{ code: number; stderr: string }> {
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
      approve: "ada",
      fixture: { ...simulatedWorld, clients },
      options: { bodies: what.startsWith("JSON") ? "json" : "form" },
    });
    const state = mkdtempSync(path.join(tmpdir(), "picogrant-"));
    ended = [() => service.close(), () => rmSync(state, { recursive: true, force: true })];
    const asked: number[] = [];
    service.observe((event) => {
      if (event.type === "exchange" && event.path === "/device/code") asked.push(event.status);
    });
    const at = ["--server", service.url, "--client-id", PUBLIC, "--scope", "openid"];
    expect(await ask("login", ...at, ...words, "--state", state)).toMatchObject({ code: 0 });
    expect(asked).toEqual(codes);
    // What was said is kept: later commands need not say it again.
    const kept = JSON.parse(readFileSync(path.join(state, "login.json"), "utf8")) as {
      settings: object;
    };
    if (words.length > 0) expect(kept.settings).toHaveProperty(words[0]!.slice(2), words[1]);
    expect(await ask("logout", "--state", state)).toMatchObject({ code: 0 });
  },
);

it("what is none of the choices is refused in one line", async () => {
  const at = ["login", "--server", "https://a.example", "--client-id", "c"];
  for (const [flag, word] of [
    ["--pkce", "plain"],
    ["--bodies", "xml"],
  ] as const) {
    const { code, stderr } = await ask(...at, flag, word);
    expect(code).toBe(2);
    expect(stderr.trimEnd()).not.toContain("\n");
    expect(stderr).toContain(flag);
  }
});

it("RFC 6749 §5.2: where the server takes secrets otherwise, the message names the option", async () => {
  // It lists both ways in its metadata, and takes the body alone.
  const token_endpoint_auth_methods_supported = ["client_secret_basic", "client_secret_post"];
  const { origin } = await scripted(({ path }) =>
    path.startsWith("/.well-known/")
      ? { body: { ...metadataOf(origin), token_endpoint_auth_methods_supported } }
      : error(401, "invalid_client"),
  );
  const state = mkdtempSync(path.join(tmpdir(), "picogrant-"));
  const secret = path.join(state, "secret");
  writeFileSync(secret, "a-secret", { mode: 0o600 });
  ended = [() => rmSync(state, { recursive: true, force: true })];
  const { code, stderr } = await ask(
    ...["login", "--server", origin, "--client-id", "c", "--client-secret-file", secret],
    ...["--state", path.join(state, "tokens")],
  );
  expect(code).toBe(1);
  expect(stderr).toContain("invalid_client");
  expect(stderr).toContain("try --client-authentication client_secret_post");
  expect(stderr).not.toContain("a-secret");
});

describe("what the command reads is looked at as sshd looks at its files", () => {
  const KEY = Uint8Array.from({ length: 32 }, (_, at) => at);
  const given = (name: string, mode: number, content: string | Uint8Array): string => {
    const file = path.join(state, name);
    writeFileSync(file, content);
    chmodSync(file, mode);
    return file;
  };
  const atServer = ["--server", "https://a.example", "--client-id", "c"];
  const WRITABLE = /: every user can change it; run chmod 640 on it\n$/;

  it.each<[string, words: () => string[], complaint: RegExp]>([
    [
      "certificates",
      () => [...atServer, "--certificates", given("ca.pem", 0o666, "-----BEGIN CERTIFICATE-----")],
      WRITABLE,
    ],
    [
      "a client's secret",
      () => [...atServer, "--client-secret-file", given("secret", 0o666, "s")],
      WRITABLE,
    ],
    [
      "a configuration with a secret",
      () => [
        "--config",
        given("device.json", 0o644, '{"server":"github","clientId":"c","clientSecret":"s"}'),
      ],
      /: every user can read the secrets in it; run chmod 640 on it\n$/,
    ],
    [
      "a key behind a link",
      () => {
        mkdirSync(path.join(state, "open"));
        chmodSync(path.join(state, "open"), 0o777);
        symlinkSync(given("open/key", 0o600, KEY), path.join(state, "key"));
        return [...atServer, "--key-file", path.join(state, "key")];
      },
      /: others can change \S+open, which it lies in; run chmod 755 on that\n$/,
    ],
  ])("%s", async (_, words, complaint) => {
    const { code, stderr } = await picogrant(["login", ...words()]);
    expect(stderr).toMatch(/^[^\n]*\n$/);
    expect(stderr).toMatch(complaint);
    expect(code).toBe(2);
  });

  it("a login with a key leaves no token of an earlier one in the clear, and token prints none", async () => {
    lifetimeS = 3600;
    expect((await login()).code).toBe(0);
    const before = (await picogrant(["token"])).stdout;
    expect(before).not.toBe("");
    const key = path.join(mkdtempSync(path.join(tmpdir(), "picogrant-key-")), "key");
    ended.push(() => rmSync(path.dirname(key), { recursive: true, force: true }));
    writeFileSync(key, KEY, { mode: 0o600 });
    accessToken = "of-another-person";
    expect((await login("--key-file", key)).code).toBe(0);
    const left = readdirSync(state).map((name) => readFileSync(path.join(state, name), "latin1"));
    expect(left.join()).not.toContain(before.trim());
    refresh = tokens({ access_token: "of-another-person" });
    expect(await picogrant(["token"])).toMatchObject({ code: 0, stdout: "of-another-person\n" });
  });
});

it("a user without a home directory is told to name one", async () => {
  const env = { ...process.env, HOME: undefined, XDG_STATE_HOME: undefined };
  const none =
    "import os from 'node:os'; import { syncBuiltinESMExports } from 'node:module';" +
    "os.homedir = () => { throw new Error('uv_os_homedir'); }; syncBuiltinESMExports();";
  const inPlace = `data:text/javascript,${encodeURIComponent(none)}`;
  const said = await new Promise<string>((resolve) =>
    execFile(process.execPath, ["--import", inPlace, main, "token"], { env }, (_, __, stderr) =>
      resolve(stderr),
    ),
  );
  expect(said).toMatch(
    /^picogrant token: this user has no home directory: name a directory with --state/,
  );
});

// SPEC.md, Errors: a refusal that the maker can mend costs no session, and a person has a way out of it at any time:
// here by the commands, each in its own process, against a server that refuses every refresh, fails, or says nothing.

let server: Awaited<ReturnType<typeof scripted>>;
let state: string;
/** What each request was, in the order in which they came. */
let seen: string[];
let children: ChildProcess[];
/** What a refresh is answered with, if at all; the access token is over at once. */
let refresh: FakeAnswer | undefined;
let lifetimeS = 1;
let accessToken = "the-first-access-token";

beforeEach(async () => {
  lifetimeS = 1;
  accessToken = "the-first-access-token";
  seen = [];
  children = [];
  refresh = error(400, "quota-7");
  state = mkdtempSync(path.join(tmpdir(), "picogrant-"));
  server = await scripted(answerTo);
});

afterEach(() => rmSync(state, { recursive: true, force: true }));

const metadataOf = (issuer: string) => ({
  issuer,
  device_authorization_endpoint: `${issuer}/code`,
  token_endpoint: `${issuer}/token`,
  revocation_endpoint: `${issuer}/revoke`,
});

function answerTo({ path, form }: Asked): FakeAnswer | undefined {
  if (path.startsWith("/.well-known/")) return { body: metadataOf(server.origin) };
  const isRefresh = form.get("grant_type") === "refresh_token";
  seen.push(isRefresh ? "/refresh" : path);
  if (path === "/code") return code({ interval: 1, expires_in: 300 });
  if (path === "/revoke") return {};
  return isRefresh ? refresh : tokens({ access_token: accessToken, expires_in: lifetimeS });
}

interface Ended {
  code: number;
  stdout: string;
  stderr: string;
}

/** @param until what standard error says when the person gives up with Ctrl-C */
function picogrant(words: readonly string[], until?: string): Promise<Ended> {
  return new Promise((resolve) => {
    const args = [main, ...words, "--state", state];
    const child = execFile(process.execPath, args, (error, stdout, stderr) => {
      resolve({ code: error ? Number(error.code) : 0, stdout, stderr });
    });
    children.push(child);
    let said = "";
    child.stderr?.on("data", (piece: string) => {
      const had = said.length;
      said += piece;
      if (until && said.includes(until) && !said.slice(0, had).includes(until))
        child.kill("SIGINT");
    });
  });
}

const LOGIN = (): string[] => ["login", "--server", server.origin, "--client-id", "c"];
const login = (...words: string[]): Promise<Ended> => picogrant([...LOGIN(), ...words]);

it("where a refresh is refused by an unknown name the login is kept, and that is said; every way out works", async () => {
  expect((await login()).code).toBe(0);
  refresh = error(400, "quota-7");
  const refused = await login();
  expect(refused.stderr).toContain("quota-7");
  expect(refused.stderr).toContain("login --again");
  expect(refused.code).toBe(1);
  await expectWaysOut();
});

it.runIf(isFullRun)(
  "where a refresh meets what passes it is said until the person gives up",
  async () => {
    expect((await login()).code).toBe(0);
    refresh = json(503, {});
    expect((await picogrant(LOGIN(), "503")).code).toBe(130);
  },
);

async function expectWaysOut(): Promise<void> {
  seen.length = 0;
  // Signs out, and in anew.
  expect((await login("--again")).code).toBe(0);
  expect(seen.filter((what) => what !== "/refresh")).toEqual(["/revoke", "/code", "/token"]);
  seen.length = 0;
  expect(await picogrant(["logout"])).toMatchObject({ code: 0 });
  expect(seen).toContain("/revoke");
  expect((await picogrant(["logout"])).code).not.toBe(0);
  // And without the server.
  expect((await login()).code).toBe(0);
  seen.length = 0;
  expect((await picogrant(["logout", "--local"])).code).toBe(0);
  expect(seen).toEqual([]);
  expect((await login()).code).toBe(0);
  expect(seen).toContain("/code");
}

describe("where the server says nothing", () => {
  it("to a refresh: a person who waits gives up with Ctrl-C, and every way out works", async () => {
    expect((await login()).code).toBe(0);
    refresh = undefined;
    // Until it has been asked: then nothing is said for half a minute.
    const waiting = login();
    await vi.waitFor(() => expect(seen).toContain("/refresh"), { timeout: PATIENCE_MS });
    children.at(-1)!.kill("SIGINT");
    expect((await waiting).code).toBe(130);
    await expectWaysOut();
  });

  it.runIf(isFullRun)("and is gone: logout ends, says so, and forgets the tokens", async () => {
    expect((await login()).code).toBe(0);
    await server.close();
    const out = await picogrant(["logout"]);
    expect(out).toMatchObject({ code: 0 });
    expect(out.stdout).toContain("did not confirm that it has revoked them (unreachable)");
    expect((await picogrant(["logout", "--local"])).stderr).toContain("not signed in");
  });
});
