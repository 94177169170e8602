import path from "node:path";
import { HttpsProxyAgent } from "https-proxy-agent";
import { afterAll, beforeAll, beforeEach, expect, it, onTestFinished } from "vitest";
import { type Session, type SignInOptions, signIn } from "../../platform/node/sign-in.ts";
import { makeTlsIdentities } from "../../targets/service/certificates.ts";
import {
  type SimulatedService,
  startSimulatedService,
} from "../../targets/service/simulated-service.ts";
import { temporaryFolder } from "../listening.ts";
import { type RunningProxy, startProxy } from "./connect-proxy.ts";

/** Only the proxy can resolve this name. */
const SERVER = "https://elsewhere.example";
const { ca, identities } = makeTlsIdentities();
const services: SimulatedService[] = [];
const home = temporaryFolder();
let count = 0;
let received: string[] = [];

async function service(identity: { key: string; cert: string }): Promise<SimulatedService> {
  const one = await startSimulatedService({ ...identity, approve: "ada" });
  one.observe(({ type }) => received.push(type));
  services.push(one);
  return one;
}

let genuine: SimulatedService;
/** A server with a certificate of an untrusted authority, like a proxy that intercepts TLS. */
let impostor: SimulatedService;

beforeAll(async () => {
  genuine = await service(identities.otherName);
  impostor = await service(identities.untrusted);
});
beforeEach(() => {
  received = [];
});
afterAll(async () => {
  for (const one of services) await one.close();
});

const portOf = ({ url }: SimulatedService): number => Number(new URL(url).port);

function start(proxy: RunningProxy, more: Partial<SignInOptions> = {}): Promise<Session> {
  return signIn({
    server: { deviceAuthorization: `${SERVER}/device/code`, token: `${SERVER}/token` },
    ...{ clientId: "public-printer", scope: "openid", state: path.join(home, `${count++}`) },
    http: { agent: new HttpsProxyAgent(proxy.url, { keepAlive: true }), ca },
    onCode: () => {},
    ...more,
  });
}

it("sign-in, session.fetch and a resumed session use the proxy", async () => {
  const proxy = await startProxy(portOf(genuine));
  const state = path.join(home, "kept");
  onTestFinished(() => proxy.close());
  for (const isNew of [true, false]) {
    proxy.requested.length = 0;
    const session = await start(proxy, { state, resumeOnly: !isNew });
    const response = await session.fetch(`${SERVER}/userinfo`);
    expect(response.status).toBe(200);
    expect(await response.json()).toMatchObject({ sub: "ada" });
    await session.close();
    expect(new Set(proxy.requested)).toEqual(new Set(["elsewhere.example:443"]));
  }
});

it.each([
  ["refuses (407)", () => genuine, 407, "proxy_refused"],
  ["reads along with a certificate of its own", () => impostor, undefined, "certificate_refused"],
] as const)(
  "%s: the proxy gets no secret, and nothing bypasses it",
  async (_, at, refusal, why) => {
    const proxy = await startProxy(portOf(at()), refusal);
    const gaveUp = new AbortController();
    const reported: string[] = [];
    const onTrouble = ({ code }: { code: string }): void => {
      reported.push(code);
      if (reported.length === 2) gaveUp.abort();
    };
    onTestFinished(() => proxy.close());
    await expect(start(proxy, { onTrouble, signal: gaveUp.signal })).rejects.toMatchObject({
      code: "aborted",
    });
    expect(reported).toEqual([why, why]);
    expect(proxy.requested.length).toBeGreaterThan(1);
    expect(received).toEqual([]);
  },
);
