// Runs `npm start` without a terminal: frames as text, exit codes, restored state, and errors in one line.
import { spawn } from "node:child_process";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import path from "node:path";
import { expect, test } from "vitest";
import { UsageError } from "../../targets/desktop/command-line.ts";
import { readOptions } from "../../targets/desktop/options.ts";
import { opened } from "../environment/real-environment.ts";
import { listening, temporaryFolder } from "../listening.ts";
import { bundledProgram, type Ended, Running } from "../program.ts";

const MAIN = await bundledProgram("targets/desktop/main.ts");
const start = (...args: string[]): Running => new Running(spawn(process.execPath, [MAIN, ...args]));
const run = (...args: string[]): Promise<Ended> => start(...args).end;

const SCRIPTED = ["--fast", "--port", "0", "--exit-when"];

test("a scripted sign-in prints frames as text and no secret, with exit code 0; the next start is signed in", async () => {
  const state = temporaryFolder();
  const first = await run("--approve", ...SCRIPTED, "signed-in", "--state", state);
  expect(first.stderr).toBe("");
  expect(first.code).toBe(0);
  expect(first.stdout).toMatch(/\|Code [B-Z]{4}-[B-Z]{4} 30:00\|/);
  expect(first.stdout).toContain("|Signed in           |\n|3 broadcasts:       |");
  expect(first.stdout).not.toMatch(/pga\.|pgr\.|tv-secret/);
  const second = await run(...SCRIPTED, "signed-in", "--state", state);
  expect(second.code).toBe(0);
  expect(second.stdout).not.toContain("Code ");
  expect(second.stdout).toContain("|3 broadcasts:       |");
  const third = await run("--deny", ...SCRIPTED, "denied", "--state", state);
  expect(third.code).toBe(1);
  expect(third.stderr).toBe(
    "picogrant: not denied: the device is signed in; choose a new folder with --state to start over\n",
  );
});

test("npm start -- --scenario plays a scenario with its frames; an unknown one gives exit code 2", async () => {
  const valid = await run("--scenario", "deny");
  expect(valid).toMatchObject({ code: 0, stderr: "" });
  expect(valid.stdout).toContain("> deny");
  expect(valid.stdout).toContain("|Access refused. Sign|");
  const invalid = await run("--scenario", "holiday");
  expect(invalid.code).toBe(2);
  expect(invalid.stderr).toMatch(/^picogrant: there is no scenario holiday; choose one of .*\n$/);
});

test.each<[string[], RegExp]>([
  [["--colour"], /^picogrant: unknown option '--colour'/],
  [["extra"], /^picogrant: too many arguments/],
  [["--display", "9x9"], /16x2 to 80x8/],
  [["--port", "70000"], /0 to 65535/],
  [["--exit-when", "never"], /Allowed choices are signed-in, denied, expired/],
  [["--approve", "--deny"], /^picogrant: --approve and --deny exclude each other/],
  [["--fast", "--speed", "10"], /'--fast' cannot be used with option '--speed <factor>'/],
  [["--issuer", "ftp://x"], /http or https address/],
  [["--issuer", "http://127.0.0.1:1", "--client-id", "x"], /a real server needs --scope/],
  [["--server", "github"], /a real server needs --client-id/],
  [["--server", "github", "--issuer", "https://a.example", "--client-id", "x"], /not both/],
  [["--server-parameter", "host=a"], /--server-parameter goes with --server/],
  [
    ["--issuer", "http://a.example", "--client-id", "x", "--scope", "a"],
    /--issuer must be an https/,
  ],
  [["--memory", "100"], /2048 to 65535/],
  [["--client-authentication", "basic"], /Allowed choices are none, client_secret_post/],
  [["--device", "toaster"], /Allowed choices are bare, printer, console/],
  [
    ["--client", "x", "--issuer", "https://a.example", "--client-id", "x", "--scope", "a"],
    /--client is for the simulated service/,
  ],
])("a wrong flag is reported in one line: %s", (args, message) => {
  const [, output] = /^exit 2: ([^\n]+)\n$/.exec(refusal(args))!;
  expect(output).toMatch(message);
});

test.each([
  [["--server", "gitbub", "--client-id", "x"], /--server is unknown; did you mean github\?/],
  [["--server", "keycloak", "--client-id", "x"], /--server-parameter host is missing: the host/],
  [
    ["--server", "github", "--server-parameter", "host=a/b", "--client-id", "x"],
    /--server-parameter host must be the host/,
  ],
  [["--server", "google", "--client-id", "x"], /--client-secret is missing/],
  [["--account", "nobody", "--port", "0"], /no account nobody; choose --account from ada/],
  [["--client", "nobody", "--port", "0"], /no client nobody; choose --client from living-room-tv/],
  [["--fixture", "/nowhere", "--port", "0"], /cannot read the fixture \/nowhere \(ENOENT\)/],
  [["--options", "package.json", "--port", "0"], /--options package.json: option .*name/],
] as [string[], RegExp][])(
  "a wrong flag is one line and exit code 2: %s",
  async (args, message) => {
    const { code, stdout, stderr } = await run("--state", temporaryFolder(), ...args);
    expect(code).toBe(2);
    expect(stderr).toMatch(message);
    expect(stderr.trimEnd().split("\n")).toHaveLength(1);
    expect(stdout).toBe("");
  },
);

test.each([
  ["--display", "16x2"],
  ["--rotate"],
  ["--port", "8080"],
  ["--issuer", "https://a.example"],
])("%s with --scenario is reported in one line with exit code 2", (...args) => {
  const output = refusal([...args, "--scenario", "sign-in"]);
  expect(output).toMatch(
    /^exit 2: picogrant: option '--scenario <name>' cannot be used with [^\n]+\n$/,
  );
  expect(output).toMatch(new RegExp(`option '(-p, )?${args[0]}[ ']`));
});

function refusal(args: readonly string[]): string {
  try {
    return JSON.stringify(readOptions(args));
  } catch (error) {
    // main.ts prints the same text.
    return error instanceof UsageError ? `exit 2: picogrant: ${error.message}\n` : `${error}`;
  }
}

test("--fixture, --options and --client change the simulation; the printer prints a slip", async () => {
  const state = temporaryFolder();
  const [own, options] = [path.join(state, "own.json"), path.join(state, "options.json")];
  const clients = [{ id: "till", secret: "till-secret", name: "Till" }];
  const accounts = [{ id: "ada", name: "Ada", email: "ada@example.test" }];
  writeFileSync(own, JSON.stringify({ accounts, clients }));
  writeFileSync(options, JSON.stringify({ codeLifetime: 120, userCodeFormat: "XXXXXX" }));
  const environment = ["--fixture", own, "--options", options, "--client", "till"];
  const device = ["--device", "printer", "--approve"];
  const where = ["--state", path.join(state, "state"), ...SCRIPTED, "signed-in"];
  const { code, stdout, stderr } = await run(...environment, ...device, ...where);
  expect([code, stderr]).toEqual([0, ""]);
  expect(stdout).toMatch(/^ {2}:within 2 minutes\. *:$/m);
});

test("a second simulator in the same state folder reports the first one in one line; a dead process's lock is taken over", async () => {
  const state = temporaryFolder();
  const running = start("--fast", "--port", "0", "--state", state);
  const { child: first, end } = running;
  await running.until(/Code /);
  const second = await run("--port", "0", "--state", state);
  expect(second.code).toBe(2);
  expect(second.stderr).toBe(
    `picogrant: ${state}: in use by process ${first.pid}; ` +
      "stop it or choose another directory with --state\n",
  );
  expect(first.exitCode).toBe(null);
  first.kill("SIGKILL");
  await end;
  expect(readdirSync(state).some((name) => name.startsWith("lock"))).toBe(true);
  const third = await run("--approve", ...SCRIPTED, "signed-in", "--state", state);
  expect([third.stderr, third.code]).toEqual(["", 0]);
});

test("a busy port is reported in one line with exit code 2", async () => {
  const state = temporaryFolder();
  const port = await listening(createServer());
  const { code, stderr } = await run("--port", String(port), "--state", state);
  expect(code).toBe(2);
  expect(stderr).toBe(
    `picogrant: port ${port} on 127.0.0.1 is in use; choose another with --port, or 0 for any\n`,
  );
});

test.each(["service.json", path.join("device", "slot-0")])(
  "an invalid state file is reported in one line with exit code 2, and stays unchanged: %s",
  async (name) => {
    const state = temporaryFolder();
    await run("--approve", ...SCRIPTED, "signed-in", "--state", state);
    writeFileSync(path.join(state, name), "holiday plans", { mode: 0o600 });
    const { code, stderr } = await run("--port", "0", "--state", state);
    expect(code).toBe(2);
    expect(stderr).toMatch(new RegExp(`^picogrant: .*${name}.*\n$`));
    expect(readFileSync(path.join(state, name), "utf8")).toBe("holiday plans");
  },
);

test("--version prints the version", async () => {
  expect(await run("--version")).toMatchObject({ code: 0, stdout: "0.1.0\n" });
});

test("RFC 8414: --issuer discovers a real server's endpoints; a wrong issuer is one line, exit code 2", async () => {
  const { folder, service, url } = await opened("http", { pollToleranceMs: 250 });
  service.observe((event) => {
    if (event.type === "attempt" && event.state === "pending")
      for (const { userCode } of service.pending()) service.approve(userCode, "ada");
  });
  const client = ["--client-id", "living-room-tv", "--scope", "email", "--state", folder];
  const secret = ["--client-secret", "tv-secret", "--port", "0", "--exit-when", "signed-in"];
  const valid = await run("--issuer", url, ...client, ...secret);
  expect(valid).toMatchObject({ code: 0, stderr: "" });
  expect(valid.stdout).toContain("|Signed in           |");
  expect(valid.stdout).toMatch(/^Panel: open http:\/\/127\.0\.0\.1:\d+\/panel\n/);
  const invalid = await run("--issuer", `${url}/other`, ...client, ...secret);
  expect(invalid.code).toBe(2);
  expect(invalid.stderr).toMatch(/^picogrant: no metadata of http.*HTTP 404.*check --issuer\n$/);
});
