// Glewlwyd (Debian package glewlwyd) as a process of its own, on a database of its own, whose clock libfaketime (Debian)
// moves: the scenarios move the date.

import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { gunzipSync } from "node:zlib";
import { PATIENCE_MS } from "../patience.ts";
import { type ForeignServer, METHODS } from "./foreign-server.ts";

const DOCS = "/usr/share/doc/glewlwyd";
const FAKETIME = "/usr/lib/x86_64-linux-gnu/faketime/libfaketime.so.1";
export const GLEWLWYD_PARTS = ["/usr/bin/glewlwyd", "/usr/bin/sqlite3", FAKETIME];

const SECRET = "glewlwyd-secret";
const PERSON = { username: "ada", password: "ada-password" };
/** What the package's database begins with. */
const ADMIN = { username: "admin", password: "password" };

const readPacked = (name: string): string =>
  gunzipSync(readFileSync(`${DOCS}/${name}.gz`)).toString();

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as { port: number };
  server.close();
  await once(server, "close");
  return port;
}

/** Its sample configuration, with what has to be another here. */
function writeSettings(folder: string, port: number): string {
  const file = path.join(folder, "glewlwyd.conf");
  const text = readPacked("glewlwyd.conf.sample")
    .replace(/^port=.*$/m, `port=${port}\nbind_address="127.0.0.1"`)
    .replace(/^external_url=.*$/m, `external_url="http://127.0.0.1:${port}"`)
    .replace("cookie_secure=1", "cookie_secure=0")
    .replace("/var/cache/glewlwyd/glewlwyd.db", path.join(folder, "glewlwyd.db"));
  writeFileSync(file, text);
  const input = readPacked("database/init.sqlite3.sql");
  execFileSync("sqlite3", [path.join(folder, "glewlwyd.db")], { input });
  return file;
}

/** A person or the administrator at its pages: what is asked there carries the session's cookie. */
class Visitor {
  #cookie = "";
  readonly #base: string;

  constructor(base: string) {
    this.#base = base;
  }

  async ask(method: string, address: string, body?: object): Promise<Response> {
    const answer = await fetch(`${this.#base}${address}`, {
      method,
      headers: { "content-type": "application/json", cookie: this.#cookie },
      redirect: "manual",
      ...(body && { body: JSON.stringify(body) }),
    });
    const [cookie] = answer.headers.getSetCookie();
    if (cookie !== undefined) this.#cookie = cookie.split(";")[0]!;
    if (answer.status >= 400) throw new Error(`Glewlwyd: ${method} ${address} ${answer.status}`);
    return answer;
  }
}

/** The plugin for OpenID Connect with the device grant, a person, and a client for each method. */
async function furnish(base: string): Promise<void> {
  const admin = new Visitor(base);
  await admin.ask("POST", "/api/auth/", ADMIN);
  await admin.ask("POST", "/api/mod/plugin/", {
    ...{ module: "oidc", name: "oidc", display_name: "oidc" },
    parameters: {
      iss: `${base}/api/oidc`,
      ...{ "jwt-type": "sha", "jwt-key-size": "256", key: "a key for tests alone, 32 bytes long" },
      ...{ "access-token-duration": 900, "refresh-token-duration": 1_209_600 },
      ...{ "code-duration": 600, "refresh-token-rolling": true },
      ...{ "auth-type-device-enabled": true, "auth-type-refresh-enabled": true },
      ...{ "allow-non-oidc": true, "subject-type": "public", "allowed-scope": ["openid"] },
      ...{ "device-authorization-expiration": 120, "device-authorization-interval": 5 },
      ...{ "introspection-revocation-allowed": true },
      "introspection-revocation-allow-target-client": true,
    },
  });
  for (const method of METHODS) {
    await admin.ask("POST", "/api/client/", {
      ...{ client_id: method, name: method, enabled: true, source: "database" },
      ...(method === "none"
        ? { confidential: false }
        : { confidential: true, client_secret: SECRET }),
      ...{ scope: ["openid"], redirect_uri: [], token_endpoint_auth_method: [method] },
      authorization_type: ["device_authorization", "refresh_token"],
    });
  }
  const person = { ...PERSON, name: "Ada", enabled: true, source: "database" };
  await admin.ask("POST", "/api/user/", { ...person, scope: ["openid", "g_profile"] });
}

async function untilUp(base: string, complaints: () => string): Promise<void> {
  for (const end = performance.now() + PATIENCE_MS; ; ) {
    const isUp = await fetch(`${base}/config`).then(
      () => true,
      () => false,
    );
    if (isUp) return;
    if (performance.now() > end) throw new Error(`Glewlwyd does not answer: ${complaints()}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

/** With `setTime`, which the shared time tells. Nobody can decline there: a code that is not allowed runs out. */
export async function startGlewlwyd(): Promise<ForeignServer & { setTime(ms: number): void }> {
  const folder = mkdtempSync(path.join(tmpdir(), "picogrant-glewlwyd-"));
  const clock = path.join(folder, "clock");
  // A date, at which its clock stands: one that ran would be ahead by what a request takes, and then fall back.
  const setTime = (ms: number): void => {
    writeFileSync(clock, `${new Date(ms).toISOString().slice(0, 19).replace("T", " ")}\n`);
  };
  setTime(Date.now());
  const port = await freePort();
  const base = `http://127.0.0.1:${port}`;
  const running = spawn("/usr/bin/glewlwyd", ["-c", writeSettings(folder, port)], {
    stdio: ["ignore", "pipe", "pipe"],
    env: {
      ...process.env,
      ...{ LD_PRELOAD: FAKETIME, FAKETIME_TIMESTAMP_FILE: clock, FAKETIME_NO_CACHE: "1" },
      ...{ FAKETIME_DONT_FAKE_MONOTONIC: "1", DONT_FAKE_MONOTONIC: "1", TZ: "UTC" },
    },
  });
  let said = "";
  for (const stream of [running.stdout, running.stderr]) {
    stream.setEncoding("utf8").on("data", (text: string) => {
      said += text;
    });
  }
  await untilUp(base, () => said);
  await furnish(base);
  return {
    name: "Glewlwyd 2.7",
    issuer: `${base}/api/oidc`,
    clients: {
      none: { id: "none", secret: "" },
      client_secret_post: { id: "client_secret_post", secret: SECRET },
      client_secret_basic: { id: "client_secret_basic", secret: SECRET },
    },
    scope: "openid",
    codeLifeS: 120,
    accessLifeS: 900,
    setTime,
    approve: async (_, userCode) => {
      const person = new Visitor(base);
      await person.ask("POST", "/api/auth/", PERSON);
      for (const method of METHODS) {
        await person.ask("PUT", `/api/auth/grant/${method}`, { scope: "openid" });
      }
      const { headers } = await person.ask("GET", `/api/oidc/device?code=${userCode}&g_continue`);
      const to = headers.get("location") ?? "";
      if (!to.includes("prompt=deviceComplete")) throw new Error(`Glewlwyd leads to ${to}`);
    },
    deny: () => Promise.reject(new Error("Glewlwyd has no way to decline")),
    close: async () => {
      running.kill();
      await once(running, "exit");
      rmSync(folder, { recursive: true });
    },
  };
}
