// npm run tool -- polls: what a pending poll over HTTP costs this service, and oidc-provider beside it. Each runs in a
// process of its own, and they are asked in turn.

import { fork } from "node:child_process";
import { once } from "node:events";
import { startSimulatedService } from "../../targets/service/simulated-service.ts";
import { commandLine } from "../../targets/workbench/script-options.ts";
import { DEVICE_GRANT } from "../service/harness.ts";
import { startProvider } from "./oidc-provider-server.ts";

const ROUNDS = 9;
const POLLS = 1000;

interface Place {
  readonly codes: string;
  readonly token: string;
  readonly client: string;
}

const SERVERS: Record<string, () => Promise<Place>> = {
  "this service": async () => {
    const { url } = await startSimulatedService({ options: { pollToleranceMs: 60_000 } });
    return { codes: `${url}/device/code`, token: `${url}/token`, client: "public-printer" };
  },
  "oidc-provider": async () => {
    const { issuer } = await startProvider();
    return { codes: `${issuer}/device/auth`, token: `${issuer}/token`, client: "printer" };
  },
};

async function post(address: string, fields: Record<string, string>) {
  const answer = await fetch(address, { method: "POST", body: new URLSearchParams(fields) });
  return (await answer.json()) as Record<string, string>;
}

async function startProcess(name: string) {
  const child = fork(import.meta.filename, [name], { execArgv: process.execArgv });
  const [{ codes, token, client: client_id }] = (await once(child, "message")) as [Place];
  const { device_code } = await post(codes, { client_id, scope: "openid" });
  const fields = { client_id, grant_type: DEVICE_GRANT, device_code: device_code! };
  /** Microseconds of a core, user and system, since it was started. */
  const used = async (): Promise<number> => {
    child.send("?");
    return (await once(child, "message"))[0] as number;
  };
  const costs: number[] = [];
  const poll = async (): Promise<void> => {
    const before = await used();
    for (let count = 0; count < POLLS; count++) {
      const { error } = await post(token, fields);
      if (error !== "authorization_pending") throw new Error(`a poll was answered ${error}`);
    }
    costs.push(((await used()) - before) / POLLS);
  };
  return { name, child, costs, poll };
}

async function compare(): Promise<void> {
  const running = await Promise.all(Object.keys(SERVERS).map(startProcess));
  // The first round only warms them up.
  for (let round = 0; round <= ROUNDS; round++) for (const { poll } of running) await poll();
  for (const { name, child, costs } of running) {
    const sorted = costs.slice(1).sort((one, other) => one - other);
    const [least, median, most] = [0, ROUNDS >> 1, ROUNDS - 1].map((at) => sorted[at]!.toFixed(0));
    console.log(`${name}: ${median} us of a core for a poll (${least} to ${most})`);
    child.kill();
  }
}

const start = process.send && SERVERS[process.argv[2]!];
if (start === undefined) {
  commandLine("polls", "What a pending poll costs this service and another.").parse();
  await compare();
} else {
  process.send!(await start());
  process.on("message", () => {
    const { user, system } = process.cpuUsage();
    process.send!(user + system);
  });
  process.on("disconnect", () => process.exit());
}
