// Runs in a process of its own: bytes that V8 allocates for one pending poll of one client. No garbage is
// collected in between (the young generation is large), so the growth of the heap is the gross count.
//
//   node --expose-gc --max-semi-space-size=... poll-memory.ts CLIENT BASE
//
// With BASE "" the network is left out: the answer is there as soon as it is asked for, and what making
// that answer allocates is taken off again.

import { PerformanceObserver } from "node:perf_hooks";
import { createOAuthDeviceAuth } from "@octokit/auth-oauth-device";
import { request } from "@octokit/request";
import * as oauth from "oauth4webapi";
import * as openid from "openid-client";
import * as core from "../../../core/complete.ts";
import { openidConfiguration, serverOf } from "./clients.ts";
import { startDevice, until } from "./measured-device.ts";

const [name, base] = process.argv.slice(2) as [string, string];
const polls = 100;
const pendingBody = JSON.stringify({ error: "authorization_pending", error_description: "x" });
const origin = base || "http://127.0.0.1:9";
const headers = { "Content-Type": "application/json" };
const makeAnswer = (): Response => new Response(pendingBody, { status: 428, headers });
const fetchOf = base ? globalThis.fetch : async (): Promise<Response> => makeAnswer();

let collections = 0;
new PerformanceObserver((list) => {
  collections += list.getEntries().length;
}).observe({ entryTypes: ["gc"] });

/** Heap growth over `count` runs. */
async function growth(count: number, run: (count: number) => Promise<void>): Promise<number> {
  globalThis.gc?.();
  const before = process.memoryUsage().heapUsed;
  await run(count);
  return process.memoryUsage().heapUsed - before;
}

async function oauthPolls(count: number): Promise<void> {
  const as = serverOf(origin);
  const client = { client_id: "client" };
  const secret = oauth.ClientSecretPost("secret");
  const options = { [oauth.allowInsecureRequests]: true, [oauth.customFetch]: fetchOf } as const;
  for (let index = 0; index < count; index++) {
    const response = await oauth.deviceCodeGrantRequest(as, client, secret, "dev", options);
    await oauth.processDeviceCodeResponse(as, client, response).catch(() => {});
  }
}

/** The library makes the loop itself: it is stopped after so many polls. */
async function openidPolls(count: number): Promise<void> {
  const configuration = openidConfiguration(origin);
  const stop = new AbortController();
  let left = count;
  configuration[openid.customFetch] = (url, init) => {
    if (--left < 0) stop.abort();
    return fetchOf(url, init as RequestInit);
  };
  const codes = { device_code: "dev", user_code: "U", verification_uri: origin, expires_in: 600 };
  const options = { signal: stop.signal };
  const answer = { ...codes, interval: 0.001 };
  const grant = openid.pollDeviceAuthorizationGrant(configuration, answer, undefined, options);
  await grant.catch(() => {});
}

/** It polls at once, then loops by itself: the answers end it after so many. */
async function octokitPolls(count: number): Promise<void> {
  let left = count;
  const codes = { device_code: "dev", user_code: "U", verification_uri: origin, expires_in: 600 };
  const fetchCounted = async (url: string, init: RequestInit): Promise<Response> => {
    if (url.endsWith("/device/code")) return Response.json({ ...codes, interval: 0.001 });
    if (--left < 0) throw new Error("enough");
    return fetchOf(url, init);
  };
  const auth = createOAuthDeviceAuth({
    clientType: "oauth-app",
    clientId: "client",
    onVerification: () => {},
    request: request.defaults({ baseUrl: origin, request: { fetch: fetchCounted } }),
  });
  await auth({ type: "oauth" }).catch(() => {});
}

let device: core.Device | null = null;
const pendingBytes = new TextEncoder().encode(pendingBody);
const codeBytes = new TextEncoder().encode(
  '{"device_code":"dev","user_code":"U","verification_url":"http://x.y","expires_in":9000000}',
);

function pass(elapsedMs: number): boolean {
  let sent = false;
  let command = core.tick(device!, elapsedMs);
  for (; command !== core.Command.NONE; command = core.tick(device!, 0)) {
    if (command === core.Command.SEND) sent = true;
    else if (command === core.Command.LOAD) core.storageDone(device!, 0);
    else if (command !== core.Command.SHOW) core.storageDone(device!, 1);
  }
  return sent;
}

function answer(status: number, bytes: Uint8Array): void {
  const id = device!.requestId;
  core.responseStart(device!, id, status, -1);
  core.responseBody(device!, id, bytes, 0, bytes.length);
  core.responseEnd(device!, id);
}

/** The core alone, as a host would drive it. */
function corePolls(count: number): void {
  if (!device) {
    device = core.create(new Uint8Array(4096), {
      ...{ clientId: "client", clientSecret: "secret", scope: "email", deviceParameters: "" },
      ...{ server: "https://auth.example", tokenParameters: "" },
      ...{ columns: 20, rows: 4, seed: 1, autoStart: 1, renewalsMax: 3, clientAuthentication: 3 },
      messages: "",
    })!;
    while (!pass(core.wakeIn(device))) pass(0);
    answer(200, codeBytes);
  }
  for (let left = count; left > 0; left--) {
    while (!pass(core.wakeIn(device))) pass(0);
    answer(428, pendingBytes);
  }
}

/** The driver on Node's HTTP, a fast clock and sockets. */
async function driverPolls(count: number): Promise<void> {
  const running = startDevice(base, 20_000);
  const { device: state } = running.driver;
  // Ids count the requests.
  await until(() => state.requestId > count, 60_000);
  running.stop();
}

const runs: Record<string, (count: number) => Promise<void>> = {
  oauth4webapi: oauthPolls,
  "openid-client": openidPolls,
  "@octokit/auth-oauth-device": octokitPolls,
  picogrant: async (count) => (base ? driverPolls(count) : corePolls(count)),
  answer: async (count) => {
    for (let index = 0; index < count; index++) await fetchOf(origin);
  },
};

const run = runs[name];
if (!run) throw new Error(`no such client: ${name}`);
// The code is compiled and optimized before it is measured.
for (let round = 0; round < (base ? 4 : 10); round++) await run(base ? 50 : 400);

/** Bytes of each round in which only the collection before it came. */
const figures: number[] = [];
for (let round = 0; round < 15 && figures.length < 5; round++) {
  collections = 0;
  const bytes = await growth(polls, run);
  await new Promise((resolve) => setTimeout(resolve, 10));
  const seen = collections;
  // What the asking itself allocates is taken off.
  const asking = await growth(0, async () => {});
  if (seen <= 1) figures.push((bytes - asking) / polls);
}
figures.sort((a, b) => a - b);
if (figures.length === 0) throw new Error(`${name}: garbage was collected in every round`);
console.log(JSON.stringify({ bytes: Math.round(figures[figures.length >> 1]!) }));
