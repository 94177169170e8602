// A complete device for each compared client, for the bench (`picogrant conform --device`), written as the client's
// documentation shows. Its arguments are the name of a client and a device.json. Commands on standard input: a requests
// the resource, o signs out.

import { execFile, spawn } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { createInterface } from "node:readline";
import { setTimeout as wait } from "node:timers/promises";
import { promisify } from "node:util";
import * as oauth from "oauth4webapi";
import * as openid from "openid-client";
import { signIn } from "../../../platform/node/sign-in.ts";

interface Client {
  request(): Promise<unknown>;
  signOut(): Promise<unknown>;
}

const config = JSON.parse(readFileSync(process.argv[3]!, "utf8"));
const { clientId, scope, endpoints, storage, http } = config;
const { resources, ...addresses } = endpoints;
const [resource] = resources as [string];
const server: oauth.AuthorizationServer = {
  issuer: new URL(endpoints.token).origin,
  device_authorization_endpoint: endpoints.deviceAuthorization,
  token_endpoint: endpoints.token,
  revocation_endpoint: endpoints.revocation,
};

async function picogrant(): Promise<Client> {
  const session = await signIn({
    ...{ clientId, scope, server: addresses, resources: [resource], state: storage.directory },
    http: { ca: readFileSync(http.certificates, "utf8") },
    onCode: () => {},
    onTrouble: ({ message }) => console.error(message),
  });
  return { request: () => session.fetch(resource), signOut: () => session.signOut() };
}

/** The loop of the library's own example (examples/device_authorization_grant.ts). */
async function oauth4webapi(): Promise<Client> {
  const client: oauth.Client = { client_id: clientId };
  const none = oauth.None();
  const insecure = { [oauth.allowInsecureRequests]: true } as const;
  const requested = await oauth.deviceAuthorizationRequest(
    server,
    client,
    none,
    { scope },
    insecure,
  );
  const code = await oauth.processDeviceAuthorizationResponse(server, client, requested);
  let interval = code.interval ?? 5;
  for (;;) {
    await wait(interval * 1000);
    const polled = await oauth.deviceCodeGrantRequest(
      ...([server, client, none, code.device_code, insecure] as const),
    );
    try {
      const tokens = await oauth.processDeviceCodeResponse(server, client, polled);
      const bearer = tokens.access_token;
      return {
        request: () => oauth.protectedResourceRequest(bearer, "GET", new URL(resource), ...NOTHING),
        signOut: () =>
          oauth.revocationRequest(server, client, none, tokens.refresh_token ?? bearer, insecure),
      };
    } catch (error) {
      if (!(error instanceof oauth.ResponseBodyError)) throw error;
      if (error.error === "slow_down") interval += 5;
      else if (error.error !== "authorization_pending") throw error;
    }
  }
}
const NOTHING = [undefined, undefined, { [oauth.allowInsecureRequests]: true }] as const;

async function openidClient(): Promise<Client> {
  const client = new openid.Configuration(server, clientId, undefined, openid.None());
  openid.allowInsecureRequests(client);
  const code = await openid.initiateDeviceAuthorization(client, { scope });
  const tokens = await openid.pollDeviceAuthorizationGrant(client, code);
  const bearer = tokens.access_token;
  return {
    request: () => openid.fetchProtectedResource(client, bearer, new URL(resource), "GET"),
    signOut: () => openid.tokenRevocation(client, tokens.refresh_token ?? bearer),
  };
}

/** The command line of Debian's oidc-agent-cli: an agent that stores the tokens, and commands that use it. */
async function oidcAgent(): Promise<Client> {
  const folder = `${storage.directory}/oidc`;
  const [stored, agent] = [`${folder}/metadata.json`, `${folder}/socket-${process.pid}`];
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  // oidc-agent reads addresses from metadata only, and stores the issuer. So a restart uses the same port for metadata.
  const before =
    existsSync(stored) && new URL(JSON.parse(readFileSync(stored, "utf8")).issuer).port;
  const metadata = createServer((_, response) => response.end(readFileSync(stored)));
  await new Promise<void>((done) => metadata.listen(Number(before), "127.0.0.1", done));
  const issuer = `http://127.0.0.1:${(metadata.address() as AddressInfo).port}/`;
  const needed = { authorization_endpoint: `${issuer}a`, scopes_supported: scope.split(" ") };
  writeFileSync(stored, JSON.stringify({ ...server, issuer, ...needed }));
  const own = { OIDC_CONFIG_DIR: folder, OIDC_SOCK: agent, OIDC_ENCRYPTION_PW: "bench" };
  const env = { ...process.env, ...own };
  spawn("oidc-agent", ["--console", "--socket-path", agent], { env, stdio: "ignore" });
  while (!existsSync(agent)) await wait(20);
  const run = async (command: string, ...words: string[]): Promise<string> =>
    (await promisify(execFile)(command, words, { env })).stdout.trim();
  const options = [
    ...[`--issuer=${issuer}`, `--client-id=${clientId}`, "--client-secret=", `--scope=${scope}`],
    ...["--flow=device", `--device-authorization-endpoint=${endpoints.deviceAuthorization}`],
    ...[`--cert-path=${http.certificates}`, "--redirect-uri=http://localhost:4242"],
    ...["--manual", "--no-url-call", "--confirm-default", "--prompt=none", "--pw-env"],
  ];
  if (existsSync(`${folder}/bench`)) await run("oidc-add", "--pw-env", "bench");
  else await run("oidc-gen", ...options, "bench");
  const call = async (...how: string[]): Promise<number> => {
    const authorization = `Bearer ${await run("oidc-token", ...how, "bench")}`;
    return (await fetch(resource, { headers: { authorization } })).status;
  };
  return {
    request: async () => (await call()) === 401 && call("--force-new"),
    signOut: () => run("oidc-gen", "--delete", "--confirm-yes", "--pw-env", "bench"),
  };
}

const clients: Readonly<Record<string, () => Promise<Client>>> = {
  picogrant,
  oauth4webapi,
  "openid-client": openidClient,
  "oidc-agent": oidcAgent,
};
const client = clients[process.argv[2]!]!();
client.catch((error: Error) => console.error(error.message));
createInterface({ input: process.stdin }).on("line", (line) => {
  client
    .then((one) => (line === "o" ? one.signOut() : one.request()))
    .catch((error: Error) => console.error(error.message));
});
