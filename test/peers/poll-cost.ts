// npm run tool -- polls: what a pending poll over HTTP costs this service, and oidc-provider beside it. Each runs in a
// process of its own, and they are asked in turn.

import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { Agent, request } from "node:http";
import { fileURLToPath } from "node:url";
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

/** In the process of a server: says where it is, and how much of a core it has used whenever it is asked. */
async function serveAs(name: string): Promise<void> {
  process.send!(await SERVERS[name]!());
  process.on("message", () => {
    const { user, system } = process.cpuUsage();
    process.send!(user + system);
  });
  process.on("disconnect", () => process.exit());
}

const agent = new Agent({ keepAlive: true, maxSockets: 1 });

function post(address: string, fields: Record<string, string>): Promise<Record<string, string>> {
  return new Promise((resolve, reject) => {
    const body = `${new URLSearchParams(fields)}`;
    const headers = {
      "content-type": "application/x-www-form-urlencoded",
      "content-length": body.length,
    };
    const asked = request(address, { method: "POST", agent, headers }, (answer) => {
      let text = "";
      answer.setEncoding("utf8").on("data", (piece) => {
        text += piece;
      });
      answer.on("end", () => resolve(JSON.parse(text)));
    });
    asked.on("error", reject).end(body);
  });
}

async function used(child: ChildProcess): Promise<number> {
  child.send("?");
  const [microseconds] = await once(child, "message");
  return microseconds as number;
}

async function compare(): Promise<void> {
  const running = await Promise.all(
    Object.keys(SERVERS).map(async (name) => {
      const child = fork(fileURLToPath(import.meta.url), [name], { execArgv: process.execArgv });
      const [place] = (await once(child, "message")) as [Place];
      const { client: client_id, codes } = place;
      const { device_code } = await post(codes, { client_id, scope: "openid" });
      const fields = { client_id, grant_type: DEVICE_GRANT, device_code: device_code! };
      return { name, child, place, fields, costs: [] as number[] };
    }),
  );
  // The first round only warms them up.
  for (let round = 0; round <= ROUNDS; round++)
    for (const { child, place, fields, costs } of running) {
      const before = await used(child);
      for (let poll = 0; poll < POLLS; poll++) {
        const { error } = await post(place.token, fields);
        if (error !== "authorization_pending") throw new Error(`a poll was answered ${error}`);
      }
      if (round > 0) costs.push(((await used(child)) - before) / POLLS);
    }
  for (const { name, child, costs } of running) {
    costs.sort((one, other) => one - other);
    const [least, median, most] = [0, ROUNDS >> 1, ROUNDS - 1].map((at) => costs[at]!.toFixed(0));
    console.log(
      `${name}: ${median} us of a core for a poll, user and system (${least} to ${most})`,
    );
    child.kill();
  }
  agent.destroy();
}

const { args } = commandLine("polls", "What a pending poll costs this service and another.")
  .argument("[server]", "for the processes that it starts: the server to be")
  .parse();
const [name] = args;
if (name !== undefined && process.send) await serveAs(name);
else await compare();
