// Runs the installed package in other environments: bundled by each bundler, on several versions of Node, on Deno and
// Bun. The main program signs in, draws the QR code, seals its records, refreshes a rejected token, and resumes.

import { execFile, execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { build, type Format } from "esbuild";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { makeTlsIdentities } from "../../targets/service/certificates.ts";
import {
  type SimulatedService,
  startSimulatedService,
} from "../../targets/service/simulated-service.ts";
import {
  bundlersFolder,
  bunProgram,
  isInstalled,
  runtimes,
} from "../../targets/workbench/runtimes.ts";
import { listen, temporaryFolder } from "../listening.ts";
import { startProxy } from "../platform/connect-proxy.ts";

const project = inject("project");
const run = promisify(execFile);

const BODY = `
const main = async () => {
  let codes = 0;
  const session = await signIn({
    server: process.env.SERVER, clientId: "public-printer", scope: "openid", state: process.env.STATE,
    deviceKey: Uint8Array.from({ length: 32 }, (_, i) => i),
    onCode: ({ qr }) => { codes += String(qr).includes("\\u2588") ? 1 : 100; },
  });
  const answer = await session.fetch(process.env.API);
  const claims = codes > 0 ? (await session.claims()).sub : "";
  await session.close();
  console.log(JSON.stringify({ codes, status: answer.status, claims }));
};
main().catch((error) => { console.error(error); process.exitCode = 1; });
`;
const ESM = `import { signIn } from "picogrant";${BODY}`;
const CJS = `const { signIn } = require("picogrant");${BODY}`;

const folder = path.join(project, "elsewhere");
const esm = path.join(folder, "program.mjs");
const cjs = path.join(folder, "program.cjs");

let service: SimulatedService;
let api: Awaited<ReturnType<typeof startApi>>;
const seen = new Map<string, Set<string>>();

const startApi = () =>
  listen(
    createServer((request, response) => {
      const bearers = seen.get(request.url!) ?? new Set<string>();
      seen.set(request.url!, bearers.add(request.headers.authorization ?? ""));
      response.writeHead(bearers.size === 1 ? 401 : 200).end();
    }),
  );

beforeAll(async () => {
  mkdirSync(folder, { recursive: true });
  // npm writes this file. Deno reads from it which imports are allowed.
  writeFileSync(path.join(folder, "package.json"), '{ "dependencies": { "picogrant": "*" } }');
  writeFileSync(esm, ESM);
  writeFileSync(cjs, CJS);
  service = await startSimulatedService({ approve: "ada", options: { deviceCodeQuota: null } });
  api = await startApi();
});

afterAll(async () => {
  await api.close();
  await service.close();
});

/** The first run signs in, and the second run resumes the session. */
async function signsIn(command: readonly string[], file: string): Promise<void> {
  const home = temporaryFolder();
  const place = `/${path.basename(home)}`;
  const env = {
    ...process.env,
    SERVER: service.url,
    STATE: path.join(home, "state"),
    API: api.origin + place,
  };
  const [program, ...words] = command;
  const once = async (): Promise<unknown> => {
    const { stdout } = await run(program!, [...words, file], { cwd: folder, env });
    return JSON.parse(stdout);
  };
  expect(await once()).toEqual({ codes: 1, status: 200, claims: "ada" });
  expect(seen.get(place)!.size).toBe(2);
  expect(await once()).toMatchObject({ codes: 0, status: 200 });
}

const BEHIND_A_PROXY = `import { signIn } from "picogrant";
const at = process.env.SERVER;
const session = await signIn({
  server: { deviceAuthorization: at + "/device/code", token: at + "/token" },
  clientId: "public-printer", scope: "openid", state: process.env.STATE,
  http: { ca: process.env.CA }, onCode: () => {}, signal: AbortSignal.timeout(100_000),
});
console.log((await session.fetch(at + "/userinfo")).status);
await session.close();
`;

async function signsInBehindAProxy(program: string): Promise<void> {
  const { ca, identities } = makeTlsIdentities();
  const { key, cert } = identities.otherName;
  const hidden = await startSimulatedService({ key, cert, approve: "ada" });
  const proxy = await startProxy(Number(new URL(hidden.url).port));
  const file = path.join(folder, "behind.mjs");
  writeFileSync(file, BEHIND_A_PROXY);
  const env = {
    ...process.env,
    ...{ NODE_USE_ENV_PROXY: "1", CA: ca, STATE: path.join(temporaryFolder(), "state") },
    HTTPS_PROXY: proxy.url,
    SERVER: "https://elsewhere.example",
  };
  try {
    const { stdout } = await run(program, [file], { cwd: folder, env });
    expect(stdout).toBe("200\n");
    expect(new Set(proxy.requested)).toEqual(new Set(["elsewhere.example:443"]));
  } finally {
    proxy.close();
    await hidden.close();
  }
}

/** Each bundler builds a program and returns the file to run. */
const BUNDLERS: Readonly<Record<string, () => Promise<string>>> = {
  "esbuild, cjs": () => withEsbuild("cjs"),
  "esbuild, esm": () => withEsbuild("esm"),
  "rollup, es": () => withRollup("es"),
  "rollup, cjs": () => withRollup("cjs"),
  "webpack, commonjs": () => withWebpack("commonjs2"),
  "webpack, module": () => withWebpack("module"),
  "bun build, esm": () => withBun("esm"),
  "bun build, cjs": () => withBun("cjs"),
};

async function withEsbuild(format: Format): Promise<string> {
  const outdir = path.join(folder, `esbuild-${format}`);
  const outExtension = { ".js": format === "cjs" ? ".cjs" : ".mjs" };
  const how = {
    bundle: true,
    minify: true,
    platform: "node",
    splitting: format === "esm",
  } as const;
  await build({ entryPoints: [esm], outdir, outExtension, format, ...how });
  return path.join(outdir, `program${outExtension[".js"]}`);
}

function bundle(name: string, text: string): void {
  const file = path.join(bundlersFolder, `${name}.mjs`);
  writeFileSync(file, text);
  execFileSync(process.execPath, [file], { cwd: bundlersFolder, stdio: "pipe" });
}

async function withRollup(format: "es" | "cjs"): Promise<string> {
  const dir = path.join(folder, `rollup-${format}`);
  const outcome = format === "es" ? "mjs" : "cjs";
  const output = {
    dir,
    format,
    entryFileNames: `[name].${outcome}`,
    chunkFileNames: `[name].${outcome}`,
  };
  bundle(
    `rollup-${format}`,
    `import { rollup } from "rollup"; import { nodeResolve } from "@rollup/plugin-node-resolve";
    const made = await rollup({ input: ${JSON.stringify(esm)}, external: /^node:/, plugins: [nodeResolve()],
      onwarn: (warning) => { throw new Error(warning.message); } });
    await made.write(${JSON.stringify(output)});`,
  );
  return path.join(dir, `program.${outcome}`);
}

async function withWebpack(type: "commonjs2" | "module"): Promise<string> {
  const dir = path.join(folder, `webpack-${type}`);
  const outcome = type === "module" ? "mjs" : "cjs";
  const settings = {
    ...{ mode: "production", target: "node20", entry: esm },
    ...(type === "module" && { experiments: { outputModule: true } }),
    output: {
      ...{ path: dir, filename: `program.${outcome}`, chunkFilename: `[name].${outcome}` },
      ...{ library: { type }, chunkFormat: type === "module" ? "module" : "commonjs" },
    },
  };
  bundle(
    `webpack-${type}`,
    `import webpack from "webpack";
    webpack(${JSON.stringify(settings)}, (error, stats) => {
      if (error || stats.hasErrors() || stats.hasWarnings()) {
        console.error(error ?? stats.toString());
        process.exitCode = 1;
      }
    });`,
  );
  return path.join(dir, `program.${outcome}`);
}

async function withBun(format: "esm" | "cjs"): Promise<string> {
  const outfile = path.join(folder, `bun-build.${format === "esm" ? "mjs" : "cjs"}`);
  const how = ["--target=node", `--format=${format}`, `--outfile=${outfile}`];
  execFileSync(bunProgram, ["build", esm, ...how], { cwd: project, stdio: "pipe" });
  return outfile;
}

// Without CI, these need `npm run engines -- --runtimes` first.
const isLeftOut = process.env.CI !== "true" && !isInstalled();

describe.skipIf(isLeftOut)("bundled by", () => {
  it.concurrent.each(Object.keys(BUNDLERS))("%s: signs in, refreshes, resumes", async (name) => {
    await signsIn([process.execPath], await BUNDLERS[name]!());
  });
});

/** A test that jest and vitest run without a configuration file. */
const TESTED = `const { signIn, SignInError } = require("picogrant");
const options = { clientId: "public-printer", scope: "openid", state: process.env.STATE, onCode() {} };
test("signs in", async () => {
  const deviceKey = require("node:crypto").randomBytes(32);
  const session = await signIn({ ...options, server: process.env.SERVER, deviceKey });
  expect(await session.accessToken()).toMatch(/./);
  await session.close();
  await expect(signIn({ ...options, server: "gitbub" })).rejects.toBeInstanceOf(SignInError);
}, 600_000);
`;
const installed = (name: string): string => path.join(bundlersFolder, "node_modules", name);
const RUNNERS: Record<string, () => readonly string[]> = {
  "jest, node": () => [installed("jest/bin/jest.js"), "--env=node"],
  "jest, jsdom": () => [
    installed("jest/bin/jest.js"),
    `--env=${installed("jest-environment-jsdom")}`,
  ],
  vitest: () => [
    fileURLToPath(new URL("../../node_modules/vitest/vitest.mjs", import.meta.url)),
    "run",
    "--globals",
  ],
};

/** A program whose responses come from its own process. Prints the access token, and whether signing out revoked it. */
const RESPONDED = (how: string): string => `const { signIn } = require("picogrant");
const at = "https://auth.example.com";
const answers = {
  "/d": { device_code: "d", user_code: "AB-CD", verification_uri: at, expires_in: 300, interval: 1 },
  "/t": { access_token: "good", refresh_token: "r", token_type: "Bearer", expires_in: 3600 },
};
${how}
(async () => {
  const server = { deviceAuthorization: at + "/d", token: at + "/t", revocation: at + "/r" };
  const session = await signIn({ server, clientId: "c", state: process.env.STATE, onCode() {} });
  console.log(await session.accessToken(), (await session.signOut()).isRevoked);
  process.exit();
})();
`;
const coded = { "content-encoding": "gzip" };
const MOCKS: Record<string, string> = {
  nock: `const nock = require(${JSON.stringify(installed("nock"))});
nock.disableNetConnect();
for (const path of Object.keys(answers)) nock(at).persist().post(path).reply(200, answers[path]);
nock(at).persist().post("/r").reply(200, "", ${JSON.stringify(coded)});`,
  msw: `const { setupServer } = require(${JSON.stringify(installed("msw/lib/node/index.js"))});
const { http, HttpResponse } = require(${JSON.stringify(installed("msw"))});
const known = Object.keys(answers).map((path) => http.post(at + path, () => HttpResponse.json(answers[path])));
const revoked = () => new HttpResponse(null, { headers: ${JSON.stringify(coded)} });
setupServer(...known, http.post(at + "/r", revoked)).listen();`,
};

describe.skipIf(isLeftOut)("in a program's own tests", () => {
  const inFolder = (name: string, file: string, text: string): string => {
    const place = path.join(folder, name.replace(/\W/g, "-"));
    mkdirSync(place, { recursive: true });
    writeFileSync(path.join(place, file), text);
    return place;
  };

  it.concurrent.each(Object.keys(RUNNERS))("%s: without configuration", async (name) => {
    const place = inFolder(name, "program.test.js", TESTED);
    writeFileSync(path.join(place, "package.json"), "{}");
    const env = { ...process.env, SERVER: service.url, STATE: path.join(place, "state") };
    const { stdout, stderr } = await run(process.execPath, RUNNERS[name]!(), { cwd: place, env });
    expect(stdout + stderr).toMatch(/1 passed/);
  });

  it.concurrent.each(Object.keys(MOCKS))("%s: without configuration", async (name) => {
    const place = inFolder(name, "program.cjs", RESPONDED(MOCKS[name]!));
    const env = { ...process.env, STATE: path.join(place, "state") };
    const file = path.join(place, "program.cjs");
    expect((await run(process.execPath, [file], { env })).stdout).toBe("good true\n");
  });
});

describe.skipIf(isLeftOut)("on", () => {
  it.concurrent.each(runtimes)("$name: a module signs in, refreshes, resumes", ({ command }) =>
    signsIn(command, esm),
  );

  it.concurrent.each(runtimes.filter(({ name }) => /^Node 2[246]/.test(name)))(
    "$name: with NODE_USE_ENV_PROXY the sign-in and session.fetch use the proxy",
    ({ command }) => signsInBehindAProxy(command[0]),
  );

  it.concurrent.each(runtimes)("$name: so does CommonJS", ({ command }) => signsIn(command, cjs));
});
