// Runs the command `picogrant` and its subcommands for logins. Tests their output, their exit codes and their files.

import { type ChildProcess, execFile, spawn } from "node:child_process";
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { accountDirectory, signIn } from "../../platform/node/sign-in.ts";
import type { FakeResponse } from "../../platform/testing/index.ts";
import { EXIT_CODES } from "../../targets/command/exit-codes.ts";
import { wrapped } from "../../targets/desktop/command-line.ts";
import simulatedEnvironment from "../../targets/service/fixture.json" with { type: "json" };
import { startSimulatedService } from "../../targets/service/simulated-service.ts";
import { code, error, tokens } from "../environment/environment.ts";
import { type ReceivedRequest, scripted } from "../environment/real-environment.ts";
import { isFullRun } from "../full-run.ts";
import { temporaryFolder } from "../listening.ts";
import { bundledProgram } from "../program.ts";
import { TIMEOUT_MS } from "../timeouts.ts";

const main = await bundledProgram("targets/command/main.ts");
const PUBLIC = "public-printer";
let ended: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ended.splice(0)) await end();
});

const request = (...words: string[]): Promise<Ended> => requested([main, ...words]);

function requested(
  args: readonly string[],
  program = process.execPath,
  onOutput: (child: ChildProcess, piece: string) => void = () => {},
): Promise<Ended> {
  const env: NodeJS.ProcessEnv = { ...process.env, XDG_STATE_HOME: undefined };
  return new Promise((resolve) => {
    const child = execFile(program, args, { env }, (error, stdout, stderr) => {
      resolve({ code: error ? Number(error.code) : 0, stdout, stderr });
    });
    children.push(child);
    child.stderr?.on("data", (piece: string) => onOutput(child, piece));
  });
}

const CASES: [string, string[], object, number[]][] = [
  ["a challenge set by option", ["--pkce", "S256"], { pkce: "required" }, [200]],
  ["a challenge that the server demands", [], { pkce: "required" }, [400, 200]],
  ["JSON set by option", ["--bodies", "json"], {}, [200]],
  ["JSON detected from a rejection", [], {}, [415, 200]],
];

it.each(isFullRun ? CASES : CASES.filter(([, words]) => words.length > 0))(
  "%s",
  async (what, words, demands, codes) => {
    const clients = simulatedEnvironment.clients.map((one) =>
      one.id === PUBLIC ? { ...one, ...demands } : one,
    );
    const service = await startSimulatedService({
      approve: "ada",
      fixture: { ...simulatedEnvironment, clients },
      options: { bodies: what.startsWith("JSON") ? "json" : "form" },
    });
    const state = temporaryFolder();
    ended = [() => service.close()];
    const requested: number[] = [];
    service.observe((event) => {
      if (event.type === "exchange" && event.path === "/device/code") requested.push(event.status);
    });
    const at = ["--server", service.url, "--client-id", PUBLIC, "--scope", "openid"];
    expect(await request("login", ...at, ...words, "--state", state)).toMatchObject({ code: 0 });
    expect(requested).toEqual(codes);
    // The state stores the option, so that later commands do not need it.
    const stored = JSON.parse(readFileSync(path.join(state, "login.json"), "utf8")) as {
      settings: object;
    };
    if (words.length > 0) expect(stored.settings).toHaveProperty(words[0]!.slice(2), words[1]);
    expect(await request("logout", "--state", state)).toMatchObject({ code: 0 });
  },
);

it("RFC 6749 §5.2: if the server expects the secret in another place, the message names the option", async () => {
  // The metadata list both methods, but the server rejects the one that picogrant uses.
  const token_endpoint_auth_methods_supported = ["client_secret_basic", "client_secret_post"];
  const { origin } = await scripted(({ path }) =>
    path.startsWith("/.well-known/")
      ? { body: { ...metadataOf(origin), token_endpoint_auth_methods_supported } }
      : error(401, "invalid_client"),
  );
  const state = temporaryFolder();
  const secret = path.join(state, "secret");
  writeFileSync(secret, "a-secret", { mode: 0o600 });
  const { code, stderr } = await request(
    ...["login", "--server", origin, "--client-id", "c", "--client-secret-file", secret],
    ...["--state", path.join(state, "tokens")],
  );
  expect(code).toBe(1);
  expect(stderr).toContain("invalid_client");
  expect(stderr).toContain("try --client-authentication client_secret_post");
  expect(stderr).not.toContain("a-secret");
});

describe("files that the command reads are checked as sshd checks its files", () => {
  const KEY = Uint8Array.from({ length: 32 }, (_, at) => at);
  const given = (name: string, mode: number, content: string | Uint8Array): string => {
    const file = path.join(state, name);
    writeFileSync(file, content);
    chmodSync(file, mode);
    return file;
  };
  const SERVER = ["--server", "https://a.example", "--client-id", "c"];
  const CONFIG = '{"server":"github","clientId":"c","clientSecret":"s"}';
  const PEM = "-----BEGIN CERTIFICATE-----\nAA\n-----END CERTIFICATE-----";
  const WRITABLE = /: every user can change it; run chmod 640 on it\n$/;
  const READABLE = /: every user can read the secrets in it; run chmod 640 on it\n$/;
  const TOKEN_CACHE = /: others can change \S+open, which it lies in; run chmod 755 on that\n$/;

  it.each<[flag: string, mode: number, content: string, more: string[], complaint: RegExp]>([
    ["--certificates", 0o666, PEM, SERVER, WRITABLE],
    ["--client-secret-file", 0o666, "s", SERVER, WRITABLE],
    ["--config", 0o644, CONFIG, [], READABLE],
  ])("%s", async (flag, mode, content, more, complaint) => {
    const { code, stderr } = await picogrant(["login", ...more, flag, given("f", mode, content)]);
    expect([code, stderr]).toEqual([2, expect.stringMatching(complaint)]);
  });

  it("a key behind a symbolic link", async () => {
    mkdirSync(path.join(state, "open"));
    chmodSync(path.join(state, "open"), 0o777);
    const link = path.join(state, "key");
    symlinkSync(given("open/key", 0o600, KEY), link);
    const { code, stderr } = await picogrant(["login", ...SERVER, "--key-file", link]);
    expect([code, stderr]).toEqual([2, expect.stringMatching(TOKEN_CACHE)]);
  });

  it("a login with a key deletes the unencrypted tokens of an earlier one; token prints no deleted token", async () => {
    lifetimeS = 3600;
    expect((await login()).code).toBe(0);
    const before = (await picogrant(["token"])).stdout;
    expect(before).not.toBe("");
    const key = path.join(temporaryFolder(), "key");
    writeFileSync(key, KEY, { mode: 0o600 });
    accessToken = "of-another-person";
    expect((await login("--key-file", key)).code).toBe(0);
    const left = readdirSync(state).map((name) => readFileSync(path.join(state, name), "latin1"));
    expect(left.join()).not.toContain(before.trim());
    refresh = tokens({ access_token: "of-another-person" });
    expect(await picogrant(["token"])).toMatchObject({ code: 0, stdout: "of-another-person\n" });
  });
});

const NO_HOME = `data:text/javascript,${encodeURIComponent(
  "import os from 'node:os'; import { syncBuiltinESMExports } from 'node:module';" +
    "os.homedir = () => { throw new Error('uv_os_homedir'); }; syncBuiltinESMExports();",
)}`;

const NOT_SIGNED_IN = /not signed in there; how to sign in: picogrant login --help --state \S+$/;

describe("every end is one line, with the same exit code in all commands and an object for --json", () => {
  it.concurrent.each<[words: string, exitCode: number, line: RegExp]>([
    ["token", 4, NOT_SIGNED_IN],
    ["status", 4, NOT_SIGNED_IN],
    ["logout", 4, NOT_SIGNED_IN],
    ["logout --local", 4, NOT_SIGNED_IN],
    ["login", 2, /--server is missing/],
    ["login --server github", 2, /--client-id is missing/],
    ["login --server sso.example --client-id c", 2, /did you mean https:\/\/sso\.example\?$/],
    ["login --server http://sso.example --client-id c", 2, /--allow-http/],
    ["login --client-secret x", 2, /'--client-secret'; see picogrant login --help$/],
    ["login --pkce plain", 2, /--pkce .*Allowed choices are S256\.$/],
    ["login --config /nowhere/x.json", 2, /cannot read the configuration .* path$/],
    ["login --config x --client-id y", 2, /--config .* cannot be used with option .--client-id/],
    [
      "login --server http://127.0.0.1:9 --client-id c --timeout 1",
      1,
      /no usable response within 1 s/,
    ],
    ["token --timeout 0", 2, /integer from 1 to 86400/],
    ["sizing --access x", 2, /integer from 1 to 65535/],
    ["sizing 7 8", 2, /too many .* got 2; see picogrant sizing --help$/],
    ["conform nowhere.js", 2, /there is no such module/],
  ])("picogrant %s", async (words, exitCode, line) => {
    const code = { 1: "unreachable", 2: "wrong_option", 4: "not_signed_in" }[exitCode];
    const own = temporaryFolder();
    const args = [...words.split(" "), "--json"];
    if (/^(token|status|logout|login)/.test(words)) args.push("--state", own);
    const { stdout, stderr, ...ended } = await request(...args);
    const output = stderr.trimEnd().split("\n").at(-1)!;
    expect(output).toMatch(line);
    const name = words.split(" ")[0];
    expect(output.startsWith(`picogrant ${name}: `), output).toBe(true);
    const event = JSON.parse(stdout.trimEnd().split("\n").at(-1)!);
    expect([event, ended.code]).toEqual([
      { event: "error", code, remedy: event.remedy, message: output.replace(/^[\w ]+: /, "") },
      exitCode,
    ]);
    // While it retries, the command reports an unreachable server, so standard error has more lines.
    if (code !== "unreachable") expect(stderr).toBe(`${output}\n`);
  });

  it("without a home directory, the message names the option to set", async () => {
    const { code, stderr } = await requested(["--import", NO_HOME, main, "status"]);
    expect(stderr).toMatch(/^picogrant status: this user has no home directory: name a directory/);
    expect(code).toBe(2);
  });

  it.each<[what: string, exitCode: number, shell: string, output: RegExp]>([
    ["Ctrl-C", 130, "exec COMMAND >&2", /: given up\n$/],
    ["SIGTERM", 143, "exec COMMAND >&2", /: given up\n$/],
    ["SIGHUP", 129, "exec COMMAND >&2", /: given up\n$/],
    [
      "a closed pipe",
      141,
      "exec 3> >(true); wait $!; exec COMMAND >&3",
      /output is no longer read/,
    ],
    ["a full disk", 1, "exec COMMAND > /dev/full", /cannot write its output \(ENOSPC\)\n$/],
  ])(
    "a login that is ended by %s: %i, and leaves no files",
    async (what, exitCode, shell, output) => {
      isAllowed = false;
      const command = [process.execPath, main, ...LOGIN(), "--state", state].join(" ");
      const signal = { "Ctrl-C": "SIGINT", SIGTERM: "SIGTERM", SIGHUP: "SIGHUP" }[what];
      const args = ["-c", shell.replace("COMMAND", command)];
      const { code, stderr } = await requested(args, "/bin/bash", (child, text) => {
        if (signal && text.includes("Waiting")) child.kill(signal as NodeJS.Signals);
      });
      expect(stderr).toMatch(output);
      expect([code, readdirSync(state)]).toEqual([exitCode, []]);
    },
  );

  // `ulimit -f 0` makes each write to a file fail (EFBIG), as on a full disk.
  it.each<[line: string, exitCode: number, stderr: RegExp, stdout: RegExp]>([
    ["COMMAND token > /dev/full", 1, /^picogrant: cannot write its output \(ENOSPC\)\n$/, /^$/],
    ["ulimit -f 0; COMMAND token", 0, /^$/, /^\S+\n$/],
    [
      "COMMAND token --help > /dev/full",
      1,
      /^picogrant: cannot write its output \(ENOSPC\)\n$/,
      /^$/,
    ],
    ["ulimit -f 0; COMMAND token --fresh", 5, /^picogrant token: not renewed, since \S+ /, /^$/],
    ["rm STATE/token-cache; ulimit -f 0; COMMAND status", 5, /^\S+ status: not ren/, /^Signed/],
    ["ulimit -f 0; COMMAND logout", 0, /^$/, /^Signed out/],
  ])(
    "a failed write is reported in one line with an exit code: %s: %i",
    async (line, exitCode, ...says) => {
      lifetimeS = 3600;
      expect((await login()).code).toBe(0);
      const command = line
        .replace(/COMMAND (\w+)/, `${process.execPath} ${main} $1 --state ${state}`)
        .replace("STATE", state);
      const { code, stderr, stdout } = await requested(["-c", command], "/bin/bash");
      expect(stderr).toMatch(says[0]!);
      expect(stdout).toMatch(says[1]!);
      expect([code, stderr.split("\n").length <= 2]).toEqual([exitCode, true]);
    },
  );

  it("the page lists the same exit codes as --help", async () => {
    const page = readFileSync(new URL("../../targets/command/README.md", import.meta.url), "utf8");
    const { stdout } = await request("--help");
    for (const [code, what] of EXIT_CODES) {
      expect(page).toContain(`| ${code} | ${what} |`);
      expect(stdout).toMatch(new RegExp(`^ {2}${code} +${what.replace(/[()]/g, "\\$&")}$`, "m"));
    }
  });
});

it("status reports user, server, scope and expiry, or that the server has ended the session", async () => {
  lifetimeS = 3600;
  expect((await login()).code).toBe(0);
  seen.length = 0;
  const facts = {
    server: server.origin,
    client_id: "c",
    who: "ada",
    scope: "email?[2K?",
    renews: true,
  };
  const { stdout } = await picogrant(["status", "--json"]);
  expect(JSON.parse(stdout)).toMatchObject({ event: "status", ...facts, ends_in: null });
  expect(JSON.parse(stdout).expires_in).toBeGreaterThan(3500);
  expect((await picogrant(["status"])).stdout).toMatch(
    /^Signed in at \S+ as ada\.\nClient c, scope email\?\[2K\?\.\nThe access token is valid for 59 min, and /,
  );
  expect(seen).toEqual([]);
});

it("status refreshes an expired token, and reports the server's response or that it is unreachable", async () => {
  expect((await login()).code).toBe(0);
  // Delete the cached access token, which may still be valid.
  rmSync(path.join(state, "token-cache"));
  refresh = error(400, "quota-7");
  const refused = await picogrant(["status"]);
  expect(refused).toMatchObject({ code: 0, stderr: expect.stringContaining("quota-7") });
  expect(refused.stdout).toContain("has to be renewed, which the server has not done");
  refresh = error(400, "invalid_grant");
  const ended = await picogrant(["status"]);
  expect(ended).toMatchObject({ code: 4, stdout: "" });
  expect(ended.stderr).toMatch(/session_ended.*; to sign in again: picogrant login .*\n$/);
  expect((await picogrant(["token"])).code).toBe(4);
  // If the server has ended the stored session, one login suffices.
  expect((await login()).code).toBe(0);
  expect(await login()).toMatchObject({
    code: 0,
    stderr: expect.stringContaining("session_ended"),
  });
});

it.each([
  ["{", "is no login of this version; delete it and sign in again"],
  ['{"version":1,"settings":null,"who":""}', "is no login of this version"],
  ['{"version":1,"settings":{},"who":""}', "is no login of this version"],
  ['{"version":1,"settings":{"server":5,"secret":"none"},"who":""}', "is no login of this version"],
])("a damaged login.json is named: %s", async (text, message) => {
  writeFileSync(path.join(state, "login.json"), text, { mode: 0o600 });
  for (const name of ["status", "token", "logout"])
    expect(await picogrant([name])).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(RegExp(`^picogrant ${name}: .*login.json: ${message}.*\n$`)),
    });
});

const LOGOUTS: [words: string, isStored: boolean][] = [
  ["", false],
  ["--config", false],
  ["--config", true],
];

it.each(isFullRun ? LOGOUTS : LOGOUTS.filter(([, isStored]) => !isStored))(
  "logout without a network clears the tokens: login %s, and the issuer's cached metadata stay: %s",
  async (config, isStored) => {
    const file = path.join(state, "device.json");
    const settings = { clientId: "c", scope: "s", issuer: server.origin };
    writeFileSync(file, JSON.stringify(settings), { mode: 0o600 });
    const words = config === "" ? LOGIN() : ["login", config, file];
    expect((await picogrant(words)).code).toBe(0);
    await server.close();
    if (!isStored) rmSync(path.join(state, "metadata.json"));
    const { code, stdout } = await picogrant(["logout", "--json"]);
    const name = config === "" || isStored ? server.origin : file;
    const result = { event: "signed_out", server: name, revoked: false, stored: false };
    expect([code, JSON.parse(stdout)]).toEqual([0, result]);
    expect(readdirSync(state)).toEqual(["device.json"]);
  },
);

it("completion: bash completes commands, options, choices, servers and accounts; the shell completes files", async () => {
  for (const name of ["", "accounts/w@rk"]) {
    const place = path.join(state, "picogrant", name);
    mkdirSync(place, { recursive: true });
    writeFileSync(path.join(place, "login.json"), "");
  }
  const { stdout } = await request("completion", "bash");
  const own = `export XDG_STATE_HOME=${state}; ${HERE}`;
  for (const [line, offered] of [
    ["lo", "login logout"],
    ["help si", "simulate sizing"],
    ["sizing --", "--access --refresh --json --help"],
    ["login --bodies ''", "form json"],
    ["login --server git", "github gitlab"],
    ["token --account ''", "default w@rk"],
    ["login --config ''", ""],
  ] as const) {
    const words = `COMP_WORDS=(picogrant ${line}); COMP_CWORD=${line.split(" ").length}`;
    const program = `${own}\n${stdout}${words}; _picogrant; echo "\${COMPREPLY[*]}"`;
    const { stdout: found } = await requested(["-c", program], "/bin/bash");
    expect([line, found.trim().replaceAll("\n", " ")]).toEqual([line, offered]);
  }
});

it("help is wrapped at words", () => {
  expect(wrapped("  one two three\nfour", 9)).toBe("  one two\n  three\nfour");
  expect(wrapped("  longer-than-that", 9)).toBe("  longer-than-that");
  expect(wrapped("  -a  one two", 12)).toBe("  -a  one\n      two");
  expect(wrapped("  --long  one two three", 16)).toBe("  --long\n      one two\n      three");
});

describe("accounts", () => {
  const login = (words: string): Promise<Ended> => typed(`picogrant ${LOGIN().join(" ")} ${words}`);

  it("each has its own session; accounts lists them, and signIn and git find them", async () => {
    lifetimeS = 3600;
    expect((await typed("picogrant accounts")).stderr).toBe("picogrant accounts: there are none\n");
    expect((await login("")).code).toBe(0);
    accessToken = "of-work";
    expect((await login("--account work")).code).toBe(0);
    expect((await typed("picogrant token --account work")).stdout).toBe("of-work\n");
    expect((await typed("picogrant token")).stdout).toBe("the-first-access-token\n");
    const { stdout } = await typed("picogrant accounts --json");
    const listed = stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    const own = path.join(state, "picogrant");
    expect(listed).toMatchObject([
      { account: "default", who: "ada", server: server.origin, state: own },
      { account: "work", who: "ada", renews: true, state: path.join(own, "accounts/work") },
    ]);
    vi.stubEnv("XDG_STATE_HOME", state);
    const found = { server: server.origin, clientId: "c", state: accountDirectory("work") };
    const session = await signIn({ ...found, resumeOnly: true });
    expect(await session.accessToken()).toBe("of-work");
    await session.close();
    vi.unstubAllEnvs();

    const asGit = (operation: string, url: string, words = ""): Promise<Ended> => {
      const helper = `!${process.execPath} ${main} git-credential --account work ${words}`;
      const rest = operation === "fill" ? "" : "username=u\\npassword=of-work\\n";
      const git = `GIT_TERMINAL_PROMPT=0 git -c credential.helper='${helper}' credential`;
      return typed(`printf 'url=${url}\\n${rest}\\n' | ${git} ${operation}`);
    };
    const given = /^username=oauth2\npassword=of-work$/m;
    expect((await asGit("fill", server.origin)).stdout).toMatch(given);
    expect((await asGit("fill", "https://a.example")).stdout).not.toContain("of-work");
    expect((await asGit("fill", "https://a.example", "--host a.example")).stdout).toMatch(given);
    // The helper refreshes the valid token only after git has reported that the server rejects it.
    refresh = tokens({ access_token: "renewed", expires_in: 3600 });
    for (const [operation, token] of [
      ["approve", "of-work\n"],
      ["reject", "renewed\n"],
    ] as const) {
      await asGit(operation, server.origin);
      expect((await typed("picogrant token --account work")).stdout).toBe(token);
    }
  });

  it.each([
    ["whoami", 4, /^picogrant status: .*how to sign in: picogrant login --help\n$/],
    ["auth status --account a", 4, /picogrant login --help --account a\n$/],
    ["status --account ../a", 2, /^picogrant status: --account must be 1\.\.64 letters/],
    ["status --account a --state b", 2, /cannot be used with option '--account <name>'\n$/],
    ["login --server KeyCloak --client-id c", 2, /--server-parameter host is missing/],
    ["login --server Entra --client-id c --timeout 1 --pkce x", 2, /choices are S256/],
    ["-v", 0, /^$/],
    ["version", 0, /^$/],
    ["auth", 0, /^$/],
  ])("picogrant %s", async (words, exitCode, line) => {
    const { code, stderr } = await typed(`picogrant ${words}`);
    expect([code, stderr]).toEqual([exitCode, expect.stringMatching(line)]);
  });
});

// SPEC.md, Errors: a rejection that the developer can fix does not end the session. The user can end it at any time.
// These tests run commands as processes, with a server that rejects every refresh, fails, or does not respond.

let server: Awaited<ReturnType<typeof scripted>>;
let state: string;
let seen: string[];
let children: ChildProcess[] = [];
let isAllowed = true;
/** The response to a refresh; undefined: the server sends none. */
let refresh: FakeResponse | undefined;
let hangsAt: string;
let instead: FakeResponse | undefined;
let lifetimeS = 1;
let accessToken = "the-first-access-token";

beforeEach(async () => {
  lifetimeS = 1;
  accessToken = "the-first-access-token";
  seen = [];
  children = [];
  isAllowed = true;
  instead = undefined;
  refresh = error(400, "quota-7");
  hangsAt = "";
  state = temporaryFolder();
  server = await scripted(responseTo);
});

const metadataOf = (issuer: string) => ({
  issuer,
  device_authorization_endpoint: `${issuer}/code`,
  token_endpoint: `${issuer}/token`,
  revocation_endpoint: `${issuer}/revoke`,
});

const ID_TOKEN = `e30.${Buffer.from('{"name":"ada"}').toString("base64url")}.x`;

function responseTo({ path, form }: ReceivedRequest): FakeResponse | undefined {
  if (path.startsWith(hangsAt || "?")) return void seen.push(hangsAt);
  if (path.startsWith("/.well-known/")) return { body: metadataOf(server.origin) };
  const isRefresh = form.get("grant_type") === "refresh_token";
  seen.push(isRefresh ? "/refresh" : path);
  if (path === "/code" && instead) return instead;
  if (path === "/code") return code({ interval: 1, expires_in: 300 });
  if (path === "/revoke") return {};
  if (isRefresh) return refresh;
  if (!isAllowed) return error(400, "authorization_pending");
  const scope = "email\u001b[2K\n";
  return tokens({ access_token: accessToken, expires_in: lifetimeS, id_token: ID_TOKEN, scope });
}

interface Ended {
  code: number;
  stdout: string;
  stderr: string;
}

const picogrant = (words: readonly string[]): Promise<Ended> => request(...words, "--state", state);

const HERE = `picogrant() { ${process.execPath} ${main} "$@"; }`;
/** Runs a command line in a shell, with `state` as its working and home directory. */
const typed = (line: string): Promise<Ended> => {
  const place = `cd ${state}; export HOME=${state} XDG_STATE_HOME=${state}`;
  return requested(["-c", `${place}; ${HERE}; ${line}`], "/bin/sh");
};

const LOGIN = (): string[] => ["login", "--server", server.origin, "--client-id", "c"];
const login = (...words: string[]): Promise<Ended> => picogrant([...LOGIN(), ...words]);

it("if a refresh is rejected with an unknown error, the login stays and the error is reported; the user can still log out", async () => {
  expect((await login()).code).toBe(0);
  refresh = error(400, "quota-7");
  const refused = await login();
  expect(refused.stderr).toContain("quota-7");
  expect(refused.code).toBe(1);
  await expectWaysOut();
});

describe("each command in a message works exactly as printed", () => {
  const OTHER = "y 1";
  const loggedIn = (): string[] =>
    ["picogrant", OTHER, "tokens"].filter((name) =>
      existsSync(path.join(state, name, "token-cache")),
    );
  const advised = ({ stdout, stderr }: Ended): string[] =>
    (stdout + stderr).match(/(?<![\w/])picogrant \w+(?= |;|$)( ('[^']*'|[^\s;'])+)*/gm) ?? [];

  const COMMAND = /picogrant (log(in|out)|token|status) /g;
  const BOTH = ["picogrant", OTHER];
  const renewed = tokens({ access_token: "new" });
  const REFUSED = error(400, "quota-7");
  const ENDED = error(400, "invalid_grant");

  it("the command is for the login that the message is about", async () => {
    lifetimeS = 3600;
    refresh = renewed;
    const login = `picogrant login --server ${server.origin} --client-id c --scope 'a b'`;
    const other = `--state '${path.join(state, OTHER)}'`;
    expect(await typed(`${login}; ${login} ${other}`)).toMatchObject({ code: 0, stderr: "" });
    const before = temporaryFolder();
    cpSync(state, before, { recursive: true });
    for (const [response, provoked, ...advices] of [
      [renewed, login, ["picogrant token", BOTH], ["picogrant logout", [OTHER]]],
      [
        renewed,
        `${login} ${other}`,
        [`picogrant token ${other}`, BOTH],
        [`picogrant logout ${other}`, ["picogrant"]],
      ],
      [renewed, `${login} --client-id d`, ["picogrant logout", [OTHER]]],
      [renewed, `${login} --client-id d ${other}`, [`picogrant logout ${other}`, ["picogrant"]]],
      [
        REFUSED,
        `${login} ${other}`,
        [`${login} --again ${other}`, BOTH],
        [`picogrant logout ${other}`, ["picogrant"]],
      ],
      [ENDED, `picogrant token --fresh ${other}`, [`${login} ${other}`, BOTH]],
      [ENDED, "picogrant token --fresh", [login, BOTH]],
      [renewed, "picogrant token --state z", [`picogrant login --help --state ${state}/z`, BOTH]],
    ] as [FakeResponse, string, ...[string, string[]][]][]) {
      refresh = response;
      const printed = advised(await typed(provoked));
      expect(printed, provoked).toEqual(advices.map(([command]) => command));
      refresh = renewed;
      for (const [command, left] of advices) {
        const { code, stderr } = await typed(command);
        expect([code, loggedIn()], `${provoked}: ${command}: ${stderr}`).toEqual([0, left]);
        cpSync(before, state, { recursive: true });
      }
    }
  });

  it("no message contains a command as literal text", () => {
    const targets = new URL("../../targets/", import.meta.url);
    const files = readdirSync(new URL("command/", targets), { encoding: "utf8", recursive: true });
    const sources = files.filter((name) => name.endsWith(".ts")).map((name) => `command/${name}`);
    for (const name of [...sources, "service/command.ts"]) {
      const text = readFileSync(new URL(name, targets), "utf8");
      const messages = text.replace(/^const HELP = `[^`]*`;$|^ *(\/\/|\/?\*).*$/gm, "");
      // This file has the list of exit codes for --help, not messages.
      const found = name.endsWith("exit-codes.ts") ? null : messages.match(COMMAND);
      expect(found, name).toBeNull();
    }
  });

  const SERVICES = ["--dialect keycloak", "--host 0.0.0.0", "--https --issuer-path /a/b"];
  const MORE = ["rfc8628", "google", "auth0", "entra"].map((name) => `--dialect ${name}`);
  it.each(isFullRun ? [...SERVICES, ...MORE] : SERVICES)("for the service %s", async (words) => {
    const args = [main, "service", "--port", "0", "--approve", "ada", ...words.split(" ")];
    const service = spawn(process.execPath, args);
    ended.push(() => service.kill());
    let output = "";
    service.stdout.on("data", (piece) => {
      output += piece;
    });
    await vi.waitFor(() => expect(output).toMatch(/Try: .*\n/), { timeout: TIMEOUT_MS });
    const [command] = advised({ code: 0, stdout: output.split("Try: ")[1]!, stderr: "" });
    const { code, stderr } = await typed(command!);
    expect([code, loggedIn()], stderr).toEqual([0, ["tokens"]]);
    if (!words.includes("--https")) return;
    const doubting = await typed(command!.replace(/--state.*/, ""));
    expect(doubting.stderr).toMatch(/give the certificates of its authority with --certificates$/m);
  });
});

async function expectWaysOut(): Promise<void> {
  seen.length = 0;
  expect((await login("--again")).code).toBe(0);
  expect(seen.filter((what) => what !== "/refresh")).toEqual(["/revoke", "/code", "/token"]);
  seen.length = 0;
  expect(await picogrant(["logout"])).toMatchObject({ code: 0 });
  expect(seen).toContain("/revoke");
  expect((await picogrant(["logout"])).code).not.toBe(0);
  expect((await login()).code).toBe(0);
  seen.length = 0;
  expect((await picogrant(["logout", "--local"])).code).toBe(0);
  expect(seen).toEqual([]);
  expect((await login()).code).toBe(0);
  expect(seen).toContain("/code");
}

it.runIf(isFullRun).each([200, 404])(
  "if a page at the address returns %i, the login ends within seconds and names the address",
  async (status) => {
    instead = { status, body: "<!doctype html><title>Welcome</title>" };
    const { code, stderr } = await login("--timeout", "60");
    expect(code).toBe(1);
    const last = stderr.trim().split("\n").at(-1);
    expect(last).toMatch(/\/code responds with .*, again and again: check the server's address/);
  },
);

it.each([
  ["token", "SIGINT", 130, "/.well-known/"],
  ["logout", "SIGTERM", 143, "/.well-known/"],
  ["logout", "SIGINT", 130, "/revoke"],
] as const)(
  "%s is ended by %s: %i and one line, while the server does not respond at %s",
  async (name, signal, exitCode, at) => {
    lifetimeS = 3600;
    expect((await login()).code).toBe(0);
    rmSync(path.join(state, "metadata.json"));
    hangsAt = at;
    const waiting = picogrant([name]);
    await vi.waitFor(() => expect(seen).toContain(at), { timeout: TIMEOUT_MS });
    children.at(-1)!.kill(signal);
    const stderr = `picogrant ${name}: given up\n`;
    expect(await waiting).toEqual({ code: exitCode, stdout: "", stderr });
    expect((await picogrant(["logout", "--local"])).code).toBe(0);
  },
);

it("if the server does not respond, the user can abort with Ctrl-C and then log out", async () => {
  expect((await login()).code).toBe(0);
  refresh = undefined;
  // The command prints nothing at first, so wait for the request.
  const waiting = login();
  await vi.waitFor(() => expect(seen).toContain("/refresh"), { timeout: TIMEOUT_MS });
  children.at(-1)!.kill("SIGINT");
  expect((await waiting).code).toBe(130);
  await expectWaysOut();
});
